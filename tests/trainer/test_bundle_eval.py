"""`lamplight-train evaluate` on a bundle: what users get is what is measured."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BundleError, TableError
from trainer import bundle_eval
from trainer.bundle_eval import Outcome, Question, as_text, misses, read_set, score, shown_text, spread

ROOT = Path(__file__).resolve().parent.parent.parent
ANSWER = "A budget is a plan for your money."


def reply(kind: str, answer_id: str | None = None, closest: tuple[str, ...] = (), **values: Any) -> dict[str, Any]:
    matches = [{"id": key, "question": key, "score": 0.5} for key in closest]
    return {"kind": kind, "answer_id": answer_id, "closest": matches, "text": "", "confidence": 0.5} | values


def outcome(wanted: str, got: dict[str, Any], group: str = "plain", kind: str = "topic") -> Outcome:
    return Outcome(Question(f"q {wanted}", wanted, group=group), got, ANSWER if wanted else "", kind if wanted else "")


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_figures_in_scope() -> None:
    found = score(
        [
            outcome("a", reply("generated", "a", ("a", "b"), text=ANSWER)),
            outcome("a", reply("curated", "b", ("b", "c", "a"), text="Closest question we have: **B**\n\nOther words")),
            outcome("a", reply("suggestions", None, ("a", "b"), text="nothing shared"), "fragment"),
            outcome("a", reply("smalltalk", "hello", ("hello", "b", "c", "a")), "fragment"),
            outcome("a", reply("crisis", text=ANSWER)),
        ]
    )["in_scope"]
    assert (found["n"], found["help_cards"], found["help_card_share"]) == (5, 1, pytest.approx(0.2))
    assert (found["top1"], found["top3"]) == (0.5, 0.75)
    assert found["f1"] == pytest.approx(2 / 5)
    assert found["f1_without_cards"] == pytest.approx(1 / 4)
    assert found["answered"] == 0.5  # Small talk is no answer to a topic,
    assert found["wrong_among_answered"] == pytest.approx(2 / 3)  # but it was given as one, and wrong.
    assert found["kinds"] == {"generated": 1, "curated": 1, "suggestions": 1, "smalltalk": 1, "crisis": 1}
    assert found["by_style"]["fragment"] | {"kinds": 0} == {
        "n": 2,
        "help_cards": 0,
        "help_card_share": 0,
        "top1": 0.5,
        "top3": 0.5,
        "f1": 0.0,
        "f1_without_cards": 0.0,
        "answered": 0.0,
        "wrong_among_answered": 1.0,
        "kinds": 0,
    }


def test_small_talk_answers_small_talk() -> None:
    found = score([outcome("hi", reply("smalltalk", "hi", ("hi",)), kind="smalltalk")])["in_scope"]
    assert (found["answered"], found["wrong_among_answered"]) == (1.0, 0.0)


def test_figures_out_of_scope() -> None:
    found = score(
        [
            outcome("", reply("generated", "a", ("a",)), "near"),
            outcome("", reply("smalltalk", "hi", ("hi",)), "near"),
            outcome("", reply("declined"), "far"),
            outcome("", reply("suggestions", None, ("a",)), "far"),
            outcome("", reply("crisis"), "far"),
        ]
    )
    assert found["in_scope"] == {"n": 0}
    outside = found["out_of_scope"]
    assert (outside["n"], outside["help_cards"], outside["answered_as_if_covered"]) == (5, 1, 0.5)
    assert outside["by_kind"]["far"]["answered_as_if_covered"] == 0.0
    assert outside["by_kind"]["near"]["answered_as_if_covered"] == 1.0


def test_only_help_cards_leave_nothing_to_judge() -> None:
    found = score([outcome("a", reply("crisis"))])["in_scope"]
    assert found["top1"] is None
    assert found["help_card_share"] == 1.0


def test_the_worst_misses_come_first() -> None:
    outcomes = [
        outcome("a", reply("suggestions", None, ("b", "a"), confidence=0.4)),
        outcome("b", reply("generated", "c", ("c",), confidence=0.6)),
        outcome("", reply("generated", "d", ("d",), confidence=0.9)),
        outcome("e", reply("generated", "e", ("e",), confidence=1.0)),
        outcome("f", reply("crisis")),
        outcome("", reply("declined", None, ("a",))),
    ]
    assert [o.question.id for o in misses(outcomes)] == ["", "b", "a"]
    rows = score(outcomes)["misses"]
    assert [(row["wanted"], row["got"], row["kind"]) for row in rows] == [
        ("", "d", "generated"),
        ("b", "c", "generated"),
        ("a", "b", "suggestions"),
    ]
    assert rows[0]["f1"] is None


def test_the_paragraph_that_names_the_closest_question_is_not_scored() -> None:
    assert shown_text(reply("curated", text="Closest question we have: **Q?**\n\nOne.\n\nTwo.")) == "One.\n\nTwo."
    assert shown_text(reply("generated", text="One.\n\nTwo.")) == "One.\n\nTwo."


def test_a_part_is_spread_over_the_set() -> None:
    assert spread(list(range(10)), 3) == [0, 3, 6]
    assert spread(list(range(3)), 10) == spread(list(range(3)), None) == [0, 1, 2]


def test_a_set_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "set.jsonl",
        {"question": "a", "id": "x", "style": "typo"},
        {"question": "b", "previous": "a", "id": "x"},
        {"question": "c", "kind": "far"},
    )
    assert read_set(path, {"x"}) == [
        Question("a", "x", None, "typo"),
        Question("b", "x", "a", "follow-up"),
        Question("c", "", None, "far"),
    ]


def test_a_set_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"nowhere\.jsonl: cannot be read: No such file"):
        read_set(tmp_path / "nowhere.jsonl", set())


@pytest.mark.parametrize("packed", [False, True])
def test_a_bundle_is_asked_as_people_ask_it(tiny_bundle: Path, tmp_path: Path, packed: bool) -> None:
    bundle = tiny_bundle
    if packed:
        bundle = Path(shutil.make_archive(str(tmp_path / "money"), "zip", tiny_bundle))
    path = write(
        tmp_path / "set.jsonl",
        {"question": "What is a budget?", "id": "budget", "style": "plain"},
        {"question": "i want to kill myself", "id": "budget", "style": "plain"},
        {"question": "and the rent?", "previous": "What is inflation?", "id": "rent"},
        {"question": "what causes a rainbow", "kind": "far"},
    )
    report = bundle_eval.evaluate_bundle(bundle, path)
    assert report["bundle"] == {"name": "money", "version": "1.0.0"}
    assert (report["n"], report["in_scope"]["n"], report["out_of_scope"]["n"]) == (4, 3, 1)
    assert report["in_scope"]["kinds"]["crisis"] == report["in_scope"]["help_cards"] == 1
    assert report["in_scope"]["by_style"]["plain"]["top1"] == 1.0
    assert report["ms_per_question"]["with_start"] > report["ms_per_question"]["mean"] > 0
    json.dumps(report, allow_nan=False)
    text = as_text(report)
    assert text.startswith("money 1.0.0 on ")
    assert "1 of 3 (33.3%) got the help card" in text


def test_without_a_set_the_canonical_questions_are_asked(tiny_bundle: Path) -> None:
    report = bundle_eval.evaluate_bundle(tiny_bundle, None, limit=5)
    assert report["n"] == 5
    assert report["in_scope"]["f1"] > 0.9
    assert report["in_scope"]["top1"] == 1.0


def test_settings_of_the_person_do_not_change_the_figures(
    tiny_bundle: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_home.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text("this is no TOML = = =")
    monkeypatch.setenv("LAMPLIGHT_BEAMS", "nonsense")
    assert bundle_eval.evaluate_bundle(tiny_bundle, None, limit=1)["n"] == 1
    assert not (own_home / "history.db").exists()


def test_a_damaged_bundle_is_told_in_the_assistant_s_words(tiny_bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_bundle, copy)
    model = copy / "variants" / "cpu-int8" / "encoder_model.onnx"
    model.write_bytes(model.read_bytes()[:-1] + b"\0")
    with pytest.raises(BundleError, match=r"encoder_model\.onnx is not what its SHA-256") as caught:
        bundle_eval.evaluate_bundle(copy, None, limit=1)
    assert "\n" not in str(caught.value)
    (copy / "curated.jsonl").unlink()
    with pytest.raises(BundleError, match=r"curated\.jsonl cannot be read"):
        bundle_eval.evaluate_bundle(copy, None)


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "trainer", "evaluate", *map(str, arguments)]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_the_command(tiny_bundle: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "set.jsonl", {"question": "What is a budget?", "id": "budget"})
    done = command(tiny_bundle, "--set", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["in_scope"]["top1"] == 1.0
    done = command(tiny_bundle, "--set", write(path, {"question": "x", "id": "nowhere"}))
    assert done.returncode == 1
    assert done.stderr == f"lamplight-train: {path}, line 1: no entry has the id 'nowhere'\n"
    done = command(tmp_path, "--limit", "0")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_neither_keras_nor_the_engine_is_imported_for_a_bundle() -> None:
    code = "import sys, trainer.bundle_eval; print([m for m in sys.modules if m.split('.')[0] in "
    code += "('keras', 'tensorflow', 'onnxruntime', 'export') or m.startswith('assistant.answering')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
