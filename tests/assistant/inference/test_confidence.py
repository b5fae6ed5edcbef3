"""Features of a reply and the calibrated probability."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BundleDamaged, BundleUnsupported
from assistant.inference.confidence import FEATURES, Calibration, features, lexical_overlap, token_f1, words
from assistant.types import CuratedEntry, Match

ENTRY = CuratedEntry("tides", "What causes the tides?", "The moon pulls on the sea.")
NUMBERS = {
    "features": ["similarity", "margin"],
    "mean": [0.5, 0.1],
    "scale": [0.25, 0.1],
    "weights": [2.0, 0.5],
    "bias": -1.0,
    "thresholds": {"answer": 0.6, "suggest": 0.2},
}


def written(tmp_path: Path, **changed: Any) -> Path:
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps({"schema_version": 1, "variants": {"cpu-int8": {**NUMBERS, **changed}}}))
    return path


def test_every_feature_is_there_and_means_what_it_says() -> None:
    matches = [Match("tides", ENTRY.question, 0.9), Match("waves", "How do waves form?", 0.6)]
    values = features("why are there tides?", matches, ENTRY, 0.2, "The moon pulls on the sea.", [-0.1, -0.5, 0.0])
    assert set(values) == set(FEATURES)
    assert values["mean_logprob"] == pytest.approx(-0.2)
    assert values["min_logprob"] == -0.5
    assert values["margin"] == pytest.approx(0.3)
    assert values["agreement"] == 1.0
    assert values["lexical_overlap"] == 1.0
    assert values["length"] == pytest.approx(math.log(5))


def test_a_reply_without_matches_or_tokens_has_features_too() -> None:
    values = features("", [], None, 0.0, "", [])
    assert set(values) == set(FEATURES)
    assert values["similarity"] == values["agreement"] == 0.0


def test_f1_counts_words_not_case_or_punctuation() -> None:
    assert token_f1("The moon, pulls!", "the MOON pulls") == 1.0
    assert token_f1("a b", "b c") == 0.5
    assert token_f1("", "a") == 0.0
    assert words("Don’t stop") == ["don't", "stop"]


def test_function_words_and_plurals_do_not_count_as_overlap() -> None:
    assert lexical_overlap("what is the tide", ENTRY) == 1.0
    assert lexical_overlap("what is the capital of France", ENTRY) == 0.0
    assert lexical_overlap("what is it", ENTRY) == 0.0


def test_the_probability_is_the_logistic_of_standardised_features(tmp_path: Path) -> None:
    calibration = Calibration.load(written(tmp_path), "cpu-int8")
    expected = 1 / (1 + math.exp(-(2.0 * (0.75 - 0.5) / 0.25 + 0.5 * (0.2 - 0.1) / 0.1 - 1.0)))
    assert calibration.probability({"similarity": 0.75, "margin": 0.2}) == pytest.approx(expected)


def test_the_probability_stays_one_at_the_ends_and_with_a_dead_feature(tmp_path: Path) -> None:
    calibration = Calibration.load(written(tmp_path, weights=[1e6, 1e6], scale=[1e-6, 0.0]), "cpu-int8")
    assert calibration.probability({"similarity": 9.0, "margin": 0.0}) == 1.0
    assert 0.0 <= calibration.probability({"similarity": -9.0, "margin": 0.0}) < 1e-300


def test_a_variant_that_is_not_there_takes_the_first_ones_numbers(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert Calibration.load(path, "cuda-fp16") == Calibration.load(path, "cpu-int8")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"mean": [0.5]}, "mean"),
        ({"scale": [1.0, "x"]}, "scale"),
        ({"weights": [1.0, math.nan]}, "weights"),
        ({"bias": None}, "bias"),
        ({"features": 3}, "features"),
        ({"thresholds": {"answer": 0.2, "suggest": 0.6}}, "thresholds"),
        ({"thresholds": {}}, "answer"),
    ],
)
def test_bad_numbers_are_named(tmp_path: Path, changed: dict[str, Any], named: str) -> None:
    with pytest.raises(BundleDamaged, match=named):
        Calibration.load(written(tmp_path, **changed), "cpu-int8")


def test_what_is_unknown_is_unsupported(tmp_path: Path) -> None:
    with pytest.raises(BundleUnsupported, match="weather"):
        Calibration.load(written(tmp_path, features=["similarity", "weather"]), "cpu-int8")
    path = tmp_path / "calibration.json"
    path.write_text('{"schema_version": 2, "variants": {}}')
    with pytest.raises(BundleUnsupported, match="schema version 2"):
        Calibration.load(path, "cpu-int8")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"schema_version": 1, "variants": {}}', b"[" * 100_000])
def test_a_file_that_is_no_calibration_is_damaged(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "calibration.json"
    path.write_bytes(data)
    with pytest.raises(BundleDamaged, match="calibration.json"):
        Calibration.load(path, "cpu-int8")
    with pytest.raises(BundleDamaged, match="cannot be read"):
        Calibration.load(tmp_path / "none.json", "cpu-int8")
