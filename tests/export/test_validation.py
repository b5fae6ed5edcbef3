"""Validation lets nothing pass that differs from Keras, and names all that does."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from assistant.errors import ExportError
from export.validate import validate

QUESTIONS = ["What is a budget?", "rent", "how do i open an account at the bank, please?"]


def check(loaded: Any, **graphs: Any) -> Any:
    model, checkpoint = loaded
    return validate(
        model, {k.replace("_", "-"): v for k, v in graphs.items()}, checkpoint.question_tokenizer, QUESTIONS
    )


def failures(loaded: Any, **graphs: Any) -> str:
    with pytest.raises(ExportError) as caught:
        check(loaded, **graphs)
    return str(caught.value)


def copy(proto: onnx.ModelProto) -> onnx.ModelProto:
    other = onnx.ModelProto()
    other.CopyFrom(proto)
    return other


def perturbed(proto: onnx.ModelProto, name: str, change: float) -> onnx.ModelProto:
    """The graph with one initialiser moved."""
    other = copy(proto)
    tensor = next(t for t in other.graph.initializer if t.name == name)
    value = numpy_helper.to_array(tensor)
    tensor.CopyFrom(numpy_helper.from_array((value + change).astype(value.dtype), name))
    return other


def exchanged(proto: onnx.ModelProto, left: str, right: str) -> onnx.ModelProto:
    """The graph with the contents of two outputs exchanged, their names in place."""
    other = copy(proto)
    for node in other.graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                names[i] = {left: right, right: left}.get(name, name)
    return other


def test_sound_graphs_pass_and_are_measured(loaded: Any, graphs: dict[str, Any]) -> None:
    findings = check(loaded, **{name.replace("-", "_"): pair for name, pair in graphs.items()})
    assert findings.compared_answers == len(QUESTIONS)
    wanted = {"pooled", "cross keys", "cross values", "first step", "cached steps", "caches"}
    assert set(findings.differences) == wanted
    assert 0 < max(findings.differences.values()) < 1e-4
    assert findings.rounding["cuda-fp16 answers with another token (share)"] == 0


def test_a_moved_weight_of_the_encoder_is_named(loaded: Any, base: Any) -> None:
    wrong = perturbed(base[0], "encoder/layer_0/attention/qkv/kernel", 0.05)
    text = failures(loaded, cpu_fp32=(wrong, base[1]))
    assert "pooled: differs by" in text
    assert "cross_key_0: differs by" in text


def test_a_moved_weight_of_the_decoder_is_named(loaded: Any, base: Any) -> None:
    wrong = perturbed(base[1], "decoder/layer_1/attention/qkv/bias", 0.2)
    text = failures(loaded, cpu_fp32=(base[0], wrong))
    assert "present_key_1: differs by" in text
    assert "pooled" not in text
    assert "present_key_0" not in text


def test_exchanged_outputs_are_named(loaded: Any, base: Any) -> None:
    text = failures(loaded, cpu_fp32=(exchanged(base[0], "cross_key_1", "cross_value_1"), base[1]))
    assert "cross_key_1: differs" in text
    assert "cross_value_1: differs" in text
    text = failures(loaded, cpu_fp32=(base[0], exchanged(base[1], "present_key_0", "present_value_0")))
    assert "present_key_0: differs" in text or "top_logprobs" in text


def test_a_step_that_forgets_to_reorder_its_beams_is_found(loaded: Any, base: Any) -> None:
    wrong = copy(base[1])
    for node in wrong.graph.node:
        if node.op_type == "Gather" and "beam_idx" in list(node.input):
            node.op_type = "Identity"
            del node.input[1:]
            del node.attribute[:]
    text = failures(loaded, cpu_fp32=(base[0], wrong))
    assert "top_logprobs of step 0" not in text
    assert "top_logprobs of step 2: differs" in text


def test_a_name_a_shape_and_a_type_that_are_not_the_contract_s(loaded: Any, base: Any) -> None:
    encoder, decoder = copy(base[0]), copy(base[1])
    encoder.graph.output.append(encoder.graph.output.pop(0))
    decoder.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 4
    decoder.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.INT32
    text = failures(loaded, cpu_fp32=(encoder, decoder))
    assert "cpu-fp32 encoder: the outputs are cross_key_0" in text
    assert "cpu-fp32 decoder: top_ids has shape (None, 4), not (None, 16)" in text
    assert "cpu-fp32 decoder: decoder_input_ids is int32, not int64" in text


def test_foreign_domains_opsets_and_external_data(loaded: Any, base: Any) -> None:
    wrong = copy(base[0])
    wrong.graph.node[0].domain = "com.microsoft"
    wrong.opset_import[0].version = 13
    wrong.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
    text = failures(loaded, cpu_fp32=(wrong, base[1]))
    assert "uses the domains com.microsoft" in text
    assert "opset [13], not 17" in text
    assert f"{wrong.graph.initializer[0].name} lies in a file of its own" in text


def test_a_graph_that_cannot_run_is_a_failure_and_no_crash(loaded: Any, base: Any) -> None:
    wrong = copy(base[1])
    tensor = next(t for t in wrong.graph.initializer if t.name == "decoder/vocabulary/kernel")
    tensor.CopyFrom(numpy_helper.from_array(np.zeros((7, 3), np.float32), tensor.name))
    text = failures(loaded, cpu_fp32=(base[0], wrong))
    assert "cpu-fp32: it cannot be run: " in text
    assert "\n" not in text


def test_all_failures_of_all_variants_are_collected(loaded: Any, graphs: dict[str, Any]) -> None:
    int8, half, full = graphs["cpu-int8"], graphs["cuda-fp16"], graphs["cpu-fp32"]
    text = failures(
        loaded,
        cpu_int8=(perturbed(int8[0], "encoder/layer_1/norm_output/beta", 50.0), int8[1]),
        cpu_fp32=(perturbed(full[0], "decoder/layer_0/cross/key_value/bias", 1.0), full[1]),
        cuda_fp16=(half[0], perturbed(half[1], "decoder/vocabulary/bias", np.inf)),
    )
    assert "cpu-int8: pooled turned to a cosine" in text
    assert "cross_key_0: differs by 1 from Keras" in text
    assert "answer 0 differs from Keras token for token" in text
    assert "cuda-fp16: top_logprobs is not finite" in text
