"""The screen for danger: public face. See SAFETY.md; the rules are data in `safety_rules/`.

It runs first on every message, apart from the model, and nothing in a bundle can change it. Each
sentence is made plain (`safety_text`), idioms are taken out, and what is left is held against the
patterns; a finding counts unless its sentence denies it, tells it as past, or asks about others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from assistant.answering.safety_cards import CHECKED, LINES, HelpLine, Reason, countries, help_card
from assistant.answering.safety_rules import excuses, hints, others, own
from assistant.answering.safety_rules.fragments import FILLERS, FRAGMENTS
from assistant.answering.safety_text import Sentence, sentences

__all__ = ["CHECKED", "LINES", "HelpLine", "Reason", "Screening", "countries", "help_card", "screen"]

Level = Literal["none", "danger"]

_ORDER: tuple[Reason, ...] = ("self", "child", "abuse", "other")
_MASK = " _ "


@dataclass(frozen=True, slots=True)
class Screening:
    """What the screen found in one message: `reason` says whose danger it is, None without one."""

    level: Level = "none"
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class _Rule:
    """One pattern, whose danger it tells of, and whether it only hints (then no question excuses it)."""

    reason: Reason
    pattern: re.Pattern[str]
    hint: bool


def screen(text: str) -> Screening:
    """Return whether `text` speaks of danger, and whose. Never raises, whatever the text."""
    found: set[Reason] = set()
    told_as_past = False
    masked = [Sentence(_without_idioms(item.words), item.question) for item in sentences(text)]
    for sentence in masked:
        reasons, past = _findings(sentence)
        found |= reasons
        told_as_past |= past
    if told_as_past and any(_pattern(hints.RELAPSE).search(item.words) for item in masked):
        found.add("self")
    if not found and (_is_bare(masked) or _weak_points(masked) >= hints.WEAK_LIMIT):
        found.add("self")
    reason = next((kind for kind in _ORDER if kind in found), None)
    return Screening("danger", reason) if reason else Screening()


def _findings(sentence: Sentence) -> tuple[set[Reason], bool]:
    """Return whose danger one sentence tells of, and whether it told of one that is past."""
    found: set[Reason] = set()
    past = False
    for rule, match in _matches(sentence.words):
        if _is_excused(rule, match, sentence):
            continue
        if _is_past(sentence.words):
            past = True
        else:
            found.add(rule.reason)
    return found, past


def _matches(words: str) -> Iterator[tuple[_Rule, re.Match[str]]]:
    for rule in _compiled():
        for match in rule.pattern.finditer(words):
            yield rule, match


def _is_excused(rule: _Rule, match: re.Match[str], sentence: Sentence) -> bool:
    """Return whether the sentence denies the finding, or speaks of nobody in particular."""
    before = sentence.words[: match.start()]
    if rule.reason == "self" and not _is_of_the_writer(match.group(), before):
        return True
    if (denial := _pattern(excuses.NEGATION).search(before)) and not _pattern(excuses.NO_NEGATION).search(denial[1]):
        return True
    if _pattern(excuses.FICTION).search(sentence.words):
        return rule.reason != "self" or not _pattern(r"\b(?:i|me|my)\b").search(before + match.group())
    return _is_information(rule, sentence)


def _is_of_the_writer(found: str, before: str) -> bool:
    """Return whether a finding is about the writer: it says so, or its subject is "i", or there is none."""
    if _pattern(r"\b(?:i|me|my|myself)\b").search(found):
        return True
    subjects = list(_pattern(excuses.SUBJECTS).finditer(before))
    if not subjects:
        return not _pattern(excuses.NOUN_SUBJECTS).search(before)
    if _pattern(excuses.THIRD_PERSON).search(found):
        return subjects[-1][0] == "me"
    return subjects[-1]["self"] is not None


def _is_information(rule: _Rule, sentence: Sentence) -> bool:
    """Return whether it is a question about people in general: no "i" or "my" in it but the asker's."""
    if rule.hint or not _pattern(excuses.ASKS_ABOUT).search(sentence.words):
        return False
    if rule.reason == "self":
        return not _pattern(r"\b(?:i|me|my|myself)\b").search(sentence.words)
    return not _pattern(r"\b(?:i|my|our|he|she|me|us)\b").search(sentence.words)


def _is_past(words: str) -> bool:
    """Return whether the sentence tells of something over: a past marker, and nothing that says "now"."""
    if not _pattern(excuses.PAST).search(words):
        return False
    return not _pattern(excuses.PRESENT).search(_pattern(excuses.WELL_NOW).sub(_MASK, words))


def _is_bare(masked: list[Sentence]) -> bool:
    return len(masked) == 1 and bool(_pattern(hints.BARE).search(masked[0].words))


def _weak_points(masked: list[Sentence]) -> int:
    """Return the points of the hints that mean little alone; questions about others have none."""
    words = " . ".join(item.words for item in masked if not item.question and not _is_past(item.words))
    if not _pattern(r"\b(?:i|my|me)\b").search(words) or _pattern(excuses.FICTION).search(words):
        return 0
    strong = sum(1 for pattern in hints.STRONG if _pattern(pattern).search(words))
    faint = sum(1 for pattern in hints.FAINT if _pattern(pattern).search(words))
    return 2 * strong + faint


def _without_idioms(words: str) -> str:
    for idiom in _idioms():
        words = idiom.sub(_MASK, words)
    return _pattern(FILLERS).sub("", words + " ").strip()


@cache
def _idioms() -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(rf"\b(?:{idiom})") for idiom in excuses.IDIOMS)


@cache
def _compiled() -> tuple[_Rule, ...]:
    """Return all rules, compiled at the first message."""
    young = r"(?:my|our|a|the|her|his|this)(?: \w+){0,2}? <young>(?: \w+)?"
    adult = r"(?:(?:my|our|this|a|the|one of my)(?: \w+){0,2}? )?<adult>(?: \w+)?"
    written: list[tuple[Reason, str, bool]] = [("self", text, False) for text in own.SELF]
    written += [("self", text, True) for text in hints.INDIRECT]
    written += [("child", text, False) for text in others.CHILD_ABUSE]
    written += [("child", text.replace("{who}", young), False) for text in others.OTHERS if "{who}" in text]
    written += [("abuse", text, False) for text in others.ABUSE]
    written += [("other", text.replace("{who}", adult), False) for text in others.OTHERS]
    return tuple(_Rule(reason, _pattern(rf"\b(?:{text})"), hint) for reason, text, hint in written)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    for name, fragment in FRAGMENTS.items():
        text = text.replace(f"<{name}>", fragment)
    return re.compile(text)
