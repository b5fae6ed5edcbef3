"""A reply in words, for people who read stdout."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.types import Kind, Reply
from assistant.ui.wording import sure_words

_KINDS: dict[Kind, str] = {
    "generated": "an answer in the model's words, checked against the curated one",
    "curated": "the curated answer to the closest question",
    "suggestions": "not sure what you mean: the closest questions",
    "declined": "no answer to this here",
    "smalltalk": "small talk",
    "crisis": "the help card; this program is no person and alerts nobody",
}


def verdict(reply: Reply) -> str:
    """Return kind and confidence in one line."""
    line = f"[{_KINDS[reply.kind]}"
    if reply.kind in ("generated", "curated", "suggestions"):
        line += f"; {sure_words(reply.confidence)}, {reply.confidence:.2f}"
    return line + "]"


def reply_lines(reply: Reply) -> Iterator[str]:
    """Yield the answer, and the source below it."""
    yield reply.text
    if reply.source is not None:
        yield ""
        yield f"Source: {reply.source.title}, {reply.source.url}"
