"""Packing: all of the bundle or none of it, and nothing else touched."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.bundle.reader import Bundle
from assistant.bundle.verify import verify
from assistant.cli import main as lamplight
from assistant.errors import BundleDamaged, BundleError, ExportError
from export import package
from export.package import MINILM, attributions
from export.target import check_target, publish
from trainer.checkpoint import Checkpoint

Pack = Callable[..., Path]
ROOT = Path(__file__).resolve().parent.parent.parent


def state(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_manifest_names_every_file_with_its_hash(tiny_bundle: Path, loaded: tuple[object, Checkpoint]) -> None:
    manifest = json.loads((tiny_bundle / "manifest.json").read_text(encoding="utf-8"))
    files = state(tiny_bundle)
    files.pop("manifest.json")
    assert set(manifest["files"]) == set(files)
    for name, content in files.items():
        assert manifest["files"][name] == {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    assert manifest["variants"] == ["cpu-int8", "cpu-fp32", "cuda-fp16"]
    assert manifest["licence"] == "CC0-1.0"
    assert manifest["subject"] == "money"
    assert manifest["data_hash"] == loaded[1].data_hash
    assert manifest["metrics"]["canonical questions"]["f1"] > 0.9
    verify(Bundle.open(tiny_bundle))


def test_the_entries_are_those_of_the_table_and_point_at_their_vectors(opened: Bundle, loaded: object) -> None:
    entries, vectors = opened.entries(), opened.embeddings()
    table = loaded[1].table  # type: ignore[index]
    shown = [entry for entry in entries if entry.kind != "out_of_scope"]
    assert [(e.id, e.question, e.answer) for e in shown] == [(e.id, e.question, e.answer) for e in table.entries]
    assert [entry.rows[0] for entry in entries] == [0, *(entry.rows[1] for entry in entries[:-1])]
    assert entries[-1].rows[1] == len(vectors)
    assert abs((vectors**2).sum(axis=1) - 1).max() < 5e-3


def test_the_card_says_what_was_measured(tiny_bundle: Path) -> None:
    card = (tiny_bundle / "MODEL_CARD.md").read_text(encoding="utf-8")
    manifest = json.loads((tiny_bundle / "manifest.json").read_text(encoding="utf-8"))
    evidence = json.loads((tiny_bundle / "calibration.json").read_text())["variants"]["cpu-int8"]["evidence"]
    assert card.startswith("# money 1.0.0\n")
    for text in (
        "12 curated entries",
        "preset `tiny`",
        "encoder started from: random weights",
        manifest["data_hash"],
        f"| canonical questions | {manifest['metrics']['canonical questions']['f1']:.3f} |",
        "- pooled: ",
        "- cached steps: ",
        "- cuda-fp16 embedding (1 - cosine): ",
        f"| cpu-int8 | {evidence['examples']} | {evidence['brier']:.3f} |",
        "CC0-1.0",
        "no medical device",
        "Nobody is alerted",
        "## What it gets wrong",
    ):
        assert text in card, text
    assert "None" not in card
    assert not any(line.endswith(" ") for line in card.splitlines())


@pytest.mark.parametrize(
    ("pretrained", "wanted"),
    [
        ("", []),
        ("sentence-transformers/all-MiniLM-L6-v2 at c9745ed", [MINILM]),
        ("the folder all-MiniLM-L6-v2", [MINILM]),
        ("the encoder of the bundle mental-health", [MINILM]),
        (
            "the folder my-bert",
            [{"name": "encoder weights of the folder my-bert", "licence": "as stated there", "url": ""}],
        ),
    ],
)
def test_whose_encoder_it_is(pretrained: str, wanted: object) -> None:
    assert attributions(pretrained) == wanted


def test_one_flipped_bit_anywhere_is_found(
    tiny_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_bundle, copy)
    for path in sorted(p for p in copy.rglob("*") if p.is_file() and p.name != "manifest.json"):
        sound = path.read_bytes()
        for place, bit in ((0, 0), (len(sound) // 2, 3), (len(sound) - 1, 7)):
            wrong = bytearray(sound)
            wrong[place] ^= 1 << bit
            path.write_bytes(wrong)
            with pytest.raises(BundleDamaged, match=path.name):
                verify(Bundle.open(copy))
        assert lamplight(["bundle", "verify", str(copy)]) == 1
        said = capsys.readouterr()
        assert path.name in said.out
        assert said.err.count("\n") == 1
        path.write_bytes(sound)
    assert lamplight(["bundle", "verify", str(copy)]) == 0


def test_a_flipped_bit_in_the_manifest_s_hashes_is_found(tiny_bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_bundle, copy)
    sound = (copy / "manifest.json").read_bytes()
    for mark in (b'"schema_version"', b'"files"', b'"sha256": "', b'"size": '):
        place = sound.index(mark) + len(mark) - 1
        for bit in range(7):
            wrong = bytearray(sound)
            wrong[place] ^= 1 << bit
            (copy / "manifest.json").write_bytes(wrong)
            with pytest.raises(BundleError):
                verify(Bundle.open(copy))


def test_an_older_bundle_is_replaced(pack: Pack, tmp_path: Path) -> None:
    out = tmp_path / "place" / "money"
    assert pack(out) == out
    first = (out / "manifest.json").stat().st_ino
    pack(out)
    verify(Bundle.open(out))
    assert (out / "manifest.json").stat().st_ino != first
    assert [path.name for path in out.parent.iterdir()] == ["money"]


@pytest.mark.parametrize(
    ("moment", "error"),
    [
        ("validate", ExportError("no")),
        ("fit", KeyboardInterrupt()),
        ("verify", OSError(28, "No space left on device")),
        ("publish", ExportError("no")),
    ],
)
def test_an_end_half_way_leaves_the_old_bundle_and_nothing_else(
    pack: Pack, tiny_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, error: BaseException
) -> None:
    out = tmp_path / "place" / "money"
    shutil.copytree(tiny_bundle, out)
    before = state(out)

    def fail(*_values: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(package, moment, fail)
    with pytest.raises(type(error)):
        pack(out)
    assert state(out) == before
    assert [path.name for path in out.parent.iterdir()] == ["money"]


def test_a_second_rename_that_fails_puts_the_old_bundle_back(
    tiny_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, fresh = tmp_path / "money", tmp_path / "scratch" / "money"
    shutil.copytree(tiny_bundle, out)
    shutil.copytree(tiny_bundle, fresh)
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self == fresh:
            raise OSError(5, "Input/output error", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="Input/output"):
        publish(fresh, out)
    verify(Bundle.open(out))


KILLED = """
import os, signal, sys
from pathlib import Path
from export import package

def die(*_values):
    os.kill(os.getpid(), signal.SIGKILL)

package.publish = die
package.export(Path(sys.argv[1]), Path(sys.argv[2]), package.Description("money"), ("cpu-fp32",))
"""


def test_killed_before_the_last_step_the_old_bundle_stands(tiny_run: Path, tiny_bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "money"
    shutil.copytree(tiny_bundle, out)
    before = state(out)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tiny_run), str(out)], cwd=ROOT, timeout=300)
    assert done.returncode == -signal.SIGKILL
    assert state(out) == before
    # What is left of the attempt is hidden, and the next one does not mind it.
    assert all(
        path.name.startswith(".lamplight-")
        for path in tmp_path.iterdir()
        if path.name not in ("money", "lamplight-home")
    )


def test_what_is_no_bundle_is_refused_before_any_work(pack: Pack, tmp_path: Path) -> None:
    folder, strange, file = tmp_path / "folder", tmp_path / "extension", tmp_path / "file"
    for path in (folder, strange):
        path.mkdir()
    (folder / "notes.txt").write_text("mine")
    (strange / "manifest.json").write_text('{"name": "a browser extension"}')
    (strange / "background.js").write_text("mine")
    file.write_text("mine")
    (tmp_path / "archive.zip").write_text("mine")
    (tmp_path / "folder.zip").mkdir()
    (tmp_path / "link").symlink_to(folder)
    before = state(tmp_path)
    for name in ("folder", "extension", "file", "archive.zip", "folder.zip", "link"):
        with pytest.raises(ExportError, match=f"{name}: exists and is no bundle; it is left as it is"):
            pack(tmp_path / name)
    assert state(tmp_path) == before


def test_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ExportError, match=r"cannot be made, .*file is no folder"):
        check_target(tmp_path / "file" / "deep" / "money")
    check_target(tmp_path / "new" / "deep" / "money")
    (tmp_path / "empty").mkdir()
    check_target(tmp_path / "empty")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(ExportError, match=r"no permission to write to .*locked"):
        check_target(tmp_path / "locked" / "money")


def test_no_permission_said_by_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_values: False)
    with pytest.raises(ExportError, match="no permission to write to"):
        check_target(tmp_path / "money")


def test_a_zip_answers(pack: Pack, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "money.zip"
    pack(out)
    verify(Bundle.open(out))
    check_target(out)  # An older one may be replaced.
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "lamplight-home") == ["money.zip"]
    assert lamplight(["ask", "What is a budget?", "--bundle", str(out), "--no-save"]) == 0
    assert capsys.readouterr().out.startswith("A budget is a plan for your money.")
    assert lamplight(["bundle", "verify", str(out)]) == 0


def test_written_calibration_questions_are_used(pack: Pack, tmp_path: Path) -> None:
    folder = tmp_path / "calibration"
    folder.mkdir()
    lines = [
        {"question": text, "id": "budget"} for text in ("budget?", "what is budgeting", "money plan", "a budget is?")
    ]
    lines += [{"question": f"what is inflation {n}", "id": "inflation"} for n in range(4)]
    lines += [{"question": f"who won the race in {year}"} for year in range(1990, 2000)]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, lines)))
    out = pack(tmp_path / "money", calibration=folder)
    record = json.loads((out / "calibration.json").read_text())["variants"]["cpu-fp32"]
    assert record["evidence"]["examples"] == len(lines)
