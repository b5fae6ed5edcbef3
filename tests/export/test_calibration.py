"""The fit of the confidence: what it promises on its own examples, and what it refuses."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.answering.engine import Engine
from assistant.bundle.reader import Bundle
from assistant.errors import ExportError, TableError
from assistant.inference.confidence import FEATURES, Calibration
from export.calibrate import RISK, evidence, fit, made_examples, measure, neutral, read_examples, threshold
from trainer.general import with_general
from trainer.table import read_table

Data = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]


@pytest.fixture
def data() -> Data:
    """Features in which similarity and agreement tell right from wrong, with noise."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(600, len(FEATURES)))
    signal = 2 * features[:, FEATURES.index("similarity")] + features[:, FEATURES.index("agreement")]
    right = signal + rng.normal(size=600) > 0
    return features, right, rng.random(600) < 0.7


def calibration(record: object) -> Calibration:
    text = json.dumps({"schema_version": 1, "variants": {"cpu-int8": record}})
    return Calibration.parse(text.encode(), "calibration.json", "cpu-int8")


def test_the_assistant_reads_the_record_and_computes_the_same(data: Data) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    features, right, inside = data
    read = calibration(fit(features, right, inside, 7))
    scaled = StandardScaler().fit_transform(features)
    wanted = LogisticRegression(max_iter=1000).fit(scaled, right).predict_proba(scaled)[:, 1]
    ours = [read.probability(dict(zip(FEATURES, row, strict=True))) for row in features]
    np.testing.assert_allclose(ours, wanted, atol=1e-6)


def test_probability_grows_with_a_feature_of_positive_weight(data: Data) -> None:
    read = calibration(fit(*data, 7))
    start = dict.fromkeys(FEATURES, 0.0)
    for name in ("similarity", "agreement"):
        rising = [read.probability({**start, name: value}) for value in np.linspace(-4, 4, 33)]
        assert all(a < b for a, b in pairwise(rising)), name
        assert 0 < rising[0] < rising[-1] < 1


def test_the_threshold_keeps_the_risk_and_is_the_lowest_that_does(data: Data) -> None:
    rng = np.random.default_rng(5)
    for case in range(30):
        # Rounded, so that many examples share a value: a cut may not fall among them.
        probability = rng.random(200).round(case % 3 + 1)
        right = rng.random(200) < probability**0.2
        cut = threshold(probability, right)
        if cut < 1.0:
            assert (~right[probability >= cut]).mean() <= RISK
        for lower in np.unique(probability[probability < cut]):
            assert (~right[probability >= lower]).mean() > RISK


def test_a_record_is_in_order_and_measured_at_its_own_threshold(data: Data) -> None:
    record = fit(*data, 7)
    thresholds, found = record["thresholds"], record["evidence"]
    assert 0 <= thresholds["suggest"] <= thresholds["answer"] <= 1
    assert found["examples"] == 600
    assert found["risk"] <= RISK
    assert 0 < found["coverage"] < 1
    assert 0 < found["brier"] < 0.25
    assert record == fit(*data, 7)


def test_no_threshold_where_nothing_is_safe() -> None:
    probability, right = np.linspace(0, 1, 50), np.zeros(50, dtype=bool)
    assert threshold(probability, right) == 1.0
    assert evidence(probability[:-1], right[:-1], 1.0)["risk"] == 0.0


@pytest.mark.parametrize(("good", "bad"), [(40, 0), (0, 40), (40, 4), (4, 40), (0, 0)])
def test_degenerate_examples_are_refused_with_their_numbers(good: int, bad: int) -> None:
    right = np.array([True] * good + [False] * bad, dtype=bool)
    features = np.zeros((len(right), len(FEATURES)))
    with pytest.raises(ExportError, match=f"needs right and wrong examples, 5 of each; it has {good} and {bad}"):
        fit(features, right, right, 7)


def test_constant_features_do_no_harm() -> None:
    right = np.array([True, False] * 20)
    features = np.zeros((40, len(FEATURES)))
    features[:, 2] = right
    read = calibration(fit(features, right, right, 7))
    assert read.probability(dict.fromkeys(FEATURES, 0.0)) < 0.5
    assert read.probability({**dict.fromkeys(FEATURES, 0.0), FEATURES[2]: 1.0}) > 0.5


def test_neutral_says_one_half_to_everything() -> None:
    text = json.dumps(neutral(["cpu-int8", "cuda-fp16"]))
    for variant in ("cpu-int8", "cuda-fp16"):
        assert Calibration.parse(text.encode(), "x", variant).probability({}) == 0.5


def test_made_examples_are_the_same_each_time_and_of_both_kinds(tiny_table: Path) -> None:
    table = with_general(read_table(tiny_table), "money")
    first, again = made_examples(table, 7), made_examples(table, 7)
    assert first == again
    assert first != made_examples(table, 8)
    inside = [example for example in first if example.id]
    assert {example.id for example in inside} == {entry.id for entry in table.entries}
    assert len(inside) < len(first)
    own = {text for entry in table.entries for text in (entry.question, *entry.phrasings)}
    assert not {example.question for example in first if not example.id} & own
    assert all(example.question.strip() for example in first)


def test_written_examples_are_read(tmp_path: Path) -> None:
    lines = [{"question": "a?", "id": "x"}, {"question": "b?", "previous": "a?", "id": "x"}, {"question": "c?"}]
    (tmp_path / "one.jsonl").write_text("\n\n".join(map(json.dumps, lines)) + "\n")
    found = read_examples(tmp_path, {"x"})
    assert [(e.question, e.id, e.previous) for e in found] == [("a?", "x", None), ("b?", "x", "a?"), ("c?", "", None)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"question": "a?"}\n{"question": "b?", "id": "nowhere"}\n', "line 2: no entry has the id 'nowhere'"),
        (b'{"question": "a?"}\nnonsense\n', "line 2: no JSON object"),
        (b'{"id": "x"}\n', 'line 1: no text under "question"'),
        (b'{"question": "a?", "previous": 3}\n', 'line 1: "previous" is no text'),
        (b"", "holds no question"),
        (b'{"question": "caf\xe9"}\n', "is not UTF-8"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "set.jsonl").write_bytes(content)
    with pytest.raises(TableError) as caught:
        read_examples(tmp_path, {"x"})
    assert message in str(caught.value)
    assert str(tmp_path / "set.jsonl") in str(caught.value)


def test_a_folder_without_examples(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"holds no \.jsonl"):
        read_examples(tmp_path, set())


def test_the_features_are_the_engine_s(opened: Bundle, tiny_table: Path) -> None:
    engine = Engine.for_variant(opened, "cpu-fp32")
    examples = made_examples(read_table(tiny_table), 7)[:12]
    features, right = measure(engine, examples)
    assert features.shape == (12, len(FEATURES))
    assert np.isfinite(features).all()
    assert right.mean() > 0.5
    column = features[:, FEATURES.index("similarity")]
    assert (column <= 1.001).all()
