"""The encoder-decoder Transformer: one forward pass for training, evaluation and export."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from typing import Any

import keras
import numpy as np
from keras import ops

from trainer.config import LEARNED_POSITIONS, ModelConfig, StackConfig
from trainer.layers import (
    DecoderLayer,
    Embedding,
    EncoderLayer,
    KeyValue,
    Linear,
    Tensor,
    causal_bias,
    length_of,
    padding_bias,
)


def _embedding(stack: StackConfig, config: ModelConfig, vocabulary: int, length: int) -> Embedding:
    return Embedding(
        vocabulary,
        config.d_model,
        length,
        stack.positions,
        stack.scale,
        stack.normalise,
        stack.epsilon,
        config.dropout,
        name="embedding",
    )


class Encoder(keras.layers.Layer):  # type: ignore[misc]
    """Question ids (B, S) -> states (B, S, D)."""

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        stack = config.encoder
        length = LEARNED_POSITIONS if stack.positions == "learned" else max(config.max_question_tokens, 16)
        self.embedding = _embedding(stack, config, config.question_vocab_size, length)
        self.stack = [
            EncoderLayer(stack.heads, stack.inner, stack.activation, stack.epsilon, config.dropout, name=f"layer_{i}")
            for i in range(stack.layers)
        ]
        self.width = config.d_model

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.embedding.build(shape)
        for layer in self.stack:
            layer.build((*shape, self.width))

    def call(self, ids: Tensor, visible: Tensor, training: bool = False) -> Tensor:
        x = self.embedding(ids, training=training)
        bias = padding_bias(visible, self.compute_dtype)
        for layer in self.stack:
            x = layer(x, bias, training=training)
        return x


class Decoder(keras.layers.Layer):  # type: ignore[misc]
    """Answer ids (B, T) and the question's keys and values -> logits (B, T, V)."""

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        stack = config.decoder
        self.embedding = _embedding(stack, config, config.answer_vocab_size, config.max_answer_tokens + 2)
        self.stack = [
            DecoderLayer(stack.heads, stack.inner, stack.activation, stack.epsilon, config.dropout, name=f"layer_{i}")
            for i in range(stack.layers)
        ]
        self.vocabulary = Linear(config.answer_vocab_size, name="vocabulary", dtype="float32")
        self.width = config.d_model

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.embedding.build(shape)
        for layer in self.stack:
            layer.build((*shape, self.width))
        self.vocabulary.build((*shape, self.width))

    def call(
        self,
        ids: Tensor,
        memory: list[KeyValue],
        visible: Tensor,
        past: list[KeyValue] | None = None,
        offset: Tensor | None = None,
        training: bool = False,
    ) -> tuple[Tensor, list[KeyValue], list[Tensor]]:
        """Decode T tokens (teacher forcing) or, with `past` and `offset`, the single next one.

        ids (B, T); visible 0/1 (B, S); past: per layer keys and values (B, H, P, K); offset (1,) = P.
        Returns logits (B, T, V), or (B, V) for a single token, the grown caches and the cross-attention weights
        (B, H, T, S) per layer.
        """
        x = self.embedding(ids, offset=offset, training=training)
        if past is not None:
            x = ops.squeeze(x, axis=1)  # (B, D): rows of one position keep the exported step free of shape arithmetic
        cross_bias = padding_bias(visible, self.compute_dtype)
        hidden = causal_bias(length_of(ids), self.compute_dtype) if past is None else None
        caches, weights = [], []
        for i, layer in enumerate(self.stack):
            x, cache, seen = layer(
                x, memory[i], hidden, cross_bias, past=None if past is None else past[i], training=training
            )
            caches.append(cache)
            weights.append(seen)
        return self.vocabulary(x), caches, weights


class Transformer(keras.Model):  # type: ignore[misc]
    """The whole model. Its variables' paths are the names of the exported initialisers."""

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(name="transformer", **kwargs)
        self.config = config
        self.encoder = Encoder(config, name="encoder")
        self.decoder = Decoder(config, name="decoder")

    def encode(self, ids: Tensor, mask: Tensor, training: bool = False) -> Tensor:
        """Question ids and 0/1 mask (B, S) -> states (B, S, D)."""
        return self.encoder(ids, mask, training=training)

    def pool(self, states: Tensor, mask: Tensor) -> Tensor:
        """Mean of the unmasked states, scaled to length 1 (Reimers and Gurevych, 2019): (B, D), float32."""
        weight = ops.cast(mask, "float32")[:, :, None]
        total = ops.sum(ops.cast(states, "float32") * weight, axis=1)
        mean = total / ops.maximum(ops.sum(weight, axis=1), 1e-9)
        return mean / ops.sqrt(ops.maximum(ops.sum(mean * mean, axis=-1, keepdims=True), 1e-12))

    def memory(self, states: Tensor) -> list[KeyValue]:
        """Cross-attention keys and values (B, H, S, K) of every decoder layer."""
        return [layer.cross.memory(states) for layer in self.decoder.stack]

    def call(self, inputs: dict[str, Tensor], training: bool = False) -> dict[str, Tensor]:
        """Teacher-forced pass: `question_ids`, `question_mask` (B, S), `answer_ids` (B, T)."""
        states = self.encode(inputs["question_ids"], inputs["question_mask"], training=training)
        logits, _, _ = self.decoder(
            inputs["answer_ids"], self.memory(states), inputs["question_mask"], training=training
        )
        return {"logits": logits, "pooled": self.pool(states, inputs["question_mask"])}


def create_model(config: ModelConfig) -> Transformer:
    """Return the model with all weights made (random, from Keras' current seed)."""
    model = Transformer(config)
    # Built here and not inside a call, so that the variables' paths do not depend on who calls first.
    model.encoder.build((None, None))
    model.decoder.build((None, None))
    one = np.ones((1, 2), dtype="int32")
    model({"question_ids": one, "question_mask": one, "answer_ids": one})
    return model


def count_weights(model: Transformer) -> int:
    """Number of trainable weights."""
    return int(sum(np.prod(variable.shape) for variable in model.trainable_variables))
