"""The first start: what this is, the country for the help card, what is stored (SAFETY.md 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.ui.screens.pages import ABOUT
from assistant.ui.widgets.prose import Prose

ELSEWHERE = "-"
"""The choice of those whose country is not in the list, or who would rather not say."""


_WHY = "Only for the right crisis line on the help card (F9)."


class Welcome(ModalScreen[str | None]):
    """Closes with a country code, or None for "elsewhere"; it cannot be closed without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "later", "Rather not say", show=False),
        # before the list, which has no need of them: on a small terminal there is more to read
        Binding("pagedown", "read(1)", "Read on", show=False, priority=True),
        Binding("pageup", "read(-1)", "Read back", show=False, priority=True),
    ]

    def __init__(self, countries: Mapping[str, str], guess: str | None, stored: str) -> None:
        """Offer `countries` (code to name), with `guess` as a suggestion that has to be confirmed."""
        super().__init__()
        self._countries = countries
        self._guess = guess if guess in countries else None
        self._stored = stored

    def compose(self) -> ComposeResult:
        """Yield the page."""
        with Vertical(classes="page"):
            with VerticalScroll(can_focus=False):
                yield Static(Content.assemble(("✦ ", "$accent"), ("Welcome to Lamplight", "bold")), classes="title")
                yield Prose(ABOUT)
                yield Prose("**What is stored.** " + self._stored.replace("_", r"\_"))
            yield Static(Content.assemble(("Where are you? ", "bold"), _WHY), classes="ask")
            yield OptionList(*self._options(), markup=False, compact=True)
            yield Static("↑↓ choose · PgDn reads · Enter begins", classes="foot")

    def on_mount(self) -> None:
        """The suggestion is highlighted; nothing is chosen until Enter."""
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close with what was chosen."""
        event.stop()
        self.dismiss(None if event.option_id == ELSEWHERE else event.option_id)

    def action_later(self) -> None:
        """Esc: rather not say."""
        self.dismiss(None)

    def action_read(self, pages: int) -> None:
        """Move the text above the list."""
        text = self.query_one(VerticalScroll)
        text.scroll_relative(y=pages * max(1, text.size.height - 1), animate=False)

    def _options(self) -> list[Option]:
        elsewhere = Option(Content("Another country, or I would rather not say"), id=ELSEWHERE)
        named = [(code, name) for code, name in self._countries.items() if code != self._guess]
        options = [elsewhere, *(Option(Content(name), id=code) for code, name in named)]
        if self._guess is None:
            return options
        words = Content.assemble(self._countries[self._guess], ("  suggested by this computer's language", "$quiet"))
        return [Option(words, id=self._guess), *options]


def country_of_locale(environment: Mapping[str, str]) -> str | None:
    """Return the country in the locale's name ("en_GB.UTF-8" -> "GB"), a guess and no more."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        # not locale.normalize(): it makes "en" to "en_US", and nobody is taken to be in the US unasked
        code = environment.get(name, "").partition(".")[0].partition("@")[0].partition("_")[2]
        if len(code) == 2 and code.isalpha():
            return code.upper()
    return None
