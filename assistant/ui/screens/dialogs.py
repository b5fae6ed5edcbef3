"""Small questions to the person: yes or no, or one line of text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from assistant.clean import clean, clean_line


class LineInput(Input):
    """A one-line field that never holds what a terminal would obey."""

    def validate_value(self, value: str) -> str:
        """Clean whatever is typed, pasted or set."""
        return clean_line(value) if value != clean(value) or "\n" in value else value


class Confirm(ModalScreen[bool]):
    """Asks whether to do something; Esc and N mean no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "No"),
        Binding("y", "answer(True)", "Yes"),
    ]

    def __init__(self, title: str, text: str, yes: str, grave: bool = False) -> None:
        """Ask `title` and explain with `text`; `yes` is the word on the button."""
        super().__init__()
        self._title, self._text, self._yes, self._grave = title, text, yes, grave

    def compose(self) -> ComposeResult:
        """Yield the question and two buttons."""
        with Vertical(classes="dialog"):
            yield Static(Content(clean_line(self._title)), classes="title")
            yield Static(Content(clean(self._text)), classes="text")
            with Horizontal(classes="buttons"):
                yield Button(Content(f"{self._yes} (y)"), variant="error" if self._grave else "primary", id="yes")
                yield Button(Content("No (n)"), id="no")

    def on_mount(self) -> None:
        """A grave question has its safe answer under the Enter key."""
        self.query_one("#no" if self._grave else "#yes").focus()

    def action_answer(self, yes: bool) -> None:
        """Close with the answer."""
        self.dismiss(yes)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Close with the answer."""
        self.dismiss(event.button.id == "yes")


class AskLine(ModalScreen[str | None]):
    """Asks for one line of text; None when the person goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, title: str, value: str) -> None:
        """Ask under `title`, with `value` as the beginning."""
        super().__init__()
        self._title, self._value = title, value

    def compose(self) -> ComposeResult:
        """Yield the heading, the field and the keys."""
        with Vertical(classes="dialog"):
            yield Static(Content(clean_line(self._title)), classes="title")
            yield LineInput(clean_line(self._value), max_length=60)
            yield Static("Enter keeps it · Esc goes back", classes="text")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close with the text, unless it is empty."""
        self.dismiss(event.value.strip() or None)

    def action_back(self) -> None:
        """Close without a text."""
        self.dismiss(None)
