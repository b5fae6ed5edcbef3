"""The layers against direct NumPy computations and against the paper's formulas."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import math

import keras
import numpy as np
import pytest
from keras import ops
from scipy.special import softmax
from scipy.stats import norm

from trainer import layers

RNG = np.random.default_rng(3)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype("float32")


def attention_by_loops(query, key, value, bias):
    """Section 3.2.1, one query at a time."""
    out = np.zeros((*query.shape[:3], value.shape[3]))
    for b, h, t in np.ndindex(*query.shape[:3]):
        scores = np.array([query[b, h, t] @ k / math.sqrt(query.shape[3]) for k in key[b, h]])
        out[b, h, t] = softmax(scores + np.broadcast_to(bias, (*query.shape[:3], key.shape[2]))[b, h, t]) @ value[b, h]
    return out


def test_attention_is_the_papers() -> None:
    query, key, value = normal(2, 3, 4, 8), normal(2, 3, 5, 8), normal(2, 3, 5, 6)
    bias = normal(2, 1, 4, 5)
    mixed, weights = layers.attention(*(ops.convert_to_tensor(x) for x in (query, key, value)), bias)
    np.testing.assert_allclose(mixed, attention_by_loops(query, key, value, bias), atol=1e-5)
    np.testing.assert_allclose(np.sum(np.asarray(weights), axis=-1), 1, atol=1e-6)


def test_masked_keys_get_no_weight() -> None:
    mask = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 0]])
    _, weights = layers.attention(normal(2, 3, 4, 8), normal(2, 3, 5, 8), normal(2, 3, 5, 8), layers.padding_bias(mask))
    hidden = np.broadcast_to(mask[:, None, None, :] == 0, (2, 3, 4, 5))
    assert np.all(np.asarray(weights)[hidden] == 0)
    assert np.all(np.asarray(weights)[~hidden] > 0)


def test_causal_bias_hides_later_positions_only() -> None:
    bias = np.asarray(layers.causal_bias(5))
    assert bias.shape == (1, 1, 5, 5)
    assert np.array_equal(bias[0, 0] == 0, np.tril(np.ones((5, 5), dtype=bool)))
    assert np.all(bias[0, 0][np.triu_indices(5, 1)] == layers.MASKED)


def test_masks_are_finite_in_half_precision() -> None:
    assert np.isfinite(np.float16(layers.MASKED * 2))


@pytest.mark.parametrize("width", [8, 7])
def test_sinusoidal_positions_are_the_papers(width: int) -> None:
    table = layers.sinusoidal_positions(50, width)
    for position in (0, 1, 17, 49):
        for i in range(width):
            angle = position / 10000 ** (2 * (i // 2) / width)
            wanted = math.sin(angle) if i % 2 == 0 else math.cos(angle)
            assert table[position, i] == pytest.approx(wanted, abs=1e-6)


def test_layer_norm_is_keras() -> None:
    ours, theirs = layers.LayerNorm(1e-6), keras.layers.LayerNormalization(epsilon=1e-6)
    for layer in (ours, theirs):
        layer.build((None, 16))
    gamma, beta = normal(16), normal(16)
    for layer in (ours, theirs):
        layer.gamma.assign(gamma)
        layer.beta.assign(beta)
    x = normal(4, 3, 16) * 5 + 2
    np.testing.assert_allclose(ours(x), theirs(x), atol=1e-5)
    plain = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6) * gamma + beta
    np.testing.assert_allclose(ours(x), plain, atol=1e-5)


def test_layer_norm_of_half_precision_counts_in_single() -> None:
    layer = layers.LayerNorm(1e-6, dtype="mixed_bfloat16")
    x = ops.cast(100.0 + np.arange(16, dtype="float32")[None], "bfloat16")
    y = layer(x)
    assert keras.backend.standardize_dtype(y.dtype) == "bfloat16"
    exact = (np.arange(16) - 7.5) / np.std(np.arange(16))
    np.testing.assert_allclose(np.asarray(ops.cast(y, "float32"))[0], exact, atol=0.01)


def test_gelu_is_exact() -> None:
    x = np.linspace(-6, 6, 101, dtype="float32")
    np.testing.assert_allclose(layers.gelu(ops.convert_to_tensor(x)), x * norm.cdf(x), atol=1e-6)


def test_linear_of_rows_and_of_sequences() -> None:
    layer = layers.Linear(5)
    layer.build((None, 4))
    layer.bias.assign(normal(5))
    x = normal(2, 3, 4)
    wanted = x @ np.asarray(layer.kernel) + np.asarray(layer.bias)
    np.testing.assert_allclose(layer(x), wanted, atol=1e-5)
    np.testing.assert_allclose(layer(x[:, 0]), wanted[:, 0], atol=1e-5)


def test_heads_are_split_and_merged_back() -> None:
    x = normal(2, 5, 12)
    parts = layers.split_heads(ops.convert_to_tensor(x), 3)
    assert tuple(parts.shape) == (2, 3, 5, 4)
    np.testing.assert_array_equal(np.asarray(parts)[1, 2, 4], x[1, 4, 8:12])
    np.testing.assert_array_equal(layers.merge_heads(parts, x), x)
    rows = layers.split_heads(ops.convert_to_tensor(x[:, 0]), 3)
    assert tuple(rows.shape) == (2, 3, 1, 4)
    np.testing.assert_array_equal(layers.merge_heads(rows, x[:, 0]), x[:, 0])


def test_self_attention_of_two_heads_by_hand() -> None:
    layer = layers.SelfAttention(2)
    layer.build((None, None, 8))
    x, bias = normal(2, 4, 8), np.asarray(layers.causal_bias(4))
    mixed, (key, value) = layer(x, bias=bias)
    q, k, v = np.split(x @ np.asarray(layer.qkv.kernel), 3, axis=-1)
    heads = [
        attention_by_loops(*(part[:, None, :, s] for part in (q, k, v)), bias)[:, 0] for s in (slice(4), slice(4, 8))
    ]
    wanted = np.concatenate(heads, axis=-1) @ np.asarray(layer.output_projection.kernel)
    np.testing.assert_allclose(mixed, wanted, atol=1e-5)
    np.testing.assert_allclose(np.asarray(key)[:, 1], k[:, :, 4:], atol=1e-5)
    np.testing.assert_allclose(np.asarray(value)[:, 0], v[:, :, :4], atol=1e-5)


def test_cross_attention_reads_the_memory() -> None:
    layer = layers.CrossAttention(2)
    layer.build((None, None, 8))
    x, states = normal(2, 3, 8), normal(2, 5, 8)
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    mixed, weights = layer(x, layer.memory(states), bias=layers.padding_bias(mask))
    assert tuple(weights.shape) == (2, 2, 3, 5)
    other = states.copy()
    other[1, 2:] = 99.0
    again, _ = layer(x, layer.memory(other), bias=layers.padding_bias(mask))
    np.testing.assert_array_equal(mixed, again)
    other[0, 0] += 1.0
    changed, _ = layer(x, layer.memory(other), bias=layers.padding_bias(mask))
    assert np.abs(np.asarray(changed)[0] - np.asarray(mixed)[0]).max() > 1e-4


def embedding(**changes: object) -> layers.Embedding:
    options = {
        "vocabulary": 11,
        "width": 6,
        "length": 9,
        "positions": "sinusoidal",
        "scale": True,
        "normalise": False,
        "epsilon": 1e-6,
        "dropout": 0.0,
    }
    layer = layers.Embedding(**{**options, **changes})
    layer.build((None, None))
    return layer


def test_embedding_scales_tokens_and_adds_positions() -> None:
    layer = embedding()
    ids = np.array([[3, 7, 0]])
    wanted = np.asarray(layer.tokens)[ids[0]] * math.sqrt(6) + layers.sinusoidal_positions(9, 6)[:3]
    np.testing.assert_allclose(np.asarray(layer(ids))[0], wanted, atol=1e-6)
    plain = embedding(scale=False)
    np.testing.assert_allclose(
        np.asarray(plain(ids))[0], np.asarray(plain.tokens)[ids[0]] + layers.sinusoidal_positions(9, 6)[:3], atol=1e-6
    )


def test_embedding_of_one_token_takes_its_position_from_the_offset() -> None:
    layer = embedding()
    whole = np.asarray(layer(np.array([[3, 7, 5, 2]])))
    one = np.asarray(layer(np.array([[5]]), offset=np.array([2])))
    np.testing.assert_array_equal(one[0, 0], whole[0, 2])


def test_only_learned_positions_are_trained() -> None:
    assert [v.name for v in embedding().trainable_variables] == ["tokens"]
    assert [v.name for v in embedding(positions="learned").trainable_variables] == ["tokens", "positions"]


def test_embedding_with_norm_has_unit_variance() -> None:
    x = np.asarray(embedding(normalise=True)(np.array([[1, 2, 3]])))
    np.testing.assert_allclose(x.mean(-1), 0, atol=1e-6)
    np.testing.assert_allclose(x.std(-1), 1, atol=1e-3)
