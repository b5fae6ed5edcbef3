"""The whole model: cached step = teacher-forced pass, padding, beams, pooling."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from dataclasses import replace

import keras
import numpy as np
import pytest
from keras import ops

from trainer.config import ModelConfig, StackConfig
from trainer.evaluate import KerasStep
from trainer.model import Transformer, count_weights, create_model

STACK = StackConfig(layers=2, heads=2, inner=24)
CONFIG = ModelConfig(
    16,
    STACK,
    STACK,
    dropout=0.1,
    max_question_tokens=12,
    max_answer_tokens=10,
    question_vocab_size=40,
    answer_vocab_size=30,
)
QUESTIONS = np.array([[5, 9, 11, 3, 7, 8], [6, 2, 14, 0, 0, 0], [39, 1, 4, 21, 0, 0]], dtype="int32")
MASK = (QUESTIONS > 0).astype("int32")
ANSWERS = np.array([[1, 4, 9, 29, 7, 5, 3], [1, 8, 8, 3, 12, 2, 0], [1, 17, 5, 6, 28, 9, 4]], dtype="int32")


@pytest.fixture(scope="module", params=["sinusoidal", "bert-like"])
def model(request: pytest.FixtureRequest) -> Transformer:
    keras.utils.set_random_seed(5)
    encoder = (
        STACK
        if request.param == "sinusoidal"
        else replace(STACK, positions="learned", scale=False, normalise=True, epsilon=1e-12)
    )
    made = create_model(replace(CONFIG, encoder=encoder))
    for variable in made.trainable_variables:  # Zero biases would hide a bias that is left out.
        variable.assign(variable + np.random.default_rng(1).normal(scale=0.1, size=variable.shape).astype("float32"))
    return made


def forced(model: Transformer, questions: np.ndarray, answers: np.ndarray) -> np.ndarray:
    mask = (questions > 0).astype("int32")
    return np.asarray(model({"question_ids": questions, "question_mask": mask, "answer_ids": answers})["logits"])


def stepped(model: Transformer, questions: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Logits (B, T, V) of one cached step after the other."""
    mask = (questions > 0).astype("int32")
    memory = model.memory(model.encode(questions, mask))
    empty = ops.zeros((len(questions), 2, 0, 8))
    past, out = [(empty, empty)] * 2, []
    for place in range(answers.shape[1]):
        logits, past, _ = model.decoder(
            answers[:, place : place + 1], memory, mask, past=past, offset=np.array([place], dtype="int32")
        )
        out.append(np.asarray(logits))
    return np.stack(out, axis=1)


def test_cached_steps_are_the_teacher_forced_pass(model: Transformer) -> None:
    np.testing.assert_allclose(stepped(model, QUESTIONS, ANSWERS), forced(model, QUESTIONS, ANSWERS), atol=2e-5)


def test_padding_changes_nothing(model: Transformer) -> None:
    short, wide = QUESTIONS[1:2, :3], np.pad(QUESTIONS[1:2, :3], ((0, 0), (0, 8)))
    np.testing.assert_allclose(forced(model, short, ANSWERS[1:2]), forced(model, wide, ANSWERS[1:2]), atol=2e-5)
    np.testing.assert_allclose(forced(model, short, ANSWERS[1:2])[0], forced(model, QUESTIONS, ANSWERS)[1], atol=2e-5)


def test_the_question_matters(model: Transformer) -> None:
    other = QUESTIONS.copy()
    other[0, 1] += 1
    difference = np.abs(forced(model, other, ANSWERS) - forced(model, QUESTIONS, ANSWERS))
    assert difference[0].max() > 1e-3 and difference[1:].max() == 0


def test_a_later_token_changes_no_earlier_logits(model: Transformer) -> None:
    other = ANSWERS.copy()
    other[:, 4] += 1
    before, after = forced(model, QUESTIONS, ANSWERS), forced(model, QUESTIONS, other)
    np.testing.assert_array_equal(before[:, :4], after[:, :4])
    assert np.abs(before[:, 4:] - after[:, 4:]).max() > 1e-3


def test_beams_that_change_places_take_their_caches_along(model: Transformer) -> None:
    """Two questions with two beams each; after three tokens both beams of a question go on from its second."""
    rows = np.repeat(QUESTIONS[:2], 2, axis=0)
    tokens = np.array([[1, 4, 9, 7, 3], [1, 5, 8, 6, 2], [1, 7, 7, 11, 4], [1, 12, 3, 9, 5]])
    order = np.array([1, 1, 3, 2])
    step, here = KerasStep(model, rows, (rows > 0).astype("int32")), np.arange(4)
    for place in range(3):
        step(tokens[:, place], here)
    step(tokens[:, 3], order)
    ids, scores = step(tokens[:, 4], here)
    history = np.concatenate([tokens[order, :3], tokens[:, 3:]], axis=1)
    wanted = np.asarray(ops.log_softmax(forced(model, rows, history.astype("int32"))[:, -1]))
    np.testing.assert_allclose(scores, np.take_along_axis(wanted, ids, axis=1), atol=2e-5)
    np.testing.assert_array_equal(ids[:, 0], wanted.argmax(axis=1))
    assert np.all(np.diff(scores, axis=1) <= 0)


def test_pooling_is_the_scaled_mean_of_the_real_tokens(model: Transformer) -> None:
    states = np.asarray(model.encode(QUESTIONS, MASK))
    pooled = np.asarray(model.pool(states, MASK))
    mean = states[1, :3].mean(axis=0)
    np.testing.assert_allclose(pooled[1], mean / np.linalg.norm(mean), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(pooled, axis=1), 1, atol=1e-6)


def test_dropout_is_on_in_training_only(model: Transformer) -> None:
    inputs = {"question_ids": QUESTIONS, "question_mask": MASK, "answer_ids": ANSWERS}
    still = np.asarray(model(inputs)["logits"])
    np.testing.assert_array_equal(model(inputs)["logits"], still)
    assert np.abs(np.asarray(model(inputs, training=True)["logits"]) - still).max() > 1e-3


def test_paths_name_every_weight_once() -> None:
    paths = [variable.path for variable in create_model(CONFIG).weights]
    assert len(set(paths)) == len(paths)
    assert {path.split("/")[0] for path in paths} == {"encoder", "decoder"}
    assert "decoder/layer_1/cross/key_value/kernel" in paths and "encoder/embedding/tokens" in paths


def test_one_seed_gives_the_same_weights() -> None:
    def made(seed: int) -> list[np.ndarray]:
        keras.utils.set_random_seed(seed)
        return [np.asarray(v) for v in create_model(CONFIG).trainable_variables]

    first, second, third = made(1), made(1), made(2)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert any(not np.array_equal(a, b) for a, b in zip(first, third, strict=True))


def test_fixed_positions_are_not_counted_as_weights() -> None:
    learned = replace(CONFIG, decoder=replace(STACK, positions="learned"))
    assert count_weights(create_model(learned)) - count_weights(create_model(CONFIG)) == 12 * 16
