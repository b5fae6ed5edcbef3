"""The list of conversations, by day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.clean import clean_line
from assistant.ui import wording
from assistant.ui.messages import ConversationChosen, DeleteWanted, NewWanted, RenameWanted

if TYPE_CHECKING:
    from assistant.store.records import Conversation

SHOWN = 200
"""Conversations in the list; older ones are found by `lamplight history search`."""


TITLE_CELLS = 28


class ConversationList(OptionList):
    """Conversations under the headings of their days."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "New", id="list.new"),
        Binding("r", "rename", "Rename", id="list.rename"),
        Binding("d,delete", "delete", "Delete", key_display="d", id="list.delete"),
    ]

    def show(self, conversations: Sequence[Conversation], current: str, today: date) -> None:
        """Fill the list, with the conversation that is open marked and highlighted."""
        wanted = self.highlighted_id() or current
        self.clear_options()
        for day, group in groupby(conversations, lambda item: wording.day_words(item.updated, today)):
            # a divider's own option cannot be chosen: the arrows pass over it
            self.add_option(Option(Content.styled(day, "bold $quiet"), disabled=True))
            self.add_options([Option(_line(item, item.id == current), id=item.id) for item in group])
        known = {item.id for item in conversations}
        target = wanted if wanted in known else current
        self.highlighted = self.get_option_index(target) if target in known else None

    def on_focus(self) -> None:
        """Give the arrows a place to start from."""
        if self.highlighted is None:
            self.action_first()

    def highlighted_id(self) -> str:
        """Return the id of the highlighted conversation, "" when there is none."""
        option = self.highlighted_option
        return option.id or "" if option else ""

    def action_new(self) -> None:
        """Start a new conversation."""
        self.post_message(NewWanted())

    def action_rename(self) -> None:
        """Rename the highlighted conversation."""
        if self.highlighted_id():
            self.post_message(RenameWanted(self.highlighted_id()))

    def action_delete(self) -> None:
        """Delete the highlighted conversation."""
        if self.highlighted_id():
            self.post_message(DeleteWanted(self.highlighted_id()))


class Sidebar(Vertical):
    """The list with its heading and a line for when it is empty."""

    def compose(self) -> ComposeResult:
        """Yield heading, list and the line under it."""
        yield Static("Conversations", classes="heading")
        yield ConversationList(markup=False, compact=True)
        yield Static(classes="note")

    @property
    def list(self) -> ConversationList:
        """The list itself."""
        return self.query_one(ConversationList)

    def show(self, conversations: Sequence[Conversation], current: str, today: date, stores: bool) -> None:
        """Show `conversations`, or say why there are none."""
        self.list.show(conversations, current, today)
        note = self.query_one(".note", Static)
        if not stores:
            note.update("Nothing is stored in this session.")
        elif not conversations:
            note.update("What you talk about will be listed here.")
        note.display = not conversations

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open what was chosen."""
        event.stop()
        if event.option_id:
            self.post_message(ConversationChosen(event.option_id))


def _line(item: Conversation, current: bool) -> Content:
    title = clean_line(item.title, TITLE_CELLS) or "New conversation"
    return Content.assemble(("● " if current else "  ", "$accent"), title)
