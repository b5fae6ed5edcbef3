"""The chat as a Textual application; `run` is what the command line calls.

Importing this module imports neither the inference libraries nor SQLite's: the first screen is
there before they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Markdown

from assistant.clean import clean_line
from assistant.errors import LamplightError
from assistant.paths import Paths
from assistant.settings import Settings, save_value
from assistant.ui.archive import Archive, StoreSource
from assistant.ui.brain import Answering, Brain, EngineFactory
from assistant.ui.messages import EngineFailed, EngineReady, LinkWanted, NotInDanger
from assistant.ui.screens.chat import Chat
from assistant.ui.screens.dialogs import Confirm
from assistant.ui.screens.pages import HelpCardPage, HelpPage
from assistant.ui.theme import DARK, NEAR_COLOURS, THEMES

if TYPE_CHECKING:
    from assistant.store.database import Store

JOIN_SECONDS = 3.0
"""How long leaving waits for a model that is still loading."""


class LamplightApp(App[int]):
    """The chat. The same factory of an engine is used in tests and in production."""

    CSS_PATH = "lamplight.tcss"
    TITLE = "Lamplight"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 (Textual's own annotation)
        (0, "-small"),
        (60, "-medium"),
        (110, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f9",
            "help_card",
            "Help now",
            tooltip="Crisis lines and first steps",
            priority=True,
            id="help-now",
        ),
        Binding("ctrl+g", "help_card", "Help now", show=False, priority=True, id="help-now-too"),
        Binding("f1", "help", "Keys", priority=True, id="help"),
        Binding("ctrl+q", "quit", "Quit", priority=True, id="quit"),
    ]

    def __init__(
        self,
        factory: EngineFactory,
        store: Store | StoreSource | None = None,
        settings: Settings | None = None,
        paths: Paths | None = None,
        conversation: str | None = None,
        resume: bool = False,
    ) -> None:
        """Make the chat.

        `factory` makes the engine (called in a thread). `store` is an open Store, a callable that
        opens one (called in a thread), or None to keep nothing. `conversation` is an id to open,
        `resume` opens the one used last.
        """
        super().__init__()
        self.settings = settings or Settings()
        self.paths = paths
        self.archive = Archive(store)
        self.brain = Brain(factory)
        self.wanted = conversation
        self.resume_last = resume
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self.settings.theme if self.settings.theme in self.available_themes else DARK

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's colours; ours have names of their own, other themes get near ones."""
        colours = super().get_css_variables()
        for name, (near, last) in NEAR_COLOURS.items():
            colours.setdefault(name, colours.get(near, colours[last]))
        return colours

    def get_default_screen(self) -> Screen[None]:
        """Return the chat."""
        return Chat(self.archive, self.brain, self.settings)

    @property
    def chat(self) -> Chat:
        """The chat, under whatever page is open."""
        return next(screen for screen in self.screen_stack if isinstance(screen, Chat))

    def on_mount(self) -> None:
        """Start loading once the first screen is painted."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._keep("theme", theme.name))
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.brain.start()
        self.run_worker(self._tell_when_settled(), name="engine")

    async def _tell_when_settled(self) -> None:
        try:
            engine = await self.brain.settled()
        except LamplightError as error:
            self.chat.post_message(EngineFailed(str(error)))
        else:
            self.chat.post_message(EngineReady(engine))

    async def on_unmount(self) -> None:
        """Leave nothing running and nothing open."""
        self.archive.close()

    # -- at any time, from any screen

    async def action_help_card(self) -> None:
        """Show the help card, unless it is there already."""
        if not isinstance(self.screen, HelpCardPage):
            await self.push_screen(HelpCardPage(self.chat.talk.next_card()))
            await self.chat.talk.card_shown()

    async def action_help(self) -> None:
        """Show help, or close it again."""
        if isinstance(self.screen, HelpPage):
            self.screen.action_close()
        elif not isinstance(self.screen, HelpCardPage):
            await self.push_screen(HelpPage(self.stored_words()))

    def on_not_in_danger(self, _event: NotInDanger) -> None:
        """It was said on the help card's own page."""
        self.chat.post_message(NotInDanger())

    def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        """A link in a text: ask first."""
        self.ask_to_open(event.href)

    def on_link_wanted(self, event: LinkWanted) -> None:
        """The source of an answer: ask first."""
        self.ask_to_open(event.url)

    def ask_to_open(self, url: str) -> None:
        """Ask whether the browser may open `url`; only web, mail and phone addresses are opened."""
        address = clean_line(url)
        if not address.startswith(("https://", "http://", "mailto:", "tel:")):
            self.say(f"This address is not opened: {address}")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.open_url(address)

        self.push_screen(Confirm("Open this address in your browser?", address, "Open"), answered)

    def say(self, words: str, grave: bool = False) -> None:
        """Show a short notice; its text is never read as markup."""
        self.notify(clean_line(words), severity="warning" if grave else "information", markup=False)

    def stored_words(self) -> str:
        """Return in a sentence or two what is stored, and where."""
        if not self.archive.stores:
            return "Nothing is stored: this conversation is gone when you quit."
        return (
            f"Your questions and the answers are kept in {self.archive.place}, readable by you alone, and"
            " nowhere else. You can delete conversations in the list (Ctrl+L), or all with"
            " `lamplight history purge`."
        )

    def keep_country(self, code: str | None) -> None:
        """Keep the country for the help card."""
        if code:
            self._keep("country", code)

    def _keep(self, name: str, value: str) -> None:
        """Write a setting, where there is a place for it."""
        if self.paths is None:
            return
        try:
            save_value(self.paths.config_file, name, value)
        except LamplightError as error:
            self.say(str(error), grave=True)

    def get_key_display(self, binding: Binding) -> str:
        """Return a key as keyboards label it: F9, not f9."""
        shown = super().get_key_display(binding)
        return shown.upper() if shown[:1] in ("f", "^") and len(shown) < 4 else shown

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield the entries of the command palette."""
        yield SystemCommand("Help now", "Show the help card with crisis lines", self.action_help_card)
        yield from self.chat.commands()
        yield SystemCommand("Keys and help", "What this is, all keys, what is stored", self.action_help)
        yield SystemCommand("Theme", "Choose colours, dark or light", self.action_change_theme)
        yield SystemCommand("Quit", "Leave Lamplight", self.action_quit)


def run(settings: Settings, paths: Paths, conversation: str | None = None, resume: bool = False) -> int:
    """Run the chat and return its exit code."""
    app = LamplightApp(
        engine_factory(settings, paths),
        store_source(paths) if settings.save_history else None,
        settings,
        paths,
        conversation,
        resume,
    )
    app.run()
    app.brain.join(JOIN_SECONDS)
    return app.return_code or 0


def engine_factory(settings: Settings, paths: Paths) -> EngineFactory:
    """Return the callable that finds the bundle and opens the engine."""

    def make() -> Answering:
        from assistant.answering.engine import Engine
        from assistant.bundle.registry import find

        return Engine.open(find(settings.bundle, paths.bundles_dir), settings.device, settings.beams)

    return make


def store_source(paths: Paths) -> Callable[[], Store]:
    """Return the callable that opens the history."""

    def make() -> Store:
        from assistant.store.database import Store

        paths.create()
        return Store.open(paths.database)

    return make
