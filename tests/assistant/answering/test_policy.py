"""The policy: kinds, words, agreement of generated text, follow-ups."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from assistant.answering.policy import (
    agrees,
    decide,
    declined_text,
    empty_text,
    has_words,
    looks_elliptical,
    reads_as_follow_up,
    suggestions_text,
)
from assistant.inference.confidence import Thresholds
from assistant.types import CuratedEntry, Match, Source

ANSWER = "Most people feel better after 6 weeks, but it does not work for everyone."
SHOWN = [
    CuratedEntry(
        "dep-treat",
        "How is depression treated?",
        ANSWER,
        "mood_disorders",
        source=Source("NIMH", "https://n"),
    ),
    CuratedEntry("dep-what", "What is depression?", "An illness.", "mood_disorders"),
    CuratedEntry("anx-what", "What is anxiety?", "Worry that stays.", "anxiety"),
    CuratedEntry("sleep-1", "Why does sleep matter?", "It mends.", ""),
    CuratedEntry("hi-id", "hi", "Hello!", kind="smalltalk"),
]
THRESHOLDS = Thresholds(answer=0.6, suggest=0.2)


class Shelf:
    shown: Sequence[CuratedEntry] = SHOWN

    def entry(self, entry_id: str) -> CuratedEntry | None:
        return next((entry for entry in SHOWN if entry.id == entry_id), None)


def matches(*names: str) -> list[Match]:
    entries = [Shelf().entry(name) for name in names]
    return [Match(entry.id, entry.question, 0.9 - place / 10) for place, entry in enumerate(entries) if entry]


ALL = matches("dep-treat", "hi-id", "dep-what", "anx-what", "sleep-1")


def kind_of(probability: float, generated: str = ANSWER, found: list[Match] | None = None) -> str:
    return decide(probability, THRESHOLDS, ALL if found is None else found, generated, Shelf(), "moods").kind


@pytest.mark.parametrize(
    ("probability", "kind"),
    [
        (1.0, "generated"),
        (0.6, "generated"),
        (0.599, "suggestions"),
        (0.2, "suggestions"),
        (0.199, "declined"),
    ],
)
def test_the_thresholds(probability: float, kind: str) -> None:
    assert kind_of(probability) == kind


def test_a_generated_reply_is_in_the_decoders_words() -> None:
    said = ANSWER.replace("Most people", "Most persons")
    decision = decide(0.9, THRESHOLDS, ALL, said, Shelf(), "moods")
    assert (decision.kind, decision.text) == ("generated", said)
    assert decision.entry is SHOWN[0]
    assert decision.source == Source("NIMH", "https://n")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Something else.",
        ANSWER.replace("6", "8"),
        ANSWER.replace("not ", ""),
        ANSWER.replace("does not", "doesn't not"),
        ANSWER + " Never mind.",
        ANSWER.replace("Most people feel", "Few dogs ever felt"),
    ],
)
def test_generated_words_that_do_not_agree_give_way_to_the_curated_ones(said: str) -> None:
    assert not agrees(said, ANSWER)
    decision = decide(0.9, THRESHOLDS, ALL, said, Shelf(), "moods")
    assert decision.kind == "curated"
    assert decision.text == f"Closest question we have: **How is depression treated?**\n\n{ANSWER}"


def test_small_talk_answers_in_its_own_words_or_not_at_all() -> None:
    found = matches("hi-id", "dep-what")
    decision = decide(0.9, THRESHOLDS, found, "anything", Shelf(), "moods")
    assert (decision.kind, decision.text) == ("smalltalk", "Hello!")
    assert kind_of(0.4, found=found) == "declined"


def test_suggestions_are_real_topics_as_a_numbered_list() -> None:
    decision = decide(0.3, THRESHOLDS, ALL, ANSWER, Shelf(), "moods")
    listed = re.findall(r"^(\d)\. (.*)$", decision.text, re.MULTILINE)
    assert listed == [
        ("1", "How is depression treated?"),
        ("2", "What is depression?"),
        ("3", "What is anxiety?"),
        ("4", "Why does sleep matter?"),
    ]
    assert decision.entry is None
    assert "1. A?" in suggestions_text(["A?"])


def test_without_matches_it_declines() -> None:
    assert kind_of(0.9, found=[]) == "declined"


def test_declining_says_what_is_covered_with_an_example_of_each_category() -> None:
    text = declined_text("moods", SHOWN)
    assert "questions about moods" in text
    assert "- Mood disorders: How is depression treated?" in text
    assert "- Anxiety: What is anxiety?" in text
    assert "- Why does sleep matter?" in text
    assert "What is depression?" not in text
    assert "hi" not in text.split()


def test_no_text_shows_an_id() -> None:
    for text in (
        declined_text("moods", SHOWN),
        empty_text("moods", SHOWN),
        *(decide(p, THRESHOLDS, ALL, "x", Shelf(), "moods").text for p in (0.1, 0.4, 0.9)),
    ):
        assert not any(entry.id in text.split() for entry in SHOWN)
        assert "mood_disorders" not in text


@pytest.mark.parametrize("text", ["", "  ", "?!…", "\n\t", "—", "👍", "\u202e", "***"])
def test_messages_without_words(text: str) -> None:
    assert not has_words(text)


@pytest.mark.parametrize("text", ["a", "7", "?é?", "中"])
def test_messages_with_words(text: str) -> None:
    assert has_words(text)


@pytest.mark.parametrize(
    "question",
    [
        "and how is it treated?",
        "what about children?",
        "why?",
        "How long does that last?",
        "treatment?",
        "But how?",
    ],
)
def test_what_leans_on_the_question_before(question: str) -> None:
    assert looks_elliptical(question)


@pytest.mark.parametrize("question", ["What is the capital of France?", "How is depression treated?"])
def test_what_stands_by_itself(question: str) -> None:
    assert not looks_elliptical(question)


def best(score: float) -> Match:
    return Match("x", "X?", score)


@pytest.mark.parametrize(
    ("question", "alone", "negative", "together", "follows"),
    [
        ("and how is it treated?", 0.4, 0.1, 0.8, True),
        ("and how is it treated?", 0.6, 0.1, 0.5, False),  # The better scored wins.
        ("and how is anxiety treated?", 0.75, 0.1, 0.95, False),  # High alone: never dragged back.
        ("What is the capital of France?", 0.1, 0.6, 0.9, False),  # Another subject altogether.
        ("which medicines help children?", 0.5, 0.2, 0.8, True),
    ],
)
def test_follow_ups(question: str, alone: float, negative: float, together: float, follows: bool) -> None:
    assert reads_as_follow_up(question, best(alone), negative, best(together)) is follows
