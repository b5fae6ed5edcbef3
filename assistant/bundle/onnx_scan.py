"""A look at the bytes of an ONNX model before onnxruntime gets them.

What onnxruntime does with external data in a model given as bytes differs between versions and nodes, so
loading from bytes alone is no promise that a model reads no files. This scan walks the protobuf wire format
(protobuf.dev/programming-guides/encoding) through graphs, nodes, attributes and tensors, without the onnx
package, skips the weights (under a millisecond for 28 MB), and refuses:

- tensors whose data lies in another file;
- operator domains other than ONNX's and onnxruntime's own, functions and training graphs;
- control flow (a Loop may never end; our graphs need none) and EPContext (opens a file by its name).

It bounds what a model can reach; a model that is merely wrong is left to onnxruntime to refuse.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.errors import BundleDamaged, BundleUnsupported

_ALLOWED_DOMAINS = {b"", b"ai.onnx", b"ai.onnx.ml", b"com.microsoft"}
_REFUSED_OPERATORS = {b"Loop", b"Scan", b"If", b"EPContext", b"PyOp"}
_MAX_DEPTH = 16

# Field numbers of onnx.proto3.
_MODEL_GRAPH, _MODEL_OPSET, _MODEL_TRAINING, _MODEL_FUNCTIONS = 7, 8, 20, 25
_OPSET_DOMAIN = 1
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_SPARSE = 1, 5, 15
_NODE_OPERATOR, _NODE_ATTRIBUTE, _NODE_DOMAIN = 4, 5, 7
_ATTRIBUTE_TENSORS, _ATTRIBUTE_GRAPHS, _ATTRIBUTE_SPARSE = (5, 10), (6, 11), (22, 23)
_SPARSE_PARTS = (1, 2)
_TENSOR_EXTERNAL, _TENSOR_LOCATION = 13, 14


def check_model(data: bytes, where: str) -> None:
    """Raise BundleUnsupported when a model reaches outside itself, BundleDamaged when it is no ONNX file."""
    try:
        _check_model(memoryview(data), where)
    except (IndexError, ValueError) as error:
        raise BundleDamaged(f"{where}: not an ONNX model") from error


def _check_model(data: memoryview, where: str) -> None:
    graphs = 0
    for number, value in _fields(data):
        if number == _MODEL_GRAPH:
            graphs += 1
            _check_graph(_message(value), where, 0)
        elif number == _MODEL_OPSET:
            for inner, domain in _fields(_message(value)):
                if inner == _OPSET_DOMAIN:
                    _check_domain(domain, where)
        elif number in (_MODEL_TRAINING, _MODEL_FUNCTIONS):
            raise BundleUnsupported(f"{where}: holds functions or training graphs of its own")
    if not graphs:
        raise ValueError("no graph")


def _check_graph(data: memoryview, where: str, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise BundleUnsupported(f"{where}: graphs nested more than {_MAX_DEPTH} deep")
    for number, value in _fields(data):
        if number == _GRAPH_NODE:
            _check_node(_message(value), where, depth)
        elif number == _GRAPH_INITIALIZER:
            _check_tensor(_message(value), where)
        elif number == _GRAPH_SPARSE:
            _check_sparse(_message(value), where)


def _check_node(data: memoryview, where: str, depth: int) -> None:
    for number, value in _fields(data):
        if number == _NODE_ATTRIBUTE:
            _check_attribute(_message(value), where, depth)
        elif number == _NODE_DOMAIN:
            _check_domain(value, where)
        elif number == _NODE_OPERATOR and bytes(_message(value)) in _REFUSED_OPERATORS:
            raise BundleUnsupported(f"{where}: uses the operator {bytes(_message(value)).decode()}")


def _check_attribute(data: memoryview, where: str, depth: int) -> None:
    for number, value in _fields(data):
        if number in _ATTRIBUTE_TENSORS:
            _check_tensor(_message(value), where)
        elif number in _ATTRIBUTE_GRAPHS:
            _check_graph(_message(value), where, depth + 1)
        elif number in _ATTRIBUTE_SPARSE:
            _check_sparse(_message(value), where)


def _check_sparse(data: memoryview, where: str) -> None:
    for number, value in _fields(data):
        if number in _SPARSE_PARTS:
            _check_tensor(_message(value), where)


def _check_tensor(data: memoryview, where: str) -> None:
    for number, value in _fields(data):
        if number == _TENSOR_EXTERNAL or (number == _TENSOR_LOCATION and value != 0):
            raise BundleUnsupported(f"{where}: keeps weights in another file")


def _check_domain(value: int | memoryview, where: str) -> None:
    domain = bytes(_message(value))
    if domain not in _ALLOWED_DOMAINS:
        raise BundleUnsupported(f"{where}: uses the operator domain {domain.decode('utf-8', 'replace')!r}")


def _message(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number where a message belongs")
    return value


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield (field number, value) of one message; fixed-width values are given as bytes."""
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        at += 1
        if key >= 0x80:
            key, at = _varint(data, at - 1)
        wire = key & 7
        if wire == 0:
            number, at = _varint(data, at)
            yield key >> 3, number
            continue
        if wire == 2:
            size = data[at]
            at += 1
            if size >= 0x80:
                size, at = _varint(data, at - 1)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError("unknown wire type")
        if size > end - at:
            raise ValueError("a field runs past its message")
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number of more than ten bytes")
