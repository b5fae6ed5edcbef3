"""int8, fp32 and fp16: what the conversion makes of the same graphs."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from assistant.errors import ExportError
from export.quantize import FP32_OUTPUTS, to_variant


def types(proto: onnx.ModelProto) -> dict[str, int]:
    return {value.name: value.type.tensor_type.elem_type for value in [*proto.graph.input, *proto.graph.output]}


def test_fp32_is_the_graph_itself(base: Any, graphs: dict[str, Any]) -> None:
    assert graphs["cpu-fp32"][0] is base[0]


def test_int8_holds_its_products_in_bytes_and_its_interface_in_floats(base: Any, graphs: dict[str, Any]) -> None:
    for small, full in zip(graphs["cpu-int8"], base, strict=True):
        assert types(small) == types(full)
        stored = {t.name: t.data_type for t in small.graph.initializer}
        kernels = [name for name in stored if name.endswith("kernel_quantized")]
        assert kernels
        assert {stored[name] for name in kernels} == {onnx.TensorProto.INT8}
        assert "encoder/layer_0/attention/qkv/kernel" not in stored
        assert not {node.op_type for node in small.graph.node if node.domain}


def test_fp16_keeps_floats_only_where_the_assistant_computes(graphs: dict[str, Any]) -> None:
    for proto in graphs["cuda-fp16"]:
        for name, kind in types(proto).items():
            if name in FP32_OUTPUTS:
                assert kind == onnx.TensorProto.FLOAT, name
            elif name.startswith(("cross_", "past_", "present_")):
                assert kind == onnx.TensorProto.FLOAT16, name
            else:
                assert kind == onnx.TensorProto.INT64, name


def test_fp16_weights_are_finite(graphs: dict[str, Any]) -> None:
    halves = [numpy_helper.to_array(t) for proto in graphs["cuda-fp16"] for t in proto.graph.initializer]
    halves = [value for value in halves if value.dtype == np.float16]
    assert len(halves) > 50
    assert all(np.isfinite(value).all() for value in halves)


def test_the_graph_given_stays_as_it_is(base: Any) -> None:
    before = base[1].SerializeToString(deterministic=True)
    to_variant(base[1], "cuda-fp16")
    to_variant(base[1], "cpu-int8")
    assert base[1].SerializeToString(deterministic=True) == before


def test_an_unknown_variant_is_refused(base: Any) -> None:
    with pytest.raises(ExportError, match="unknown variant 'tpu'"):
        to_variant(base[0], "tpu")
