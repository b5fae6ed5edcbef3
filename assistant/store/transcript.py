"""One conversation as a document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from assistant.store.records import Conversation, Turn

_UNFINISHED = {
    "pending": "*(no answer was stored)*",
    "cancelled": "*(stopped)*",
    "failed": "*(no answer: something went wrong)*",
}


def to_json(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the conversation with its turns (reply objects included) as one JSON object."""
    record = asdict(conversation) | {"schema_version": 1, "turns": [_turn_record(turn) for turn in turns]}
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def to_markdown(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the conversation as Markdown, with the source under each answer."""
    parts = [f"# {conversation.title or 'New conversation'}", f"{conversation.created[:10]} · Lamplight"]
    for turn in turns:
        parts += [f"## You · {_minute(turn.created)}", _quoted(turn.question), "## Lamplight"]
        parts += [part for part in (turn.text, _UNFINISHED.get(turn.state, ""), _source_line(turn)) if part]
    return "\n\n".join(parts) + "\n"


def _turn_record(turn: Turn) -> dict[str, Any]:
    record = asdict(turn)
    text = record.pop("reply_json")
    record["reply"] = json.loads(text) if text else None
    return record


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ") + " UTC"


def _quoted(text: str) -> str:
    # a question that holds Markdown must not become a heading of the document
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines() or [""])


def _source_line(turn: Turn) -> str:
    source = json.loads(turn.reply_json).get("source") if turn.reply_json else None
    return f"Source: {source['title']}, <{source['url']}>" if source else ""
