"""The losses: cross-entropy over answers, contrast over questions."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from typing import Any

import keras
from keras import ops

from trainer.config import PAD_ID

Tensor = Any
# Cosine similarity to every entry that a question outside the set should stay under.
OUTSIDE_MARGIN = 0.3


def masked_cross_entropy(target: Tensor, logits: Tensor, smoothing: float = 0.0) -> Tensor:
    """Mean over the labels that are no padding: target (B, T), logits (B, T, V) -> scalar.

    `smoothing` is label smoothing (Szegedy et al., 2016; section 5.4 of the paper).
    """
    log_probabilities = ops.log_softmax(ops.cast(logits, "float32"), axis=-1)
    picked = ops.take_along_axis(log_probabilities, target[:, :, None], axis=-1)[:, :, 0]
    loss = -(1.0 - smoothing) * picked - smoothing * ops.mean(log_probabilities, axis=-1)
    weight = ops.cast(ops.not_equal(target, PAD_ID), "float32")
    return ops.sum(loss * weight) / ops.maximum(ops.sum(weight), 1.0)


def supervised_contrastive(anchors: Tensor, others: Tensor, same: Tensor, temperature: float) -> Tensor:
    """Khosla et al. (2020), the L_out form: anchors (B, D), others (N, D), same 0/1 (B, N) -> scalar."""
    scores = ops.matmul(anchors, ops.transpose(others)) / temperature
    log_probabilities = ops.log_softmax(scores, axis=-1)
    return -ops.mean(ops.sum(log_probabilities * same, axis=-1) / ops.sum(same, axis=-1))


def prototype_loss(pooled: Tensor, entry: Tensor, prototypes: Tensor, temperature: float) -> Tensor:
    """Cross-entropy of cosine scores against one learned direction an entry: pooled (B, D), entry (B,)."""
    scores = ops.matmul(pooled, ops.transpose(unit(prototypes))) / temperature
    return ops.mean(keras.losses.sparse_categorical_crossentropy(entry, scores, from_logits=True))


def outside_loss(pooled: Tensor, prototypes: Tensor, temperature: float) -> Tensor:
    """Push questions outside the set (N, D) under OUTSIDE_MARGIN of similarity to every entry."""
    nearest = ops.max(ops.matmul(pooled, ops.transpose(unit(prototypes))), axis=-1)
    return ops.mean(ops.softplus((nearest - OUTSIDE_MARGIN) / temperature))


def unit(x: Tensor) -> Tensor:
    """Rows scaled to length 1."""
    return x / ops.sqrt(ops.maximum(ops.sum(x * x, axis=-1, keepdims=True), 1e-12))
