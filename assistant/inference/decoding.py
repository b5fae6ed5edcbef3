"""Greedy and beam decoding in NumPy around a step function.

The step function holds the caches; this module holds tokens and scores. The trainer, the exporter's parity check
and the assistant use the same loops, and the tests drive them with a fake step.

Letters: B questions, K top candidates of a row, N beams, R = B * N rows, T steps so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BundleDamaged, UsageError

Ids = NDArray[np.int64]
Floats = NDArray[np.floating]
ShouldStop = Callable[[], bool]
OnToken = Callable[[int, int], None]

MAX_BEAMS = 64
MAX_STEPS = 4096


@dataclass(frozen=True, slots=True)
class DecodingOptions:
    """How to decode. `max_tokens` counts steps, so the end mark too.

    A hypothesis scores (sum of its natural-log probabilities) / (their number ** length_alpha); the end mark
    counts in both (Wu et al. 2016, section 7, without the constant 5).
    """

    max_tokens: int = 128
    beams: int = 1
    length_alpha: float = 0.6
    bos_id: int = 1
    eos_id: int = 2


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What was decoded for one question. `finished`: it ends with the end mark."""

    tokens: tuple[int, ...]  # without start and end mark
    logprobs: tuple[float, ...]  # one a token, and the end mark's
    finished: bool
    score: float


class StepFunction(Protocol):
    """One step of the decoder for R rows, which keeps the caches to itself."""

    def __call__(self, token_ids: Ids, beam_idx: Ids) -> tuple[Ids, Floats]:
        """Feed the last token of each row (R,) and return the next ones' candidates.

        `beam_idx` (R,) says which row of the step before each row continues. Returns ids (R, K) and natural-log
        probabilities (R, K), sorted, the best first. With N beams, K must be at least 2N or the whole
        vocabulary, and at least 2.
        """


def validate_decoding_options(options: DecodingOptions) -> None:
    """Raise UsageError, which names the bad value."""
    if not 1 <= options.max_tokens <= MAX_STEPS:
        raise UsageError(f"max_tokens must be from 1 to {MAX_STEPS}, not {options.max_tokens}")
    if not 1 <= options.beams <= MAX_BEAMS:
        raise UsageError(f"beams must be from 1 to {MAX_BEAMS}, not {options.beams}")
    if not 0.0 <= options.length_alpha <= 5.0:
        raise UsageError(f"length_alpha must be from 0 to 5, not {options.length_alpha}")
    for name, value in (("bos_id", options.bos_id), ("eos_id", options.eos_id)):
        if value < 0:
            raise UsageError(f"{name} must not be negative, not {value}")


def greedy(
    step: StepFunction,
    batch: int,
    options: DecodingOptions,
    on_token: OnToken | None = None,
    should_stop: ShouldStop | None = None,
) -> list[Hypothesis]:
    """Take the most probable token at each step, for `batch` rows at once.

    `on_token(row, token)` is called for each token but the end mark. `should_stop` is asked before each step; when
    it says yes, the rows still open come back as they are, not finished.
    """
    steps = greedy_steps(step, batch, options, should_stop)
    while True:
        try:
            row, token = next(steps)
        except StopIteration as end:
            hypotheses: list[Hypothesis] = end.value
            return hypotheses
        if on_token is not None:
            on_token(row, token)


def greedy_steps(
    step: StepFunction, batch: int, options: DecodingOptions, should_stop: ShouldStop | None = None
) -> Generator[tuple[int, int], None, list[Hypothesis]]:
    """Do `greedy` as a generator: yields (row, token) as they come, returns the hypotheses."""
    validate_decoding_options(options)
    tokens: list[list[int]] = [[] for _ in range(batch)]
    logprobs: list[list[float]] = [[] for _ in range(batch)]
    open_rows = list(range(batch))
    last = np.full(batch, options.bos_id, np.int64)  # (B,)
    rows = np.arange(batch, dtype=np.int64)  # (B,)
    for _ in range(options.max_tokens):
        if not open_rows or (should_stop is not None and should_stop()):
            break
        ids, values = step(last, rows)  # (B, K) each
        last = ids[:, 0].copy()
        best, best_values = last.tolist(), values[:, 0].tolist()
        still_open = []
        for row in open_rows:
            token = best[row]
            logprobs[row].append(best_values[row])
            if token == options.eos_id:
                continue
            tokens[row].append(token)
            still_open.append(row)
            yield row, token
        open_rows = still_open
        if len(open_rows) < batch:
            # A closed row is fed its end mark on; what it answers is not looked at.
            last[[row for row in range(batch) if row not in open_rows]] = options.eos_id
    left = set(open_rows)
    return [make_hypothesis(tokens[row], logprobs[row], row not in left, options.length_alpha) for row in range(batch)]


def make_hypothesis(tokens: list[int], logprobs: list[float], finished: bool, alpha: float) -> Hypothesis:
    """Score tokens and log-probabilities. Raises BundleDamaged when the model wrote NaN."""
    total = math.fsum(logprobs)
    if math.isnan(total):
        raise BundleDamaged("the model answers with values that are no numbers")
    return Hypothesis(tuple(tokens), tuple(logprobs), finished, total / max(1, len(logprobs)) ** alpha)


def beam_search(
    step: StepFunction, batch: int, options: DecodingOptions, should_stop: ShouldStop | None = None
) -> list[list[Hypothesis]]:
    """Keep the N best beginnings of each question; return its hypotheses, best first, at most N of them.

    Live and finished ones are kept apart: of the 2N best continuations, those that end among the first N finish
    and never change again, and the first N that go on live. A question is done when N have finished, or when the
    best finished one can no longer be beaten by any live one: log-probabilities only fall, so a live sum over the
    greatest length's penalty bounds all its continuations. The first hypothesis is therefore what the search
    without that early end would find; the later ones are what was found until then. With N = 1 it is `greedy`.
    """
    validate_decoding_options(options)
    state = _BeamState(batch, options)
    for _ in range(options.max_tokens):
        if state.done.all() or (should_stop is not None and should_stop()):
            break
        ids, logprobs = step(state.last, state.parents)  # (R, K) each
        state.advance(ids, logprobs)
    return state.hypotheses()


class _BeamState:
    """The beams of a batch. Arrays have room for all steps; `length` of them are taken.

    One step of a small model takes 200 microseconds, so that a handful of NumPy calls shows: rows are picked by plain
    indexing, which takes a fifth of `take_along_axis`'s time, and the rare work (an end mark) is asked for first.
    """

    def __init__(self, batch: int, options: DecodingOptions) -> None:
        self.options = options
        self.batch, self.beams = batch, options.beams
        rows = batch * options.beams
        self.last: Ids = np.full(rows, options.bos_id, np.int64)  # (R,) fed next
        self.parents: Ids = np.arange(rows, dtype=np.int64)  # (R,) cache row each continues
        self.questions = np.arange(batch, dtype=np.int64)[:, None]  # (B, 1)
        # Only the first beam lives at the start: N copies of one beginning would stay N copies.
        self.sums = np.full((batch, options.beams), -np.inf)  # (B, N) log-probability of each live beam
        self.sums[:, 0] = 0.0
        self.length = 0
        self.tokens = np.zeros((batch, options.beams, options.max_tokens), np.int64)  # (B, N, T)
        self.logprobs = np.zeros((batch, options.beams, options.max_tokens))  # (B, N, T)
        self.finished: list[list[Hypothesis]] = [[] for _ in range(batch)]
        self.done = np.zeros(batch, bool)  # (B,)

    def advance(self, ids: Ids, logprobs: Floats) -> None:
        """Take one step's candidates (R, K) in."""
        kept = min(ids.shape[1], 2 * self.beams)  # No beam has more than these among the 2N best of all.
        values = np.asarray(logprobs[:, :kept], np.float64).reshape(self.batch, -1)  # (B, N*K)
        sums = values + np.repeat(self.sums, kept, axis=1)  # (B, N*K)
        if np.isnan(sums).any():
            raise BundleDamaged("the model answers with values that are no numbers")
        # Stable: of equal candidates the one of the better beam comes first, on every machine.
        best = np.argsort(-sums, axis=1, kind="stable")[:, : 2 * self.beams]  # (B, 2N)
        best_ids = ids[:, :kept].reshape(self.batch, -1)[self.questions, best]  # (B, 2N)
        ends = best_ids == self.options.eos_id  # (B, 2N)
        if not ends.any():
            best, best_ids = best[:, : self.beams], best_ids[:, : self.beams]
        else:
            self._finish(ends, best, best // kept, sums, values)
            # False sorts before True and the sort is stable: the first N that go on, in their order.
            alive = np.argsort(ends, axis=1, kind="stable")[:, : self.beams]  # (B, N)
            best, best_ids = best[self.questions, alive], best_ids[self.questions, alive]
        self.sums = sums[self.questions, best]
        self._keep(best // kept, best_ids, values[self.questions, best])
        self._close_rows()

    def _finish(self, ends: NDArray[np.bool_], best: Ids, beams: Ids, sums: Floats, values: Floats) -> None:
        """Move continuations that end, (B, N) of them looked at, to the finished ones of their question."""
        for row, place in np.argwhere(ends[:, : self.beams] & ~self.done[:, None]):
            candidate, beam = best[row, place], beams[row, place]
            if not np.isfinite(sums[row, candidate]):
                continue
            tokens, logprobs = self._beam(row, beam)
            logprobs.append(float(values[row, candidate]))
            self.finished[row].append(make_hypothesis(tokens, logprobs, True, self.options.length_alpha))

    def _keep(self, beams: Ids, ids: Ids, values: Floats) -> None:
        """Let the chosen continuations, (B, N) each, be the live beams."""
        taken = self.length
        self.tokens[:, :, :taken] = self.tokens[self.questions, beams, :taken]
        self.logprobs[:, :, :taken] = self.logprobs[self.questions, beams, :taken]
        self.tokens[:, :, taken], self.logprobs[:, :, taken] = ids, values
        self.length += 1
        self.last = ids.reshape(-1)
        self.parents = (self.questions * self.beams + beams).reshape(-1)

    def _close_rows(self) -> None:
        """Mark the questions that are done: N finished, or none that lives can win."""
        for row, finished in enumerate(self.finished):
            if not finished or self.done[row]:
                continue
            bound = self.sums[row].max() / self.options.max_tokens**self.options.length_alpha
            self.done[row] = len(finished) >= self.beams or max(one.score for one in finished) >= bound

    def hypotheses(self) -> list[list[Hypothesis]]:
        """Return the finished ones of each question, best first, then live ones where the search was cut short."""
        found = []
        for row in range(self.batch):
            best = sorted(self.finished[row], key=lambda hypothesis: -hypothesis.score)
            found.append((best + ([] if self.done[row] else self._live(row)))[: self.beams])
        return found

    def _live(self, row: int) -> list[Hypothesis]:
        alpha = self.options.length_alpha
        return [
            make_hypothesis(*self._beam(row, beam), False, alpha)
            for beam in range(self.beams)
            if np.isfinite(self.sums[row, beam])
        ]

    def _beam(self, row: int, beam: int) -> tuple[list[int], list[float]]:
        """Return a live beam's tokens and log-probabilities."""
        taken = self.length
        return self.tokens[row, beam, :taken].tolist(), self.logprobs[row, beam, :taken].tolist()
