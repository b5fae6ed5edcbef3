"""Help card, first start and help pages (SAFETY.md 1, 3 to 6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import OptionList

from assistant import paths, settings
from assistant.settings import Settings
from assistant.store.database import Store
from assistant.ui.care import Care, from_text
from assistant.ui.screens.pages import HelpCardPage, HelpPage
from assistant.ui.screens.welcome import Welcome, country_of_locale
from assistant.ui.widgets.card import HelpCard, SafeKey
from tests.assistant.ui.ui_steps import ask, idle, until

DANGER = "I want to kill myself"


async def test_danger_shows_the_card_and_no_generated_answer(chat_app: Any, engine: Any, store: Store) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        answer = await ask(pilot, DANGER)
        assert answer.reply is not None and answer.reply.kind == "crisis"
        assert "116 123" in answer.query_one(HelpCard).text and "999" in answer.query_one(HelpCard).text
        assert engine.asked == []
        assert app.chat.composer.has_focus
    (turn,) = store.turns(store.conversations()[0].id)
    assert (turn.state, turn.kind) == ("complete", "crisis")


async def test_card_does_not_wait_for_the_model(chat_app: Any) -> None:
    import threading

    gate = threading.Event()

    def never() -> Any:
        gate.wait(8)
        raise AssertionError

    app = chat_app(factory=never)
    async with app.run_test() as pilot:
        answer = await ask(pilot, DANGER)
        assert answer.card is not None
        gate.set()


async def test_not_in_danger_is_one_key_and_the_question_is_answered(chat_app: Any, engine: Any) -> None:
    engine.answers["kill"] = "An answer."
    app = chat_app()
    async with app.run_test() as pilot:
        answer = await ask(pilot, DANGER)
        await pilot.press("f4")
        await until(pilot, lambda: answer.text == "An answer.")
        await idle(pilot)
        assert engine.asked == [(DANGER, None, True)]
        assert not answer.query(SafeKey)
        follow = await ask(pilot, "How is depression treated?")
        assert follow.reply is not None and follow.reply.kind == "generated"


async def test_no_card_comes_twice_word_for_word_also_after_a_restart(chat_app: Any, engine: Any) -> None:
    engine.answers["kill"] = "An answer."
    cards = []
    app = chat_app()
    async with app.run_test() as pilot:
        cards.append((await ask(pilot, DANGER)).query_one(HelpCard).text)
        cards.append((await ask(pilot, DANGER)).query_one(HelpCard).text)
        await pilot.press("f4")
        await idle(pilot)
    again = chat_app()
    async with again.run_test() as pilot:
        answer = await ask(pilot, DANGER)
        cards.append(answer.query_one(HelpCard).text)
        # "I'm not in danger" was respected: the card stands above an answer
        assert answer.text == "An answer."
    assert len(set(cards)) == 3


async def test_stored_card_can_still_be_settled(chat_app: Any, engine: Any, store: Store) -> None:
    engine.answers["kill"] = "An answer."
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, DANGER)
    again = chat_app(resume=True)
    async with again.run_test() as pilot:
        await until(pilot, lambda: bool(again.chat.query(HelpCard)))
        await pilot.press("f4")
        await until(pilot, lambda: again.chat.transcript.answers[0].text == "An answer.")
        await idle(pilot)
    (turn,) = store.turns(store.conversations()[0].id)
    assert (turn.kind, turn.text) == ("generated", "An answer.")


@pytest.mark.parametrize("key", ["f9", "ctrl+g"])
@pytest.mark.parametrize("before", [(), ("f1",), ("ctrl+l",), ("ctrl+p",)])
async def test_help_card_from_any_screen(chat_app: Any, key: str, before: tuple[str, ...]) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        for press in before:
            await pilot.press(press)
            await pilot.pause()
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, HelpCardPage))
        await until(pilot, lambda: bool(app.screen.query(HelpCard)))
        assert "Samaritans" in app.screen.query_one(HelpCard).text
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, HelpCardPage))


async def test_help_page_says_what_this_is_and_all_keys(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpPage))
        await pilot.pause()
        text = " ".join(str(widget.render()) for widget in app.screen.query(".key"))
        assert "F9" in text and "Ctrl+J" in text
        assert "lamplight.db" in app.stored_words()
        await pilot.press("f1")
        await until(pilot, lambda: not isinstance(app.screen, HelpPage))


async def test_first_start_asks_for_the_country(
    chat_app: Any, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    store.set_value("welcomed", None)
    home = paths.home(tmp_path / "home")
    app = chat_app(settings=Settings(), paths=home)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, Welcome))
        await until(pilot, lambda: bool(app.screen.query(OptionList)))
        first = app.screen.query_one(OptionList).options[0]
        assert first.id == "DE" and "suggested" in str(first.prompt)
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Welcome))
        assert app.chat.talk.country == "DE"
        danger = await ask(pilot, DANGER)
        assert "TelefonSeelsorge" in danger.query_one(HelpCard).text
    assert settings.load(config_file=home.config_file).country == "DE"
    assert store.get_value("welcomed")


async def test_rather_not_say_is_never_the_us(chat_app: Any, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    store.set_value("welcomed", None)
    app = chat_app(settings=Settings())
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, Welcome))
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Welcome))
        assert app.chat.talk.country is None
        assert "findahelpline.com" in app.chat.talk.next_card()
    again = chat_app(settings=Settings())
    async with again.run_test() as pilot:
        await until(pilot, lambda: again.archive.stores)
        await pilot.pause(0.2)
        assert not isinstance(again.screen, Welcome)


def test_country_is_only_guessed_from_a_territory() -> None:
    assert country_of_locale({"LANG": "en_GB.UTF-8"}) == "GB"
    assert country_of_locale({"LANG": "en_US.UTF-8", "LC_ALL": "fr_FR@euro"}) == "FR"
    for name in ("", "C", "C.UTF-8", "en", "POSIX", "en_"):
        assert country_of_locale({"LANG": name}) is None


def test_care_is_read_back_and_ends_some_time() -> None:
    now = datetime(2026, 3, 14, 12, tzinfo=UTC)
    care = from_text(Care().shown().said_safe(now).to_text())
    assert care.cards == 1
    assert care.is_safe(now + timedelta(hours=1))
    assert not care.is_safe(now + timedelta(days=1))
    assert not care.is_safe(now - timedelta(days=1))
    for broken in (None, "", "[]", "{", '{"cards": "x"}', '{"cards": -4, "safe_since": 7}'):
        assert from_text(broken).cards == 0
        assert not from_text(broken).is_safe(now)
