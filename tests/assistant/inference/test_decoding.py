"""Greedy and beam decoding over a fake step function: no weights, every property exact."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.errors import BundleDamaged, UsageError
from assistant.inference.decoding import (
    DecodingOptions,
    Hypothesis,
    beam_search,
    greedy,
    greedy_steps,
    validate_decoding_options,
)

BOS, EOS = 1, 2


class FakeStep:
    """A language model whose next-token distribution is a hash of the question and of all tokens so far.

    It keeps each row's history the way the real step keeps caches: `beam_idx` reorders it. K is the vocabulary.
    """

    def __init__(self, batch: int, beams: int, vocabulary: int = 5, seed: int = 0, sharp: float = 1.5) -> None:
        self.histories: list[tuple[int, ...]] = [(row // beams,) for row in range(batch * beams)]
        self.vocabulary, self.seed, self.sharp = vocabulary, seed, sharp
        self.calls = 0

    def logprobs(self, history: tuple[int, ...]) -> np.ndarray:
        rng = np.random.default_rng([self.seed, *history])
        logits = rng.normal(scale=self.sharp, size=self.vocabulary)
        return logits - math.log(np.exp(logits).sum())

    def __call__(self, token_ids: np.ndarray, beam_idx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert token_ids.shape == beam_idx.shape == (len(self.histories),)
        assert token_ids.dtype == beam_idx.dtype == np.int64
        self.calls += 1
        self.histories = [
            (*self.histories[parent], int(token)) for parent, token in zip(beam_idx, token_ids, strict=True)
        ]
        values = np.stack([self.logprobs(history) for history in self.histories])
        order = np.argsort(-values, axis=1, kind="stable")
        return order, np.take_along_axis(values, order, axis=1)


def every_hypothesis(step: FakeStep, question: int, options: DecodingOptions) -> list[Hypothesis]:
    """Return all finished hypotheses of a question, best first: what no search can beat."""
    found = []
    inner = [token for token in range(step.vocabulary) if token != EOS]
    for length in range(options.max_tokens):
        for tokens in itertools.product(inner, repeat=length):
            history = (question, options.bos_id)
            logprobs = []
            for token in (*tokens, EOS):
                logprobs.append(float(step.logprobs(history)[token]))
                history = (*history, token)
            score = sum(logprobs) / len(logprobs) ** options.length_alpha
            found.append(Hypothesis(tokens, tuple(logprobs), True, score))
    return sorted(found, key=lambda hypothesis: -hypothesis.score)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), batch=st.integers(1, 4), alpha=st.sampled_from([0.0, 0.6, 1.0]))
def test_one_beam_is_greedy(seed: int, batch: int, alpha: float) -> None:
    options = DecodingOptions(max_tokens=12, beams=1, length_alpha=alpha)
    by_beams = beam_search(FakeStep(batch, 1, seed=seed), batch, options)
    by_greedy = greedy(FakeStep(batch, 1, seed=seed), batch, options)
    assert [beams[0].tokens for beams in by_beams] == [one.tokens for one in by_greedy]
    assert [beams[0].finished for beams in by_beams] == [one.finished for one in by_greedy]
    assert [beams[0].score for beams in by_beams] == pytest.approx([one.score for one in by_greedy])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), beams=st.integers(1, 5))
def test_the_logprobs_are_the_models_and_their_sum_is_the_score(seed: int, beams: int) -> None:
    step = FakeStep(1, beams, vocabulary=12, seed=seed)
    for hypothesis in beam_search(step, 1, DecodingOptions(max_tokens=8, beams=beams, length_alpha=0.0))[0]:
        history: tuple[int, ...] = (0, BOS)
        again = []
        for token in (*hypothesis.tokens, *([EOS] if hypothesis.finished else [])):
            again.append(float(step.logprobs(history)[token]))
            history = (*history, token)
        assert list(hypothesis.logprobs) == pytest.approx(again)
        assert hypothesis.score == pytest.approx(sum(again))


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(12))
def test_a_large_beam_finds_what_brute_force_finds(seed: int, alpha: float) -> None:
    # 3 inner tokens and 4 steps: at most 27 live beginnings, so 40 beams leave none out.
    options = DecodingOptions(max_tokens=4, beams=40, length_alpha=alpha)
    found = beam_search(FakeStep(1, 40, vocabulary=4, seed=seed), 1, options)[0]
    best = every_hypothesis(FakeStep(1, 1, vocabulary=4, seed=seed), 0, options)[0]
    assert found[0].tokens == best.tokens
    assert found[0].score == pytest.approx(best.score)


@pytest.mark.parametrize("seed", range(20))
def test_more_beams_never_score_worse_than_greedy_here(seed: int) -> None:
    options = DecodingOptions(max_tokens=5, beams=40, length_alpha=0.6)
    wide = beam_search(FakeStep(1, 40, vocabulary=4, seed=seed), 1, options)[0][0]
    narrow = greedy(FakeStep(1, 1, vocabulary=4, seed=seed), 1, options)[0]
    assert not narrow.finished or wide.score >= narrow.score - 1e-12


@pytest.mark.parametrize("beams", [1, 3])
def test_a_batch_gives_what_each_question_gives_alone(beams: int) -> None:
    options = DecodingOptions(max_tokens=10, beams=beams)
    together = beam_search(FakeStep(4, beams, vocabulary=8), 4, options)
    for question in range(4):
        step = FakeStep(1, beams, vocabulary=8)
        step.histories = [(question,)] * beams
        alone = beam_search(step, 1, options)[0]
        assert alone[0].tokens == together[question][0].tokens
        assert alone[0].score == pytest.approx(together[question][0].score)


class ScriptedStep:
    """Answers by the last token alone: `table[token]` is a list of (next token, probability)."""

    def __init__(self, table: dict[int, list[tuple[int, float]]]) -> None:
        self.table = table
        self.fed: list[list[int]] = []

    def __call__(self, token_ids: np.ndarray, beam_idx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.fed.append(token_ids.tolist())
        rows = [self.table[int(token)] for token in token_ids]
        ids = np.array([[token for token, _ in row] for row in rows])
        return ids, np.log(np.array([[probability for _, probability in row] for row in rows]))


_ALWAYS = [(3, 0.9), (4, 0.08), (EOS, 0.02)]
ENDLESS = {BOS: _ALWAYS, 3: _ALWAYS, 4: _ALWAYS, EOS: _ALWAYS}


def test_a_finished_hypothesis_is_frozen_and_live_ones_go_on() -> None:
    # Ending at once is most probable, but a longer answer has the better score for its length.
    table = {
        BOS: [(EOS, 0.5), (3, 0.45), (4, 0.04), (5, 0.01)],
        3: [(4, 0.7), (3, 0.2), (EOS, 0.09), (5, 0.01)],
        4: [(EOS, 0.9), (3, 0.05), (4, 0.04), (5, 0.01)],
        5: [(EOS, 0.9), (3, 0.05), (4, 0.04), (5, 0.01)],
    }
    step = ScriptedStep(table)
    found = beam_search(step, 1, DecodingOptions(max_tokens=6, beams=2, length_alpha=1.0))[0]
    assert [one.tokens for one in found] == [(3, 4), ()]
    assert found[1].logprobs == pytest.approx([math.log(0.5)])
    assert found[0].score == pytest.approx(math.log(0.45 * 0.7 * 0.9) / 3)
    assert all(EOS not in row for row in step.fed)  # A finished beam is never fed on.


def test_no_step_is_spent_when_nothing_live_can_win() -> None:
    table = {BOS: [(3, 0.97), (EOS, 0.03)], 3: [(EOS, 0.99), (3, 0.01)], EOS: [(EOS, 0.9), (3, 0.1)]}
    step = ScriptedStep(table)
    found = beam_search(step, 1, DecodingOptions(max_tokens=50, beams=2, length_alpha=0.6))[0]
    assert found[0].tokens == (3,)
    assert len(step.fed) == 2


def test_a_closed_row_of_a_batch_stays_closed_and_is_fed_its_end_mark() -> None:
    class TwoRows(ScriptedStep):
        def __call__(self, token_ids: np.ndarray, beam_idx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            ids, logprobs = super().__call__(token_ids, beam_idx)
            if len(self.fed) == 2:
                ids[0] = [EOS, 3, 4]  # Row 0 ends in the second step, row 1 never does.
            if len(self.fed) > 2:
                ids[0] = [3, EOS, 4]  # What it says then must not matter.
            return ids, logprobs

    step = TwoRows(ENDLESS)
    first, second = greedy(step, 2, DecodingOptions(max_tokens=5))
    assert first.tokens == (3,)
    assert (first.finished, second.finished) == (True, False)
    assert second.tokens == (3,) * 5
    assert [row[0] for row in step.fed] == [BOS, 3, EOS, EOS, EOS]


def test_tokens_are_called_out_as_they_come_and_are_the_result() -> None:
    heard: list[tuple[int, int]] = []
    found = greedy(
        FakeStep(3, 1, vocabulary=9, seed=4),
        3,
        DecodingOptions(max_tokens=9),
        lambda row, token: heard.append((row, token)),
    )
    for row, hypothesis in enumerate(found):
        assert tuple(token for place, token in heard if place == row) == hypothesis.tokens


def test_the_generator_gives_each_token_before_the_next_step() -> None:
    step = ScriptedStep(ENDLESS)
    steps = greedy_steps(step, 1, DecodingOptions(max_tokens=10))
    for count in (1, 2, 3):
        assert next(steps) == (0, 3)
        assert len(step.fed) == count


@pytest.mark.parametrize("beams", [1, 2])
def test_a_stop_between_two_steps_keeps_the_part_so_far(beams: int) -> None:
    step = ScriptedStep(ENDLESS)
    options = DecodingOptions(max_tokens=50, beams=beams, length_alpha=1.0)
    asked = iter([False, False, False, True])

    def stop() -> bool:
        return next(asked)

    if beams == 1:
        best = greedy(step, 1, options, should_stop=stop)[0]
    else:
        best = beam_search(step, 1, options, stop)[0][0]
    assert len(step.fed) == 3
    assert best.tokens == (3, 3, 3)
    assert not best.finished


def test_the_longest_answer_is_cut_and_says_so() -> None:
    best = greedy(ScriptedStep(ENDLESS), 1, DecodingOptions(max_tokens=7))[0]
    assert len(best.tokens) == 7
    assert not best.finished


@pytest.mark.parametrize("beams", [1, 2])
def test_a_model_that_answers_nan_is_damaged(beams: int) -> None:
    def step(token_ids: np.ndarray, beam_idx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ids = np.tile(np.arange(3, 7), (len(token_ids), 1))
        return ids, np.full(ids.shape, np.nan)

    options = DecodingOptions(max_tokens=3, beams=beams)
    with pytest.raises(BundleDamaged, match="no numbers"):
        if beams == 1:
            greedy(step, 1, options)
        else:
            beam_search(step, 1, options)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (DecodingOptions(max_tokens=0), "max_tokens"),
        (DecodingOptions(beams=0), "beams"),
        (DecodingOptions(beams=65), "beams"),
        (DecodingOptions(length_alpha=-0.1), "length_alpha"),
        (DecodingOptions(length_alpha=math.nan), "length_alpha"),
        (DecodingOptions(eos_id=-1), "eos_id"),
    ],
)
def test_a_bad_option_is_named(options: DecodingOptions, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        validate_decoding_options(options)


def test_an_empty_batch_gives_nothing() -> None:
    assert greedy(FakeStep(0, 1), 0, DecodingOptions()) == []
    assert beam_search(FakeStep(0, 2), 0, DecodingOptions(beams=2)) == []
