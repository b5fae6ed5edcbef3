"""The curated index against a plain loop over all rows."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.answering.curated import CuratedIndex
from assistant.errors import BundleDamaged
from assistant.types import CuratedEntry

SIZES = [3, 1, 5, 2]


def unit(array: np.ndarray) -> np.ndarray:
    return (array / np.linalg.norm(array, axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def vectors() -> np.ndarray:
    return unit(np.random.default_rng(1).normal(size=(sum(SIZES) + 2, 8)))


@pytest.fixture
def entries() -> list[CuratedEntry]:
    kinds = ["topic", "smalltalk", "topic", "out_of_scope"]
    starts = np.cumsum([0, *SIZES])
    return [
        CuratedEntry(f"e{place}", f"Question {place}?", "Answer.", kind=kind, rows=(first, first + size))  # type: ignore[arg-type]
        for place, (kind, first, size) in enumerate(zip(kinds, map(int, starts), SIZES, strict=False))
    ]


@pytest.mark.parametrize("blend", [0.0, 0.3, 1.0])
def test_scores_are_those_of_a_plain_loop(entries: list[CuratedEntry], vectors: np.ndarray, blend: float) -> None:
    index = CuratedIndex(entries, vectors, blend)
    for seed in range(20):
        question = unit(np.random.default_rng(seed).normal(size=8))
        expected = {}
        for entry in entries[:3]:
            prototype, *asked = (float(row @ question) for row in vectors[slice(*entry.rows)])
            nearest = sorted(asked or [prototype], reverse=True)[:3]
            expected[entry.id] = (1 - blend) * prototype + blend * float(np.mean(nearest))
        found = index.search(question, k=5)
        assert [match.id for match in found] == sorted(expected, key=lambda name: -expected[name])
        assert [match.score for match in found] == pytest.approx(sorted(expected.values(), reverse=True), abs=1e-5)


def test_negatives_are_felt_and_never_shown(entries: list[CuratedEntry], vectors: np.ndarray) -> None:
    index = CuratedIndex(entries, vectors)
    row = vectors[entries[3].rows[0]]
    assert index.negative_similarity(row) == pytest.approx(1.0)
    assert index.entry("e3") is None
    assert all(match.id != "e3" for match in index.search(row))
    assert CuratedIndex(entries[:3], vectors).negative_similarity(row) == 0.0


def test_of_equal_entries_the_first_wins() -> None:
    entries = [CuratedEntry(name, "Q?", "A.", rows=(0, 1)) for name in ("b", "a", "c")]
    index = CuratedIndex(entries, np.ones((1, 1), np.float32))
    assert [match.id for match in index.search(np.ones(1, np.float32), k=2)] == ["b", "a"]


def test_rows_that_are_not_there_are_named(entries: list[CuratedEntry], vectors: np.ndarray) -> None:
    with pytest.raises(BundleDamaged, match="e2"):
        CuratedIndex(entries, vectors[:6])
