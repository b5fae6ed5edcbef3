"""Markdown that is safe to show whatever it holds."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from textual.await_complete import AwaitComplete
from textual.widgets import Markdown

from assistant.clean import clean


class CleanParser(MarkdownIt):
    """A Markdown parser without HTML, whose tokens hold nothing that a terminal would obey.

    The source is cleaned too, but `&#x202e;` becomes a character only while it is parsed.
    """

    def __init__(self) -> None:
        """Set up the dialect: GitHub's, with HTML shown as the text that it is."""
        super().__init__("gfm-like", {"html": False})

    def parse(self, src: str, env: MutableMapping[str, Any] | None = None) -> list[Token]:
        """Return the block tokens of `src`."""
        tokens = super().parse(src, env)
        _clean_tokens(tokens)
        return tokens


def _clean_tokens(tokens: Iterable[Token]) -> None:
    for token in tokens:
        token.content = clean(token.content)
        if token.children:
            _clean_tokens(token.children)


class Prose(Markdown):
    """Text of an answer. Links are never opened here: a screen asks first."""

    def __init__(self, text: str | None = None, *, classes: str | None = None) -> None:
        """Show `text`, or nothing yet."""
        super().__init__(
            None if text is None else clean(text),
            classes=classes,
            parser_factory=CleanParser,
            open_links=False,
        )

    def update(self, markdown: str) -> AwaitComplete:
        """Show `markdown` in the place of what was there."""
        return super().update(clean(markdown))

    def append(self, markdown: str) -> AwaitComplete:
        """Add a piece at the end."""
        return super().append(clean(markdown))
