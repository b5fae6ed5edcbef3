"""The list of conversations: open, new, rename, delete, resume, long ones."""

from __future__ import annotations

from datetime import date
from typing import Any

from textual.widgets import Input

from assistant.store.database import Store
from assistant.types import Reply, Source
from assistant.ui import wording
from assistant.ui.screens.dialogs import AskLine, Confirm
from assistant.ui.widgets.question import Question
from assistant.ui.widgets.transcript import Earlier
from tests.assistant.ui.ui_steps import ask, until


def stored(store: Store, *questions: str) -> str:
    conversation = store.create_conversation()
    for question in questions:
        turn = store.add_question(conversation, question)
        reply = Reply(question, "generated", f"About **{question}**", "x", 0.8, source=Source("NHS", "https://nhs.uk"))
        store.finish_turn(turn, "complete", reply, reply.text)
    return conversation


def titles(app: Any) -> list[str]:
    options = app.chat.sidebar.list.options
    return [str(option.prompt).strip("● ").strip() for option in options if option.id]


async def test_list_shows_days_and_opens(chat_app: Any, store: Store) -> None:
    stored(store, "First question")
    stored(store, "Second question", "And more")
    app = chat_app()
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: len(titles(app)) == 2)
        assert titles(app) == ["Second question", "First question"]
        assert str(app.chat.sidebar.list.options[0].prompt) == "Today"
        await pilot.press("ctrl+l", "down", "enter")
        await until(pilot, lambda: len(app.chat.query(Question)) == 1)
        assert app.chat.query_one(Question).text == "First question"
        assert app.chat.transcript.answers[0].reply.source.title == "NHS"
        assert app.focused is app.chat.composer


async def test_new_conversation_is_made_by_its_first_question(chat_app: Any, store: Store) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "depression one")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.chat.transcript.greeting is not None)
        assert len(store.conversations()) == 1
        await ask(pilot, "depression two")
        assert len(store.conversations()) == 2


async def test_rename(chat_app: Any, store: Store) -> None:
    conversation = stored(store, "A question")
    app = chat_app(conversation=conversation)
    async with app.run_test() as pilot:
        await until(pilot, lambda: len(app.chat.query(Question)) == 1)
        await pilot.press("ctrl+l", "r")
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        app.screen.query_one(Input).value = "Another [b]title"
        await pilot.press("enter")
        await until(pilot, lambda: store.conversations()[0].title == "Another [b]title")
        await until(pilot, lambda: titles(app) == ["Another [b]title"])


async def test_delete_asks_first(chat_app: Any, store: Store) -> None:
    stored(store, "Keep me")
    app = chat_app(conversation=stored(store, "Delete me"))
    async with app.run_test() as pilot:
        await until(pilot, lambda: len(app.chat.query(Question)) == 1)
        await pilot.press("ctrl+l", "d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("enter")  # the safe answer has the focus
        await until(pilot, lambda: not isinstance(app.screen, Confirm))
        assert len(store.conversations()) == 2
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: titles(app) == ["Keep me"])
        await until(pilot, lambda: app.chat.transcript.greeting is not None)


async def test_resume_opens_the_last_conversation(chat_app: Any, store: Store) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "What is depression?")
    again = chat_app(resume=True)
    async with again.run_test() as pilot:
        await until(pilot, lambda: len(again.chat.query(Question)) == 1)
        await ask(pilot, "and depression then?")
    assert len(store.conversations()) == 1
    assert len(store.turns(store.conversations()[0].id)) == 2


async def test_unknown_conversation_is_said(chat_app: Any) -> None:
    app = chat_app(conversation="nope")
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: any("nope" in note.message for note in app._notifications))
        assert (await ask(pilot, "depression?")).reply is not None


async def test_question_without_an_answer_can_be_asked_again(chat_app: Any, store: Store) -> None:
    conversation = store.create_conversation()
    store.add_question(conversation, "What about depression?")
    app = chat_app(conversation=conversation)
    async with app.run_test() as pilot:
        await until(pilot, lambda: len(app.chat.query(Question)) == 1)
        await until(pilot, lambda: "Ctrl+R" in str(app.chat.query_one("Answer .hint").render()))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(app.chat.transcript.answers) == 2)


async def test_long_conversation_is_shown_in_parts(chat_app: Any, store: Store) -> None:
    app = chat_app(conversation=stored(store, *(f"question {number}" for number in range(45))))
    async with app.run_test() as pilot:
        await until(pilot, lambda: len(app.chat.query(Question)) == 20)
        await until(pilot, lambda: app.chat.transcript.scroll_y > 0)
        assert "25 earlier" in str(app.chat.query_one(Earlier).render())
        app.chat.query_one(Earlier).action_more()
        await until(pilot, lambda: len(app.chat.query(Question)) == 40)
        app.chat.query_one(Earlier).action_more()
        await until(pilot, lambda: len(app.chat.query(Question)) == 45)
        assert not app.chat.query(Earlier)
        assert [widget.text for widget in app.chat.query(Question)] == [f"question {n}" for n in range(45)]


async def test_store_that_fails_is_said_and_the_answer_still_comes(chat_app: Any, store: Store) -> None:
    app = chat_app()
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: app.archive.stores)
        store.delete_conversation(store.create_conversation())
        app.chat.talk.conversation_id = "gone"
        answer = await ask(pilot, "depression?")
        assert answer.reply is not None
        assert any("gone" in note.message for note in app._notifications)


def test_day_words() -> None:
    today = date(2026, 3, 14)
    assert wording.day_words("2026-03-14T12:00:00+00:00", today) == "Today"
    assert wording.day_words("2026-03-13T12:00:00+00:00", today) == "Yesterday"
    assert wording.day_words("2026-03-10T12:00:00+00:00", today) == "Tuesday"
    assert wording.day_words("2026-01-02T12:00:00+00:00", today) == "2 January"
    assert wording.day_words("2024-01-02T12:00:00+00:00", today) == "2 January 2024"
    assert wording.day_words("2030-01-02T12:00:00+00:00", today) == "Today"
    assert wording.day_words("nonsense", today) == "Earlier"


def test_confidence_in_words() -> None:
    assert wording.sure_words(0.95) == "very sure"
    assert wording.sure_words(0.0) == "a guess"
    assert wording.bar_parts(1.0) == ("━━━━━", "")
    assert wording.bar_parts(0.0) == ("", "╌╌╌╌╌")
    assert wording.bar_parts(7.0) == ("━━━━━", "")
