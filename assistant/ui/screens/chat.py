"""The chat: conversations at the left, messages, and the place to write."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer

from assistant.errors import StoreError, UsageError
from assistant.settings import Settings
from assistant.ui import messages as said
from assistant.ui.archive import Archive
from assistant.ui.brain import Brain
from assistant.ui.screens.opening import Opening
from assistant.ui.widgets.answer import Answer
from assistant.ui.widgets.composer import Composer
from assistant.ui.widgets.sidebar import Sidebar
from assistant.ui.widgets.topbar import TopBar
from assistant.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    pass

NONE_OF_THESE = "All right, none of these. Other words may find it; F1 says what this program can do."


class Chat(Opening):
    """Widgets post what happened; here it is decided what follows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f9", "app.help_card", "Help now", id="chat.help-now"),
        Binding("f1", "app.help", "Keys", id="chat.keys"),
        Binding("escape", "stop", "Stop", id="chat.stop"),
        Binding("escape", "back", "Back", id="chat.back"),
        Binding("f4", "say_safe", "I'm not in danger", id="chat.safe"),
        Binding("ctrl+n", "new", "New", id="chat.new"),
        Binding("ctrl+l", "list", "Chats", id="chat.list"),
        Binding("f2", "list", "Chats", show=False, id="chat.list-too"),
        Binding("ctrl+o", "more", "More", id="chat.more"),
        # before the text area, whose F7 selects all
        Binding("f7", "judge('up')", "Helpful", show=False, priority=True, id="chat.up"),
        Binding("f8", "judge('down')", "Not helpful", show=False, priority=True, id="chat.down"),
        Binding("ctrl+r", "again", "Ask again", show=False, id="chat.again"),
        Binding("ctrl+up", "step(-1)", "Answer above", show=False, id="chat.above"),
        Binding("ctrl+down", "step(1)", "Answer below", show=False, id="chat.below"),
    ]

    def __init__(self, archive: Archive, brain: Brain, settings: Settings) -> None:
        """Build on the store and the engine of the application."""
        super().__init__(archive, brain, settings)
        self._recalled = 0
        self._draft = ""

    def compose(self) -> ComposeResult:
        """Yield the regions of the screen."""
        yield TopBar()
        with Horizontal(id="middle"):
            yield Sidebar()
            with Vertical(id="talk"):
                yield Transcript()
                yield Composer(self.settings.enter_sends)
        yield Footer()

    # -- asking and answering

    async def on_asked(self, event: said.Asked) -> None:
        """Take a question: one at a time, the next one waits in the composer."""
        if self._under_way is not None:
            self.lamplight.say("One answer at a time: Esc stops this one. Your question stays here.")
            if self.composer.text != event.text and not self.composer.text:
                self.composer.put(event.text)
            return
        self._recalled, self._draft = 0, ""
        self.composer.put("")
        for answer in self.transcript.answers:
            answer.close_choices()
        self._under_way = await self.transcript.add(event.text, f"{datetime.now():%H:%M}")
        self.run_worker(self._answer(self._under_way), name="answer", group="answer")

    async def _answer(self, view: Answer) -> None:
        await self._working(view, self.talk.answer(view))
        await self.keep("last_conversation", self.talk.conversation_id)
        await self.refresh_list()

    async def _working(self, view: Answer, work: Coroutine[None, None, None]) -> None:
        self._under_way = view
        self.refresh_bindings()
        try:
            await self.opened.wait()
            await work
        finally:
            self._under_way = None
            self.update_choices()
        if view.card is not None:
            self.transcript.show_from(view)

    def on_digit_pressed(self, event: said.DigitPressed) -> None:
        """Choose by number."""
        greeting, answers = self.transcript.greeting, self.transcript.answers
        if greeting is not None and event.digit:
            self.post_message(said.Asked(greeting.questions[event.digit - 1]))
        elif answers:
            self.post_message(said.ChoiceMade(answers[-1], event.digit))

    async def on_choice_made(self, event: said.ChoiceMade) -> None:
        """Ask the chosen question; 0 takes the choices away."""
        choices = event.answer.choices
        event.answer.close_choices()
        if event.number:
            await self.on_asked(said.Asked(choices[event.number - 1]))
        else:
            await event.answer.wait(NONE_OF_THESE)
            self.composer.choices = 0
        self.composer.focus()

    async def on_not_in_danger(self, event: said.NotInDanger) -> None:
        """Respect it: settle the card, and answer the question that raised it."""
        event.stop()
        view = self.open_card
        await self.talk.said_safe()
        if view is None or self._under_way is not None:
            self.lamplight.say("Thank you for saying so. F9 is there at any time.")
            return
        await view.again()
        self.run_worker(self._working(view, self.talk.answer_anyway(view)), name="answer", group="answer")
        self.composer.focus()

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only what would do something."""
        if action == "stop":
            return self._under_way is not None
        if action == "back":
            return self._under_way is None and self.focused is not self.composer
        if action == "say_safe":
            return self.open_card is not None
        if action == "more":
            return self.current is not None and bool(self.current.query(".more"))
        return True

    def action_stop(self) -> None:
        """Esc: stop the answer under way."""
        self.talk.stop()

    def action_back(self) -> None:
        """Esc: go back to writing."""
        self.remove_class("-list")
        self.composer.focus()

    def action_say_safe(self) -> None:
        """F4."""
        self.post_message(said.NotInDanger())

    def action_more(self) -> None:
        """Ctrl+O."""
        if self.current is not None:
            self.current.action_more()

    def action_judge(self, verdict: str) -> None:
        """F7 and F8."""
        if self.current is not None:
            self.current.action_judge("up" if verdict == "up" else "down")

    async def action_again(self) -> None:
        """Ctrl+R: ask the question of the current answer once more."""
        if self.current is not None:
            await self.on_asked(said.Asked(self.current.question))

    def action_step(self, step: int) -> None:
        """Ctrl+Up and Ctrl+Down: go from answer to answer; below the last one is the composer."""
        answers = self.transcript.answers
        place = answers.index(self.focused) if isinstance(self.focused, Answer) else len(answers)
        if 0 <= place + step < len(answers):
            answers[place + step].focus()
        elif step > 0:
            self.composer.focus()

    def action_list(self) -> None:
        """Ctrl+L: to the list of conversations and back."""
        if self.sidebar.display and self.sidebar.list.has_focus:
            self.action_back()
        else:
            self.add_class("-list")
            self.sidebar.list.focus()

    def on_scrolled(self, event: said.Scrolled) -> None:
        """Page up and page down, from the composer."""
        height = max(1, self.transcript.size.height - 2)
        self.transcript.scroll_relative(y=event.pages * height, animate=False)

    def on_remembered(self, event: said.Remembered) -> None:
        """The arrows in the composer: earlier questions, and back to the draft."""
        asked = [answer.question for answer in self.transcript.answers]
        place = min(max(self._recalled - event.step, 0), len(asked))
        if place == self._recalled:
            return
        if self._recalled == 0:
            self._draft = self.composer.text
        self._recalled = place
        self.composer.put(asked[-place] if place else self._draft)

    def on_trimmed(self, event: said.Trimmed) -> None:
        """Say that a text did not fit."""
        self.lamplight.say(f"A question holds {event.limit:,} characters; the rest was left out.", grave=True)

    # -- one answer

    async def on_more_wanted(self, event: said.MoreWanted) -> None:
        """Unfold or fold the details of an answer."""
        details = self._details(event.answer)
        if details:
            self.transcript.release_anchor()
            if await event.answer.fold(details):
                self.transcript.show_from(event.answer)
        else:
            loading = "The model is still loading." if self.brain.loading else "There is no more to this answer."
            self.lamplight.say(loading)

    def _details(self, answer: Answer) -> str:
        reply, engine = answer.reply, self.brain.engine
        entry = engine.entry(reply.answer_id) if engine and reply and reply.answer_id else None
        return entry.details if entry else ""

    async def on_judged(self, event: said.Judged) -> None:
        """Keep a thumb; the same thumb again takes it back."""
        answer = event.answer
        if answer.turn_id is None or answer.reply is None:
            self.lamplight.say("There is nothing to judge here." if self.archive.stores else "Nothing is stored now.")
            return
        verdict = None if answer.verdict == event.verdict else event.verdict
        try:
            await self.archive.judge(answer.turn_id, verdict)
        except (StoreError, UsageError) as error:
            self.trouble(error)
        else:
            answer.mark(verdict)

    def on_copy_wanted(self, event: said.CopyWanted) -> None:
        """Copy an answer; the application writes OSC 52 itself, which also works over SSH."""
        self.app.copy_to_clipboard(event.answer.text)
        self.lamplight.say("Copied.")

    def commands(self) -> Iterator[SystemCommand]:
        """Yield the chat's entries of the command palette."""
        yield SystemCommand("New conversation", "Start afresh (Ctrl+N)", self.action_new)
        yield SystemCommand("Conversations", "Go to the list (Ctrl+L)", self.action_list)
        if self.current is not None:
            yield SystemCommand("Ask again", "Ask the last question once more (Ctrl+R)", self.action_again)
            yield SystemCommand("More", "Unfold the details of the answer (Ctrl+O)", self.action_more)
            yield SystemCommand("Copy answer", "Copy the text of the answer", self.current.action_copy)
            yield SystemCommand("Helpful", "Thumb up (F7)", lambda: self.action_judge("up"))
            yield SystemCommand("Not helpful", "Thumb down (F8)", lambda: self.action_judge("down"))
        if self.talk.conversation_id:
            opened = self.talk.conversation_id
            yield SystemCommand(
                "Rename conversation",
                "Give it another title",
                lambda: self.post_message(said.RenameWanted(opened)),
            )
            yield SystemCommand(
                "Delete conversation",
                "Delete it for good",
                lambda: self.post_message(said.DeleteWanted(opened)),
            )
