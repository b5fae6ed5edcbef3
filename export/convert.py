"""Keras model -> two ONNX graphs, by tf2onnx.

The only place that needs TensorFlow itself. The decoding loop stays outside: the encoder runs once a
question, the step once a token.
"""

from __future__ import annotations

import trainer.backend  # noqa: F401

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
import tensorflow as tf
import tf2onnx.convert
from keras import ops
from numpy.typing import NDArray
from onnx import numpy_helper
from tf2onnx import optimizer as graph_optimizer

from assistant.errors import ExportError
from export.forms import simplify
from export.signatures import OPSET, GraphSignature, decoder_signature, encoder_signature
from trainer.layers import Linear
from trainer.model import Transformer

Feeds = dict[str, Any]


def encoder_function(model: Transformer) -> Callable[[Feeds], Feeds]:
    """The encoder graph as a function of named tensors."""

    def encode(feeds: Feeds) -> Feeds:
        mask = feeds["attention_mask"]
        states = model.encode(feeds["input_ids"], mask)  # (B, S, D)
        outputs = {"pooled": model.pool(states, mask)}
        for i, (key, value) in enumerate(model.memory(states)):
            outputs[f"cross_key_{i}"], outputs[f"cross_value_{i}"] = key, value
        return outputs

    return encode


def decoder_function(model: Transformer) -> Callable[[Feeds], Feeds]:
    """One decoding step as a function of named tensors; beams are reordered inside it."""
    layers = range(model.config.decoder.layers)
    top = decoder_signature(model.config).outputs[0].shape[1]

    def step(feeds: Feeds) -> Feeds:
        memory = [(feeds[f"cross_key_{i}"], feeds[f"cross_value_{i}"]) for i in layers]
        # Only the self-attention caches follow the beams: all beams of a question share its memory.
        past = [
            (
                tf.gather(feeds[f"past_key_{i}"], feeds["beam_idx"]),
                tf.gather(feeds[f"past_value_{i}"], feeds["beam_idx"]),
            )
            for i in layers
        ]
        logits, grown, _ = model.decoder(
            feeds["decoder_input_ids"], memory, feeds["encoder_attention_mask"], past=past, offset=feeds["position"]
        )
        best, ids = tf.math.top_k(tf.nn.log_softmax(logits), k=top)  # of (B, V)
        outputs = {"top_ids": ops.cast(ids, "int64"), "top_logprobs": best}
        for i, (key, value) in enumerate(grown):
            outputs[f"present_key_{i}"], outputs[f"present_value_{i}"] = key, value
        return outputs

    return step


def with_plain_operations(model: Transformer) -> None:
    """Let embeddings and linear layers use TensorFlow's gather and product: one operation each in ONNX."""
    for side in (model.encoder, model.decoder):
        side.embedding.lookup = tf.gather
    for layer in model._flatten_layers():
        if isinstance(layer, Linear):
            layer.product = tf.matmul


def convert(model: Transformer) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """Both graphs; together they hold every variable under its own name. Raises ExportError."""
    graphs = convert_encoder(model), convert_decoder(model)
    check_all_named(graphs, [variable.path for variable in model.weights])
    return graphs


def convert_encoder(model: Transformer) -> onnx.ModelProto:
    """The encoder graph, with initialisers named after the model's variables."""
    return _convert(model, encoder_function(model), encoder_signature(model.config))


def convert_decoder(model: Transformer) -> onnx.ModelProto:
    """The step graph, with initialisers named after the model's variables."""
    return _convert(model, decoder_function(model), decoder_signature(model.config))


def _convert(model: Transformer, function: Callable[[Feeds], Feeds], signature: GraphSignature) -> onnx.ModelProto:
    with_plain_operations(model)
    specs = [tf.TensorSpec(s.shape, s.dtype, name=s.name) for s in signature.inputs]
    names = [s.name for s in signature.outputs]

    def positional(*tensors: Any) -> Feeds:
        outputs = function(dict(zip((s.name for s in signature.inputs), tensors, strict=True)))
        return {name: tf.identity(outputs[name], name=name) for name in names}

    logging.getLogger("tf2onnx").setLevel(logging.ERROR)
    try:
        with patch.dict(graph_optimizer._optimizers) as optimizers:
            # It turns the means of layer norm into poolings, which onnxruntime does not fuse.
            optimizers.pop("global_pool_optimizer", None)
            with marked(model) as marks:
                # Nothing in the model branches on a tensor; autograph would read our source files again.
                traced = tf.function(positional, autograph=False)
                proto, _ = tf2onnx.convert.from_function(traced, input_signature=specs, opset=OPSET)
    except (ValueError, RuntimeError, TypeError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[-1].strip()
        raise ExportError(f"conversion to ONNX failed: {reason}") from error
    _fix_outputs(proto, signature)
    name_initialisers(proto, marks, {v.path: np.asarray(v) for v in model.weights})
    _drop_unused_domains(proto)
    simplify(proto)
    proto.producer_name, proto.producer_version, proto.doc_string = "lamplight", "", ""
    return proto


def _fix_outputs(proto: onnx.ModelProto, signature: GraphSignature) -> None:
    """Put the outputs in order and declare the shapes that the signature knows; tf2onnx leaves some open."""
    values = {value.name: value for value in [*proto.graph.input, *proto.graph.output]}
    for wanted in (*signature.inputs, *signature.outputs):
        if wanted.name not in values:
            raise ExportError(f"the converted graph has no {wanted.name!r}, only {', '.join(values)}")
        shape = values[wanted.name].type.tensor_type.shape
        del shape.dim[:]
        for axis, size in enumerate(wanted.shape):
            dim = shape.dim.add()
            if size is None:
                dim.dim_param = f"{wanted.name}_{axis}"
            else:
                dim.dim_value = size
    ordered = [values[wanted.name] for wanted in signature.outputs]
    del proto.graph.output[:]
    proto.graph.output.extend(ordered)


def _drop_unused_domains(proto: onnx.ModelProto) -> None:
    """tf2onnx declares ai.onnx.ml even where no node uses it; bundles may name no domain but ONNX's own."""
    kept = [entry for entry in proto.opset_import if entry.domain in ("", "ai.onnx")]
    del proto.opset_import[:]
    proto.opset_import.extend(kept)


@contextmanager
def marked(model: Transformer) -> Iterator[dict[str, str]]:
    """Fill every variable with numbers of its own for a while; yields each variable's path by its mark.

    Two variables that hold the same values (all biases of an untrained model do) would be merged by tf2onnx into
    one initialiser, and one of the names lost.
    """
    kept = {variable.path: np.asarray(variable) for variable in model.weights}
    names = {}
    try:
        for number, variable in enumerate(model.weights):
            mark = np.random.default_rng(number).uniform(0.5, 1.5, variable.shape).astype(np.float32)
            variable.assign(mark)
            names[mark_of(mark)] = variable.path
        yield names
    finally:
        for variable in model.weights:
            variable.assign(kept[variable.path])


def mark_of(values: NDArray[Any]) -> str:
    """What tells one array from another."""
    return f"{values.shape} {hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()}"


def name_initialisers(proto: onnx.ModelProto, names: dict[str, str], weights: dict[str, NDArray[Any]]) -> None:
    """Name the initialisers after the variables whose marks they hold, and put the variables' values into them.

    The trainer reads them back by these names (`trainer.warmstart`).
    """
    renamed: dict[str, str] = {}
    for tensor in proto.graph.initializer:
        path = names.get(mark_of(numpy_helper.to_array(tensor)))
        if path is not None:
            renamed[tensor.name] = path
            tensor.CopyFrom(numpy_helper.from_array(weights[path].astype(np.float32), path))
    for node in proto.graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = renamed.get(name, name)


def check_all_named(graphs: Sequence[onnx.ModelProto], weights: Sequence[str]) -> None:
    """Raise ExportError unless every variable is an initialiser of one of the graphs, under its own name."""
    found = {tensor.name for proto in graphs for tensor in proto.graph.initializer}
    lost = [path for path in weights if path not in found]
    if lost:
        raise ExportError(f"the conversion to ONNX lost the variable {lost[0]} (and {len(lost) - 1} more)")
