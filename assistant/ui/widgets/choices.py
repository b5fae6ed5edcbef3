"""Questions to choose from, each with a number that can be pressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from assistant.clean import clean_line


class Choice(Static, can_focus=True):
    """One line of a list of choices."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "choose", "Choose", show=False)]
    ALLOW_SELECT = False

    class Chosen(Message):
        """This line was chosen."""

        def __init__(self, number: int) -> None:
            """Carry the line's number."""
            super().__init__()
            self.number = number

    def __init__(self, number: int, text: str) -> None:
        """Show `text` behind its number."""
        self.number = number
        super().__init__(
            Content.assemble((f" {number} ", "bold $accent"), "  ", clean_line(text)),
            classes=f"choice-{number}",
        )

    def action_choose(self) -> None:
        """Choose this line by keyboard."""
        self.post_message(self.Chosen(self.number))

    def on_click(self) -> None:
        """Choose this line by mouse."""
        self.action_choose()


class Choices(Vertical):
    """Up to nine questions, and "None of these" as 0 where that is an answer too."""

    def __init__(self, questions: Sequence[str], none_of_these: bool = False) -> None:
        """Number `questions` from 1."""
        super().__init__()
        self.questions = tuple(questions)
        self._none = none_of_these

    def compose(self) -> ComposeResult:
        """Yield one line for each question."""
        for number, question in enumerate(self.questions, start=1):
            yield Choice(number, question)
        if self._none:
            yield Choice(0, "None of these")
