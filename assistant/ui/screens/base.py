"""What all parts of the chat screen share: its regions, its conversation, and what they show."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from assistant.errors import LamplightError, StoreError, UsageError
from assistant.settings import Settings
from assistant.types import CuratedEntry
from assistant.ui.archive import Archive
from assistant.ui.brain import Brain
from assistant.ui.talk import Talk
from assistant.ui.widgets.answer import Answer
from assistant.ui.widgets.composer import Composer
from assistant.ui.widgets.sidebar import SHOWN, Sidebar
from assistant.ui.widgets.topbar import TopBar
from assistant.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from assistant.ui.app import LamplightApp

OFFERED = 4
"""Questions to begin with."""


class ChatBase(Screen[None]):
    """The screen's regions and state."""

    def __init__(self, archive: Archive, brain: Brain, settings: Settings) -> None:
        """Build on the store and the engine of the application."""
        super().__init__()
        self.archive = archive
        self.brain = brain
        self.settings = settings
        self.talk = Talk(archive, brain, settings.country, self.trouble)
        self.opened = asyncio.Event()
        self._under_way: Answer | None = None

    @property
    def lamplight(self) -> LamplightApp:
        """The application, by its own type."""
        return cast("LamplightApp", self.app)

    @property
    def busy(self) -> bool:
        """Whether an answer is under way."""
        return self._under_way is not None

    @property
    def composer(self) -> Composer:
        """The place to write."""
        return self.query_one(Composer)

    @property
    def transcript(self) -> Transcript:
        """The messages."""
        return self.query_one(Transcript)

    @property
    def sidebar(self) -> Sidebar:
        """The list of conversations."""
        return self.query_one(Sidebar)

    @property
    def current(self) -> Answer | None:
        """The answer that keys speak of: the one in focus, else the newest."""
        if isinstance(self.focused, Answer):
            return self.focused
        return self.transcript.answers[-1] if self.transcript.answers else None

    @property
    def open_card(self) -> Answer | None:
        """The newest answer, when it is a help card that has not been settled."""
        last = self.transcript.answers[-1:]
        return last[0] if last and last[0].has_class("-crisis") else None

    def trouble(self, error: LamplightError) -> None:
        """Show an error that does not stop the chat."""
        self.lamplight.say(str(error), grave=True)

    def update_choices(self) -> None:
        """Let the composer's digits mean the choices that are on the screen."""
        greeting, answers = self.transcript.greeting, self.transcript.answers
        choices = greeting.questions if greeting else answers[-1].choices if answers else ()
        self.composer.choices = len(choices)
        self.refresh_bindings()

    async def greet(self) -> None:
        """Offer questions in an empty conversation."""
        greeting, engine = self.transcript.greeting, self.brain.engine
        if greeting is not None and engine is not None:
            await greeting.offer(beginnings(engine.entries, date.today()))
        elif greeting is not None and self.brain.failure:
            await greeting.regret(f"No answers now: {self.brain.failure}\nThe help card (F9) works all the same.")
        self.update_choices()

    async def refresh_list(self) -> None:
        """Show the conversations as they stand in the store."""
        try:
            found = await self.archive.conversations(SHOWN)
        except StoreError as error:
            self.trouble(error)
            return
        current = self.talk.conversation_id
        self.sidebar.show(found, current, date.today(), self.archive.stores)
        self.query_one(TopBar).show_title(next((item.title for item in found if item.id == current), ""))

    async def keep(self, name: str, value: str) -> None:
        """Keep a small value; a store that fails is told of."""
        try:
            await self.archive.set_value(name, value)
        except (StoreError, UsageError) as error:
            self.trouble(error)


def beginnings(entries: Sequence[CuratedEntry], day: date) -> list[str]:
    """Return a few questions from all over the curated set, others on another day."""
    topics = [entry.question for entry in entries if entry.kind == "topic"]
    stride = max(1, len(topics) // OFFERED)
    return topics[day.toordinal() % stride :: stride][:OFFERED]
