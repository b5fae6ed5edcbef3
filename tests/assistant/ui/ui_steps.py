"""Steps that the tests of the chat share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from assistant.ui.widgets.answer import Answer


async def until(pilot: Pilot[Any], condition: Callable[[], bool], seconds: float = 8.0) -> None:
    """Wait until `condition` holds; fails when it does not within `seconds`."""
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        await pilot.pause(0.02)
    assert condition()


async def idle(pilot: Pilot[Any]) -> None:
    """Wait until no answer is under way."""
    await pilot.pause()
    chat: Any = pilot.app.chat  # type: ignore[attr-defined]
    await until(pilot, lambda: not chat.busy)
    await pilot.pause()


async def ask(pilot: Pilot[Any], text: str) -> Answer:
    """Send `text` and return its finished answer."""
    chat: Any = pilot.app.chat  # type: ignore[attr-defined]
    before = len(chat.transcript.answers)
    chat.composer.put(text)
    await pilot.press("enter")
    await until(pilot, lambda: len(chat.transcript.answers) > before)
    await idle(pilot)
    answer: Answer = chat.transcript.answers[-1]
    return answer
