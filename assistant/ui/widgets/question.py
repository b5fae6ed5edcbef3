"""A question as it stands in the conversation."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from assistant.clean import clean


class Question(Vertical):
    """What the person wrote, word for word; nothing in it is read as markup."""

    def __init__(self, text: str, clock: str = "") -> None:
        """Show `text`, asked at `clock` ("14:05")."""
        super().__init__()
        self.text = text
        self._clock = clock

    def compose(self) -> ComposeResult:
        """Yield the name line and the text."""
        yield Static(Content.assemble(("You", "bold $primary"), (f"  {self._clock}", "$quiet")), classes="who")
        yield Static(Content(clean(self.text)), classes="words")
