"""The frozen records that the store hands out. Times are ISO 8601 in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TurnState = Literal["pending", "complete", "cancelled", "failed"]
FinalState = Literal["complete", "cancelled", "failed"]
Verdict = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation as it stands in a list; `turns` counts its questions."""

    id: str
    title: str
    created: str
    updated: str
    turns: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and what came of it.

    `state` stays "pending" when the program died between question and answer. `reply_json` is the
    whole reply object as text, or None while there is none.
    """

    id: int
    conversation_id: str
    created: str
    question: str
    state: TurnState
    kind: str | None
    text: str
    answer_id: str | None
    confidence: float | None
    reply_json: str | None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A turn that holds the words looked for; `snippet` is plain text around them."""

    turn_id: int
    conversation_id: str
    title: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the person thought of one reply, with the turn it belongs to."""

    turn_id: int
    conversation_id: str
    created: str
    question: str
    kind: str | None
    text: str
    answer_id: str | None
    confidence: float | None
    verdict: Verdict
    reason: str | None
    corrected_id: str | None
    corrected_text: str | None
    reply_json: str | None
