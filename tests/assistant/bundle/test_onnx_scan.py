"""The look at a model's bytes: what reaches outside is refused, ours passes."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from assistant.bundle.onnx_scan import check_model
from assistant.bundle.reader import Bundle
from assistant.errors import BundleDamaged, BundleError, BundleUnsupported

FLOAT = TensorProto.FLOAT


def model_of(*nodes: onnx.NodeProto, tensors: tuple[onnx.TensorProto, ...] = (), domain: str = "") -> onnx.ModelProto:
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info("x", FLOAT, [1])],
        [helper.make_tensor_value_info("y", FLOAT, [1])],
        list(tensors),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)])


def external(location: str = "../secret") -> onnx.TensorProto:
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    return tensor


def subgraph(*tensors: onnx.TensorProto) -> onnx.GraphProto:
    return helper.make_graph([helper.make_node("Identity", ["w"], ["z"])], "inner", [], [], list(tensors))


IDENTITY = helper.make_node("Identity", ["x"], ["y"])


def refused(model: onnx.ModelProto, named: str) -> None:
    with pytest.raises(BundleUnsupported, match=named):
        check_model(model.SerializeToString(), "model.onnx")


def test_ours_pass(fake_bundle: Bundle) -> None:
    for file in ("encoder_model.onnx", "decoder_with_past_model.onnx"):
        check_model(fake_bundle.read(f"variants/cpu-int8/{file}"), file)


@pytest.mark.parametrize("domain", ["", "ai.onnx", "ai.onnx.ml", "com.microsoft"])
def test_the_domains_of_onnx_and_onnxruntime_pass(domain: str) -> None:
    check_model(model_of(IDENTITY, domain=domain).SerializeToString(), "model.onnx")


def test_external_data_is_refused_wherever_it_hides() -> None:
    refused(model_of(IDENTITY, tensors=(external(),)), "another file")
    constant = helper.make_node("Constant", [], ["w"], value=external())
    refused(model_of(constant, IDENTITY), "another file")
    sparse = onnx.SparseTensorProto(values=external(), dims=[1])
    model = model_of(IDENTITY)
    model.graph.sparse_initializer.append(sparse)
    refused(model, "another file")
    inner = helper.make_node("Something", ["x"], ["y"], body=subgraph(external()))
    refused(model_of(inner), "another file")


def test_a_location_without_a_name_is_refused_too() -> None:
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    refused(model_of(IDENTITY, tensors=(tensor,)), "another file")


def test_custom_domains_are_refused() -> None:
    refused(model_of(IDENTITY, domain="evil.example"), "evil.example")
    refused(model_of(helper.make_node("Run", ["x"], ["y"], domain="evil.example")), "evil.example")


def test_functions_and_training_are_refused() -> None:
    model = model_of(IDENTITY)
    model.functions.add(name="f", domain="")
    refused(model, "functions")
    model = model_of(IDENTITY)
    model.training_info.add()
    refused(model, "training")


@pytest.mark.parametrize("operator", ["Loop", "Scan", "If"])
def test_control_flow_is_refused(operator: str) -> None:
    refused(model_of(helper.make_node(operator, ["x"], ["y"], body=subgraph())), operator)


def test_a_cached_context_is_refused() -> None:
    refused(model_of(helper.make_node("EPContext", ["x"], ["y"], domain="com.microsoft")), "EPContext")


def test_deep_graphs_are_refused_not_recursed() -> None:
    inner = subgraph()
    for _ in range(20):
        node = helper.make_node("Something", [], ["z"], body=inner)
        inner = helper.make_graph([node], "inner", [], [])
    refused(model_of(helper.make_node("Something", ["x"], ["y"], body=inner)), "deep")


@pytest.mark.parametrize("data", [b"", b"<html></html>", b"\xff" * 64, b"\x3a\xff\xff\xff\xff\x0f", b"\x80" * 20])
def test_what_is_no_model_is_damaged(data: bytes) -> None:
    with pytest.raises(BundleDamaged, match=r"model\.onnx"):
        check_model(data, "model.onnx")


@given(data=st.binary(max_size=200))
def test_any_bytes_pass_or_raise_our_error(data: bytes) -> None:
    with contextlib.suppress(BundleError):
        check_model(data, "model.onnx")


def test_every_cut_of_a_model_passes_or_raises_our_error() -> None:
    weights = onnx.numpy_helper.from_array(np.ones(4, np.float32), "w")
    data = model_of(IDENTITY, tensors=(weights,)).SerializeToString()
    for size in range(len(data)):
        try:
            check_model(data[:size], "model.onnx")
        except BundleError:
            continue


def test_a_file_of_weights_is_scanned_quickly(tmp_path: Path) -> None:
    # 40 MB of weights are skipped, not read: the scan looks at a few hundred bytes.
    weights = onnx.numpy_helper.from_array(np.zeros(10_000_000, np.float32), "w")
    check_model(model_of(IDENTITY, tensors=(weights,)).SerializeToString(), "model.onnx")
