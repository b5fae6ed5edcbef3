"""What the assistant says: a pure function from scores to a kind of reply and its words.

The words here are the assistant's own, in Markdown, and never show an id. Questions offered as choices are always real
questions of the bundle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.inference.confidence import Thresholds, content_words, token_f1, words
from assistant.types import CuratedEntry, Kind, Match, Source

LEAST_AGREEMENT = 0.9
MOST_SUGGESTIONS = 5
_MOST_EXAMPLES = 5
# A question this close to an entry of its own stands alone, whatever was asked before.
STANDS_ALONE = 0.7
# Below this a question that does not look like a follow-up is about something else altogether.
_RELATED_AT_ALL = 0.35

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATIONS = frozenset(
    ("no", "not", "never", "none", "nobody", "nothing", "neither", "nor", "cannot", "without", "hardly")
)
_POINTING = frozenset(
    (
        "it",
        "its",
        "it's",
        "that",
        "that's",
        "this",
        "these",
        "those",
        "they",
        "them",
        "their",
        "he",
        "she",
        "him",
    )
)
_OPENING = re.compile(
    r"\s*(?:and|but|or|so|then|also|what about|how about|what if|why|why not|how come|how so|in that case)\b",
    re.IGNORECASE,
)


class Bookshelf(Protocol):
    """Where the policy finds entries."""

    @property
    def shown(self) -> Sequence[CuratedEntry]:
        """Every entry that may be shown."""

    def entry(self, entry_id: str) -> CuratedEntry | None:
        """Return the entry of that id."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The kind of a reply, its text, and the entry it rests on."""

    kind: Kind
    text: str
    entry: CuratedEntry | None = None

    @property
    def source(self) -> Source | None:
        """The source to name under the reply."""
        return self.entry.source if self.entry else None


def decide(
    probability: float,
    thresholds: Thresholds,
    matches: Sequence[Match],
    generated: str,
    shelf: Bookshelf,
    subject: str,
) -> Decision:
    """Choose the reply.

    From `thresholds.answer` on, the closest entry is the answer: in the decoder's words when they agree with the
    curated ones, else in those, said to be the closest question's. From `thresholds.suggest` on, close questions are
    offered. Below, it says what it can answer.
    """
    entry = shelf.entry(matches[0].id) if matches else None
    if entry is None or probability < thresholds.suggest:
        return Decision("declined", declined_text(subject, shelf.shown))
    if probability >= thresholds.answer:
        return _answer(entry, generated)
    choices = suggestions(matches, shelf)
    # Perhaps small talk, perhaps not: topics would be no answer to either.
    if entry.kind == "smalltalk" or not choices:
        return Decision("declined", declined_text(subject, shelf.shown))
    return Decision("suggestions", suggestions_text([choice.question for choice in choices]))


def _answer(entry: CuratedEntry, generated: str) -> Decision:
    if entry.kind == "smalltalk":
        return Decision("smalltalk", entry.answer, entry)
    if agrees(generated, entry.answer):
        return Decision("generated", generated, entry)
    return Decision("curated", curated_text(entry), entry)


def agrees(generated: str, curated: str) -> bool:
    """Say whether generated words may stand for the curated ones.

    Nearly the same words, exactly the same numbers in their order, exactly the same negations: one lost "not" leaves
    the F1 high and turns the meaning round.
    """
    return (
        token_f1(generated, curated) >= LEAST_AGREEMENT
        and _NUMBER.findall(generated) == _NUMBER.findall(curated)
        and _negations(generated) == _negations(curated)
    )


def _negations(text: str) -> list[str]:
    return [word for word in words(text) if word in _NEGATIONS or word.endswith("n't")]


def suggestions(matches: Sequence[Match], shelf: Bookshelf) -> list[Match]:
    """Return the topics among the matches, best first, at most five: the choices offered to a person."""
    topics = [match for match in matches if (entry := shelf.entry(match.id)) and entry.kind == "topic"]
    return topics[:MOST_SUGGESTIONS]


def suggestions_text(questions: Sequence[str]) -> str:
    """Return the text that offers questions as a numbered list."""
    if len(questions) == 1:
        return f"I am not sure I understood. Did you mean this question?\n\n1. {questions[0]}"
    listed = "\n".join(f"{number}. {question}" for number, question in enumerate(questions, 1))
    return (
        f"I am not sure which question you mean. Is it one of these?\n\n{listed}\n\n"
        "If none fits, try saying it in other words."
    )


def curated_text(entry: CuratedEntry) -> str:
    """Return the closest entry's answer, said to be that."""
    return f"Closest question we have: **{entry.question}**\n\n{entry.answer}"


def declined_text(subject: str, entries: Sequence[CuratedEntry]) -> str:
    """Return the text that says what the assistant covers, with one question of each of some categories."""
    return f"I have no good answer to that. I can answer questions about {subject}.{_examples(entries)}"


def empty_text(subject: str, entries: Sequence[CuratedEntry]) -> str:
    """Return the text for a message without words."""
    return f"I see no question there. Ask me something about {subject}.{_examples(entries)}"


def _examples(entries: Sequence[CuratedEntry]) -> str:
    """List the first question of each category, or the first questions where there are no categories."""
    first: dict[str, CuratedEntry] = {}
    for entry in entries:
        if entry.kind == "topic":
            first.setdefault(entry.category or entry.id, entry)
    chosen = list(first.values())[:_MOST_EXAMPLES]
    lines = [f"- {_heading(entry.category)}{entry.question}" for entry in chosen]
    return "\n\nFor example:\n\n" + "\n".join(lines) if lines else ""


def _heading(category: str) -> str:
    readable = re.sub(r"[-_\s]+", " ", category).strip()
    return f"{readable[:1].upper()}{readable[1:]}: " if readable else ""


def has_words(text: str) -> bool:
    """Say whether a message holds any letter or digit."""
    return any(character.isalnum() for character in text)


def looks_elliptical(question: str) -> bool:
    """Say whether a question leans on what was said before ("and how is it treated?")."""
    pointing = any(word in _POINTING for word in words(question))
    return pointing or bool(_OPENING.match(question)) or len(content_words(question)) <= 1


def reads_as_follow_up(question: str, alone: Match | None, negative: float, together: Match | None) -> bool:
    """Decide between a question alone and the same after the question before it.

    `alone` and `together` are the best matches of both readings, `negative` the similarity of the question alone to
    questions out of scope. The better scored wins, with two exceptions: a question that scores high alone is never
    dragged back to the old topic; and one that does not look like a follow-up must at least be about the subject,
    or else "previous + question" would always win on the previous question's words.
    """
    if together is None or alone is None:
        return alone is None and together is not None
    if alone.score >= STANDS_ALONE or together.score <= alone.score:
        return False
    return looks_elliptical(question) or alone.score >= max(_RELATED_AT_ALL, negative)
