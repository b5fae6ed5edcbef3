"""The trained weights as a CTranslate2 model: what `decode.py` compares our engine with.

CTranslate2 knows our layers: post-norm Transformer, exact GELU, positions from a table, layer norm behind the
embedding. Its linear weights are (out, in), ours (in, out). It has one layer norm epsilon for the whole model; ours
differ between the sides (1e-12 and 1e-6), far below the variances they are added to. Tokens are strings there:
`token(id)`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from ctranslate2.specs import common_spec, transformer_spec  # type: ignore[import-untyped]
from numpy.typing import NDArray

from trainer.config import BOS_ID, EOS_ID, ModelConfig, StackConfig

Weights = dict[str, NDArray[Any]]
MARKS = {BOS_ID: "<s>", EOS_ID: "</s>"}
ACTIVATIONS = {"relu": common_spec.Activation.RELU, "gelu": common_spec.Activation.GELU}


def token(number: int) -> str:
    """Return the name of an id in both vocabularies."""
    return MARKS.get(number, f"t{number}")


def token_id(name: str) -> int:
    """Return the id of a token that CTranslate2 gave."""
    return int(name[1:])


def convert(config: ModelConfig, weights: Weights, folder: Path, quantization: str | None) -> None:
    """Write a CTranslate2 model of our weights (by variable path) into `folder`; `quantization` "int8" or None."""
    encoder = transformer_spec.TransformerEncoderSpec(
        config.encoder.layers,
        config.encoder.heads,
        pre_norm=False,
        activation=ACTIVATIONS[config.encoder.activation],
        layernorm_embedding=config.encoder.normalise,
    )
    decoder = transformer_spec.TransformerDecoderSpec(
        config.decoder.layers,
        config.decoder.heads,
        pre_norm=False,
        activation=ACTIVATIONS[config.decoder.activation],
        layernorm_embedding=config.decoder.normalise,
    )
    spec = transformer_spec.TransformerSpec(encoder, decoder)
    reader = _Reader(weights)
    reader.embedding(encoder.embeddings[0], encoder, config.encoder, "encoder")
    reader.embedding(decoder.embeddings, decoder, config.decoder, "decoder")
    for i, layer in enumerate(encoder.layer):
        reader.self_attention(layer.self_attention, f"encoder/layer_{i}")
        reader.feed_forward(layer.ffn, f"encoder/layer_{i}")
    for i, layer in enumerate(decoder.layer):
        reader.self_attention(layer.self_attention, f"decoder/layer_{i}")
        reader.cross_attention(layer.attention, f"decoder/layer_{i}")
        reader.feed_forward(layer.ffn, f"decoder/layer_{i}")
    reader.linear(decoder.projection, "decoder/vocabulary")
    _describe(spec, config)
    spec.validate()
    spec.optimize(quantization=quantization)
    folder.mkdir(parents=True)
    spec.save(str(folder))


def _describe(spec: Any, config: ModelConfig) -> None:
    spec.register_source_vocabulary([token(i) for i in range(config.question_vocab_size)])
    spec.register_target_vocabulary([token(i) for i in range(config.answer_vocab_size)])
    spec.config.bos_token, spec.config.eos_token = MARKS[BOS_ID], MARKS[EOS_ID]
    spec.config.decoder_start_token, spec.config.unk_token = MARKS[BOS_ID], token(0)
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.config.layer_norm_epsilon = config.decoder.epsilon


class _Reader:
    """Puts our weights into the parts of a specification."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def linear(self, part: Any, path: str) -> None:
        part.weight = np.ascontiguousarray(self.weights[f"{path}/kernel"].T)
        part.bias = self.weights[f"{path}/bias"]

    def norm(self, part: Any, path: str) -> None:
        part.gamma, part.beta = self.weights[f"{path}/gamma"], self.weights[f"{path}/beta"]

    def embedding(self, table: Any, side: Any, stack: StackConfig, path: str) -> None:
        table.weight = self.weights[f"{path}/embedding/tokens"]
        side.scale_embeddings = stack.scale
        side.position_encodings.encodings = self.weights[f"{path}/embedding/positions"]
        if stack.normalise:
            self.norm(side.layernorm_embedding, f"{path}/embedding/norm")

    def self_attention(self, part: Any, path: str) -> None:
        self.linear(part.linear[0], f"{path}/attention/qkv")
        self.linear(part.linear[1], f"{path}/attention/output")
        self.norm(part.layer_norm, f"{path}/norm_attention")

    def cross_attention(self, part: Any, path: str) -> None:
        for place, name in enumerate(("query", "key_value", "output")):
            self.linear(part.linear[place], f"{path}/cross/{name}")
        self.norm(part.layer_norm, f"{path}/norm_cross")

    def feed_forward(self, part: Any, path: str) -> None:
        self.linear(part.linear_0, f"{path}/feed_forward/expand")
        self.linear(part.linear_1, f"{path}/feed_forward/contract")
        self.norm(part.layer_norm, f"{path}/norm_output")
