"""The store as the chat sees it: off the screen's thread, and fine without any store at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from assistant.store.database import Store
    from assistant.store.records import Conversation, FinalState, Turn
    from assistant.types import Reply

StoreSource = Callable[[], "Store"]


class Archive:
    """Conversations and small values; with no store it keeps nothing and answers emptily.

    Every coroutine raises the store's own errors (StoreError, UsageError).
    """

    def __init__(self, source: Store | StoreSource | None) -> None:
        """Take an open store, a callable that opens one (used by `open`), or None."""
        self._source = source
        self._store: Store | None = None

    @property
    def stores(self) -> bool:
        """Whether anything is kept."""
        return self._store is not None

    @property
    def place(self) -> str:
        """The file that holds everything, "" when nothing is kept."""
        return str(self._store.path) if self._store else ""

    async def open(self) -> None:
        """Open the store (its libraries are imported here, so that the first paint need not wait)."""
        source = self._source
        self._store = await asyncio.to_thread(source) if callable(source) else source

    def close(self) -> None:
        """Close a store that was opened here."""
        if self._store is not None and callable(self._source):
            self._store.close()

    async def conversations(self, limit: int) -> list[Conversation]:
        """Return the conversations used last."""
        store = self._store
        return await asyncio.to_thread(store.conversations, limit) if store else []

    async def conversation(self, prefix: str) -> Conversation | None:
        """Return the conversation whose id begins with `prefix`."""
        store = self._store
        return await asyncio.to_thread(store.conversation, prefix) if store else None

    async def create(self) -> str:
        """Start a conversation and return its id."""
        store = self._store
        return await asyncio.to_thread(store.create_conversation) if store else ""

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        if self._store:
            await asyncio.to_thread(self._store.rename_conversation, conversation_id, title)

    async def delete(self, conversation_id: str) -> None:
        """Really delete a conversation."""
        if self._store:
            await asyncio.to_thread(self._store.delete_conversation, conversation_id)

    async def turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of a conversation, oldest first."""
        store = self._store
        return await asyncio.to_thread(store.turns, conversation_id) if store else []

    async def verdicts(self) -> dict[int, str]:
        """Return all judgements: turn id to "up" or "down"."""
        store = self._store
        found = await asyncio.to_thread(store.feedback) if store else []
        return {item.turn_id: item.verdict for item in found}

    async def add_question(self, conversation_id: str, text: str) -> int | None:
        """Commit a question before anything is done with it; None when nothing is kept."""
        store = self._store
        return await asyncio.to_thread(store.add_question, conversation_id, text) if store else None

    async def finish(self, turn_id: int | None, state: FinalState, reply: Reply | None, text: str) -> None:
        """Store what came of a question."""
        if self._store and turn_id is not None:
            await asyncio.to_thread(self._store.finish_turn, turn_id, state, reply, text)

    def finish_now(self, turn_id: int | None, state: FinalState, reply: Reply | None, text: str) -> None:
        """Like `finish`, at once: for the moment when the program ends in mid-answer."""
        if self._store and turn_id is not None:
            self._store.finish_turn(turn_id, state, reply, text)

    async def judge(self, turn_id: int, verdict: Literal["up", "down"] | None) -> None:
        """Store a judgement, or take it back."""
        if self._store is None:
            return
        if verdict is None:
            await asyncio.to_thread(self._store.remove_feedback, turn_id)
        else:
            await asyncio.to_thread(self._store.add_feedback, turn_id, verdict)

    async def value(self, key: str) -> str | None:
        """Return a small value."""
        store = self._store
        return await asyncio.to_thread(store.get_value, key) if store else None

    async def set_value(self, key: str, value: str | None) -> None:
        """Keep a small value."""
        if self._store:
            await asyncio.to_thread(self._store.set_value, key, value)
