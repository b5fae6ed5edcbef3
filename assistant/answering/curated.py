"""The curated index: which entries lie closest to a question's embedding.

Exact search: one matrix product over some thousand rows takes less than a millisecond, so there is nothing to
approximate. Letters: N rows (phrasings), D width, E entries that can be shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BundleDamaged
from assistant.types import CuratedEntry, Match

Vector = NDArray[np.float32]
_BEST_ROWS = 3
# On the development questions the mean of both is right more often than the prototype or the questions alone.
_QUESTIONS_SHARE = 0.5


class CuratedIndex:
    """The entries of a bundle and the embeddings of their phrasings."""

    def __init__(self, entries: Sequence[CuratedEntry], embeddings: Vector, blend: float = _QUESTIONS_SHARE) -> None:
        """Take entries and rows (N, D), L2-normalised.

        The first of an entry's rows is its prototype, the direction that training gave it; the others are its
        questions. Its score is the cosine to the prototype, with `blend` (0 to 1) of the mean cosine to its
        closest three questions mixed in. Raises BundleDamaged when an entry's rows are not there.
        """
        for entry in entries:
            if entry.rows[1] > len(embeddings):
                raise BundleDamaged(f"{entry.id} asks for {entry.rows[1]} vectors, there are {len(embeddings)}")
        self.entries = tuple(entries)
        self.shown = tuple(entry for entry in entries if entry.kind != "out_of_scope")
        self._by_id = {entry.id: entry for entry in self.shown}
        self._blend = blend
        self._rows, self._starts = _gather(embeddings, self.shown)  # (M, D), (E,)
        self._sizes = np.diff([*self._starts, len(self._rows)])  # (E,)
        self._owners = np.repeat(np.arange(len(self.shown)), self._sizes)  # (M,)
        outside = [entry for entry in entries if entry.kind == "out_of_scope"]
        self._negatives, _ = _gather(embeddings, outside)

    @property
    def width(self) -> int:
        """D, the width of the embeddings."""
        return int(self._rows.shape[1])

    def entry(self, entry_id: str) -> CuratedEntry | None:
        """Return the entry of that id, if it can be shown."""
        return self._by_id.get(entry_id)

    def search(self, vector: Vector, k: int = 5) -> list[Match]:
        """Return the `k` entries closest to a normalised vector (D,), topics and small talk, best first."""
        scores = self._scores(vector)  # (E,)
        # Stable, so that of equal ones the first in the bundle's order wins on every machine.
        best = np.argsort(-scores, kind="stable")[:k]
        return [
            Match(self.shown[place].id, self.shown[place].question, round(float(scores[place]), 6)) for place in best
        ]

    def negative_similarity(self, vector: Vector) -> float:
        """Return the greatest cosine to a question that is known to be out of scope; 0 where none is known."""
        if not len(self._negatives):
            return 0.0
        return float((self._negatives @ vector).max())

    def _scores(self, vector: Vector) -> NDArray[np.float32]:
        cosines = self._rows @ vector  # (M,)
        prototypes = cosines[self._starts]  # (E,)
        return np.asarray((1 - self._blend) * prototypes + self._blend * self._best_questions(cosines))

    def _best_questions(self, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return each entry's mean over its closest questions, (E,); one without questions takes its prototype."""
        asked = cosines.copy()
        asked[self._starts[self._sizes > 1]] = -np.inf  # The prototype is no question.
        ordered = asked[np.lexsort((-asked, self._owners))]  # (M,) by entry, each one's best first
        rank = np.arange(len(ordered)) - self._starts[self._owners]  # (M,)
        taken = (rank < _BEST_ROWS) & np.isfinite(ordered)
        sums = np.add.reduceat(np.where(taken, ordered, 0), self._starts)  # (E,)
        counts = np.add.reduceat(taken.astype(np.float32), self._starts)  # (E,)
        return np.asarray(sums / counts, np.float32)


def _gather(embeddings: Vector, entries: Sequence[CuratedEntry]) -> tuple[Vector, NDArray[np.int64]]:
    """Return the entries' rows one after the other, and where each entry's begin."""
    if not entries:
        return np.zeros((0, embeddings.shape[1]), np.float32), np.zeros(0, np.int64)
    sizes = [entry.rows[1] - entry.rows[0] for entry in entries]
    rows = np.concatenate([embeddings[slice(*entry.rows)] for entry in entries])
    return np.ascontiguousarray(rows, np.float32), np.cumsum([0, *sizes[:-1]], dtype=np.int64)
