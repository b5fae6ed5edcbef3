"""One question's way through the chat: stored, screened, answered, stored again. No widgets here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from assistant.errors import LamplightError, StoreError, UsageError
from assistant.types import Finished, Reply, Token
from assistant.ui import care
from assistant.ui.archive import Archive
from assistant.ui.brain import Brain

if TYPE_CHECKING:
    from assistant.answering.safety_cards import Reason
    from assistant.store.records import FinalState


class View(Protocol):
    """Where a reply appears while it comes into being."""

    question: str
    turn_id: int | None

    @property
    def text(self) -> str:
        """The text shown so far."""

    async def wait(self, words: str) -> None:
        """Say what is being waited for."""

    async def write(self, piece: str) -> None:
        """Show a piece of the answer."""

    async def show_card(self, text: str) -> None:
        """Show the help card above the answer that follows."""

    async def finish(self, reply: Reply, state: FinalState) -> None:
        """Show the whole reply."""

    async def fail(self, reason: str) -> None:
        """Say why there is no answer."""


class Talk:
    """The conversation that is open, and the answer that is under way."""

    def __init__(
        self, archive: Archive, brain: Brain, country: str | None, trouble: Callable[[LamplightError], None]
    ) -> None:
        """Work on `archive` and `brain`; `trouble` is told of errors that do not stop an answer.

        `country` is the ISO 3166 code for the help card's numbers, None when it is not known.
        """
        self.archive = archive
        self.brain = brain
        self.country = country
        self.conversation_id = ""
        self.previous: str | None = None
        self.care = care.Care()
        self._trouble = trouble
        self._cancel: threading.Event | None = None
        self._waiting: asyncio.Task[object] | None = None

    @property
    def busy(self) -> bool:
        """Whether an answer is under way."""
        return self._cancel is not None

    def forget(self) -> None:
        """Leave the conversation; the next question starts a new one."""
        self.conversation_id = ""
        self.previous = None

    def stop(self) -> None:
        """Stop the answer under way; what is there so far stays."""
        if self._cancel is not None:
            self._cancel.set()
        if self._waiting is not None:
            self._waiting.cancel()

    async def answer(self, view: View) -> None:
        """Take the question of `view` the whole way. Errors end up in the view, never above."""
        self._cancel = threading.Event()
        try:
            await self._store_question(view)
            if not await self._help_first(view):
                await self._ask_engine(view, self._cancel)
        except asyncio.CancelledError:
            self._cancel.set()
            self._end(view)
            raise
        finally:
            self._cancel = None

    async def answer_anyway(self, view: View) -> None:
        """Answer a question that raised the card, once the person has said they are not in danger."""
        self._cancel = threading.Event()
        try:
            await self._ask_engine(view, self._cancel)
        finally:
            self._cancel = None

    async def said_safe(self) -> None:
        """Keep "I'm not in danger"."""
        await self._keep_care(self.care.said_safe(datetime.now(UTC)))

    async def load_care(self) -> None:
        """Read what earlier sessions kept about help cards."""
        self.care = care.from_text(await self.archive.value(care.KEY))

    def next_card(self, reason: Reason | None = None) -> str:
        """Return the help card in words that were not the last ones."""
        from assistant.answering import safety

        return safety.help_card(self.country, self.care.cards, reason=reason)

    async def card_shown(self) -> None:
        """Count a card, so that the next one has other words."""
        await self._keep_care(self.care.shown())

    async def _keep_care(self, state: care.Care) -> None:
        self.care = state
        await self._quietly(self.archive.set_value(care.KEY, state.to_text()))

    async def _store_question(self, view: View) -> None:
        """Commit the question before anything is done with it; without a store the chat goes on."""
        try:
            if not self.conversation_id and self.archive.stores:
                self.conversation_id = await self.archive.create()
            view.turn_id = await self.archive.add_question(self.conversation_id, view.question)
        except (StoreError, UsageError) as error:
            self._trouble(error)

    async def _help_first(self, view: View) -> bool:
        """Run the screen for danger; return True when its card is the whole reply."""
        from assistant.answering import safety

        found = await asyncio.to_thread(safety.screen, view.question)
        if found.level != "danger":
            return False
        text = self.next_card(found.reason)
        await self.card_shown()
        if self.care.is_safe(datetime.now(UTC)):
            # respected: the question is answered too, under a card in other words
            await view.show_card(text)
            return False
        reply = Reply(question=view.question, kind="crisis", text=text)
        await view.finish(reply, "complete")
        await self._quietly(self.archive.finish(view.turn_id, "complete", reply, text))
        return True

    async def _ask_engine(self, view: View, cancel: threading.Event) -> None:
        try:
            await self._until_ready(view)
            reply, cancelled = await self._stream(view, cancel)
        except LamplightError as error:
            await view.fail(str(error))
            await self._quietly(self.archive.finish(view.turn_id, "failed", None, view.text))
            return
        if reply is None:
            reply, cancelled = Reply(question=view.question, kind="declined", text=view.text), True
        state: FinalState = "cancelled" if cancelled else "complete"
        await view.finish(reply, state)
        if not cancelled and reply.answer_id is not None:
            self.previous = view.question
        await self._quietly(self.archive.finish(view.turn_id, state, reply, reply.text))

    async def _until_ready(self, view: View) -> None:
        if self.brain.loading:
            await view.wait("Waiting for the model to load…")
        self._waiting = asyncio.ensure_future(self.brain.settled())
        try:
            await asyncio.wait([self._waiting])
            if not self._waiting.cancelled():
                self._waiting.result()
        finally:
            self._waiting.cancel()
            self._waiting = None

    async def _stream(self, view: View, cancel: threading.Event) -> tuple[Reply | None, bool]:
        """Show the pieces as they come; return the reply (None when stopped before it began)."""
        if cancel.is_set():
            return None, True
        await view.wait("Looking for your answer…")
        async for event in self.brain.stream(view.question, self.previous, cancel, self.country):
            if isinstance(event, Token):
                await view.write(event.text)
            elif isinstance(event, Finished):
                return _as_shown(event, view), event.cancelled
        return None, True

    def _end(self, view: View) -> None:
        """The program ends in mid-answer: keep the part so far."""
        try:
            self.archive.finish_now(view.turn_id, "cancelled", None, view.text)
        except (StoreError, UsageError) as error:
            self._trouble(error)

    async def _quietly(self, action: Coroutine[None, None, None]) -> None:
        """Await a store call whose failure is told, but does not undo what is on the screen."""
        try:
            await action
        except (StoreError, UsageError) as error:
            self._trouble(error)


def _as_shown(event: Finished, view: View) -> Reply:
    """Return the reply with the text that was on the screen when it was stopped."""
    if event.cancelled and view.text:
        return replace(event.reply, text=view.text)
    return event.reply
