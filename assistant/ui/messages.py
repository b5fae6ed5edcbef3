"""What the widgets say to the screens; widgets post, the screen decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from assistant.ui.brain import Answering
    from assistant.ui.widgets.answer import Answer


@dataclass
class EngineReady(Message):
    """The model is loaded."""

    engine: Answering


@dataclass
class EngineFailed(Message):
    """The model cannot be loaded; `reason` is one line for people."""

    reason: str


@dataclass
class Asked(Message):
    """A question was sent from the composer, or a proposed question was chosen."""

    text: str


@dataclass
class DigitPressed(Message):
    """A digit was pressed in an empty composer: the choice of that number is meant."""

    digit: int


@dataclass
class Scrolled(Message):
    """Page up (-1) or page down (1) was pressed while the composer has the focus."""

    pages: int


@dataclass
class Remembered(Message):
    """An arrow key asks for an earlier (-1) or a later (1) question of one's own."""

    step: int


@dataclass
class Trimmed(Message):
    """A text was longer than a question may be, and was cut to `limit` characters."""

    limit: int


@dataclass
class ChoiceMade(Message):
    """Choice `number` of an answer was taken; 0 is "none of these"."""

    answer: Answer
    number: int


@dataclass
class MoreWanted(Message):
    """The details of an answer are to be unfolded or folded."""

    answer: Answer


@dataclass
class Judged(Message):
    """A thumb for an answer."""

    answer: Answer
    verdict: Literal["up", "down"]


@dataclass
class CopyWanted(Message):
    """The text of an answer is to be copied."""

    answer: Answer


@dataclass
class LinkWanted(Message):
    """An address was chosen; the screen asks before a browser opens."""

    url: str


@dataclass
class NotInDanger(Message):
    """The person says that they are not in danger."""


@dataclass
class ConversationChosen(Message):
    """A conversation is to be opened."""

    conversation_id: str


@dataclass
class NewWanted(Message):
    """A new conversation is to be started."""


@dataclass
class RenameWanted(Message):
    """A conversation is to get another title."""

    conversation_id: str


@dataclass
class DeleteWanted(Message):
    """A conversation is to be deleted (the screen asks first)."""

    conversation_id: str


@dataclass
class EarlierWanted(Message):
    """Earlier messages of the conversation are to be shown."""
