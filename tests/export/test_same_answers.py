"""Equivalences on the exported bundle, through the assistant's own model and engine."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assistant.answering.engine import Engine
from assistant.bundle.reader import Bundle
from assistant.inference.decoding import DecodingOptions, beam_search, greedy
from assistant.inference.sessions import open_variant
from assistant.types import Finished, Reply, Timing, Token
from trainer.dataset import encode_questions
from trainer.evaluate import KerasStep

VARIANTS = ("cpu-int8", "cpu-fp32", "cuda-fp16")
QUESTIONS = [
    "What is a budget?",
    "How do I open an account?",
    "rent",
    "can my landlord raise the rent whenever he likes, and by how much?",
    "inflation?",
    "zzz",
    "what causes a rainbow",
]


@pytest.fixture(scope="module")
def engines(opened: Bundle) -> dict[str, Engine]:
    return {variant: Engine.for_variant(opened, variant) for variant in VARIANTS}


@pytest.fixture(scope="module")
def options(loaded: Any) -> DecodingOptions:
    return DecodingOptions(max_tokens=loaded[0].config.max_answer_tokens)


def untimed(reply: Reply) -> Reply:
    """A reply without what no two runs share."""
    return replace(reply, timing_ms=Timing())


def close(left: Reply, right: Reply) -> None:
    """Equal, but for the last digits that the size of a batch moves."""
    assert (left.kind, left.text, left.answer_id, left.generated and left.generated.text) == (
        right.kind,
        right.text,
        right.answer_id,
        right.generated and right.generated.text,
    )
    assert left.confidence == pytest.approx(right.confidence, abs=2e-3)
    # Places may be exchanged where two scores are the same.
    assert [m.score for m in left.closest] == pytest.approx([m.score for m in right.closest], abs=2e-3)


def test_greedy_tokens_and_their_probabilities_are_those_of_keras(
    loaded: Any, opened: Bundle, options: DecodingOptions
) -> None:
    model, checkpoint = loaded
    questions = [entry.question for entry in checkpoint.table.entries] + QUESTIONS
    ids, mask = encode_questions(checkpoint.question_tokenizer, questions, model.config.max_question_tokens)
    ours = greedy(KerasStep(model, ids, mask), len(questions), options)
    exported = open_variant(opened, "cpu-fp32")
    theirs = greedy(exported.step_function(exported.encode(questions)), len(questions), options)
    for question, mine, other in zip(questions, ours, theirs, strict=True):
        assert mine.tokens == other.tokens, question
        np.testing.assert_allclose(mine.logprobs, other.logprobs, atol=1e-3, err_msg=question)


def test_the_encoder_is_that_of_keras(loaded: Any, opened: Bundle) -> None:
    model, checkpoint = loaded
    ids, mask = encode_questions(checkpoint.question_tokenizer, QUESTIONS, model.config.max_question_tokens)
    ours = np.asarray(model.pool(model.encode(ids, mask), mask))
    for variant, least in zip(VARIANTS, (0.99, 0.9999, 0.999), strict=True):
        theirs = open_variant(opened, variant).encode(QUESTIONS).pooled
        np.testing.assert_allclose(np.linalg.norm(theirs, axis=1), 1.0, atol=2e-3)
        assert (ours * theirs).sum(axis=1).min() > least, variant


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_beam_is_greedy_and_the_score_is_the_sum_of_its_logarithms(
    opened: Bundle, options: DecodingOptions, variant: str
) -> None:
    model = open_variant(opened, variant)
    encoded = model.encode(QUESTIONS)
    plain = greedy(model.step_function(encoded), len(QUESTIONS), options)
    searched = beam_search(model.step_function(encoded), len(QUESTIONS), options)
    for one, best in zip(plain, searched, strict=True):
        assert one.tokens == best[0].tokens
        length = len(one.logprobs)
        assert best[0].score == pytest.approx(sum(best[0].logprobs) / length**options.length_alpha, rel=1e-5)


def test_more_beams_find_nothing_worse(opened: Bundle, options: DecodingOptions) -> None:
    model = open_variant(opened, "cpu-fp32")
    encoded = model.encode(QUESTIONS)
    plain = greedy(model.step_function(encoded), len(QUESTIONS), options)
    wide = beam_search(model.step_function(encoded, 4), len(QUESTIONS), replace(options, beams=4))
    for one, best in zip(plain, wide, strict=True):
        if one.finished:
            assert best[0].score >= one.score - 1e-4


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_streamed_reply_is_the_reply(engines: dict[str, Engine], variant: str) -> None:
    engine = engines[variant]
    for question in QUESTIONS:
        *pieces, last = engine.stream(question)
        assert isinstance(last, Finished)
        assert not last.cancelled
        assert untimed(last.reply) == untimed(engine.answer(question))
        shown = "".join(piece.text for piece in pieces if isinstance(piece, Token))
        assert last.reply.text.startswith(shown) or last.reply.kind != "generated"
        if last.reply.kind == "generated":
            assert shown == last.reply.text


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_batch_answers_as_one_by_one(engines: dict[str, Engine], variant: str) -> None:
    engine = engines[variant]
    if variant == "cpu-int8":
        pytest.skip("dynamic quantisation scales over the whole batch: its scores move with the neighbours")
    for question, together in zip(QUESTIONS, engine.answer_many(QUESTIONS), strict=True):
        close(together, engine.answer(question))


def test_all_variants_answer_the_canonical_questions(engines: dict[str, Engine]) -> None:
    for variant, engine in engines.items():
        for entry in engine.entries:
            reply = engine.answer(entry.question)
            assert (reply.kind, reply.text, reply.answer_id) == ("generated", entry.answer, entry.id), variant
