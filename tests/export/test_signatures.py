"""The names and shapes of the graphs are a contract with the assistant."""

from __future__ import annotations

import pytest

from export.signatures import TOP_K, decoder_signature, encoder_signature
from trainer.config import ModelConfig, StackConfig


@pytest.fixture
def config() -> ModelConfig:
    return ModelConfig(24, StackConfig(1, 2, 8), StackConfig(2, 3, 8), question_vocab_size=50, answer_vocab_size=40)


def test_the_encoder_gives_the_embedding_and_the_memory_of_each_decoder_layer(config: ModelConfig) -> None:
    signature = encoder_signature(config)
    assert [(t.name, t.dtype, t.shape) for t in signature.inputs] == [
        ("input_ids", "int64", (None, None)),
        ("attention_mask", "int64", (None, None)),
    ]
    assert [(t.name, t.dtype, t.shape) for t in signature.outputs] == [
        ("pooled", "float32", (None, 24)),
        *((f"cross_{part}_{i}", "float32", (None, 3, None, 8)) for i in range(2) for part in ("key", "value")),
    ]


def test_a_step_takes_one_token_a_row_and_grows_the_caches(config: ModelConfig) -> None:
    signature = decoder_signature(config)
    shapes = {t.name: t.shape for t in signature.inputs}
    assert list(shapes)[:4] == ["decoder_input_ids", "position", "encoder_attention_mask", "beam_idx"]
    assert shapes["decoder_input_ids"] == (None, 1)
    assert shapes["position"] == (1,)
    for kind in ("cross", "past"):
        assert {shapes[f"{kind}_{part}_{i}"] for i in range(2) for part in ("key", "value")} == {(None, 3, None, 8)}
    assert [t.name for t in signature.outputs] == [
        "top_ids",
        "top_logprobs",
        "present_key_0",
        "present_value_0",
        "present_key_1",
        "present_value_1",
    ]


@pytest.mark.parametrize(("words", "top"), [(40, TOP_K), (9, 9)])
def test_no_more_candidates_than_the_vocabulary_has(config: ModelConfig, words: int, top: int) -> None:
    from dataclasses import replace

    outputs = decoder_signature(replace(config, answer_vocab_size=words)).outputs
    assert outputs[0].shape == outputs[1].shape == (None, top)
