"""Figures of a bundle: its replies to a test set, as people get them.

The questions go through `lamplight ask --jsonl` in a process of its own, with the default settings, so what is
measured is the whole way: the screen for danger, the index, the decoder, the confidence and the policy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any, TypeVar

import assistant
from assistant.errors import BundleError, TableError
from trainer.metrics import token_f1

GIVEN = ("generated", "curated", "smalltalk")
SHOWN_MISSES = 15
Reply = dict[str, Any]
Figures = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """A question of a test set. `id` is empty where no entry answers it; `group` is its style or kind."""

    text: str
    id: str = ""
    previous: str | None = None
    group: str = ""


@dataclass(frozen=True)
class Outcome:
    """A question with the reply to it, and what the bundle should have said."""

    question: Question
    reply: Reply
    wanted: str = ""
    wanted_kind: str = ""

    @property
    def crisis(self) -> bool:
        """Whether the help card was shown; routing is not judged then."""
        return bool(self.reply["kind"] == "crisis")

    @property
    def given(self) -> bool:
        """Whether the reply stands as an answer (right or wrong)."""
        return self.reply["kind"] in GIVEN

    @property
    def answered(self) -> bool:
        """As `given`, but small talk is an answer only to small talk."""
        return self.given and (self.reply["kind"] != "smalltalk" or self.wanted_kind == "smalltalk")

    @property
    def wrong(self) -> bool:
        """Whether an answer was given that rests on another entry."""
        return self.given and self.reply["answer_id"] != self.question.id

    @property
    def f1(self) -> float:
        """Token F1 of the shown text against the right answer."""
        return token_f1(shown_text(self.reply), self.wanted)

    def within(self, first: int) -> bool:
        """Whether the right entry is among the `first` closest."""
        return self.question.id in [match["id"] for match in self.reply["closest"][:first]]

    def row(self) -> dict[str, Any]:
        """The outcome as a line of the report."""
        got = self.reply["answer_id"] or next((match["id"] for match in self.reply["closest"]), "")
        return {
            "question": self.question.text,
            "previous": self.question.previous,
            "group": self.question.group,
            "wanted": self.question.id,
            "got": got,
            "kind": self.reply["kind"],
            "confidence": self.reply["confidence"],
            "f1": round(self.f1, 4) if self.question.id else None,
        }


def is_bundle(path: Path) -> bool:
    """Whether `path` is a bundle's folder or a .zip, and no checkpoint."""
    return (path / "manifest.json").is_file() or (path.suffix == ".zip" and path.is_file())


def evaluate_bundle(bundle: Path, questions: Path | None, limit: int | None = None) -> Figures:
    """Ask the bundle every question of a set (its own canonical ones without), or `limit` spread over it.

    Returns {"bundle", "device", "set", "n", "in_scope", "out_of_scope", "ms_per_question", "misses"}. Raises
    BundleError for a bundle that cannot answer, TableError for a set that cannot be used.
    """
    answers = curated(bundle)
    asked = read_set(questions, set(answers)) if questions is not None else canonical(answers)
    asked = spread(asked, limit)
    began = time.monotonic()
    replies = ask(bundle, asked)
    seconds = time.monotonic() - began
    outcomes = [_outcome(question, reply, answers) for question, reply in zip(asked, replies, strict=True)]
    # A help card comes without the bundle's name: it needs none.
    named = next((reply for reply in replies if reply["bundle"]["name"]), replies[-1])
    return {
        "bundle": named["bundle"],
        "device": named["device"],
        "set": str(questions or "canonical questions"),
        "n": len(asked),
        **score(outcomes),
        "ms_per_question": _speed(replies, seconds),
    }


def curated(bundle: Path) -> dict[str, Reply]:
    """The records of curated.jsonl by id. Raises BundleError."""
    try:
        if bundle.is_dir():
            text = (bundle / "curated.jsonl").read_text(encoding="utf-8")
        else:
            with zipfile.ZipFile(bundle) as archive:
                text = archive.read("curated.jsonl").decode("utf-8")
        records = [json.loads(line) for line in text.split("\n") if line.strip()]
        return {record["id"]: record for record in records if record.get("kind") != "out_of_scope"}
    except (OSError, KeyError, ValueError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise BundleError(f"{bundle}: curated.jsonl cannot be read ({error})") from error


def canonical(answers: dict[str, Reply]) -> list[Question]:
    """The first question of each entry."""
    return [Question(record["question"], key, group=record.get("kind", "topic")) for key, record in answers.items()]


def read_set(path: Path, known: set[str]) -> list[Question]:
    """Read JSONL of {"question", "id"?, "previous"?, "style"?, "kind"?}. Raises TableError that names the line."""
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: is not UTF-8") from error
    questions = [
        _question(line, f"{path}, line {number}", known) for number, line in enumerate(lines, start=1) if line.strip()
    ]
    if not questions:
        raise TableError(f"{path}: holds no question")
    return questions


def _question(line: str, where: str, known: set[str]) -> Question:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{where}: no JSON object") from error
    if not isinstance(record, dict) or not isinstance(record.get("question"), str) or not record["question"].strip():
        raise TableError(f'{where}: no text under "question"')
    for name in ("id", "previous", "style", "kind"):
        if not isinstance(record.get(name) or "", str):
            raise TableError(f'{where}: "{name}" is no text')
    wanted, previous = record.get("id") or "", record.get("previous") or None
    if wanted and wanted not in known:
        raise TableError(f"{where}: no entry has the id {wanted!r}")
    group = record.get("style") or record.get("kind") or ("follow-up" if previous else "")
    return Question(record["question"], wanted, previous, group)


def spread(questions: list[T], limit: int | None) -> list[T]:
    """`limit` questions at even distances, so that every part of a sorted set has its share."""
    if limit is None or limit >= len(questions):
        return questions
    return [questions[i * len(questions) // limit] for i in range(limit)]


def ask(bundle: Path, questions: Sequence[Question]) -> list[Reply]:
    """Pipe the questions through the assistant. Raises BundleError with its own line where it cannot answer."""
    lines = [{"question": q.text, **({"previous": q.previous} if q.previous else {})} for q in questions]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHT_")}
    root = str(Path(assistant.__file__).resolve().parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
    with tempfile.TemporaryDirectory(prefix="lamplight-eval-") as home:
        command = [sys.executable, "-m", "assistant", "ask", "--jsonl", "--home", home, "--bundle"]
        command.append(str(bundle.resolve()))
        done = subprocess.run(
            command,
            input="".join(json.dumps(line) + "\n" for line in lines),
            encoding="utf-8",
            capture_output=True,
            env=environment,
            check=False,
        )
    if done.returncode == 130:
        raise KeyboardInterrupt
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or len(replies) != len(questions):
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise BundleError(reason.removeprefix("lamplight: "))
    for question, reply in zip(questions, replies, strict=True):
        if "error" in reply:
            raise TableError(f"{question.text[:60]!r} cannot be asked: {reply['error']}")
    return replies


def shown_text(reply: Reply) -> str:
    """The reply's text without the paragraph that names the closest question."""
    text: str = reply["text"]
    return text.partition("\n\n")[2] if reply["kind"] == "curated" else text


def _outcome(question: Question, reply: Reply, answers: dict[str, Reply]) -> Outcome:
    entry = answers.get(question.id, {})
    return Outcome(question, reply, entry.get("answer", ""), entry.get("kind", ""))


def score(outcomes: Sequence[Outcome]) -> Figures:
    """Figures of both halves of a set, and every miss, the worst first."""
    inside = [outcome for outcome in outcomes if outcome.question.id]
    outside = [outcome for outcome in outcomes if not outcome.question.id]
    return {
        "in_scope": _in_scope(inside),
        "out_of_scope": _out_of_scope(outside),
        "misses": [outcome.row() for outcome in misses(outcomes)],
    }


def misses(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Wrong answers, then wrong choices of entry; in each part the most confident come first."""

    def missed(outcome: Outcome) -> bool:
        return outcome.wrong or bool(outcome.question.id and not outcome.within(1))

    found = [outcome for outcome in outcomes if not outcome.crisis and missed(outcome)]
    return sorted(found, key=lambda outcome: (not outcome.wrong, -outcome.reply["confidence"]))


def _in_scope(outcomes: Sequence[Outcome]) -> Figures:
    if not outcomes:
        return {"n": 0}
    return {**_routing(outcomes), "kinds": _kinds(outcomes), "by_style": _by_group(outcomes, _routing)}


def _routing(outcomes: Sequence[Outcome]) -> Figures:
    """Figures of questions in scope. All but the help cards' and `f1` are over those without a help card."""
    routed = [outcome for outcome in outcomes if not outcome.crisis]
    given = [outcome for outcome in routed if outcome.given]
    return {
        "n": len(outcomes),
        "help_cards": len(outcomes) - len(routed),
        "help_card_share": 1 - len(routed) / len(outcomes),
        "top1": _mean(o.within(1) for o in routed),
        "top3": _mean(o.within(3) for o in routed),
        "f1": _mean(o.f1 for o in outcomes),
        "f1_without_cards": _mean(o.f1 for o in routed),
        "answered": _mean(o.answered for o in routed),
        "wrong_among_answered": _mean(o.wrong for o in given),
    }


def _out_of_scope(outcomes: Sequence[Outcome]) -> Figures:
    if not outcomes:
        return {"n": 0}
    return {**_refusal(outcomes), "kinds": _kinds(outcomes), "by_kind": _by_group(outcomes, _refusal)}


def _refusal(outcomes: Sequence[Outcome]) -> Figures:
    routed = [outcome for outcome in outcomes if not outcome.crisis]
    return {
        "n": len(outcomes),
        "help_cards": len(outcomes) - len(routed),
        "help_card_share": 1 - len(routed) / len(outcomes),
        "answered_as_if_covered": _mean(o.given for o in routed),
    }


def _kinds(outcomes: Iterable[Outcome]) -> dict[str, int]:
    return dict(Counter(outcome.reply["kind"] for outcome in outcomes).most_common())


def _by_group(outcomes: Sequence[Outcome], figures: Callable[[Sequence[Outcome]], Figures]) -> dict[str, Figures]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.question.group or "other", []).append(outcome)
    return {name: figures(group) for name, group in sorted(groups.items())} if len(groups) > 1 else {}


def _mean(values: Iterable[float]) -> float | None:
    found = [float(value) for value in values]
    return fmean(found) if found else None


def _speed(replies: Sequence[Reply], seconds: float) -> dict[str, float]:
    """Milliseconds: of the engine (batches of up to 8 share theirs), and of the whole process with its start."""
    engine = [reply["timing_ms"]["total"] for reply in replies if reply["kind"] != "crisis"]
    return {
        "mean": round(fmean(engine), 2) if engine else 0.0,
        "median": round(median(engine), 2) if engine else 0.0,
        "with_start": round(seconds * 1000 / len(replies), 2),
    }


def as_text(report: Figures) -> str:
    """The report as a table for people, the worst misses below it."""
    name, speed = report["bundle"], report["ms_per_question"]
    lines = [
        f"{name['name']} {name['version']} on {report['device']}: {report['n']} questions of {report['set']}, "
        f"{speed['mean']:.1f} ms each ({speed['with_start']:.1f} with the start)"
    ]
    if report["in_scope"]["n"]:
        lines += ["", *_in_scope_lines(report["in_scope"])]
    if report["out_of_scope"]["n"]:
        lines += ["", *_out_of_scope_lines(report["out_of_scope"])]
    return "\n".join([*lines, *_miss_lines(report["misses"])])


def _in_scope_lines(figures: Figures) -> list[str]:
    head = f"{'in scope':<14}{'n':>6}{'top-1':>8}{'top-3':>8}{'F1':>8}{'answered':>10}{'wrong':>8}{'cards':>7}"
    rows = [("all", figures), *figures["by_style"].items()]
    lines = [
        f"{name[:13]:<14}{f['n']:>6}{_percent(f['top1']):>8}{_percent(f['top3']):>8}{f['f1']:>8.3f}"
        f"{_percent(f['answered']):>10}{_percent(f['wrong_among_answered']):>8}{f['help_cards']:>7}"
        for name, f in rows
    ]
    return [head, *lines, f"kinds: {_counts(figures['kinds'])}", *_cards_note(figures)]


def _cards_note(figures: Figures) -> list[str]:
    if not figures["help_cards"]:
        return []
    without = f"; F1 without them {figures['f1_without_cards']:.3f}" if figures["f1_without_cards"] is not None else ""
    share = f"{figures['help_cards']} of {figures['n']} ({figures['help_card_share']:.1%})"
    return [f"{share} got the help card: they count in F1 only, not in the other figures{without}"]


def _out_of_scope_lines(figures: Figures) -> list[str]:
    head = f"{'out of scope':<14}{'n':>6}{'answered as if covered':>24}{'cards':>7}"
    rows = [("all", figures), *figures["by_kind"].items()]
    lines = [
        f"{name[:13]:<14}{f['n']:>6}{_percent(f['answered_as_if_covered']):>24}{f['help_cards']:>7}" for name, f in rows
    ]
    return [head, *lines, f"kinds: {_counts(figures['kinds'])}"]


def _miss_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    lines = ["", f"worst of {len(rows)} misses"]
    for row in rows[:SHOWN_MISSES]:
        before = f"{row['previous']} / " if row["previous"] else ""
        lines.append(f"  {row['confidence']:.2f}  {row['kind']:<12}{_line(before + row['question'])}")
        lines.append(f"        wanted {row['wanted'] or 'nothing'}, got {row['got'] or 'nothing'}")
    return lines


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _counts(kinds: dict[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in kinds.items())


def _line(text: str) -> str:
    return " ".join(text.split())[:140]
