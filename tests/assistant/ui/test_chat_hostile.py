"""Foreign text on the screen: nothing is read as markup, nothing reaches the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.widgets import Static

from assistant.store.database import Store
from assistant.types import Source
from assistant.ui.app import LamplightApp
from assistant.ui.revive import reply_from_json
from assistant.ui.screens.dialogs import Confirm, LineInput
from assistant.ui.widgets.composer import LIMIT
from assistant.ui.widgets.prose import CleanParser
from tests.assistant.ui.ui_steps import ask, until

HOSTILE = [
    "\x1b]52;c;ZXZpbA==\x07clip",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H$ rm -rf",
    "\x9b31mred",
    "\x1b]8;;https://evil.example\x07nhs.uk\x1b]8;;\x07",
    "\x1bP unterminated",
    "\x00nul \x7fdel \rreturn",
    "\u202egnp.exe",
    "a" + "\u0301" * 2000,
    "\ud800 lone",
    "[/] [/ [/INST] [/Users/x] [link=http://x] [@click='app.quit']x[/] \\",
    "&#x202e;gnp &#27;[2J &#x9b;31m <b>bold</b> <script>",
    "👩‍👩‍👧‍👦 zwj",
    "| a | b |\n|---|---|\n| [/] | \x1b[31m |",
    "```[/]\n\x1b]52;c;eA==\x07\n```",
]
FORBIDDEN = ("\x1b]52", "\x1b]0;", "\x1bP", "\x1b]8", "\u202e", "\x9b", "\x00", "\x7f")


def screen_text(app: LamplightApp) -> str:
    """Return everything that the screen's strips hold."""
    lines = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in lines)


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_everywhere(chat_app: Any, engine: Any, store: Store, text: str) -> None:
    engine.answers["depression"] = text
    engine.entries = tuple(engine.entries)
    conversation = store.create_conversation(text)
    app = chat_app()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        answer = await ask(pilot, "depression " + text)
        app.say(text)
        app.chat.talk.conversation_id = conversation
        await app.chat.refresh_list()
        await pilot.pause()
        seen = screen_text(app)
        assert not [sign for sign in FORBIDDEN if sign in seen]
        assert "\x1b" not in seen
        assert app.is_running
        await pilot.press("ctrl+n")
        await pilot.pause()
        asked_in = next(item.id for item in store.conversations() if item.turns)
        await app.chat.open_conversation(asked_in)
        await pilot.pause()
        assert "\x1b" not in screen_text(app)
        assert answer.reply is not None


async def test_markup_in_a_question_is_shown_as_typed(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "[b]bold[/b] [/nope] depression")
        assert "[b]bold[/b] [/nope] depression" in screen_text(app)


async def test_huge_paste_is_cut_and_said(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test(notifications=True) as pilot:
        app.chat.composer.post_message(events.Paste("x" * 1_000_000))
        await until(pilot, lambda: bool(app.chat.composer.text))
        assert len(app.chat.composer.text) == LIMIT
        await until(pilot, lambda: any("8,000" in note.message for note in app._notifications))
        app.chat.composer.put("\n" * 100_000)
        await pilot.pause()
        assert len(app.chat.composer.text) <= LIMIT
        app.chat.composer.put("")
        app.chat.composer.post_message(events.Paste("a\x1b[201~b\x1b]52;c;eA==\x07"))
        await until(pilot, lambda: bool(app.chat.composer.text))
        assert app.chat.composer.text == "ab"


async def test_lone_surrogate_is_stored_and_shown(chat_app: Any, store: Store) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "depression \ud800")
    assert store.turns(store.conversations()[0].id)[0].state == "complete"


async def test_sizes_down_to_one_cell(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "depression?")
        for size in ((1, 1), (40, 24), (2, 60), (200, 2), (80, 24), (1, 1), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await pilot.press("f1", "f9", "escape", "escape")
        answer = await ask(pilot, "depression again")
        assert answer.reply is not None


@pytest.mark.parametrize(("url", "asks"), [("https://nhs.uk/x", True), ("javascript:alert(1)", False), ("/etc", False)])
async def test_links_are_opened_only_after_a_question(
    chat_app: Any, monkeypatch: pytest.MonkeyPatch, url: str, asks: bool
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(LamplightApp, "open_url", lambda self, url, new_tab=True: opened.append(url))
    app = chat_app()
    async with app.run_test() as pilot:
        app.ask_to_open(url)
        await pilot.pause()
        assert isinstance(app.screen, Confirm) == asks
        if asks:
            assert url in str(app.screen.query_one(".text", Static).render())
            await pilot.press("y")
            await until(pilot, lambda: opened == [url])
        assert opened == ([url] if asks else [])


async def test_source_is_shown_as_text(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test(size=(120, 40)) as pilot:
        answer = await ask(pilot, "depression?")
        assert "https://www.nimh.nih.gov/health/topics/depression" in screen_text(app)
        answer.focus()
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Confirm))


async def test_every_theme_can_show_the_chat(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "depression?")
        for name in app.available_themes:
            app.theme = name
            await pilot.pause()
        assert app.is_running


def test_entities_do_not_bring_controls_back() -> None:
    tokens = CleanParser().parse("a &#x202e; b &#27;[31m <b>c</b>")
    text = "".join(child.content for token in tokens for child in token.children or ())
    assert "\u202e" not in text and "\x1b" not in text
    assert "<b>c</b>" in text


def test_line_input_cleans_its_value() -> None:
    assert LineInput.validate_value(LineInput(), "a\x1b]0;x\x07b\nc") == "ab c"


def test_a_damaged_reply_object_is_none() -> None:
    assert reply_from_json({}) is None
    assert reply_from_json({"question": "q", "kind": "evil", "text": "t"}) is None
    good = reply_from_json({"question": "q", "kind": "declined", "text": "t", "source": None})
    assert good is not None and good.text == "t"
    sourced = reply_from_json(
        {"question": "q", "kind": "curated", "text": "t", "source": {"title": "a", "url": "b"}, "closest": []}
    )
    assert sourced is not None and sourced.source == Source("a", "b")
