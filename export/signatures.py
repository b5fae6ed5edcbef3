"""Names, types and shapes of the exported graphs. The assistant depends on them: they are a contract.

A dimension that is free is None: B rows, S question tokens, P cached positions.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainer.config import ModelConfig

TOP_K = 16
OPSET = 17
ENCODER, DECODER = "encoder_model", "decoder_with_past_model"


@dataclass(frozen=True)
class TensorSignature:
    """One input or output of a graph."""

    name: str
    dtype: str
    shape: tuple[int | None, ...]


@dataclass(frozen=True)
class GraphSignature:
    """Inputs and outputs of a graph, in order."""

    inputs: tuple[TensorSignature, ...]
    outputs: tuple[TensorSignature, ...]


def caches(prefix: str, config: ModelConfig) -> list[TensorSignature]:
    """Keys and values of each decoder layer, (B, H, length, K)."""
    heads = config.decoder.heads
    shape = (None, heads, None, config.d_model // heads)
    return [
        TensorSignature(f"{prefix}_{part}_{i}", "float32", shape)
        for i in range(config.decoder.layers)
        for part in ("key", "value")
    ]


def encoder_signature(config: ModelConfig) -> GraphSignature:
    """Question ids (B, S) -> pooled embedding (B, D) and the decoder's view of the question."""
    inputs = tuple(TensorSignature(name, "int64", (None, None)) for name in ("input_ids", "attention_mask"))
    pooled = TensorSignature("pooled", "float32", (None, config.d_model))
    return GraphSignature(inputs, (pooled, *caches("cross", config)))


def decoder_signature(config: ModelConfig) -> GraphSignature:
    """One token a row and the caches -> the best TOP_K next tokens and the grown caches."""
    inputs = [
        TensorSignature("decoder_input_ids", "int64", (None, 1)),
        TensorSignature("position", "int64", (1,)),
        TensorSignature("encoder_attention_mask", "int64", (None, None)),
        TensorSignature("beam_idx", "int64", (None,)),
        *caches("cross", config),
        *caches("past", config),
    ]
    top = min(TOP_K, config.answer_vocab_size)
    outputs = [
        TensorSignature("top_ids", "int64", (None, top)),
        TensorSignature("top_logprobs", "float32", (None, top)),
        *caches("present", config),
    ]
    return GraphSignature(tuple(inputs), tuple(outputs))
