"""Asking, streaming, stopping, choosing: the chat by its keys, on a real store."""

from __future__ import annotations

import threading
import time
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Static

from assistant.errors import BundleDamaged
from assistant.store.database import Store
from assistant.ui.app import LamplightApp
from assistant.ui.screens.chat import Chat
from assistant.ui.widgets.choices import Choices
from assistant.ui.widgets.prose import Prose
from tests.assistant.ui.ui_steps import ask, idle, until


def shown(widget: Any) -> str:
    return str(widget.query_one(".who", Static).render())


async def test_answer_streams_and_is_stored(chat_app: Any, engine: Any, store: Store) -> None:
    app: LamplightApp = chat_app()
    async with app.run_test() as pilot:
        answer = await ask(pilot, "How is depression treated?")
        assert answer.reply is not None and answer.reply.kind == "generated"
        assert answer.text == engine.answers["depression"]
        assert "Answered" in shown(answer) and "very sure" in shown(answer)
    (conversation,) = store.conversations()
    (turn,) = store.turns(conversation.id)
    assert (turn.state, turn.kind, turn.text) == ("complete", "generated", engine.answers["depression"])
    assert conversation.title == "How is depression treated?"


async def test_question_is_committed_before_inference(chat_app: Any, engine: Any, store: Store) -> None:
    engine.gate = threading.Semaphore(0)
    app = chat_app()
    async with app.run_test() as pilot:
        await type_and_send(pilot, "depression?")
        await until(pilot, lambda: bool(engine.asked))
        (turn,) = store.turns(store.conversations()[0].id)
        assert (turn.question, turn.state) == ("depression?", "pending")
        engine.gate.release(1000)
        await idle(pilot)
    assert store.turns(store.conversations()[0].id)[0].state == "complete"


async def type_and_send(pilot: Pilot[Any], text: str) -> None:
    for character in text:
        await pilot.press({" ": "space", "?": "question_mark"}.get(character, character))
    await pilot.press("enter")


async def test_escape_keeps_the_part_so_far(chat_app: Any, engine: Any, store: Store) -> None:
    engine.gate = threading.Semaphore(3)
    app = chat_app()
    async with app.run_test() as pilot:
        await type_and_send(pilot, "depression?")
        await until(pilot, lambda: bool(chat(app).transcript.answers and chat(app).transcript.answers[0].text))
        await until(pilot, lambda: chat(app).transcript.answers[0].text == "Depression is treated")
        await pilot.press("escape")
        engine.gate.release(1)
        await idle(pilot)
        answer = chat(app).transcript.answers[0]
        assert answer.text == "Depression is treated"
        assert "stopped" in shown(answer)
        assert answer.has_class("-stopped")
    (turn,) = store.turns(store.conversations()[0].id)
    assert (turn.state, turn.text) == ("cancelled", "Depression is treated")


async def test_leaving_in_mid_answer_stores_the_part(chat_app: Any, engine: Any, store: Store) -> None:
    engine.gate = threading.Semaphore(2)
    app = chat_app(store=lambda: Store.open(store.path))  # opened, and closed, by the chat itself
    async with app.run_test() as pilot:
        await type_and_send(pilot, "depression?")
        await until(pilot, lambda: bool(chat(app).transcript.answers and chat(app).transcript.answers[0].text))
        await pilot.press("ctrl+q")
    engine.gate.release(1000)
    (turn,) = store.turns(store.conversations()[0].id)
    assert turn.state == "cancelled"
    assert turn.text.startswith("Depression")


async def test_question_typed_while_the_model_loads_is_answered(chat_app: Any, engine: Any) -> None:
    gate = threading.Event()

    def slow() -> Any:
        gate.wait(5)
        return engine

    app = chat_app(factory=slow)
    async with app.run_test() as pilot:
        assert "loading" in str(app.screen.query_one("TopBar .status", Static).render())
        await type_and_send(pilot, "depression?")
        await until(pilot, lambda: "model" in str(chat(app).query_one("Answer .hint", Static).render()))
        gate.set()
        await idle(pilot)
        assert chat(app).transcript.answers[0].text == engine.answers["depression"]
        assert "Mental health 1.0.0" in str(app.screen.query_one("TopBar .status", Static).render())


async def test_escape_while_loading_stops_the_waiting_question(chat_app: Any, engine: Any, store: Store) -> None:
    gate = threading.Event()

    def slow() -> Any:
        gate.wait(5)
        return engine

    app = chat_app(factory=slow)
    async with app.run_test() as pilot:
        await type_and_send(pilot, "depression?")
        await until(pilot, lambda: bool(store.conversations()))
        await pilot.press("escape")
        await idle(pilot)
        assert store.turns(store.conversations()[0].id)[0].state == "cancelled"
        gate.set()
        answer = await ask(pilot, "depression again")
        assert answer.reply is not None and answer.reply.kind == "generated"


async def test_engine_that_fails_to_load_is_said_and_help_still_works(chat_app: Any, store: Store) -> None:
    def broken() -> Any:
        raise BundleDamaged("mental-health: encoder_model.onnx is not what its hash says")

    app = chat_app(factory=broken)
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: "no bundle" in str(app.screen.query_one("TopBar .status", Static).render()))
        assert "hash" in str(app.screen.query_one(".regret", Static).render())
        answer = await ask(pilot, "How is depression treated?")
        assert "hash" in str(answer.query_one(".hint", Static).render())
        danger = await ask(pilot, "I want to kill myself")
        assert danger.card is not None and "116 123" in danger.card.text
        await pilot.press("f9")
        await pilot.pause()
        assert "116 123" in app.screen.query_one("HelpCard").text
    states = [turn.state for turn in store.turns(store.conversations()[0].id)]
    assert states == ["failed", "complete"]


async def test_closest_question_is_said_once(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        answer = await ask(pilot, "something near")
        assert "Closest question we have" in shown(answer) and "fairly sure" in shown(answer)
        assert answer.query_one(Prose).source == "**How can I sleep better?**\n\nKeep regular hours."


async def test_an_unexpected_error_inside_ends_in_the_answer(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        answer = await ask(pilot, "please explode")
        assert "ValueError" in str(answer.query_one(".hint", Static).render())
        again = await ask(pilot, "depression?")
        assert again.reply is not None


async def test_choices_are_taken_by_number(chat_app: Any, engine: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "which one")
        assert len(chat(app).transcript.answers[0].choices) == 3
        await pilot.press("1")
        await idle(pilot)
        assert engine.asked[-1][0] == "How is depression treated?"
        assert not chat(app).transcript.answers[0].query(Choices)


async def test_none_of_these_ends_the_matter(chat_app: Any, engine: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "which one")
        await pilot.press("0")
        await pilot.pause()
        assert not app.screen.query("Answer Choices")
        assert len(engine.asked) == 1
        await pilot.press("7")
        assert chat(app).composer.text == "7"


async def test_greeting_offers_questions_by_number(chat_app: Any, engine: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await until(pilot, lambda: chat(app).composer.choices == 4)
        await pilot.press("2")
        await idle(pilot)
        assert engine.asked[0][0] == "What is an anxiety disorder?"


async def test_follow_up_gets_the_question_before(chat_app: Any, engine: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await ask(pilot, "What is depression?")
        await ask(pilot, "and how is it treated?")
    assert [item[1] for item in engine.asked] == [None, "What is depression?"]
    assert all(screened for _, _, screened in engine.asked)


async def test_second_question_waits_in_the_composer(chat_app: Any, engine: Any) -> None:
    engine.gate = threading.Semaphore(0)
    app = chat_app()
    async with app.run_test() as pilot:
        await type_and_send(pilot, "depression?")
        await until(pilot, lambda: bool(engine.asked))
        await type_and_send(pilot, "more?")
        await pilot.pause()
        assert chat(app).composer.text == "more?"
        assert len(chat(app).transcript.answers) == 1
        engine.gate.release(1000)
        await idle(pilot)


async def test_ctrl_j_makes_a_new_line_and_arrows_recall(chat_app: Any, engine: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        await pilot.press("a", "ctrl+j", "b")
        assert chat(app).composer.text == "a\nb"
        await pilot.press("enter")
        await idle(pilot)
        assert engine.asked[0][0] == "a\nb"
        await pilot.press("c", "up")
        assert chat(app).composer.text == "a\nb"
        await pilot.press("down")
        assert chat(app).composer.text == "c"


async def test_details_unfold_and_fold(chat_app: Any) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        answer = await ask(pilot, "depression?")
        await pilot.press("ctrl+o")
        await until(pilot, lambda: bool(answer.query(".details")))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: not answer.query(".details"))


async def test_thumbs_are_stored_and_taken_back(chat_app: Any, store: Store) -> None:
    app = chat_app()
    async with app.run_test() as pilot:
        answer = await ask(pilot, "depression?")
        assert answer.turn_id is not None
        await pilot.press("f7")
        await until(pilot, lambda: answer.verdict == "up")
        found = store.feedback_for(answer.turn_id)
        assert found is not None and found.verdict == "up"
        await pilot.press("f8")
        await until(pilot, lambda: answer.verdict == "down")
        await pilot.press("f8")
        await until(pilot, lambda: answer.verdict is None)
        assert store.feedback_for(answer.turn_id) is None


async def test_without_a_store_the_chat_answers_and_says_so(chat_app: Any) -> None:
    app = chat_app(store=None)
    async with app.run_test() as pilot:
        answer = await ask(pilot, "depression?")
        assert answer.reply is not None and answer.turn_id is None
        assert "Nothing is stored" in str(app.screen.query_one("Sidebar .note", Static).render())
        assert "Nothing is stored" in app.stored_words()


async def test_first_paint_does_not_wait_for_the_engine(chat_app: Any) -> None:
    release = threading.Event()

    def slow() -> Any:
        release.wait(5)
        raise BundleDamaged("late")

    started = time.perf_counter()
    app = chat_app(factory=slow)
    async with app.run_test() as pilot:
        assert time.perf_counter() - started < 4
        await pilot.press("h", "i")
        assert chat(app).composer.text == "hi"
        release.set()


def chat(app: LamplightApp) -> Chat:
    return app.chat
