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
            raise TableError(f'{where}: no "question"')
        yield _whole(where, "question", record["question"])


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
    # Strict: a quotation mark that is never closed would else swallow the rest of the table.
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        yield from _csv_records(path, reader)
    except csv.Error as error:
        raise TableError(f"{path}, line {reader.line_num}: {error}") from error


def _csv_records(path: Path, reader: csv.DictReader[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    names = [(name or "").strip().lower() for name in reader.fieldnames or []]
    missing = [name for name in ("question", "answer") if name not in names]
    if missing:
        raise TableError(f"{path}: no column {' and no column '.join(missing)}; found {', '.join(names) or 'none'}")
    reader.fieldnames = names
    for record in reader:
        where = f"{path}, line {reader.line_num}"
        if any(record.pop(None, None) or ()):  # type: ignore[call-overload]
            raise TableError(f"{where}: more cells than columns; put a text that holds a comma in quotation marks")
        phrasings = re.split(r"\s*[|\n]\s*", record.get("phrasings") or "")
        yield where, {**record, "phrasings": [p for p in phrasings if p]}


def _jsonl(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(_text(path).split("\n"), start=1):
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
    entries = document.get("entry", [])
    if not isinstance(entries, list) or not all(isinstance(record, dict) for record in entries):
        raise TableError(f'{path}: "entry" is no list; write [[entry]] above each entry')
    for number, record in enumerate(entries, start=1):
        defaults = {"category": document.get("category", path.stem), "kind": document.get("kind", "topic")}
        yield f"{path}, entry {number}", {**defaults, **record}


def _with_ids(entries: list[Entry]) -> list[Entry]:
    """Give an id to each entry that came without one, unlike all others."""
    taken = {entry.id for entry in entries}
    free: dict[str, Iterator[str]] = {}
    named = []
    for entry in entries:
        base = slug(entry.question) or "entry"
        names = free.setdefault(base, chain([base], (f"{base}-{n}" for n in count(2))))
        name = entry.id or next(name for name in names if name not in taken)
        taken.add(name)
        named.append(replace(entry, id=name))
    return named


def _entry(where: str, record: dict[str, Any]) -> Entry:
    question, answer = (_cell(where, record, name) for name in ("question", "answer"))
    limits = (("question", question, MAX_QUESTION_CHARACTERS), ("answer", answer, MAX_ANSWER_CHARACTERS))
    for name, value, limit in limits:
        if not value:
            raise TableError(f"{where}: the {name} is empty")
        if len(value) > limit:
            raise TableError(f"{where}: the {name} has {len(value):,} characters; the limit is {limit:,}")
    return Entry(
        id=_cell(where, record, "id"),
        question=question,
        answer=answer,
        category=_cell(where, record, "category"),
        details=_cell(where, record, "details"),
        source_title=_cell(where, record, "source_title"),
        source_url=_cell(where, record, "source_url"),
        written=_cell(where, record, "written"),
        related=_strings(where, record, "related"),
        phrasings=_strings(where, record, "phrasings"),
        followups=_followups(where, record),
        kind=_kind(where, record),
    )


def _cell(where: str, record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        raise TableError(f"{where}: {name} is no text")
    return _whole(where, name, str(value)).strip()


def _whole(where: str, name: str, text: str) -> str:
    """The text itself; JSON can write half a character (a lone surrogate), which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TableError(f"{where}: {name} holds half a character, {text[error.start]!a}") from error
    return text


def _kind(where: str, record: dict[str, Any]) -> Literal["topic", "smalltalk"]:
    kind = record.get("kind") or "topic"
    if kind == "topic":
        return "topic"
    if kind == "smalltalk":
        return "smalltalk"
    raise TableError(f"{where}: kind is {kind!r}; it must be topic or smalltalk")


def _followups(where: str, record: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for item in record.get("followups") or ():
        texts = [item.get(name) for name in ("previous", "question")] if isinstance(item, dict) else []
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            raise TableError(f'{where}: each of the followups needs a "previous" and a "question"')
        previous, question = (_whole(where, "followups", str(text)).strip() for text in texts)
        pairs.append((previous, question))
    return tuple(pairs)


def _strings(where: str, record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name) or ()
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise TableError(f"{where}: {name} must be a list of texts")
    for item in value:
        if len(item) > MAX_QUESTION_CHARACTERS:
            raise TableError(
                f"{where}: one of the {name} has {len(item):,} characters; the limit is {MAX_QUESTION_CHARACTERS:,}"
            )
    return tuple(_whole(where, name, item).strip() for item in value if item.strip())


def _check_unique(path: Path, entries: Iterable[Entry], places: list[str]) -> None:
    ids: dict[str, str] = {}
    questions: dict[str, str] = {}
    for entry, place in zip(entries, places, strict=True):
        for kind, key, seen in (("id", entry.id, ids), ("question", entry.question.casefold(), questions)):
            if key in seen:
                raise TableError(f"{place}: the {kind} {key[:60]!r} stands already at {seen[key]}")
            seen[key] = place
