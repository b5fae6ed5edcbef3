"""Keras model -> two ONNX graphs, by tf2onnx.

The only place that needs TensorFlow itself. The decoding loop stays outside: the encoder runs once a
question, the step once a token.
"""

from __future__ import annotations

import trainer.backend  # noqa: F401

import logging
from collections.abc import Callable
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
from export.signatures import OPSET, GraphSignature, decoder_signature, encoder_signature
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
        past = [(tf.gather(feeds[f"past_key_{i}"], feeds["beam_idx"]), tf.gather(feeds[f"past_value_{i}"], feeds["beam_idx"]))
                for i in layers]
        logits, grown, _ = model.decoder(feeds["decoder_input_ids"], memory, feeds["encoder_attention_mask"], past=past,
                                         offset=feeds["position"])
        best, ids = tf.math.top_k(logits, k=top)  # of (B, V)
        outputs = {"top_ids": ops.cast(ids, "int64"), "top_logprobs": best - logsumexp(logits)}
        for i, (key, value) in enumerate(grown):
            outputs[f"present_key_{i}"], outputs[f"present_value_{i}"] = key, value
        return outputs

    return step


def logsumexp(logits: Any) -> Any:
    """Over the last axis, kept, (B, V) -> (B, 1): in plain operations, so that no check for infinities is exported."""
    highest = tf.reduce_max(logits, axis=-1, keepdims=True)
    return highest + tf.math.log(tf.reduce_sum(tf.exp(logits - highest), axis=-1, keepdims=True))


def with_plain_lookup(model: Transformer) -> None:
    """Let both embeddings read their tables with TensorFlow's gather, one operation in ONNX."""
    for side in (model.encoder, model.decoder):
        side.embedding.lookup = tf.gather


def convert_encoder(model: Transformer) -> onnx.ModelProto:
    """The encoder graph, with initialisers named after the model's variables."""
    return _convert(model, encoder_function(model), encoder_signature(model.config))


def convert_decoder(model: Transformer) -> onnx.ModelProto:
    """The step graph, with initialisers named after the model's variables."""
    return _convert(model, decoder_function(model), decoder_signature(model.config))


def _convert(model: Transformer, function: Callable[[Feeds], Feeds], signature: GraphSignature) -> onnx.ModelProto:
    with_plain_lookup(model)
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
            proto, _ = tf2onnx.convert.from_function(tf.function(positional), input_signature=specs, opset=OPSET)
    except (ValueError, RuntimeError, TypeError) as error:
        raise ExportError(f"conversion to ONNX failed: {error}") from error
    _fix_outputs(proto, signature)
    name_initialisers(proto, {v.path: np.asarray(v) for v in model.weights})
    _drop_unused_domains(proto)
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


def name_initialisers(proto: onnx.ModelProto, weights: dict[str, NDArray[Any]]) -> None:
    """Rename initialisers to the paths of the variables they hold, matched by value.

    The trainer reads them back by these names (`trainer.warmstart`).
    """
    wanted: dict[tuple[tuple[int, ...], bytes], list[str]] = {}
    for path, value in weights.items():
        wanted.setdefault((value.shape, value.astype(np.float32).tobytes()), []).append(path)
    renamed: dict[str, str] = {}
    for tensor in proto.graph.initializer:
        value = numpy_helper.to_array(tensor)
        paths = wanted.get((value.shape, value.astype(np.float32).tobytes())) if value.dtype == np.float32 else None
        if paths and value.size > 1:
            renamed[tensor.name] = paths.pop(0)
            tensor.name = renamed[tensor.name]
    for node in proto.graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = renamed.get(name, name)
