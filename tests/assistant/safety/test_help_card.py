"""The help card says what SAFETY.md asks for, verbatim numbers, and never the same words twice running."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from typing import get_args

import pytest

from assistant.answering.safety import CHECKED, LINES, Reason, countries, help_card

REASONS: tuple[Reason | None, ...] = (None, *get_args(Reason))

TABLE = {
    "US": ("988 Suicide & Crisis Lifeline", "call or text 988", "988lifeline.org", "911"),
    "CA": ("9-8-8 Suicide Crisis Helpline", "call or text 988", "911"),
    "GB": ("Samaritans", "116 123", "999"),
    "IE": ("Samaritans", "116 123", "112", "999"),
    "AU": ("Lifeline", "13 11 14", "0477 13 11 14", "000"),
    "NZ": ("Need to talk?", "call or text 1737", "111"),
    "FR": ("3114", "15", "112"),
    "DE": ("TelefonSeelsorge", "0800 111 0 111", "0800 111 0 222", "116 123", "112"),
    "ES": ("Línea 024", "024", "112"),
    "NL": ("113 Zelfmoordpreventie", "113", "0800-0113", "112"),
}


@pytest.mark.parametrize("country", TABLE)
def test_the_numbers_stand_verbatim(country: str) -> None:
    card = help_card(country)
    assert set(TABLE) == set(LINES)
    for text in TABLE[country]:
        assert text in card
    assert "checked 2026-11-20" in card
    assert LINES[country].source in card


@pytest.mark.parametrize(("country", "emergency"), [("AT", "112"), ("PL", "112"), ("BR", "local"), (None, "local")])
def test_where_no_line_is_known(country: str | None, emergency: str) -> None:
    card = help_card(country)
    assert "findahelpline.com" in card
    assert emergency in card
    assert "988" not in card  # never silently the US


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("variant", range(5))
def test_every_card_holds_what_it_must(reason: Reason | None, variant: int) -> None:
    card = help_card("GB", variant, reason=reason).lower()
    assert re.search(r"program|software", card)
    assert re.search(r"alert nobody|nobody has been (?:alerted|told)", card)
    assert "professional" in card or "advise people" in card
    assert "trust" in card
    assert "if the danger is immediate" in card
    assert "distance" in card
    assert "stay with" in card
    for door in ("a crisis line", "a safety plan", "a grounding exercise"):
        assert door in card
    assert not re.search(r"commit|suicide attempt|should not|calm down|at least you|how would you|which way", card)


@pytest.mark.parametrize("reason", REASONS)
def test_neighbouring_cards_differ(reason: Reason | None) -> None:
    cards = [help_card("US", variant, reason=reason) for variant in range(8)]
    assert all(first != second for first, second in pairwise(cards))


def test_old_numbers_say_so() -> None:
    assert "may have changed" not in help_card("US", today=date(2027, 11, 20))
    assert "may have changed" in help_card("US", today=date(2027, 11, 22))
    assert "may have changed" in help_card(None, today=date(2027, 11, 22))
    assert date(2026, 11, 20) == CHECKED


def test_countries_are_named_and_codes_forgiven() -> None:
    names = countries()
    assert names["GB"] == "United Kingdom"
    assert set(LINES) < set(names)
    assert list(names.values()) == sorted(names.values())
    assert help_card("uk") == help_card("GB")
    assert help_card(" gb ") == help_card("GB")
