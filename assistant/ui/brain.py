"""The engine behind the chat: loaded in a thread of its own, asked from another.

Nothing here imports the engine's libraries; the factory does, in the loading thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Protocol

from assistant.errors import LamplightError
from assistant.types import CuratedEntry, Event


class Answering(Protocol):
    """What the chat needs of `assistant.answering.engine.Engine`."""

    @property
    def entries(self) -> Sequence[CuratedEntry]:
        """All curated entries."""

    @property
    def bundle(self) -> Any:
        """The bundle, with `.manifest.name`, `.manifest.version` and `.manifest.subject`."""

    @property
    def device(self) -> Any:
        """The device report, with `.device`, `.variant` and `.reason`."""

    def entry(self, entry_id: str) -> CuratedEntry | None:
        """Return the entry of that id."""

    def stream(
        self,
        question: str,
        previous: str | None = None,
        cancel: threading.Event | None = None,
        country: str | None = None,
        screened: bool = False,
    ) -> Iterator[Event]:
        """Yield Token events and at last one Finished; `screened`: the caller ran the screen for danger."""


EngineFactory = Callable[[], Answering]


class Brain:
    """One engine that is loading, ready, or failed."""

    def __init__(self, factory: EngineFactory) -> None:
        """Remember how to make the engine; `start` makes it."""
        self._factory = factory
        self._settled = asyncio.Event()
        self._threads: list[threading.Thread] = []
        self.engine: Answering | None = None
        self.failure = ""

    @property
    def loading(self) -> bool:
        """Whether it is still being decided if there is an engine."""
        return not self._settled.is_set()

    def start(self) -> None:
        """Begin to load; must be called in the event loop."""
        self._spawn(self._load, asyncio.get_running_loop())

    async def settled(self) -> Answering:
        """Wait until the engine is loaded and return it; raises LamplightError when it cannot be."""
        await self._settled.wait()
        if self.engine is None:
            raise LamplightError(self.failure)
        return self.engine

    async def stream(
        self,
        question: str,
        previous: str | None,
        cancel: threading.Event,
        country: str | None,
    ) -> AsyncIterator[Event]:
        """Yield the events of one reply to a question that was screened already.

        Raises LamplightError when answering fails.
        """
        engine = await self.settled()
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[Event | LamplightError | None] = asyncio.Queue()

        def post(event: Event | LamplightError | None) -> None:
            _call_soon(loop, lambda: events.put_nowait(event))

        def work() -> None:
            try:
                for event in engine.stream(question, previous, cancel, country, screened=True):
                    post(event)
            # The border of the chat: whatever a bundle does, the help card must stay on the screen.
            except Exception as error:
                post(_as_lamplight_error(error))
            finally:
                post(None)

        self._spawn(work)
        while (event := await events.get()) is not None:
            if isinstance(event, LamplightError):
                raise event
            yield event

    def join(self, seconds: float) -> None:
        """Wait for threads that are at work: a library torn down under its own thread may crash."""
        for thread in self._threads:
            thread.join(seconds)

    def _spawn(self, work: Callable[..., None], *arguments: object) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _load(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            self.engine = self._factory()
        # The border of the chat, as above: a bundle that fails to load is said, not died of.
        except Exception as error:
            self.failure = str(_as_lamplight_error(error))
        _call_soon(loop, self._settled.set)


def _as_lamplight_error(error: Exception) -> LamplightError:
    if isinstance(error, LamplightError):
        return error
    return LamplightError(f"something went wrong inside ({type(error).__name__}: {error})")


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    """Call `callback` in the loop; after the loop's end there is nobody left to tell."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback)
