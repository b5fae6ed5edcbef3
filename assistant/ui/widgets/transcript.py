"""The messages of the open conversation, or a greeting while there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from assistant.clean import clean
from assistant.ui import wording
from assistant.ui.messages import Asked, EarlierWanted
from assistant.ui.widgets.answer import Answer
from assistant.ui.widgets.choices import Choice, Choices
from assistant.ui.widgets.question import Question

if TYPE_CHECKING:
    from assistant.store.records import Turn

_LAMP = """\
  ╭─────╮  \n ╱       ╲ \n╱─────────╲\n     │     \n  ───┴───  """
_GREETING = "What would you like to know?"
_PRIVATE = "Answers come from a curated set, on this machine.\nNothing you write leaves it."


class Greeting(Vertical):
    """What an empty conversation shows: the lamp, a word, and questions to begin with."""

    def compose(self) -> ComposeResult:
        """Yield lamp and words; the questions come when there is a model."""
        yield Static(Content.styled(_LAMP, "$accent"), classes="lamp")
        yield Static(Content.styled(_GREETING, "bold"), classes="greeting")
        yield Static(Content.styled(_PRIVATE, "$quiet"), classes="private")

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions on offer."""
        found = self.query_one_optional(Choices)
        return found.questions if found else ()

    async def offer(self, questions: Sequence[str]) -> None:
        """Show questions to begin with."""
        if questions and not self.questions:
            await self.mount(Center(Choices(questions)))

    async def regret(self, reason: str) -> None:
        """Say, for as long as the greeting stands, why there will be no answers."""
        if not self.query(".regret"):
            await self.mount(Static(Content(clean(reason)), classes="regret"))

    def on_choice_chosen(self, event: Choice.Chosen) -> None:
        """Ask the question that was chosen."""
        event.stop()
        self.post_message(Asked(self.questions[event.number - 1]))


class Earlier(Static, can_focus=True):
    """The line above the oldest message that is shown, when there are older ones."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "more", "Show earlier messages")]

    def action_more(self) -> None:
        """Ask for them."""
        self.post_message(EarlierWanted())

    def on_click(self) -> None:
        """Ask for them."""
        self.action_more()


class Transcript(VerticalScroll, can_focus=False):
    """Questions and answers, the newest at the bottom and in view until the person scrolls."""

    @property
    def answers(self) -> list[Answer]:
        """All replies that are shown, oldest first."""
        return list(self.query(Answer))

    @property
    def greeting(self) -> Greeting | None:
        """The greeting, while the conversation is empty."""
        return self.query_one_optional(Greeting)

    async def clear(self, greet: bool = True) -> None:
        """Begin an empty conversation."""
        await self.remove_children()
        self.set_class(greet, "-empty")
        if greet:
            await self.mount(Greeting())

    async def add(self, text: str, clock: str) -> Answer:
        """Show a question and return the empty reply under it."""
        if self.greeting is not None:
            await self.greeting.remove()
        self.remove_class("-empty")
        for earlier in self.answers:
            earlier.remove_class("-last")
        answer = Answer(text)
        answer.add_class("-last")
        await self.mount(Question(text, clock), answer)
        self.anchor()
        return answer

    def show_from(self, answer: Answer) -> None:
        """Bring the beginning of a long answer into view: a card begins with what matters most."""
        self.release_anchor()
        self.call_after_refresh(self.scroll_to_widget, answer, animate=False, top=answer.size.height > self.size.height)

    async def restore(self, turns: Sequence[Turn], verdicts: dict[int, str], older: int, top: bool) -> None:
        """Show stored turns, at the top of what is there or as all there is; `older` more exist."""
        await self.query(Earlier).remove()
        answers = [Answer(turn.question, turn.id) for turn in turns]
        pairs = zip(turns, answers, strict=True)
        widgets = [part for turn, answer in pairs for part in (_question(turn), answer)]
        lines = [Earlier(f"↑ {older} earlier messages")] if older else []
        await self.mount(*lines, *widgets, before=0 if top and self.children else None)
        if answers and not top:
            answers[-1].add_class("-last")
        for turn, answer in zip(turns, answers, strict=True):
            await answer.restore(turn, verdicts.get(turn.id))


def _question(turn: Turn) -> Question:
    return Question(turn.question, wording.clock_words(turn.created))
