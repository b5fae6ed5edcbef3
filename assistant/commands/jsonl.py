"""`lamplight ask --jsonl`: objects in, reply objects out, line by line and in their order.

Whatever has arrived is answered as one batch, so a pipe that is full is fast and a person who types gets
each reply at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from assistant.commands.console import narrate
from assistant.commands.context import Session

if TYPE_CHECKING:
    from assistant.answering.engine import Engine

MAX_LINE = 1_000_000
"""Bytes of the longest line that is read; the rest of a longer one is thrown away as it comes."""

MAX_BATCH = 32
_READ = 1 << 16


class Readable(Protocol):
    """Bytes from stdin: `read1` returns what is there, at most that many, b"" at the end."""

    def read1(self, size: int = -1, /) -> bytes:
        """Return what can be read at once."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it was understood: a question, or what is wrong with it."""

    question: str = ""
    previous: str | None = None
    error: str = ""


def answer_lines(session: Session, source: Readable, target: TextIO) -> int:
    """Answer every line of `source`. Raises LamplightError when bundle or device cannot be used."""
    answerer = _Answerer(session)
    number = bad = 0
    for batch in batches(source):
        lines = []
        for raw in batch:
            number += 1
            if raw is None or raw.strip():
                lines.append(parse_line(raw, number))
        for record in answerer.records(lines):
            target.write(json.dumps(record, allow_nan=False) + "\n")
        target.flush()
        bad += sum(1 for line in lines if line.error)
    if bad:
        narrate(f"lamplight: {bad} of {number} lines could not be read")
    return 0


def batches(source: Readable) -> Iterator[list[bytes | None]]:
    """Yield the lines that have arrived, at most `MAX_BATCH` together; None for one that is too long."""
    rest = b""
    skipping = False
    while chunk := source.read1(_READ):
        *whole, rest = (rest + chunk).split(b"\n")
        lines: list[bytes | None] = list(whole)
        if skipping and lines:  # the end of the line whose beginning was thrown away
            lines, skipping = lines[1:], False
        if skipping:
            rest = b""
        elif len(rest) > MAX_LINE:
            lines, rest, skipping = [*lines, None], b"", True
        lines = [None if line is not None and len(line) > MAX_LINE else line for line in lines]
        yield from _pieces(lines)
    if rest:
        yield [rest]


def parse_line(raw: bytes | None, number: int) -> Line:
    """Return the question of one line, or a Line whose `error` names the line and what is wrong."""
    if raw is None:
        return Line(error=f"line {number} is longer than {MAX_LINE} bytes")
    try:
        value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        return Line(error=f"line {number} is not UTF-8")
    except json.JSONDecodeError as error:
        return Line(error=f"line {number} is not JSON: {error.msg} at character {error.pos + 1}")
    except (RecursionError, ValueError):  # nested too deep; a number of too many digits
        return Line(error=f"line {number} is JSON that cannot be read")
    return _checked(value, number)


def _checked(value: Any, number: int) -> Line:
    if not isinstance(value, dict):
        return Line(error=f'line {number} is not an object like {{"question": "..."}}')
    question, previous = value.get("question"), value.get("previous")
    if not isinstance(question, str) or not question.strip():
        return Line(error=f'line {number} has no text under "question"')
    if previous is not None and not isinstance(previous, str):
        return Line(error=f'line {number}: "previous" is no text')
    return Line(_sound(question), _sound(previous) if previous and previous.strip() else None)


def _sound(text: str) -> str:
    """JSON escapes can spell lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _pieces(lines: list[bytes | None]) -> Iterator[list[bytes | None]]:
    for start in range(0, len(lines), MAX_BATCH):
        yield lines[start : start + MAX_BATCH]


class _Answerer:
    """Answers batches; the model is opened at the first question that needs it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._engine: Engine | None = None

    def records(self, lines: Sequence[Line]) -> list[dict[str, Any]]:
        """Return one object a line: the reply, or {"error": ...}."""
        from assistant.answering.engine import screen_reply

        country = self._session.settings.country
        found: dict[int, dict[str, Any]] = {}
        waiting: list[int] = []
        for place, line in enumerate(lines):
            card = None if line.error else screen_reply(line.question, country)
            if line.error:
                found[place] = {"error": line.error}
            elif card is not None:
                found[place] = card.to_json()
            else:
                waiting.append(place)
        if waiting:
            pairs = [(lines[place].question, lines[place].previous) for place in waiting]
            replies = self._open().answer_many(
                [question for question, _ in pairs], [previous for _, previous in pairs], country=country
            )
            found |= {place: reply.to_json() for place, reply in zip(waiting, replies, strict=True)}
        return [found[place] for place in range(len(lines))]

    def _open(self) -> Engine:
        if self._engine is None:
            from assistant.commands.ask import open_engine

            self._engine = open_engine(self._session)
        return self._engine
