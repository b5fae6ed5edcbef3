"""The whole way of a question, over the real onnxruntime and a hand-written bundle."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from fake_bundle import make_bundle, write_manifest

from assistant.answering.engine import BATCH, Engine, screen_reply
from assistant.bundle.reader import Bundle
from assistant.errors import BundleDamaged, UsageError
from assistant.inference.confidence import FEATURES
from assistant.types import Event, Finished, Reply, Token

TIDES = "What causes the tides?"
KNOT_ANSWER = "A cleat hitch holds a boat and comes loose when you want it to."


@pytest.fixture(scope="module")
def engine(fake_bundle: Bundle) -> Engine:
    return Engine.open(fake_bundle, device="cpu")


@pytest.fixture(scope="module")
def stray(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine whose decoder says something else than the curated answer about tides, and goes astray about knots."""
    spoken = {
        "tides": "The moon pulls on the sea. It does pull evenly, so 2 bulges form — naïve but true.",
        "knots": KNOT_ANSWER.replace("comes loose", "never sinks"),
    }
    return Engine.open(Bundle.open(make_bundle(tmp_path_factory.mktemp("stray") / "b", spoken=spoken)), device="cpu")


def told(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Token))


def last(events: list[Event]) -> Finished:
    assert isinstance(events[-1], Finished)
    assert not any(isinstance(event, Finished) for event in events[:-1])
    return events[-1]


def said(reply: Reply) -> tuple[object, ...]:
    """Return what must be the same however a question was asked (not the times)."""
    return (reply.question, reply.kind, reply.text, reply.answer_id, round(reply.confidence, 3), reply.source)


def test_a_known_question_gets_a_generated_reply_with_its_source(engine: Engine) -> None:
    reply = engine.answer(TIDES)
    assert reply.kind == "generated"
    assert reply.text == "The moon pulls on the sea. It does not pull evenly, so 2 bulges form — naïve but true."
    assert reply.answer_id == "tides"
    assert reply.source is not None
    assert reply.source.title == "Harbour office"
    assert 0.9 < reply.confidence < 1.0
    assert reply.closest[0].id == "tides"
    assert len(reply.closest) == 5
    assert reply.generated is not None
    assert reply.generated.min_logprob <= reply.generated.mean_logprob <= 0
    assert (reply.bundle.name, reply.bundle.version, reply.device) == ("harbour", "1.0", "cpu")
    assert 0 < reply.timing_ms.encode + reply.timing_ms.decode <= reply.timing_ms.total


def test_a_reply_is_the_object_of_the_contract(engine: Engine) -> None:
    record = json.loads(json.dumps(engine.answer(TIDES).to_json()))
    assert set(record) == {
        "question", "kind", "text", "answer_id", "confidence", "closest", "source", "generated", "bundle", "device",
        "timing_ms",
    }  # fmt: skip
    assert set(record["closest"][0]) == {"id", "question", "score"}


def test_a_wrong_word_of_the_decoder_is_never_shown(stray: Engine) -> None:
    reply = stray.answer(TIDES)
    assert reply.kind == "curated"
    assert reply.text.startswith(f"Closest question we have: **{TIDES}**\n\nThe moon pulls")
    assert "does not pull" in reply.text
    assert reply.generated is not None
    assert "does pull evenly" in reply.generated.text


def test_small_talk_suggestions_and_declining(engine: Engine) -> None:
    assert engine.answer("hello").kind == "smalltalk"
    assert engine.answer("hello").text == "Hello there!"
    unsure = engine.answer("rope boat")
    assert unsure.kind == "suggestions"
    assert "1. Which knot holds a boat?" in unsure.text
    assert unsure.answer_id is None
    outside = engine.answer("capital of france")
    assert outside.kind == "declined"
    assert "questions about the harbour" in outside.text
    assert outside.confidence < 0.2


@pytest.mark.parametrize("question", ["", "   ", "?!", "…", "\n", "👍"])
def test_a_message_without_words_gets_a_friendly_word(engine: Engine, question: str) -> None:
    reply = engine.answer(question, previous=TIDES)
    assert reply.kind == "declined"
    assert "Ask me something about the harbour" in reply.text
    assert reply.confidence == 0.0
    assert last(list(engine.stream(question))).reply == reply


@pytest.mark.parametrize(
    "question",
    [
        "tides " * 9000,
        "x" * 50_000,
        "what causes the tides?" + " " * 50_000,
        "\ud800 tides",
        "tides\x00",
        "e\u0301" * 2000,
    ],
    ids=["words", "word", "blanks", "surrogate", "nul", "accents"],
)
def test_odd_questions_are_answered_without_a_traceback(engine: Engine, question: str) -> None:
    assert engine.answer(question).question == question
    assert engine.answer(question, previous=question).text


def test_a_batch_gives_what_each_question_gives_alone(engine: Engine) -> None:
    questions = [
        TIDES,
        "",
        "hello",
        "what makes waves",
        "capital of france",
        "rope",
        *["waves"] * (2 * BATCH),
        "gulls",
    ]
    together = engine.answer_many(questions)
    assert [said(reply) for reply in together] == [said(engine.answer(question)) for question in questions]
    assert engine.answer_many([]) == []


def test_streamed_is_batch(engine: Engine) -> None:
    for question in (TIDES, "hello", "what makes waves", "capital of france", "rope"):
        events = list(engine.stream(question))
        reply = last(events).reply
        assert said(reply) == said(engine.answer(question))
        assert told(events) == (reply.text if reply.kind == "generated" else "")
        assert not last(events).cancelled


def test_a_stream_comes_in_pieces(engine: Engine) -> None:
    events = list(engine.stream(TIDES))
    assert len(events) > 10


def test_a_stream_stops_where_the_decoder_goes_astray(stray: Engine) -> None:
    events = list(stray.stream("Which knot holds a boat?"))
    assert last(events).reply.kind == "curated"
    assert KNOT_ANSWER.startswith(told(events))
    assert "sinks" not in told(events)


def test_more_beams_find_the_same_answer_and_too_many_are_refused(engine: Engine, fake_bundle: Bundle) -> None:
    assert engine.answer(TIDES, beams=4).text == engine.answer(TIDES).text
    wide = Engine.open(fake_bundle, device="cpu", beams=4)
    events = list(wide.stream(TIDES))
    assert said(last(events).reply) == said(engine.answer(TIDES))
    for beams in (0, 9):
        with pytest.raises(UsageError, match="beams"):
            engine.answer(TIDES, beams=beams)
        with pytest.raises(UsageError, match="beams"):
            Engine.open(fake_bundle, beams=beams)


@pytest.mark.parametrize("beams", [1, 2])
def test_cancelling_keeps_the_part_so_far(fake_bundle: Bundle, beams: int) -> None:
    engine = Engine.open(fake_bundle, device="cpu", beams=beams)
    cancel = threading.Event()
    if beams > 1:
        cancel.set()
    events: list[Event] = []
    for event in engine.stream(TIDES, cancel=cancel):
        events.append(event)
        if len(events) == 3:
            cancel.set()
    finished = last(events)
    assert finished.cancelled
    assert finished.reply.text == told(events)
    assert finished.reply.kind == "generated"
    assert told(events) == ("The moon pulls" if beams == 1 else "")


def test_a_stream_that_nobody_reads_on_just_ends(engine: Engine) -> None:
    events = engine.stream(TIDES)
    assert isinstance(next(events), Token)
    events.close()  # type: ignore[attr-defined]
    assert engine.answer(TIDES).kind == "generated"


def test_a_follow_up_is_read_in_the_light_of_the_question_before(engine: Engine) -> None:
    alone = engine.answer("and where tables?")
    reply = engine.answer("and where tables?", previous=TIDES)
    assert reply.answer_id == "tide-tables"
    assert reply.question == "and where tables?"
    assert reply.confidence > alone.confidence
    assert reply.closest[0].score > alone.closest[0].score
    assert said(last(list(engine.stream("and where tables?", TIDES))).reply) == said(reply)


def test_a_new_question_is_not_dragged_back(engine: Engine) -> None:
    assert engine.answer("How do waves form?", previous=TIDES).answer_id == "waves"
    assert engine.answer("hello", previous=TIDES).kind == "smalltalk"
    assert engine.answer("capital of france", previous=TIDES).kind == "declined"


def test_follow_ups_and_plain_questions_share_a_batch(engine: Engine) -> None:
    replies = engine.answer_many(["and where tables?", "waves", "!"], [TIDES, None, TIDES])
    assert [reply.answer_id for reply in replies] == ["tide-tables", "waves", None]


def test_suggestions_while_typing_are_topics(engine: Engine) -> None:
    found = engine.suggest("hello tide tab", k=3)
    assert len(found) == 3
    assert all(engine.entry(match.id) is not None and match.id != "hello" for match in found)
    assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)
    assert engine.suggest(" ?") == []


def test_several_threads_get_their_own_answers(engine: Engine) -> None:
    questions = [TIDES, "what makes waves", "Which knot holds a boat?", "hello"]
    expected = [said(engine.answer(question)) for question in questions]
    found: dict[int, list[tuple[object, ...]]] = {}

    def ask(place: int) -> None:
        found[place] = [said(engine.answer(questions[place])) for _ in range(10)]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[place] == [expected[place]] * 10 for place in range(4))


def test_danger_comes_before_everything(engine: Engine) -> None:
    message = "I want to kill myself"
    card = screen_reply(message, "GB")
    assert card is not None
    assert card.kind == "crisis"
    assert "116 123" in card.text
    assert engine.answer(message, country="GB").text == card.text
    assert engine.answer_many([TIDES, message], country="GB")[1].kind == "crisis"
    events = list(engine.stream(message, country="GB"))
    assert events == [Finished(card)]
    answered = last(list(engine.stream(message, country="GB", screened=True)))
    assert answered.reply.kind != "crisis"  # The caller screened it: the card is not repeated.
    assert screen_reply(TIDES) is None


def test_the_card_needs_no_model(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_model", None)
    assert engine.answer("I want to kill myself").kind == "crisis"


def test_what_calibration_is_fitted_on(engine: Engine) -> None:
    measured = engine.measure([TIDES, "and where tables?", "?"], [None, TIDES, None])
    assert [best for best, _ in measured][:2] == ["tides", "tide-tables"]
    reply = engine.answer(TIDES)
    assert reply.generated is not None
    assert measured[0][1]["mean_logprob"] == pytest.approx(reply.generated.mean_logprob, abs=1e-4)
    assert all(set(values) == set(FEATURES) for _, values in measured)


def test_vectors_of_another_width_are_named(bundle_dir: Path, tmp_path: Path) -> None:
    import numpy as np

    vectors = np.load(bundle_dir / "curated.npy")
    np.save(bundle_dir / "curated.npy", vectors[:, :16])
    write_manifest(bundle_dir)
    with pytest.raises(BundleDamaged, match="curated vectors have 16"):
        Engine.open(Bundle.open(bundle_dir), device="cpu").answer("waves")


@pytest.mark.parametrize(
    "name", ["calibration.json", "curated.jsonl", "answer_tokenizer.json", "question_tokenizer.json"]
)
def test_a_damaged_file_is_named_when_the_engine_opens(bundle_dir: Path, name: str) -> None:
    (bundle_dir / name).write_bytes(b"{}")
    with pytest.raises(BundleDamaged, match=name):
        Engine.open(Bundle.open(bundle_dir), device="cpu")
