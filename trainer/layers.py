"""Layers of "Attention is all you need" (Vaswani et al., 2017), in keras.ops only.

Shapes are written with the letters of the paper's community: B batch, T length of the queries,
S length of the keys, D model width, H heads, K width of one head (D = H x K in all presets).

The forms are chosen so that onnxruntime fuses what comes out of the exporter: layer normalisation
and GELU are spelled out, and queries, keys and values come from one product.
"""

from __future__ import annotations

import trainer.backend  # noqa: F401

import math
from collections.abc import Callable
from typing import Any, cast

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

Tensor = Any
KeyValue = tuple[Tensor, Tensor]

# Large enough to vanish in a softmax, small enough for half precision (greatest finite value 65504).
MASKED = -10000.0


def sinusoidal_positions(length: int, width: int) -> NDArray[np.float32]:
    """Return the fixed position table (length, width) of section 3.5: sines first, cosines interleaved."""
    position = np.arange(length)[:, None]
    rate = np.exp(np.arange(0, width, 2) * -(math.log(10000.0) / width))
    table = np.zeros((length, width), dtype=np.float32)
    table[:, 0::2] = np.sin(position * rate)
    table[:, 1::2] = np.cos(position * rate)[:, : width // 2]
    return table


def padding_bias(mask: Tensor, dtype: str = "float32") -> Tensor:
    """Turn a 0/1 mask (B, S) into an additive one (B, 1, 1, S)."""
    return ops.expand_dims((1.0 - ops.cast(mask, dtype)) * MASKED, (1, 2))


def causal_bias(length: Any, dtype: str = "float32") -> Tensor:
    """Additive mask (1, 1, T, T) that hides later positions (section 3.2.3)."""
    place = ops.arange(length)
    later = ops.cast(ops.less(place[:, None], place[None, :]), dtype)  # (T, T)
    return ops.expand_dims(later * MASKED, (0, 1))


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, T, H*K) -> (B, H, T, K); rows of one position each, (B, H*K), give T = 1."""
    width = x.shape[-1] // heads
    if len(x.shape) == 2:
        return ops.reshape(x, (-1, heads, 1, width))
    return ops.transpose(ops.reshape(x, (-1, length_of(x), heads, width)), (0, 2, 1, 3))


def merge_heads(x: Tensor, like: Tensor) -> Tensor:
    """(B, H, T, K) -> (B, T, H*K), or (B, H*K) where `like` has rows of one position."""
    width = x.shape[1] * x.shape[3]
    if len(like.shape) == 2:
        return ops.reshape(x, (-1, width))
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (-1, length_of(like), width))


def attention(query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention (section 3.2.1).

    query (B, H, T, K), key and value (B, H, S, K), bias additive (a mask), broadcast to (B, H, T, S).
    Returns the mixture (B, H, T, K) and the weights (B, H, T, S).
    """
    scores = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2)))  # (B, H, T, S)
    scores = scores * (1.0 / math.sqrt(query.shape[-1]))
    if bias is not None:
        scores = scores + ops.cast(bias, scores.dtype)
    weights = ops.softmax(scores, axis=-1)
    return ops.matmul(weights, value), weights


def gelu(x: Tensor) -> Tensor:
    """Exact GELU (Hendrycks and Gimpel, 2016), by erf: onnx has no erfc."""
    return 0.5 * x * (1.0 + ops.erf(x / math.sqrt(2.0)))


ACTIVATIONS = {"relu": ops.relu, "gelu": gelu}


def length_of(x: Tensor) -> Any:
    """T of a (B, T, ...) tensor: a number where the shape is static, else a scalar tensor."""
    return x.shape[1] if x.shape[1] is not None else ops.shape(x)[1]


def flat_product(x: Tensor, kernel: Tensor) -> Tensor:
    """x W over the last axis, with all rows in one matrix: the fastest way to train."""
    if len(x.shape) == 2:
        return ops.matmul(x, kernel)
    rows = ops.matmul(ops.reshape(x, (-1, x.shape[-1])), kernel)
    return ops.reshape(rows, (-1, length_of(x), kernel.shape[-1]))


class Linear(keras.layers.Layer):  # type: ignore[misc]
    """x W + b over the last axis. keras.layers.Dense would be exported as a Tensordot, with its shape arithmetic."""

    # The exporter puts a plain product here: one operation in ONNX, whatever the rank.
    product: Callable[[Tensor, Tensor], Tensor] = staticmethod(flat_product)

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.kernel = self.add_weight(name="kernel", shape=(shape[-1], self.units), initializer="glorot_uniform")
        self.bias = self.add_weight(name="bias", shape=(self.units,), initializer="zeros")

    def call(self, x: Tensor) -> Tensor:
        return self.product(x, self.kernel) + self.bias


class LayerNorm(keras.layers.Layer):  # type: ignore[misc]
    """Layer normalisation (Ba et al., 2016) over the last axis, in the form that onnxruntime fuses."""

    def __init__(self, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon = epsilon

    def build(self, shape: tuple[int | None, ...]) -> None:
        # As the statistics, both stay in single precision under a policy of half precision.
        self.gamma = self.add_weight(name="gamma", shape=(shape[-1],), initializer="ones", autocast=False)
        self.beta = self.add_weight(name="beta", shape=(shape[-1],), initializer="zeros", autocast=False)

    def call(self, x: Tensor) -> Tensor:
        x = ops.cast(x, "float32")  # No operation where it is already.
        difference = x - ops.mean(x, axis=-1, keepdims=True)
        variance = ops.mean(ops.power(difference, 2.0), axis=-1, keepdims=True)
        return ops.cast(difference / ops.sqrt(variance + self.epsilon) * self.gamma + self.beta, self.compute_dtype)


class Embedding(keras.layers.Layer):  # type: ignore[misc]
    """Token embedding plus positions: (B, T) ids -> (B, T, D).

    `positions` is "sinusoidal" (section 3.5) or "learned" (BERT); `scale` multiplies the token part by
    sqrt(D) (section 3.4); `normalise` adds BERT's layer norm behind the sum.
    """

    # The exporter puts a plain gather here: keras' own also takes negative ids, in eight more operations.
    lookup: Callable[..., Tensor] = staticmethod(ops.take)

    def __init__(
        self,
        vocabulary: int,
        width: int,
        length: int,
        positions: str,
        scale: bool,
        normalise: bool,
        epsilon: float,
        dropout: float,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.vocabulary, self.width, self.length = vocabulary, width, length
        self.positions = positions
        self.factor = math.sqrt(width) if scale else 1.0
        self.norm = LayerNorm(epsilon, name="norm") if normalise else None
        self.dropout = keras.layers.Dropout(dropout, name="dropout")

    def build(self, shape: tuple[int | None, ...]) -> None:
        init = keras.initializers.RandomNormal(stddev=self.width**-0.5 if self.factor > 1 else 0.02)
        self.tokens = self.add_weight(name="tokens", shape=(self.vocabulary, self.width), initializer=init)
        if self.positions == "learned":
            start: Any = keras.initializers.RandomNormal(stddev=0.02)
        else:
            table = sinusoidal_positions(self.length, self.width)
            start = keras.initializers.Constant(table)
        self.table = self.add_weight(
            name="positions", shape=(self.length, self.width), initializer=start, trainable=self.positions == "learned"
        )
        if self.norm is not None:
            self.norm.build((*shape, self.width))

    def call(self, ids: Tensor, offset: Tensor | None = None, training: bool = False) -> Tensor:
        """`offset` (1,) is the position of a single token when one is decoded at a time."""
        x = self.lookup(self.tokens, ids, axis=0) * self.factor  # (B, T, D)
        where = ops.arange(length_of(ids)) if offset is None else offset
        x = x + self.lookup(self.table, where, axis=0)  # (T, D)
        x = self.norm(x) if self.norm is not None else x
        return self.dropout(x, training=training)


class SelfAttention(keras.layers.Layer):  # type: ignore[misc]
    """Multi-head self-attention (section 3.2.2), with an optional cache of earlier keys and values."""

    def __init__(self, heads: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.heads = heads

    def build(self, shape: tuple[int | None, ...]) -> None:
        width = cast(int, shape[-1])
        self.qkv = Linear(3 * width, name="qkv")
        self.output_projection = Linear(width, name="output")
        self.qkv.build(shape)
        self.output_projection.build(shape)

    def call(self, x: Tensor, bias: Tensor | None = None, past: KeyValue | None = None) -> tuple[Tensor, KeyValue]:
        """x (B, T, D) or (B, D), past keys and values (B, H, P, K) -> like x, and the grown cache (B, H, P+T, K)."""
        # Heads first, then queries from keys from values: one transposition in place of three.
        query, key, value = ops.split(split_heads(self.qkv(x), 3 * self.heads), 3, axis=1)
        if past is not None:
            key = ops.concatenate([past[0], key], axis=2)
            value = ops.concatenate([past[1], value], axis=2)
        mixed, _ = attention(query, key, value, bias)
        return self.output_projection(merge_heads(mixed, x)), (key, value)


class CrossAttention(keras.layers.Layer):  # type: ignore[misc]
    """Multi-head attention of the decoder over the encoder's output (section 3.2.3)."""

    def __init__(self, heads: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.heads = heads

    def build(self, shape: tuple[int | None, ...]) -> None:
        width = cast(int, shape[-1])
        self.query = Linear(width, name="query")
        self.key_value = Linear(2 * width, name="key_value")
        self.output_projection = Linear(width, name="output")
        for part in (self.query, self.key_value, self.output_projection):
            part.build(shape)

    def memory(self, states: Tensor) -> KeyValue:
        """Keys and values (B, H, S, K) of the encoder's states (B, S, D): once per question."""
        key, value = ops.split(split_heads(self.key_value(states), 2 * self.heads), 2, axis=1)
        return key, value

    def call(self, x: Tensor, memory: KeyValue, bias: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """x (B, T, D) -> (B, T, D) and the attention weights (B, H, T, S)."""
        query = split_heads(self.query(x), self.heads)
        mixed, weights = attention(query, memory[0], memory[1], bias)
        return self.output_projection(merge_heads(mixed, x)), weights


class FeedForward(keras.layers.Layer):  # type: ignore[misc]
    """Position-wise feed-forward network (section 3.3): (B, T, D) -> (B, T, D)."""

    def __init__(self, inner: int, activation: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inner = inner
        self.activation = ACTIVATIONS[activation]

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.expand = Linear(self.inner, name="expand")
        self.contract = Linear(cast(int, shape[-1]), name="contract")
        self.expand.build(shape)
        self.contract.build((*shape[:-1], self.inner))

    def call(self, x: Tensor) -> Tensor:
        return self.contract(self.activation(self.expand(x)))


class EncoderLayer(keras.layers.Layer):  # type: ignore[misc]
    """Self-attention and feed-forward, each with residual and layer norm behind it (section 3.1)."""

    def __init__(self, heads: int, inner: int, activation: str, epsilon: float, dropout: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.attention = SelfAttention(heads, name="attention")
        self.feed_forward = FeedForward(inner, activation, name="feed_forward")
        self.norm_attention = LayerNorm(epsilon, name="norm_attention")
        self.norm_output = LayerNorm(epsilon, name="norm_output")
        self.dropout_attention = keras.layers.Dropout(dropout, name="dropout_attention")
        self.dropout_output = keras.layers.Dropout(dropout, name="dropout_output")

    def build(self, shape: tuple[int | None, ...]) -> None:
        for part in (self.attention, self.feed_forward, self.norm_attention, self.norm_output):
            part.build(shape)

    def call(self, x: Tensor, bias: Tensor, training: bool = False) -> Tensor:
        attended, _ = self.attention(x, bias=bias)
        x = self.norm_attention(x + self.dropout_attention(attended, training=training))
        return self.norm_output(x + self.dropout_output(self.feed_forward(x), training=training))


class DecoderLayer(keras.layers.Layer):  # type: ignore[misc]
    """Self-attention, attention over the question, feed-forward (section 3.1)."""

    def __init__(self, heads: int, inner: int, activation: str, epsilon: float, dropout: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.attention = SelfAttention(heads, name="attention")
        self.cross = CrossAttention(heads, name="cross")
        self.feed_forward = FeedForward(inner, activation, name="feed_forward")
        self.norms = [LayerNorm(epsilon, name=f"norm_{part}") for part in ("attention", "cross", "output")]
        self.dropouts = [
            keras.layers.Dropout(dropout, name=f"dropout_{part}") for part in ("attention", "cross", "output")
        ]

    def build(self, shape: tuple[int | None, ...]) -> None:
        parts: tuple[Any, ...] = (self.attention, self.cross, self.feed_forward, *self.norms)
        for part in parts:
            part.build(shape)

    def call(
        self,
        x: Tensor,
        memory: KeyValue,
        self_bias: Tensor | None,
        cross_bias: Tensor,
        past: KeyValue | None = None,
        training: bool = False,
    ) -> tuple[Tensor, KeyValue, Tensor]:
        """Return x (B, T, D), the cache (B, H, P+T, K) and the cross-attention weights (B, H, T, S)."""
        attended, cache = self.attention(x, bias=self_bias, past=past)
        x = self.norms[0](x + self.dropouts[0](attended, training=training))
        attended, weights = self.cross(x, memory, bias=cross_bias)
        x = self.norms[1](x + self.dropouts[1](attended, training=training))
        return self.norms[2](x + self.dropouts[2](self.feed_forward(x), training=training)), cache, weights
