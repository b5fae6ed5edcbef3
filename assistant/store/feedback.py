"""feedback.jsonl: what people thought of replies, for the trainer.

One object a line, `schema_version` 1:
{"schema_version", "turn_id", "created", "question", "previous", "kind", "answer_id", "text",
 "confidence", "verdict", "reason", "corrected_id", "corrected_text", "bundle": {"name", "version"}|null}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.answering.safety import screen
from assistant.store.database import Store
from assistant.store.files import refuse_to_overwrite, write_whole
from assistant.store.records import Feedback

SCHEMA_VERSION = 1


def records(store: Store, include_crisis: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the records to export.

    Messages that raised the help card are left out unless the person asks for them (SAFETY.md 9),
    also when they were answered afterwards.
    """
    for item in store.feedback():
        if include_crisis or not raised_card(item):
            yield _record(store, item)


def raised_card(item: Feedback) -> bool:
    """Return whether the question of this feedback was met with the help card."""
    return item.kind == "crisis" or screen(item.question).level == "danger"


def export(store: Store, path: Path, include_crisis: bool = False, force: bool = False) -> int:
    """Write feedback.jsonl and return its number of records.

    The file appears whole or not at all. Raises UsageError when `path` exists and not `force`, or
    is no plain file; StoreError when it cannot be written.
    """
    refuse_to_overwrite(path, force)
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records(store, include_crisis)]
    write_whole(path, "".join(lines))
    return len(lines)


def _record(store: Store, item: Feedback) -> dict[str, Any]:
    reply = json.loads(item.reply_json) if item.reply_json else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "turn_id": item.turn_id,
        "created": item.created,
        "question": item.question,
        "previous": _question_before(store, item),
        "kind": item.kind,
        "answer_id": item.answer_id,
        "text": item.text,
        "confidence": item.confidence,
        "verdict": item.verdict,
        "reason": item.reason,
        "corrected_id": item.corrected_id,
        "corrected_text": item.corrected_text,
        "bundle": reply.get("bundle"),
    }


def _question_before(store: Store, item: Feedback) -> str | None:
    """Return the question before this one, unless it raised the help card."""
    earlier = [turn for turn in store.turns(item.conversation_id) if turn.id < item.turn_id]
    if not earlier or earlier[-1].kind == "crisis" or screen(earlier[-1].question).level == "danger":
        return None
    return earlier[-1].question
