"""The help card: calm, complete, and never in the way of the chat (SAFETY.md 3, 4)."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from assistant.ui.messages import NotInDanger
from assistant.ui.widgets.prose import Prose

SAFE_KEY = "f4"
_SETTLED = "You said that you are not in danger. If that changes, F9 is there at any time."


class SafeKey(Static, can_focus=True):
    """The line "I'm not in danger", by key or by mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "say_safe", "I'm not in danger")]
    ALLOW_SELECT = False

    def __init__(self) -> None:
        """Show the key and its meaning."""
        super().__init__(Content.assemble((f" {SAFE_KEY.upper()} ", "bold $accent"), " I'm not in danger"))

    def action_say_safe(self) -> None:
        """Say it by keyboard."""
        self.post_message(NotInDanger())

    def on_click(self) -> None:
        """Say it by mouse."""
        self.action_say_safe()


class HelpCard(Vertical):
    """The card's words, and the one key that closes the matter."""

    def __init__(self, text: str, with_key: bool = True) -> None:
        """Show `text` (Markdown by people); `with_key` False leaves the key out."""
        super().__init__()
        self.text = text
        self._with_key = with_key
        self.border_title = "Help is near"

    def compose(self) -> ComposeResult:
        """Yield words and key."""
        yield Prose(self.text)
        if self._with_key:
            yield SafeKey()

    def settle(self) -> None:
        """Put a quiet line in the place of the key: the person said that they are not in danger."""
        keys = self.query(SafeKey)
        if keys:
            keys.remove()
            self.mount(Static(_SETTLED, classes="settled"))
