"""What is remembered about help cards, so that no card comes twice word for word (SAFETY.md 4).

The record is kept in the store, and so survives a restart.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

KEY = "care"
SAFE_FOR = timedelta(hours=12)
"""How long "I'm not in danger" is taken as said; another day is another day."""


@dataclass(frozen=True, slots=True)
class Care:
    """How many cards were shown, and when the person last said "I'm not in danger" (ISO 8601, UTC)."""

    cards: int = 0
    safe_since: str = ""

    def shown(self) -> Care:
        """Return the state after one more card."""
        return replace(self, cards=self.cards + 1)

    def said_safe(self, now: datetime) -> Care:
        """Return the state after "I'm not in danger"."""
        return replace(self, safe_since=now.isoformat(timespec="seconds"))

    def is_safe(self, now: datetime) -> bool:
        """Return whether "I'm not in danger" still holds at `now` (with a time zone)."""
        try:
            age = now - datetime.fromisoformat(self.safe_since)
        except (ValueError, TypeError):
            return False
        return timedelta(0) <= age < SAFE_FOR

    def to_text(self) -> str:
        """Return the state as the store keeps it."""
        return json.dumps({"cards": self.cards, "safe_since": self.safe_since})


def from_text(text: str | None) -> Care:
    """Return the state from the store; a value that cannot be read is a fresh start."""
    try:
        record = json.loads(text or "{}")
        return Care(cards=max(0, int(record.get("cards", 0))), safe_since=str(record.get("safe_since", "")))
    except (ValueError, TypeError, AttributeError):
        return Care()
