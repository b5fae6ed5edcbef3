"""Nothing that a terminal obeys gets through `clean`."""

from __future__ import annotations

import re

import pytest

from assistant.clean import MAX_MARKS, clean, clean_line

OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text\n\twith tabs", "plain text\n\twith tabs"),
        ("\x1b]52;c;aGVsbG8=\x07after", "after"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\good\x1b]8;;\x1b\\", "good"),
        ("\x1b[2J\x1b[Hprompt$ ", "prompt$ "),
        ("a\x9b31mred", "ared"),
        ("\x1b[6n\x1b[c", ""),
        ("\x1b[201~pasted", "pasted"),
        ("\x1bPunterminated", "unterminated"),
        ("\x1b_also", "also"),
        ("a\x00b\x7fc", "abc"),
        ("one\rtwo\r\nthree", "one\ntwo\nthree"),
        ("abc\u202edef", "abcdef"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("[/] [link=x] [@click='app.quit']x[/] \\", "[/] [link=x] [@click='app.quit']x[/] \\"),
        ("👨‍👩‍👧 é ñ 日本語", "👨‍👩‍👧 é ñ 日本語"),
        ("\x1b", ""),
        ("\x1b\x1b[31m", ""),
    ],
)
def test_what_is_left(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_two_thousand_marks_become_a_few() -> None:
    assert clean("a" + "\u0301" * 2000 + "b") == "a" + "\u0301" * MAX_MARKS + "b"


def test_nothing_obeyed_survives_any_mixture() -> None:
    pieces = [
        "\x1b",
        "[",
        "]",
        "52;",
        "\x07",
        "\\",
        "\x9b",
        "\x9d",
        "\x9c",
        "a",
        "\n",
        "\r",
        "\u202e",
        "\ud800",
        "P",
        "m",
    ]
    for first in pieces:
        for second in pieces:
            for third in pieces:
                text = clean(first + second + third + "tail")
                assert not OBEYED.search(text), (first, second, third)
                assert clean(text) == text


def test_one_line() -> None:
    assert clean_line("a\n b\t c\x1b[31m") == "a b c"
    assert clean_line("abcdefgh", 5) == "abcd…"
