"""How the chat starts: store, first-start page, conversation to resume, engine."""

from __future__ import annotations

import os
from datetime import date

from assistant.errors import StoreError, UsageError
from assistant.ui import messages as said
from assistant.ui.screens.shelf import Shelf
from assistant.ui.screens.welcome import Welcome, country_of_locale
from assistant.ui.widgets.topbar import TopBar


class Opening(Shelf):
    """The part of the chat screen that runs once; the first paint waits for none of it."""

    async def on_mount(self) -> None:
        """Show an empty conversation, then do the rest behind it."""
        await self.transcript.clear()
        self.composer.focus()
        self.call_after_refresh(lambda: self.run_worker(self._open(), name="open"))

    async def _open(self) -> None:
        try:
            await self.archive.open()
            await self.talk.load_care()
            await self._open_wanted()
        except (StoreError, UsageError) as error:
            self.trouble(error)
        finally:
            self.opened.set()
        if not self.archive.stores:
            self.lamplight.say("Nothing is stored in this session.")
        await self.refresh_list()
        await self._welcome()

    async def _open_wanted(self) -> None:
        """Open the conversation that was asked for, or the last one when one resumes."""
        if self.lamplight.wanted:
            found = await self.archive.conversation(self.lamplight.wanted)
            if found is not None:
                await self.open_conversation(found.id)
        elif self.lamplight.resume_last:
            last = await self.archive.value("last_conversation")
            if last in [item.id for item in await self.archive.conversations(-1)]:
                await self.open_conversation(last or "")

    async def _welcome(self) -> None:
        """On the first start, say what this is and ask for the country."""
        if self.settings.country or await self._value("welcomed"):
            return
        from assistant.answering.safety import countries

        page = Welcome(countries(), country_of_locale(os.environ), self.lamplight.stored_words())
        country = await self.app.push_screen_wait(page)
        self.talk.country = country
        self.lamplight.keep_country(country)
        await self.keep("welcomed", date.today().isoformat())
        self.composer.focus()

    async def on_engine_ready(self, event: said.EngineReady) -> None:
        """Say what answers, and offer questions to begin with."""
        self.query_one(TopBar).ready(event.engine)
        await self.greet()

    async def on_engine_failed(self, event: said.EngineFailed) -> None:
        """Say clearly that nothing can answer; the help card still works."""
        self.query_one(TopBar).failed()
        if self.transcript.greeting is None:
            self.lamplight.say(f"No answers now: {event.reason}", grave=True)
        await self.greet()

    async def _value(self, name: str) -> str | None:
        try:
            return await self.archive.value(name)
        except StoreError as error:
            self.trouble(error)
            return None
