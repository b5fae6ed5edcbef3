"""Rewrites of a converted graph into forms that onnxruntime runs fast. No weight and no result changes.

tf2onnx writes every reshape to an unknown length as a chain of Shape, Slice, Cast and Concat, and turns a division by a
constant into a product, which onnxruntime's fusion of GELU does not know.
"""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

SQRT2 = "square_root_of_two"
# The fusion compares with this very number.
_SQRT2_VALUE = np.float32(math.sqrt(2.0))
_KEEP, _REST = 0, -1

WHOLE_SCALE = "scale_of_whole_products"
_WHOLE_SCALE = np.float32(2.0**-7)  # Not 1, which onnxruntime would leave out before it fuses.


def simplify(proto: onnx.ModelProto) -> None:
    """Rewrite the graph in place."""
    _divide_in_gelu(proto.graph)
    _fix_reshapes(proto.graph)
    _drop_cast_pairs(proto.graph)
    _drop_unused(proto.graph)


def _makers(graph: onnx.GraphProto) -> dict[str, NodeProto]:
    return {name: node for node in graph.node for name in node.output}


def _constants(graph: onnx.GraphProto) -> dict[str, TensorProto]:
    return {tensor.name: tensor for tensor in graph.initializer}


def _divide_in_gelu(graph: onnx.GraphProto) -> None:
    """erf(x * 0.7071) becomes erf(x / 1.4142)."""
    makers, constants = _makers(graph), _constants(graph)
    found = False
    for node in graph.node:
        scaled = makers.get(node.input[0]) if node.op_type == "Erf" else None
        if scaled is None or scaled.op_type != "Mul":
            continue
        for place in (0, 1):
            factor = constants.get(scaled.input[place])
            if factor is not None and np.allclose(numpy_helper.to_array(factor), math.sqrt(0.5), atol=1e-6):
                x = scaled.input[1 - place]
                scaled.op_type = "Div"
                scaled.input[:] = [x, SQRT2]
                found = True
    if found:
        graph.initializer.append(numpy_helper.from_array(np.array(_SQRT2_VALUE), SQRT2))


def _fix_reshapes(graph: onnx.GraphProto) -> None:
    """Reshape (B, T, ...) to [-1, T taken from somewhere, rest] becomes [0, 0, rest]: keep B, keep T.

    All reshapes of the model split or join axes behind batch and length, which is what makes this right; `validate`
    compares the results.
    """
    makers, constants = _makers(graph), _constants(graph)
    for number, node in enumerate(graph.node):
        if node.op_type != "Reshape":
            continue
        rest = _rest_of_shape(node.input[1], makers, constants)
        if rest is None:
            continue
        name = f"kept_shape_{number}"
        graph.initializer.append(numpy_helper.from_array(np.array([_KEEP, _KEEP, *rest], np.int64), name))
        node.input[1] = name


def _rest_of_shape(name: str, makers: dict[str, NodeProto], constants: dict[str, TensorProto]) -> list[int] | None:
    """Return the sizes behind batch and length of a shape that is put together at run time, else None."""
    maker = makers.get(name)
    while maker is not None and maker.op_type == "Cast":
        maker = makers.get(maker.input[0])
    if maker is None or maker.op_type != "Concat" or len(maker.input) < 3:
        return None
    parts = [constants.get(part) for part in maker.input]
    known = [None if part is None else numpy_helper.to_array(part).reshape(-1).tolist() for part in parts]
    batch, length, *rest = known
    if batch != [_REST] or length is not None or any(part is None for part in rest):
        return None
    return [int(size) for part in rest if part is not None for size in part]


def _drop_cast_pairs(graph: onnx.GraphProto) -> None:
    """The ids of TopK are int64; TensorFlow's are int32, so that they come out cast there and back."""
    makers = _makers(graph)
    for node in graph.node:
        inner = makers.get(node.input[0]) if _casts_to(node, TensorProto.INT64) else None
        source = makers.get(inner.input[0]) if inner is not None and _casts_to(inner, TensorProto.INT32) else None
        if source is not None and source.op_type == "TopK":
            source.output[1], node.op_type = node.output[0], "Dropped"
    kept = [node for node in graph.node if node.op_type != "Dropped"]
    del graph.node[:]
    graph.node.extend(kept)


def _casts_to(node: NodeProto, kind: int) -> bool:
    return node.op_type == "Cast" and helper.get_node_attr_value(node, "to") == kind


def _drop_unused(graph: onnx.GraphProto) -> None:
    """Leave out nodes and initialisers that no output needs."""
    needed = {value.name for value in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            needed.update(node.input)
            kept.append(node)
    initialisers = [tensor for tensor in graph.initializer if tensor.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(reversed(kept))
    graph.initializer.extend(initialisers)


def scale_columns_apart(proto: onnx.ModelProto) -> None:
    """Scale each dynamically quantised product as a whole, and its columns in a product of their own behind it.

    onnxruntime's fused node scales columns slowly: for a single row the step graph gains 11 of 180 microseconds by
    this, for four it does not matter, for more it loses a little. The split is by a power of two, which is exact.
    """
    graph = proto.graph
    makers, constants = _makers(graph), _constants(graph)
    behind: dict[str, NodeProto] = {}
    for node in graph.node:
        scales = _column_scales(node, makers, constants)
        if scales is None:
            continue
        joined, place = scales
        by_column = constants[joined.input[place]]
        values = numpy_helper.to_array(by_column) / _WHOLE_SCALE
        by_column.CopyFrom(numpy_helper.from_array(values.astype(np.float32), by_column.name))
        result, whole = node.output[0], f"{node.output[0]}_whole"
        joined.input[place], node.output[0] = WHOLE_SCALE, whole
        behind[whole] = helper.make_node("Mul", [whole, by_column.name], [result], f"{node.name}_columns")
    if behind:
        graph.initializer.append(numpy_helper.from_array(np.array(_WHOLE_SCALE), WHOLE_SCALE))
    nodes = [part for node in graph.node for part in (node, behind.get(node.output[0])) if part is not None]
    del graph.node[:]
    graph.node.extend(nodes)


def _column_scales(
    node: NodeProto, makers: dict[str, NodeProto], constants: dict[str, TensorProto]
) -> tuple[NodeProto, int] | None:
    """Return, for the node that scales an integer product, the node that joins both scales and the columns' place."""
    if node.op_type != "Mul":
        return None
    cast, joined = (makers.get(name) for name in node.input)
    product = makers.get(cast.input[0]) if cast is not None and cast.op_type == "Cast" else None
    if product is None or product.op_type != "MatMulInteger" or joined is None or joined.op_type != "Mul":
        return None
    for place, name in enumerate(joined.input):
        if name in constants and np.prod(constants[name].dims) > 1:
            return joined, place
    return None
