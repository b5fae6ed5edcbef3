"""The one gate between foreign text and the terminal.

Typed text, history, bundles, file names and error messages may hold sequences that a terminal obeys
(clipboard writes, titles, cursor moves) or that reorder what is read (bidi overrides). Whatever is
printed or drawn passes through `clean` first.
"""

from __future__ import annotations

import re
import unicodedata

MAX_MARKS = 8
"""Combining marks kept after one character; more only smear over the lines around it."""

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, bracketed paste
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-Z\\^-~]"  # two-character escapes; `[` and `]` alone fall to _CONTROL below
)
_NEWLINE = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    r"|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb]"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ASCII_SAFE = re.compile(r"[\n\t -~]*")


def clean(text: str) -> str:
    """Return `text` without anything a terminal would obey; newlines and tabs stay.

    Lone surrogates become U+FFFD, lone carriage returns become newlines, and of a long run of
    combining marks the first `MAX_MARKS` stay.
    """
    if _ASCII_SAFE.fullmatch(text):
        return text
    text = _SEQUENCE.sub("", text)
    text = _NEWLINE.sub("\n", text)
    text = _CONTROL.sub("", text)
    text = _SURROGATE.sub("\ufffd", text)
    return text if text.isascii() else _fewer_marks(text)


def clean_line(text: str, limit: int | None = None) -> str:
    """Return `text` cleaned and on one line, cut to `limit` characters with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _fewer_marks(text: str) -> str:
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if run <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)
