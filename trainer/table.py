"""Reading tables of questions and answers: CSV, JSONL, or our TOML (a file or a folder of files)."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal

from assistant.errors import TableError

MAX_QUESTION_CHARACTERS = 2_000
MAX_ANSWER_CHARACTERS = 50_000
# A reply is read on a screen: what is longer is cut at a sentence and stands whole in the details.
ANSWER_WORDS = 80
COLUMNS = ("id", "question", "answer", "category", "details", "source_title", "source_url", "written", "phrasings")


@dataclass(frozen=True)
class Entry:
    """One curated question with its answer and the other ways to ask it."""

    id: str
    question: str
    answer: str
    category: str = ""
    details: str = ""
    source_title: str = ""
    source_url: str = ""
    written: str = ""
    related: tuple[str, ...] = ()
    phrasings: tuple[str, ...] = ()
    followups: tuple[tuple[str, str], ...] = ()
    kind: Literal["topic", "smalltalk"] = "topic"


@dataclass(frozen=True)
class Table:
    """Entries, and questions that none of them answers."""

    entries: tuple[Entry, ...]
    negatives: tuple[str, ...] = ()
    subject: str = ""

    def digest(self) -> str:
        """sha256 over all text: two tables with one digest train the same model."""
        text = json.dumps([[asdict(e) for e in self.entries], self.negatives], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def read_table(path: Path, least: int = 2) -> Table:
    """Read a table by its ending, or a folder of TOML files with an optional `negatives.jsonl`.

    Raises TableError, whose text names the file and the row, for a missing or empty file, missing
    columns, a wrong encoding, duplicate ids or questions, empty or overlong cells, and for fewer
    than `least` entries.
    """
    if not path.exists():
        raise TableError(f"{path}: no such file")
    negatives: tuple[str, ...] = ()
    if path.is_dir():
        files = sorted(path.glob("*.toml"))
        if not files:
            raise TableError(f"{path}: holds no .toml file")
        records = [record for file in files for record in _toml(file)]
        negatives = tuple(read_negatives(path / "negatives.jsonl")) if (path / "negatives.jsonl").exists() else ()
    else:
        records = list(_reader(path)(path))
    entries = _with_ids([_entry(where, record) for where, record in records])
    _check_unique(path, entries, [where for where, _ in records])
    if len(entries) < least:
        raise TableError(f"{path}: {len(entries)} question(s); a model needs at least {least}")
    return Table(tuple(entries), negatives)


def read_negatives(path: Path) -> Iterator[str]:
    """Yield the questions of a JSONL file of {"question": ...} that no entry answers."""
    for where, record in _jsonl(path):
        if not isinstance(record.get("question"), str):
            raise TableError(f"{where}: no \"question\"")
        yield record["question"]


def slug(text: str) -> str:
    """A readable id out of a question: "What is CBT?" -> "what-is-cbt"."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", ascii_text)[:8])


def normalised(question: str) -> str:
    """The form in which two questions count as the same: case, space and punctuation aside."""
    return " ".join(re.findall(r"\w+", question.lower()))


def shortened(entry: Entry, words: int) -> Entry:
    """Cut a long answer behind the last sentence that ends within `words`; the whole goes to the details."""
    if len(entry.answer.split()) <= words:
        return entry
    kept = ""
    for sentence in re.split(r"(?<=[.!?])\s+", " ".join(entry.answer.split())):
        if kept and len((kept + " " + sentence).split()) > words:
            break
        kept = f"{kept} {sentence}".strip()
    short = " ".join(kept.split()[:words])
    return replace(entry, answer=short, details=entry.details or entry.answer)


def _reader(path: Path) -> Any:
    readers = {".csv": _csv, ".jsonl": _jsonl, ".toml": _toml}
    if path.suffix.lower() not in readers:
        raise TableError(f"{path}: unknown kind of table; use .csv, .jsonl or .toml")
    return readers[path.suffix.lower()]


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from error
    if not raw.strip():
        raise TableError(f"{path}: is empty")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TableError(f"{path}, line {line}: is not UTF-8; save the table as UTF-8 and try again") from error


def _csv(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    csv.field_size_limit(10_000_000)
    text = _text(path)
    if "\0" in text:
        raise TableError(f"{path}: holds NUL bytes; this is no CSV table")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    names = [(name or "").strip().lower() for name in reader.fieldnames or []]
    missing = [name for name in ("question", "answer") if name not in names]
    if missing:
        raise TableError(f"{path}: no column {' and no column '.join(missing)}; found {', '.join(names) or 'none'}")
    reader.fieldnames = names
    try:
        for record in reader:
            phrasings = re.split(r"\s*[|\n]\s*", record.get("phrasings") or "")
            yield f"{path}, line {reader.line_num}", {**record, "phrasings": [p for p in phrasings if p]}
    except csv.Error as error:
        raise TableError(f"{path}, line {reader.line_num}: {error}") from error


def _jsonl(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{path}, line {number}: no JSON object") from error
        if not isinstance(record, dict):
            raise TableError(f"{path}, line {number}: no JSON object")
        yield f"{path}, line {number}", record


def _toml(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        document = tomllib.loads(_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TableError(f"{path}: {error}") from error
    for number, record in enumerate(document.get("entry", []), start=1):
        defaults = {"category": document.get("category", path.stem), "kind": document.get("kind", "topic")}
        yield f"{path}, entry {number}", {**defaults, **record}


def _with_ids(entries: list[Entry]) -> list[Entry]:
    """Give an id to each entry that came without one, unlike all others."""
    taken = {entry.id for entry in entries}
    named = []
    for entry in entries:
        base = slug(entry.question) or "entry"
        free = (name for name in chain([base], (f"{base}-{n}" for n in count(2))) if name not in taken)
        name = entry.id or next(free)
        taken.add(name)
        named.append(replace(entry, id=name))
    return named


def _entry(where: str, record: dict[str, Any]) -> Entry:
    question, answer = (_cell(where, record, name) for name in ("question", "answer"))
    for name, value, limit in (("question", question, MAX_QUESTION_CHARACTERS), ("answer", answer, MAX_ANSWER_CHARACTERS)):
        if not value:
            raise TableError(f"{where}: the {name} is empty")
        if len(value) > limit:
            raise TableError(f"{where}: the {name} has {len(value):,} characters; the limit is {limit:,}")
    followups = tuple((f["previous"], f["question"]) for f in record.get("followups") or ())
    kind = record.get("kind") or "topic"
    if kind not in ("topic", "smalltalk"):
        raise TableError(f"{where}: kind is {kind!r}; it must be topic or smalltalk")
    return Entry(
        id=_cell(where, record, "id"), question=question, answer=answer,
        category=_cell(where, record, "category"), details=_cell(where, record, "details"),
        source_title=_cell(where, record, "source_title"), source_url=_cell(where, record, "source_url"),
        written=_cell(where, record, "written"), related=_strings(where, record, "related"),
        phrasings=_strings(where, record, "phrasings"), followups=followups, kind=kind,
    )


def _cell(where: str, record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        raise TableError(f"{where}: {name} is no text")
    return str(value).strip()


def _strings(where: str, record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name) or ()
    if isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise TableError(f"{where}: {name} must be a list of texts")
    for item in value:
        if len(item) > MAX_QUESTION_CHARACTERS:
            raise TableError(f"{where}: one of the {name} has {len(item):,} characters; the limit is {MAX_QUESTION_CHARACTERS:,}")
    return tuple(item.strip() for item in value if item.strip())


def _check_unique(path: Path, entries: Iterable[Entry], places: list[str]) -> None:
    ids: dict[str, str] = {}
    questions: dict[str, str] = {}
    for entry, place in zip(entries, places, strict=True):
        for kind, key, seen in (("id", entry.id, ids), ("question", entry.question.casefold(), questions)):
            if key in seen:
                raise TableError(f"{place}: the {kind} {key[:60]!r} stands already at {seen[key]}")
            seen[key] = place
