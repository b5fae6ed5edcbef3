"""The line at the top: the program, the conversation, the bundle and its device."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from assistant.clean import clean_line
from assistant.ui import wording
from assistant.ui.brain import Answering


class TopBar(Horizontal):
    """Who we are, what is open, and what answers."""

    def compose(self) -> ComposeResult:
        """Yield the three parts."""
        yield Static(Content.assemble(("✦ ", "$accent"), ("Lamplight", "bold")), classes="brand")
        yield Static(classes="title")
        yield Static(classes="status")

    def on_mount(self) -> None:
        """Until told otherwise, the model is loading."""
        self.loading_model()

    def show_title(self, title: str) -> None:
        """Show the title of the open conversation."""
        self.query_one(".title", Static).update(Content(clean_line(title)))

    def loading_model(self) -> None:
        """Say that the model is loading."""
        self._status(Content.assemble(("◌ ", "$warning"), ("loading…", "$quiet")))

    def ready(self, engine: Answering) -> None:
        """Say which bundle answers, and on which device."""
        manifest, device = engine.bundle.manifest, wording.device_words(engine.device.device)
        name = clean_line(f"{wording.subject_words(manifest.name)} {manifest.version}", 40)
        self._status(Content.assemble(("● ", "$success"), (name, "$quiet"), (f" · {device}", "$quiet")))

    def failed(self) -> None:
        """Say that nothing can answer."""
        self._status(Content.assemble(("✕ ", "$error"), ("no bundle", "$error")))

    def _status(self, words: Content) -> None:
        self.query_one(".status", Static).update(words)
