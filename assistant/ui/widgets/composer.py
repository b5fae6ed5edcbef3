"""The place where questions are written."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import TextArea

from assistant.clean import clean
from assistant.ui.messages import Asked, DigitPressed, Remembered, Scrolled, Trimmed

LIMIT = 8000
"""Characters of one question; the model reads far fewer, and no screen likes a megabyte."""


class Composer(TextArea):
    """A text area in which Enter sends and Ctrl+J makes a new line (or the other way round)."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j", "newline", "New line", show=False, id="composer.newline"),
    ]

    def __init__(self, enter_sends: bool = True) -> None:
        """Make an empty composer; with `enter_sends` False, Ctrl+J sends."""
        super().__init__(
            id="composer",
            soft_wrap=True,
            highlight_cursor_line=False,
            placeholder="Ask a question…",
        )
        self.enter_sends = enter_sends
        self.choices = 0
        self.border_subtitle = "Enter sends · Ctrl+J new line" if enter_sends else "Ctrl+J sends"

    def put(self, text: str) -> None:
        """Show `text` with the cursor behind it."""
        self.load_text(self._fitting(text))
        self.move_cursor(self.document.end)

    def render_line(self, y: int) -> Strip:
        """Draw a line; in a terminal with no room for a character, nothing (Textual would divide by it)."""
        if self.content_size.width < 2:
            return Strip.blank(self.size.width)
        return super().render_line(y)

    def action_newline(self) -> None:
        """Ctrl+J."""
        if self.enter_sends:
            self._new_line()
        else:
            self._send()

    async def _on_key(self, event: events.Key) -> None:
        if self._handled(event):
            event.stop()
            event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._replace_via_keyboard(self._fitting(event.text, room=LIMIT - len(self.text)), *self.selection)

    def _handled(self, event: events.Key) -> bool:
        """Do what a key means here; False leaves it to the text area."""
        key = event.key
        if key in ("enter", "shift+enter", "alt+enter"):
            self._send() if self.enter_sends and key == "enter" else self._new_line()
        elif key in ("pageup", "pagedown"):
            self.post_message(Scrolled(-1 if key == "pageup" else 1))
        elif key == "up" and self.cursor_at_first_line:
            self.post_message(Remembered(-1))
        elif key == "down" and self.cursor_at_last_line:
            self.post_message(Remembered(1))
        elif not self.text and self.choices and key.isdecimal() and int(key) <= self.choices:
            self.post_message(DigitPressed(int(key)))
        elif event.is_printable and len(self.text) >= LIMIT:
            self.post_message(Trimmed(LIMIT))
        else:
            return False
        return True

    def _send(self) -> None:
        text = clean(self.text).strip()
        if text:
            self.post_message(Asked(text))

    def _new_line(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    def _fitting(self, text: str, room: int = LIMIT) -> str:
        """Return what may be shown of a foreign text: cleaned, and cut to the room there is."""
        # cut before cleaning: a megabyte need not be looked through to keep its beginning
        short = clean(text[: 4 * LIMIT])[: max(room, 0)]
        if len(short) < len(text) and len(text) > room:
            self.post_message(Trimmed(LIMIT))
        return short
