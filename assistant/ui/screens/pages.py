"""Pages to read: help with keys and limits, and the help card at any time."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.ui.messages import NotInDanger
from assistant.ui.widgets.card import HelpCard
from assistant.ui.widgets.prose import Prose

KEYS = (
    ("Enter", "send the question"),
    ("Ctrl+J", "new line in the question"),
    ("↑ ↓", "your earlier questions"),
    ("Esc", "stop the answer; the part so far stays"),
    ("1 to 9, 0", "choose a proposed question; 0 is none of these"),
    ("Page Up, Page Down", "scroll the conversation"),
    ("Ctrl+↑, Ctrl+↓", "go to an answer; then m more, + or - thumbs, o source, c copy"),
    ("Ctrl+O", "more: unfold the details of the answer"),
    ("F7, F8", "helpful, not helpful"),
    ("Ctrl+R", "ask the last question again"),
    ("Ctrl+N", "new conversation"),
    ("Ctrl+L or F2", "conversations; there n new, r rename, d delete"),
    ("F9 or Ctrl+G", "help card with crisis lines, at any time"),
    ("F4", "I'm not in danger (on a help card)"),
    ("Ctrl+P", "all commands, themes"),
    ("F1", "this page"),
    ("Ctrl+Q", "quit"),
)
"""Every key of the chat and what it does; README's table is made from this."""

ABOUT = """\
Lamplight answers from a **curated set** with a small model on **your own machine**, offline. Nothing you
write leaves it.

It is **not a person, not a clinician, and it alerts nobody.** It informs; it cannot examine, diagnose or
treat. It can be wrong: answers name their source and say how sure they are.
"""


class Page(ModalScreen[None]):
    """A page over the chat; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "close", "Close"),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        Binding("pagedown,space", "scroll(8)", "Page down", show=False),
        Binding("pageup", "scroll(-8)", "Page up", show=False),
    ]

    def action_close(self) -> None:
        """Go back to where one was."""
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        """Move the text."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


class HelpPage(Page):
    """F1: what this is, all keys, and what is stored."""

    def __init__(self, stored: str) -> None:
        """`stored` says in a sentence what is kept and where."""
        super().__init__()
        self._stored = stored

    def compose(self) -> ComposeResult:
        """Yield the page."""
        with Vertical(classes="page"):
            with VerticalScroll():
                yield Prose("# Lamplight\n\n" + ABOUT)
                with Container(classes="keys"):
                    for key, words in KEYS:
                        yield Static(key, classes="key")
                        yield Static(words, classes="does")
                yield Prose("## What is stored\n\n" + self._stored.replace("_", r"\_"))
            yield Static("Esc closes · ↑ ↓ scroll", classes="foot")


class HelpCardPage(Page):
    """F9: the help card, wherever one is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f4", "say_safe", "I'm not in danger")]

    def __init__(self, text: str) -> None:
        """Show `text`, the card for the person's country."""
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Yield the page."""
        with Vertical(classes="page -care"):
            with VerticalScroll():
                yield HelpCard(self._text)
            yield Static("Esc goes back · F4 I'm not in danger · ↑ ↓ scroll", classes="foot")

    def action_say_safe(self) -> None:
        """ "I'm not in danger": close, and let the chat know."""
        self.dismiss(None)
        self.app.post_message(NotInDanger())

    def on_not_in_danger(self, event: NotInDanger) -> None:
        """The same by mouse."""
        event.stop()
        self.action_say_safe()


def keys_table() -> str:
    """Return all keys as a Markdown table."""
    rows = "\n".join(f"| {key} | {words} |" for key, words in KEYS)
    return f"| Key | What it does |\n|---|---|\n{rows}\n"
