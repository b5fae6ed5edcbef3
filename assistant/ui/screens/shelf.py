"""Conversations: open, new, rename, delete, and long ones bit by bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from assistant.errors import StoreError, UsageError
from assistant.settings import Settings
from assistant.ui import messages as said
from assistant.ui.archive import Archive
from assistant.ui.brain import Brain
from assistant.ui.screens.base import ChatBase
from assistant.ui.screens.dialogs import AskLine, Confirm
from assistant.ui.widgets.topbar import TopBar

if TYPE_CHECKING:
    from assistant.store.records import Turn

AT_ONCE = 20
"""Turns of a long conversation that are shown at a time."""


class Shelf(ChatBase):
    """The part of the chat screen that handles conversations as a whole."""

    def __init__(self, archive: Archive, brain: Brain, settings: Settings) -> None:
        """Begin with no conversation."""
        super().__init__(archive, brain, settings)
        self._older: list[Turn] = []
        self._verdicts: dict[int, str] = {}

    async def action_new(self) -> None:
        """Ctrl+N."""
        await self.leave()
        await self.transcript.clear()
        self.query_one(TopBar).show_title("")
        await self.greet()
        await self.refresh_list()

    async def on_conversation_chosen(self, event: said.ConversationChosen) -> None:
        """Open a conversation from the list."""
        self.remove_class("-list")
        await self.open_conversation(event.conversation_id)
        self.composer.focus()

    async def on_new_wanted(self, _event: said.NewWanted) -> None:
        """Start a new conversation from the list."""
        self.remove_class("-list")
        await self.action_new()
        self.composer.focus()

    @work
    async def on_rename_wanted(self, event: said.RenameWanted) -> None:
        """Ask for another title."""
        try:
            conversation = await self.archive.conversation(event.conversation_id)
            title = await self.app.push_screen_wait(AskLine("Rename", conversation.title if conversation else ""))
            if title:
                await self.archive.rename(event.conversation_id, title)
        except (StoreError, UsageError) as error:
            self.trouble(error)
        await self.refresh_list()

    @work
    async def on_delete_wanted(self, event: said.DeleteWanted) -> None:
        """Delete, once it is confirmed."""
        try:
            conversation = await self.archive.conversation(event.conversation_id)
            title = conversation.title if conversation else ""
            words = f"“{title}” and its answers are deleted for good."
            if not await self.app.push_screen_wait(Confirm("Delete this conversation?", words, "Delete", grave=True)):
                return
            await self.archive.delete(event.conversation_id)
        except (StoreError, UsageError) as error:
            self.trouble(error)
        if event.conversation_id == self.talk.conversation_id:
            await self.action_new()
        await self.refresh_list()

    async def leave(self) -> None:
        """Leave the conversation; an answer under way is stopped and stored."""
        self.talk.stop()
        under_way = [worker for worker in self.workers if worker.group == "answer"]
        if under_way:  # an empty list would mean all workers, this one too
            await self.workers.wait_for_complete(under_way)
        self.talk.forget()
        self._older = []

    async def open_conversation(self, conversation_id: str) -> None:
        """Show a stored conversation, its newest turns first."""
        await self.leave()
        try:
            turns = await self.archive.turns(conversation_id)
            self._verdicts = await self.archive.verdicts()
        except (StoreError, UsageError) as error:
            self.trouble(error)
            return
        self.talk.conversation_id = conversation_id
        self.talk.previous = next((turn.question for turn in reversed(turns) if turn.answer_id), None)
        await self.transcript.clear(greet=not turns)
        self._older = turns
        await self._show_older(top=False)
        self.transcript.anchor()
        await self.keep("last_conversation", conversation_id)
        await self.refresh_list()
        self.update_choices()

    async def on_earlier_wanted(self, _event: said.EarlierWanted) -> None:
        """Show some more of a long conversation."""
        await self._show_older(top=True)

    async def _show_older(self, top: bool) -> None:
        shown, self._older = self._older[-AT_ONCE:], self._older[:-AT_ONCE]
        if shown:
            await self.transcript.restore(shown, self._verdicts, len(self._older), top)
