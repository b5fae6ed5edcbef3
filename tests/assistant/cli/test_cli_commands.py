"""history, feedback, bundle, backup, restore and doctor, on a real history and a real bundle."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from assistant.cli import main
from assistant.paths import home
from assistant.store.database import Store
from assistant.types import BundleName, Reply, Source

Output = pytest.CaptureFixture[str]


@pytest.fixture
def ids() -> list[str]:
    """Two conversations, one of them with hostile text; their ids in the order they were made."""
    with Store.open(home().create().database) as store:
        made = []
        for question in ("What is sleep hygiene?", "Title \x1b]0;evil\x07 [/] can't"):
            conversation = store.create_conversation()
            turn = store.add_question(conversation, question)
            reply = Reply(
                question, "curated", "Keep hours.", "sleep", 0.8, source=Source("NHS", "https://nhs.uk"),
                bundle=BundleName("harbour", "1.0"),
            )  # fmt: skip
            store.finish_turn(turn, "complete", reply, "Keep hours. \x1b[2J")
            store.add_feedback(turn, "up", reason="good\x1b[31m")
            made.append(conversation)
        return made


def run(capfd: Output, *arguments: str, code: int = 0) -> tuple[str, str]:
    """Run `lamplight` and return stdout and stderr, both free of escapes."""
    assert main(arguments) == code
    out, err = capfd.readouterr()
    assert "\x1b" not in out + err
    return out, err


def test_history_list(ids: list[str], capfd: Output) -> None:
    out, _ = run(capfd, "history", "list")
    assert [line.split()[0] for line in out.splitlines()] == ids[::-1]
    out, _ = run(capfd, "history", "list", "--json", "--limit", "1")
    (record,) = json.loads(out)
    assert (record["id"], record["turns"]) == (ids[1], 1)


def test_looking_makes_no_history(capfd: Output) -> None:
    assert run(capfd, "history", "list", "--json")[0] == "[]\n"
    run(capfd, "history", "search", "x")
    run(capfd, "feedback", "list")
    run(capfd, "history", "purge", "--yes")
    assert not home().database.exists()


def test_history_show_and_last(ids: list[str], capfd: Output) -> None:
    out, _ = run(capfd, "history", "show", ids[0][:6])
    assert "> What is sleep hygiene?" in out
    assert "Source: NHS, <https://nhs.uk>" in out
    out, _ = run(capfd, "history", "show", "last", "--json")
    assert json.loads(out)["id"] == ids[1]
    _, err = run(capfd, "history", "show", "zzz", code=2)
    assert "zzz" in err


@pytest.mark.parametrize("query", ["can't", '"', "AND", "NOT x", "*", "col:a", "(", "NEAR(", "%", "--", "[/]"])
def test_history_search_takes_anything(ids: list[str], capfd: Output, query: str) -> None:
    run(capfd, "history", "search", "--", query)
    out, _ = run(capfd, "history", "search", "--json", "--", "hygiene")
    assert [hit["conversation_id"] for hit in json.loads(out)] == [ids[0]]


def test_history_export(ids: list[str], capfd: Output, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    run(capfd, "history", "export", ids[0], "-o", str(target))
    assert target.read_text(encoding="utf-8").startswith("# What is sleep hygiene?")
    run(capfd, "history", "export", ids[0], "-o", str(target), code=2)
    run(capfd, "history", "export", ids[0], "-o", str(target), "--format", "json", "--force")
    assert json.loads(target.read_text(encoding="utf-8"))["id"] == ids[0]
    out, _ = run(capfd, "history", "export", ids[0])
    assert out.startswith("# What")
    link = tmp_path / "link.md"
    link.symlink_to(tmp_path / "elsewhere.md")
    run(capfd, "history", "export", ids[0], "-o", str(link), "--force", code=2)
    assert not (tmp_path / "elsewhere.md").exists()


def test_history_delete_asks_and_deletes_all_or_none(ids: list[str], capfd: Output) -> None:
    run(capfd, "history", "delete", ids[0], code=2)  # nobody can be asked
    run(capfd, "history", "delete", ids[0], "nope", "--yes", code=2)
    assert len(json.loads(run(capfd, "history", "list", "--json")[0])) == 2
    run(capfd, "history", "delete", ids[0], ids[0], "--yes")
    assert [item["id"] for item in json.loads(run(capfd, "history", "list", "--json")[0])] == [ids[1]]


def test_purge_takes_the_backups_too(ids: list[str], capfd: Output) -> None:
    copy = Path(run(capfd, "backup")[0].strip())
    assert copy.exists()
    _, err = run(capfd, "history", "purge", "--yes")
    assert "2 conversations and 1 backup." in err
    assert not copy.exists()
    assert run(capfd, "history", "list", "--json")[0] == "[]\n"


def test_feedback_list_and_export(ids: list[str], capfd: Output, tmp_path: Path) -> None:
    assert run(capfd, "feedback", "list")[0].count("up") == 2
    assert len(json.loads(run(capfd, "feedback", "list", "--json")[0])) == 2
    target = tmp_path / "feedback.jsonl"
    _, err = run(capfd, "feedback", "export", str(target))
    assert "Wrote 2 records" in err
    assert len(target.read_text(encoding="utf-8").splitlines()) == 2
    run(capfd, "feedback", "export", str(target), code=2)
    out, _ = run(capfd, "feedback", "export", "-")
    assert [json.loads(line)["schema_version"] for line in out.splitlines()] == [1, 1]


def test_backup_and_restore(ids: list[str], capfd: Output, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    assert run(capfd, "backup", str(target))[0].strip() == str(target)
    run(capfd, "backup", str(target), code=2)
    run(capfd, "history", "delete", *ids, "--yes")
    run(capfd, "restore", str(target), code=2)
    _, err = run(capfd, "restore", str(target), "--yes")
    assert "kept as" in err
    assert len(json.loads(run(capfd, "history", "list", "--json")[0])) == 2
    assert len(run(capfd, "restore", "--list")[0].splitlines()) == 1


def test_a_damaged_history_names_the_way_out(ids: list[str], capfd: Output) -> None:
    run(capfd, "backup")
    home().database.write_bytes(b"rubbish" * 3000)
    _, err = run(capfd, "history", "list", code=1)
    assert "lamplight restore" in err
    run(capfd, "restore", "--yes")
    assert len(json.loads(run(capfd, "history", "list", "--json")[0])) == 2
    assert list(home().data_dir.glob("*.damaged-*"))


def test_restore_without_a_backup(capfd: Output) -> None:
    _, err = run(capfd, "restore", "--yes", code=2)
    assert "no backup" in err


def test_bundles_are_installed_used_checked_and_removed(bundle_dir: Path, capfd: Output) -> None:
    run(capfd, "bundle", "install", str(bundle_dir), "--use")
    listed = {item["name"]: item for item in json.loads(run(capfd, "bundle", "list", "--json")[0])}
    assert listed["harbour"]["current"]
    assert not listed["harbour"]["shipped"]
    assert "harbour" in run(capfd, "bundle", "list")[0]
    assert "the harbour" in run(capfd, "bundle", "show")[0]
    assert json.loads(run(capfd, "bundle", "show", "harbour", "--json")[0])["name"] == "harbour"
    assert "as they were made" in run(capfd, "bundle", "verify")[0]
    assert json.loads(run(capfd, "ask", "--json", "How do waves form?")[0])["bundle"]["name"] == "harbour"
    run(capfd, "bundle", "remove", "harbour", code=2)
    run(capfd, "bundle", "remove", "harbour", "--yes")
    run(capfd, "bundle", "use", "harbour", code=1)


def test_a_bundle_can_be_one_zip(bundle_dir: Path, capfd: Output, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", bundle_dir)
    run(capfd, "bundle", "install", archive)
    assert "harbour" in run(capfd, "bundle", "list")[0]


def test_verify_names_the_damaged_file(bundle_dir: Path, capfd: Output) -> None:
    data = bytearray((bundle_dir / "MODEL_CARD.md").read_bytes())
    data[0] ^= 1
    (bundle_dir / "MODEL_CARD.md").write_bytes(data)
    out, err = run(capfd, "bundle", "verify", str(bundle_dir), code=1)
    assert "MODEL_CARD.md" in out
    assert len(err.splitlines()) == 1
    run(capfd, "bundle", "install", str(bundle_dir), code=1)
    assert not (home().bundles_dir / "harbour").exists()


def test_doctor_says_what_this_is(bundle_dir: Path, ids: list[str], capfd: Output) -> None:
    out, _ = run(capfd, "doctor", "--bundle", str(bundle_dir), "--device", "cpu")
    for words in ("harbour 1.0", "alerts nobody", "integrity ok", "2 conversations", "cpu", "all is well", "sqlite"):
        assert words in out
    report = json.loads(run(capfd, "doctor", "--json", "--bundle", str(bundle_dir))[0])
    assert report["problems"] == []
    assert report["device"]["device"] in ("cpu", "cuda")
    assert report["store"]["schema"] >= 1


def test_doctor_finds_what_is_wrong_and_changes_nothing(bundle_dir: Path, capfd: Output) -> None:
    (bundle_dir / "calibration.json").unlink()
    path = home().create().database
    path.write_bytes(b"rubbish" * 1000)
    out, err = run(capfd, "doctor", "--json", "--bundle", str(bundle_dir), code=1)
    assert len(json.loads(out)["problems"]) >= 2
    assert len(err.splitlines()) == 1
    assert path.read_bytes() == b"rubbish" * 1000


def test_help_names_every_command(capfd: Output) -> None:
    out, _ = run(capfd, "--help")
    for name in ("ask", "history", "feedback", "bundle", "backup", "restore", "doctor"):
        assert f"  {name} " in out
        assert "Usage" in run(capfd, name, "--help")[0]


def test_the_console_script_is_this_main() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["scripts"]["lamplight"] == "assistant.cli:main"
