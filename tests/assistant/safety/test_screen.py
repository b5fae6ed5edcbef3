"""The screen for danger: what must raise the card, what must not, and that it never stumbles."""

from __future__ import annotations

import csv
import re
import time
from pathlib import Path

import pytest
import safety_rounds
from safety_messages import POSITIVE
from safety_negatives import NEGATIVE

from assistant.answering.safety import Screening, screen
from assistant.answering.safety_rules import hints, others, own
from assistant.answering.safety_rules.fragments import FRAGMENTS
from assistant.answering.safety_rules.notation import rules
from assistant.answering.safety_text import segment, sentences

TOPICS = Path(__file__).parents[4] / "shared" / "data" / "topics" / "topics.csv"


@pytest.mark.parametrize("style", POSITIVE)
def test_danger_is_caught_in_every_style(style: str) -> None:
    missed = [text for text in POSITIVE[style] if screen(text).level == "none"]
    assert missed == []


def test_hard_negatives_are_left_alone() -> None:
    alarms = [text for text in NEGATIVE if screen(text).level == "danger"]
    assert alarms == []


def test_the_rounds_stay_won() -> None:
    missed = [text for text in safety_rounds.POSITIVE if screen(text).level == "none"]
    alarms = [text for text in safety_rounds.NEGATIVE if screen(text).level == "danger"]
    assert len(missed) <= 0.04 * len(safety_rounds.POSITIVE), missed
    assert len(alarms) <= 0.02 * len(safety_rounds.NEGATIVE), alarms


@pytest.mark.parametrize("texts", [own.SELF, hints.INDIRECT, others.OTHERS, others.ABUSE, others.CHILD_ABUSE])
def test_every_rule_is_a_whole_expression(texts: tuple[str, ...]) -> None:
    for text in texts:
        for name, fragment in FRAGMENTS.items():
            text = text.replace(f"<{name}>", fragment)
        assert not re.search("<[a-z]+>", text), text
        re.compile(text.replace("{who}", "my friend"))


@pytest.mark.parametrize(
    ("style", "reason"),
    [("explicit", "self"), ("indirect", "self"), ("others", "other"), ("children", "child"), ("abuse", "abuse")],
)
def test_whose_danger_it_is(style: str, reason: str) -> None:
    found = [screen(text).reason for text in POSITIVE[style]]
    assert found.count(reason) >= 0.95 * len(found)


def words_of(fragment: str) -> list[str]:
    """The plain words of a fragment that is only a list."""
    return FRAGMENTS[fragment].removeprefix("(?:").removesuffix(")").split("|")


@pytest.mark.parametrize("verb", words_of("harm") + words_of("method"))
def test_every_verb_the_rules_know_is_caught(verb: str) -> None:
    # read from the rules, so that no such list stands here
    sentence = f"i keep {verb} myself" if verb.endswith("ing") else f"I am going to {verb} myself"
    assert screen(sentence).reason == "self"


@pytest.mark.parametrize("wrapper", ["{}", "Hello there. {} Thank you.", "{}\n\nsecond line", "  {}!!!", "“{}”"])
def test_where_it_stands_does_not_matter(wrapper: str) -> None:
    missed = [text for text in POSITIVE["explicit"][:40] if screen(wrapper.format(text)).level == "none"]
    assert missed == []


@pytest.mark.parametrize("change", [str.upper, str.title, lambda text: text.replace("'", "’"), str.swapcase])
def test_how_it_is_written_does_not_matter(change: object) -> None:
    assert callable(change)
    missed = [text for text in POSITIVE["explicit"] if screen(change(text)).level == "none"]
    assert missed == []


def test_missing_apostrophes_do_not_matter() -> None:
    texts = POSITIVE["explicit"] + POSITIVE["indirect"] + POSITIVE["others"] + POSITIVE["abuse"]
    assert [text for text in texts if screen(text.replace("'", "")).level == "none"] == []


def test_spaced_letters_are_read_wherever_the_words_are_known() -> None:
    for text in ("kill myself", "i want to die", "end my life", "i am suicidal", "i want to end it all"):
        for gap in (" ", ".", "-", "_", " . ", "  "):
            assert screen(gap.join(text.replace(" ", ""))).level == "danger", (text, gap)


def test_what_is_past_and_back_again_counts() -> None:
    assert screen("I was suicidal ten years ago.").level == "none"
    assert screen("I was suicidal ten years ago. The thoughts are back.").level == "danger"
    assert screen("I wanted to die years ago and now I want to die again").level == "danger"


def test_a_denial_counts_only_for_what_it_denies() -> None:
    assert screen("I don't want to die").level == "none"
    assert screen("I don't want to die but I can't stop wanting to hurt myself").level == "danger"
    assert screen("I don't know how to stop cutting myself").level == "danger"
    assert screen("Why should I not kill myself?").level == "danger"


def test_the_topics_are_left_alone_but_for_those_about_danger() -> None:
    if not TOPICS.exists():
        pytest.skip("the shared topics are not here")
    with TOPICS.open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    alarms = [row for row in rows if screen(row["question"]).level == "danger"]
    allowed = {"crisis", "suicid", "abus", "harm", "hurting", "end their life"}
    assert len(alarms) <= 0.03 * len(rows)
    assert all(any(word in row["question"] + row["category"] for word in allowed) for row in alarms)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\0", "\ud800", "?", "...", "\u202e", "a\u0301" * 50, "[/]", "🕯" * 100, "1" * 50, "* * *", "'"],
)
def test_odd_texts_are_no_danger_and_no_error(text: str) -> None:
    assert screen(text) == Screening()


HUGE = {
    "one word": ("i ", 500_000),
    "one letter": ("a", 1_000_000),
    "dotted letters": ("k.", 300_000),
    "a denial": ("i do not want to ", 60_000),
    "denials": ("not ", 200_000),
    "leetspeak": ("!1", 300_000),
    "lines": ("\n", 100_000),
    "persons": ("my friend ", 100_000),
    "typos": ("suicid ", 100_000),
    "doubled letters": ("aabb", 200_000),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_paste_is_screened_in_seconds(name: str) -> None:
    piece, times = HUGE[name]
    started = time.perf_counter()
    screen(piece * times)
    assert time.perf_counter() - started < 20


def test_danger_at_either_end_of_a_huge_paste_is_found() -> None:
    filler = "The weather was mild. " * 40_000
    assert screen("I want to die. " + filler).level == "danger"
    assert screen(filler + "I want to die.").level == "danger"


def test_plain_words() -> None:
    assert [item.words for item in sentences("I can’t GO on!! R u ok?")] == ["i can not go on", "are you ok"]
    assert sentences("why?")[0].question
    assert segment("iwanttodie") == ("i", "want", "to", "die")
    assert segment("qqqq") is None


def test_a_block_of_rules() -> None:
    assert rules("# remark\none\n  |two\n\nthree") == ("one|two", "three")
