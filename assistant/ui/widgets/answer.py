"""A reply as it stands in the conversation: text, kind, confidence, source, details, thumbs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Markdown, Static

from assistant.clean import clean_line
from assistant.types import Reply
from assistant.ui import wording
from assistant.ui.messages import ChoiceMade, CopyWanted, Judged, LinkWanted, MoreWanted
from assistant.ui.widgets.card import HelpCard
from assistant.ui.widgets.choices import Choice, Choices
from assistant.ui.widgets.prose import Prose

if TYPE_CHECKING:
    from textual.widgets.markdown import MarkdownStream

    from assistant.store.records import FinalState, Turn

Verdict = Literal["up", "down"]
_NAME = Content.styled("Lamplight", "bold $accent")
_THUMBS = {"up": "✓ You found this helpful", "down": "✗ You found this not helpful"}


class Act(Static):
    """A small thing to do with an answer: its name and its key."""

    ALLOW_SELECT = False

    class Done(Message):
        """The act was clicked."""

        def __init__(self, act: str) -> None:
            """Carry the act's name."""
            super().__init__()
            self.act = act

    def __init__(self, act: str, words: str, key: str) -> None:
        """Show `words` and `key`."""
        super().__init__(Content.assemble((key, "$accent"), " ", words), classes=act)
        self.act = act

    def on_click(self) -> None:
        """Do it."""
        self.post_message(self.Done(self.act))


class SourceLine(Static):
    """Title and address of the source; a click asks to open it."""

    def __init__(self, title: str, url: str) -> None:
        """Show both as plain text: what is read is what is opened."""
        self.url = clean_line(url)
        super().__init__(
            Content.assemble(("Source  ", "$quiet"), clean_line(title), "  ", (self.url, "$primary underline"))
        )

    def on_click(self) -> None:
        """Ask to open the address."""
        self.post_message(LinkWanted(self.url))


class Answer(Vertical, can_focus=True):
    """One reply, from waiting to done. The screen reads `question`, `turn_id`, `reply`, `verdict`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "more", "More", id="answer.more"),
        Binding("plus,equals_sign", "judge('up')", "Helpful", key_display="+", id="answer.up"),
        Binding("minus", "judge('down')", "Not helpful", key_display="-", id="answer.down"),
        Binding("o", "source", "Open source", id="answer.source"),
        Binding("c", "copy", "Copy", id="answer.copy"),
    ]

    def __init__(self, question: str, turn_id: int | None = None) -> None:
        """Make an empty reply to `question`."""
        super().__init__()
        self.question = question
        self.turn_id = turn_id
        self.reply: Reply | None = None
        self.verdict: str | None = None
        self._text = ""
        self._stream: MarkdownStream | None = None
        self._who = Static(_NAME, classes="who")
        self._body = Prose(classes="body")
        self._hint = Static(classes="hint")

    @property
    def text(self) -> str:
        """The text of the answer that is on the screen."""
        return self._text

    @property
    def choices(self) -> tuple[str, ...]:
        """The questions proposed under this answer, as long as they can be chosen."""
        found = self.query_one_optional(Choices)
        return found.questions if found else ()

    @property
    def card(self) -> HelpCard | None:
        """The help card in this reply."""
        return self.query_one_optional(HelpCard)

    def compose(self) -> ComposeResult:
        """Yield the name line, an empty text, and the line that says what is going on."""
        yield self._who
        yield self._body
        yield self._hint

    # -- while it comes into being (talk.View)

    async def wait(self, words: str) -> None:
        """Say what is being waited for."""
        self._say(words)

    async def write(self, piece: str) -> None:
        """Show a piece of the answer."""
        if self._stream is None:
            self._say("")
            self._stream = Markdown.get_stream(self._body)
        self._text += piece
        await self._stream.write(piece)

    async def show_card(self, text: str) -> None:
        """Show the help card above the answer that follows."""
        await self.mount(HelpCard(text, with_key=False), before=self._body)

    async def finish(self, reply: Reply, state: FinalState) -> None:
        """Show the whole reply."""
        await self._end_stream()
        self.reply = reply
        if reply.kind == "crisis":
            await self._show_crisis(reply.text)
            return
        if reply.text != self._text:
            self._text = reply.text
            await self._body.update(_words(reply))
        self._say("Stopped. This is the part so far." if state == "cancelled" else "")
        if self.card is None:  # beside a help card, "not covered" would be read as its heading
            self._who.update(Content.assemble(_NAME, "  ", _facts(reply, state)))
        self.set_class(state == "cancelled", "-stopped")
        await self.mount(*self._tail(reply, state))

    async def fail(self, reason: str) -> None:
        """Say why there is no answer."""
        await self._end_stream()
        self.add_class("-failed")
        self._say(f"No answer: {reason}")

    async def restore(self, turn: Turn, verdict: str | None) -> None:
        """Show a reply as it was stored."""
        reply = _reply_of(turn)
        if reply is not None and turn.state in ("complete", "cancelled"):
            await self.finish(reply, "complete" if turn.state == "complete" else "cancelled")
        else:
            self._text = turn.text
            await self._body.update(turn.text)
            self.add_class("-failed")
            self._say("Stopped." if turn.state == "cancelled" else "No answer was stored. Ctrl+R asks again.")
        self.mark(verdict)

    async def again(self) -> None:
        """Make room for an answer where the help card stands; the card stays, settled."""
        if self.card is not None:
            self.card.settle()
        self.remove_class("-crisis")

    # -- once it is there

    def mark(self, verdict: str | None) -> None:
        """Show the thumb that was given."""
        self.verdict = verdict
        line = self.query_one_optional(".verdict", Static)
        if line is not None:
            line.update(Content(_THUMBS.get(verdict or "", "")))
            line.display = verdict is not None

    async def fold(self, details: str) -> bool:
        """Unfold `details`, or fold what is unfolded; return whether they are shown now."""
        found = self.query_one_optional(".details", Prose)
        if found is not None:
            await found.remove()
            return False
        await self.mount(Prose(details, classes="details"), after=self._hint)
        return True

    def close_choices(self) -> None:
        """Take the proposed questions away."""
        self.query(Choices).remove()

    def action_more(self) -> None:
        """Unfold or fold the details."""
        self.post_message(MoreWanted(self))

    def action_judge(self, verdict: Verdict) -> None:
        """Give a thumb."""
        self.post_message(Judged(self, verdict))

    def action_copy(self) -> None:
        """Copy the text."""
        self.post_message(CopyWanted(self))

    def action_source(self) -> None:
        """Ask to open the source."""
        if self.reply is not None and self.reply.source is not None:
            self.post_message(LinkWanted(self.reply.source.url))

    def on_act_done(self, event: Act.Done) -> None:
        """Do what was clicked."""
        event.stop()
        if event.act == "more":
            self.action_more()
        else:
            self.action_judge("up" if event.act == "up" else "down")

    def on_choice_chosen(self, event: Choice.Chosen) -> None:
        """Tell the screen which question was chosen."""
        event.stop()
        self.post_message(ChoiceMade(self, event.number))

    # -- inside

    def _say(self, words: str) -> None:
        self._hint.update(Content(clean_line(words)))
        self._hint.display = bool(words)

    async def _end_stream(self) -> None:
        if self._stream is not None:
            await self._stream.stop()
            self._stream = None

    async def _show_crisis(self, text: str) -> None:
        self._say("")
        self.add_class("-crisis")
        await self.mount(HelpCard(text), before=self._body)

    def _tail(self, reply: Reply, state: FinalState) -> Iterator[Widget]:
        """Yield what stands under the text of a reply."""
        if state == "cancelled":
            return
        if reply.kind == "suggestions":
            yield Choices(_proposed(reply), none_of_these=True)
        if reply.source is not None and wording.shows_confidence(reply.kind):
            yield SourceLine(reply.source.title, reply.source.url)
        verdict = Static(classes="verdict")
        verdict.display = False
        yield verdict
        if reply.kind != "smalltalk":
            yield Horizontal(*_acts(reply), classes="acts")


def _acts(reply: Reply) -> Iterator[Act]:
    if wording.shows_confidence(reply.kind):
        yield Act("more", "More", "^O")
    yield Act("up", "Helpful", "F7")
    yield Act("down", "Not helpful", "F8")


def _proposed(reply: Reply) -> list[str]:
    """Return the questions that a reply of kind "suggestions" names, in its order."""
    return [match.question for match in reply.closest if match.question in reply.text]


def _words(reply: Reply) -> str:
    """Return the text to show, without what stands beside it: proposed questions, the kind of reply."""
    if reply.kind == "curated":
        return reply.text.removeprefix(f"{wording.kind_words(reply.kind)}: ")
    questions = _proposed(reply) if reply.kind == "suggestions" else []
    return reply.text.partition(f"1. {questions[0]}")[0].strip() if questions else reply.text


def _facts(reply: Reply, state: FinalState) -> Content:
    """Return kind and confidence in words, with a small bar."""
    if state == "cancelled":
        return Content.styled("stopped", "$warning")
    words = wording.kind_words(reply.kind)
    if not wording.shows_confidence(reply.kind):
        return Content.styled(words, "$quiet")
    filled, empty = wording.bar_parts(reply.confidence)
    return Content.assemble(
        (words, "$success" if reply.kind == "generated" else "$warning"),
        (" · ", "$quiet"),
        (wording.sure_words(reply.confidence), "$quiet"),
        "  ",
        (filled, "$primary"),
        (empty, "$faint"),
    )


def _reply_of(turn: Turn) -> Reply | None:
    """Return the reply object of a stored turn, or None when there is none that can be read."""
    from assistant.ui.revive import reply_from_json

    try:
        record: Any = json.loads(turn.reply_json) if turn.reply_json else None
    except ValueError:
        return None
    return reply_from_json(record) if record is not None else None
