"""Reply objects read back from what the store kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from assistant.types import BundleName, Generated, Kind, Match, Reply, Source, Timing

_KINDS = get_args(Kind)


def reply_from_json(record: Mapping[str, Any]) -> Reply | None:
    """Return the Reply that `Reply.to_json` wrote, or None for an object that is none."""
    try:
        return _reply(record)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _reply(record: Mapping[str, Any]) -> Reply:
    if record["kind"] not in _KINDS:
        raise ValueError(record["kind"])
    source, generated, bundle = record.get("source"), record.get("generated"), record.get("bundle") or {}
    return Reply(
        question=str(record["question"]),
        kind=record["kind"],
        text=str(record["text"]),
        answer_id=record.get("answer_id"),
        confidence=float(record.get("confidence") or 0.0),
        closest=tuple(Match(str(m["id"]), str(m["question"]), float(m["score"])) for m in record.get("closest", ())),
        source=Source(str(source["title"]), str(source["url"])) if source else None,
        generated=Generated(**generated) if generated else None,
        bundle=BundleName(str(bundle.get("name", "")), str(bundle.get("version", ""))),
        device=str(record.get("device", "cpu")),
        timing_ms=Timing(**record.get("timing_ms", {})),
    )
