"""The only way from a command to the terminal: data on stdout, narration on stderr, both cleaned."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from assistant.clean import clean, clean_line
from assistant.errors import UsageError


def emit(text: str = "") -> None:
    """Print a text to stdout, without anything a terminal would obey."""
    print(clean(text))


def emit_json(value: Any, indent: int | None = 2) -> None:
    """Print a value to stdout as JSON; escapes keep it harmless in any terminal and encoding."""
    print(json.dumps(value, indent=indent, allow_nan=False))


def narrate(text: str) -> None:
    """Print a line to stderr."""
    print(clean(text), file=sys.stderr)


def table(rows: Iterable[Sequence[str]]) -> None:
    """Print rows of short texts to stdout in columns; the last column may be as long as it likes."""
    lines = [[clean_line(cell) for cell in row] for row in rows]
    if not lines:
        return
    widths = [max(len(row[column]) for row in lines) for column in range(len(lines[0]) - 1)]
    for row in lines:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[-1]]).rstrip())


def confirm(question: str, yes: bool) -> None:
    """Go on when the person agrees (or said --yes); raises click.Abort for a no.

    Raises UsageError where nobody can be asked.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked here: add --yes if you are sure")
    click.confirm(clean(question), abort=True, err=True)
