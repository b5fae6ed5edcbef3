"""The losses by hand."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from keras import ops
from scipy.special import log_softmax

from trainer import losses
from trainer.config import preset
from trainer.dataset import share
from trainer.train import Learner

LOGITS = np.array(
    [[[0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [9.0, 9.0, 1.0]], [[1.0, 1.0, 1.0], [5.0, 1.0, 0.0], [0.0, 7.0, 0.0]]],
    dtype="float32",
)
TARGET = np.array([[2, 1, 0], [1, 0, 0]], dtype="int32")


def test_cross_entropy_is_the_mean_over_real_labels() -> None:
    a = -math.log(math.e**2 / (1 + math.e + math.e**2))
    b = -math.log(1 / (math.e**3 + 2))
    c = math.log(3)
    assert float(losses.masked_cross_entropy(TARGET, LOGITS)) == pytest.approx((a + b + c) / 3, abs=1e-6)


def test_padding_labels_do_not_count() -> None:
    other = LOGITS.copy()
    other[0, 2], other[1, 1:] = [-50, 0, 50], [[0, 30, 0], [0, 0, 40]]
    assert float(losses.masked_cross_entropy(TARGET, other)) == float(losses.masked_cross_entropy(TARGET, LOGITS))
    assert float(losses.masked_cross_entropy(np.zeros((2, 3), "int32"), LOGITS)) == 0.0


def test_label_smoothing() -> None:
    logs = log_softmax(LOGITS, axis=-1)
    places = [(0, 0, 2), (0, 1, 1), (1, 0, 1)]
    wanted = np.mean([-0.9 * logs[b, t, v] - 0.1 * logs[b, t].mean() for b, t, v in places])
    assert float(losses.masked_cross_entropy(TARGET, LOGITS, 0.1)) == pytest.approx(wanted, abs=1e-5)


def test_cross_entropy_counts_in_single_precision() -> None:
    assert losses.masked_cross_entropy(TARGET, ops.cast(LOGITS, "bfloat16")).dtype == np.float32


def test_contrastive_loss_by_hand() -> None:
    anchors = np.array([[1.0, 0.0], [0.0, 1.0]], dtype="float32")
    others = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], dtype="float32")
    same = np.array([[1, 0, 0], [0, 1, 0]], dtype="float32")
    first = -math.log(math.exp(2) / (math.exp(2) + 1 + math.exp(1.2)))
    second = -math.log(math.exp(2) / (1 + math.exp(2) + math.exp(1.6)))
    value = float(losses.supervised_contrastive(anchors, others, same, 0.5))
    assert value == pytest.approx((first + second) / 2, abs=1e-6)


def test_contrastive_loss_takes_the_mean_over_all_that_belong_together() -> None:
    anchors = np.array([[1.0, 0.0]], dtype="float32")
    others = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype="float32")
    logs = log_softmax([1.0, 0.8, 0.0])
    value = float(losses.supervised_contrastive(anchors, others, np.array([[1, 1, 0]], "float32"), 1.0))
    assert value == pytest.approx(-(logs[0] + logs[1]) / 2, abs=1e-6)


def test_prototype_loss_uses_directions_only() -> None:
    pooled = np.array([[0.6, 0.8], [1.0, 0.0]], dtype="float32")
    prototypes = np.array([[2.0, 0.0], [0.0, 0.5]], dtype="float32")
    logs = log_softmax(np.array([[6, 8], [10, 0]]), axis=1)
    value = float(losses.prototype_loss(pooled, np.array([1, 0]), prototypes, 0.1))
    assert value == pytest.approx(-(logs[0, 1] + logs[1, 0]) / 2, abs=1e-5)


def test_outside_loss_pushes_below_the_margin() -> None:
    prototypes = np.array([[3.0, 0.0], [0.0, 1.0]], dtype="float32")
    pooled = np.array([[1.0, 0.0], [-1.0, 0.0]], dtype="float32")  # nearest: 1 and 0
    wanted = np.mean([math.log1p(math.exp((x - 0.3) / 0.2)) for x in (1.0, 0.0)])
    assert float(losses.outside_loss(pooled, prototypes, 0.2)) == pytest.approx(wanted, abs=1e-5)


def test_unit_of_zero_is_zero() -> None:
    np.testing.assert_allclose(
        losses.unit(np.array([[3.0, 4.0], [0.0, 0.0]], "float32")), [[0.6, 0.8], [0, 0]], atol=1e-6
    )


@pytest.mark.parametrize("part", [0.07, 0.14, 0.15, 0.21, 0.5, 1.0])
def test_the_loss_counts_pairs_as_the_batches_do(part: float) -> None:
    """In single precision 0.07 * 150 is rounded to 10, in double to 11: a batch would not fit its loss."""
    recipe = replace(preset("tiny").train, pair_share=part, batch_size=192)
    learner = SimpleNamespace(train_config=recipe)
    for rows in range(1, 193):
        assert int(Learner._pairs(learner, ops.convert_to_tensor(rows))) == share(part, rows)
        assert Learner._pairs(learner, rows) == share(part, rows)
