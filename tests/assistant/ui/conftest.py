"""A deterministic engine and the chat on a real store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from assistant.settings import Settings
from assistant.store.database import Store
from assistant.types import (
    BundleName,
    CuratedEntry,
    Event,
    Finished,
    Generated,
    Match,
    Reply,
    Source,
    Token,
)
from assistant.ui.app import LamplightApp

NIMH = Source("National Institute of Mental Health: Depression", "https://www.nimh.nih.gov/health/topics/depression")
ENTRIES = (
    CuratedEntry(
        "depression-treatment",
        "How is depression treated?",
        "Depression is treated with **talking therapies**, medicines, or both. Many people feel better within"
        " weeks of starting, and a doctor can help to find what suits you.",
        "depression",
        "## Talking therapies\n\nCognitive behavioural therapy and interpersonal therapy have good evidence.\n\n"
        "- They are offered alone or in groups.\n- Online programs can help, too.\n\n"
        "## Medicines\n\nAntidepressants take some weeks to work. Never stop them at once without advice.",
        NIMH,
    ),
    CuratedEntry("anxiety-what", "What is an anxiety disorder?", "Worry that does not go away.", "anxiety", "", NIMH),
    CuratedEntry("sleep-better", "How can I sleep better?", "Keep regular hours.", "sleep", "", NIMH),
    CuratedEntry("panic-do", "What can I do in a panic attack?", "Breathe slowly.", "anxiety", "", NIMH),
)


class FakeEngine:
    """Answers by key words; with `gate` set it waits between tokens until `step` is called."""

    def __init__(self) -> None:
        manifest = SimpleNamespace(name="mental-health", version="1.0.0", subject="mental health")
        self.bundle = SimpleNamespace(manifest=manifest)
        self.device = SimpleNamespace(device="cpu", variant="cpu-int8", reason="no GPU")
        self.entries = ENTRIES
        self.gate: threading.Semaphore | None = None
        self.asked: list[tuple[str, str | None, bool]] = []
        self.answers = {"depression": ENTRIES[0].answer}

    def entry(self, entry_id: str) -> CuratedEntry | None:
        return next((entry for entry in self.entries if entry.id == entry_id), None)

    def stream(
        self,
        question: str,
        previous: str | None = None,
        cancel: threading.Event | None = None,
        country: str | None = None,
        screened: bool = False,
    ) -> Iterator[Event]:
        self.asked.append((question, previous, screened))
        if "explode" in question:
            raise ValueError("boom")
        text = next((answer for word, answer in self.answers.items() if word in question.lower()), None)
        if text is None:
            yield Finished(self._other(question))
            return
        shown = ""
        for piece in text.split(" "):
            if self.gate is not None:
                self.gate.acquire(timeout=5)
            if cancel is not None and cancel.is_set():
                yield Finished(self._reply(question, shown), cancelled=True)
                return
            token = piece if not shown else " " + piece
            shown += token
            yield Token(token)
        yield Finished(self._reply(question, text))

    def _reply(self, question: str, text: str) -> Reply:
        closest = (Match(ENTRIES[0].id, ENTRIES[0].question, 0.93),)
        return Reply(
            question, "generated", text, ENTRIES[0].id, 0.94, closest, NIMH, Generated(text, -0.1, -0.4),
            BundleName("mental-health", "1.0.0"),
        )  # fmt: skip

    def _other(self, question: str) -> Reply:
        if "which" in question:
            closest = tuple(Match(entry.id, entry.question, 0.5) for entry in ENTRIES[:3])
            listed = "\n".join(f"{place}. {match.question}" for place, match in enumerate(closest, 1))
            text = f"I am not sure which question you mean. Is it one of these?\n\n{listed}\n\nOther words may help."
            return Reply(question, "suggestions", text, None, 0.4, closest)
        if "near" in question:
            entry = ENTRIES[2]
            text = f"Closest question we have: **{entry.question}**\n\n{entry.answer}"
            return Reply(question, "curated", text, entry.id, 0.66, (), entry.source)
        return Reply(question, "declined", "I have no good answer to that.", None, 0.05)


@pytest.fixture
def engine() -> FakeEngine:
    """The engine of the chat under test."""
    return FakeEngine()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A real store in which the first start is over."""
    with Store.open(tmp_path / "lamplight.db") as opened:
        opened.set_value("welcomed", "2026-01-01")
        yield opened


MakeApp = Callable[..., LamplightApp]


@pytest.fixture
def chat_app(engine: FakeEngine, store: Store) -> MakeApp:
    """A maker of the chat on the engine and the store; keyword arguments go to LamplightApp."""

    def make(**options: object) -> LamplightApp:
        settings = options.pop("settings", Settings(country="GB"))
        kept = options.pop("store", store)
        factory = options.pop("factory", lambda: engine)
        return LamplightApp(factory, kept, settings, **options)  # type: ignore[arg-type]

    return make
