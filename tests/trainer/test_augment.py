"""Augmentation: never empty, decided by its seed alone."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer import augment as a

SEEDS = st.integers(0, 2**32)


@given(st.text(), SEEDS)
def test_never_empty_and_decided_by_the_seed(text: str, seed: int) -> None:
    once = a.augment(text, random.Random(seed), 1.0)
    assert once == a.augment(text, random.Random(seed), 1.0)
    assert bool(once.strip()) or not text.strip()


@given(st.text(min_size=1), SEEDS, st.sampled_from(a.CHANGES))
def test_every_change_takes_any_text(text: str, seed: int, change: object) -> None:
    assert isinstance(change(text, random.Random(seed)), str)  # type: ignore[operator]


@given(st.text(), SEEDS)
def test_nothing_changes_at_amount_zero(text: str, seed: int) -> None:
    assert a.augment(text, random.Random(seed), 0.0) == text


def test_the_amount_is_a_probability() -> None:
    rng = random.Random(1)
    text = "what should i do about the debt that i have"
    changed = sum(a.augment(text, rng, 0.3) != text for _ in range(2000))
    assert 0.2 < changed / 2000 < 0.33  # Some changes find nothing to do.


@given(st.text(st.characters(categories=["Ll", "Lu"]), min_size=4), SEEDS)
def test_a_typo_is_one_slip_inside_the_word(word: str, seed: int) -> None:
    slipped = a.typo(word, random.Random(seed))
    assert abs(len(slipped) - len(word)) <= 1
    assert slipped[0] == word[0]
    if len(slipped) == len(word):
        assert sum(x != y for x, y in zip(slipped, word, strict=True)) <= 2


@pytest.mark.parametrize("word", ["", "a", "cat", "12345", "don't", "😀😀😀😀"])
def test_short_words_and_signs_get_no_typo(word: str) -> None:
    assert all(a.typo(word, random.Random(seed)) == word for seed in range(50))


def test_all_four_slips_happen() -> None:
    seen = {a.typo("word", random.Random(seed)) for seed in range(300)}
    assert {"wrod", "wod", "woord", "wird"} <= seen


def test_function_words_go_and_others_stay() -> None:
    text = "what is the price of a loan"
    results = [a.drop_function_words(text, random.Random(seed)).split() for seed in range(40)]
    assert all([w for w in words if w in ("what", "price", "loan")] == ["what", "price", "loan"] for words in results)
    assert ["what", "price", "loan"] in results
    assert all(a.drop_function_words("is it the", random.Random(seed)) for seed in range(40))


def test_frames_hold_the_question_as_it_is() -> None:
    for seed in range(60):
        framed = a.framed("What about {braces} and {0}?", random.Random(seed))
        assert "hat about {braces} and {0}?" in framed and len(framed) > len("What about {braces} and {0}?")


def test_punctuation_and_case_go() -> None:
    assert a.without_punctuation("What's up, Doc?  OK!", random.Random()) == "whats up doc ok"


def test_shorthand_replaces_whole_words() -> None:
    results = {a.shorthand("are you in an area with people", random.Random(seed)) for seed in range(300)}
    assert "r u in an area w ppl" in results and not any("ra" in r.split() or " rea" in r for r in results)
