"""The exported graphs must say what the Keras model says; an export that does not is never packed.

All failures are collected, then one error names them.
"""

from __future__ import annotations

import trainer.backend  # noqa: F401

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
from keras import ops
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.errors import ExportError
from assistant.inference.decoding import DecodingOptions, greedy
from export.quantize import CPU_FP32
from export.signatures import GraphSignature, decoder_signature, encoder_signature
from trainer.config import BOS_ID, EOS_ID
from trainer.dataset import encode_questions
from trainer.evaluate import KerasStep
from trainer.model import Transformer

# Greatest absolute difference of any output from the Keras model's, in float32.
TOLERANCE = 2e-3
CACHED_STEPS = 3
Feeds = dict[str, NDArray[Any]]


@dataclass
class Findings:
    """What validation measured, and what it will not let pass."""

    differences: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    compared_answers: int = 0

    def check(self, good: bool, failure: str) -> None:
        """Note a failure unless `good`."""
        if not good:
            self.failures.append(failure)


def session(proto: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """Open a graph from memory, on the CPU."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


class OnnxStep:
    """The step graph as a step function for the decoding loop, over NumPy arrays."""

    def __init__(self, decoder: onnxruntime.InferenceSession, encoded: Feeds, mask: NDArray[Any]) -> None:
        self.session = decoder
        self.names = [output.name for output in decoder.get_outputs()]
        self.feeds: Feeds = {"encoder_attention_mask": mask.astype(np.int64)}
        for item in decoder.get_inputs():
            dtype = np.float16 if item.type == "tensor(float16)" else np.float32
            if item.name.startswith("past_"):
                self.feeds[item.name] = np.zeros((len(mask), item.shape[1], 0, item.shape[3]), dtype)
            elif item.name.startswith("cross_"):
                self.feeds[item.name] = encoded[item.name].astype(dtype)
        self.position = 0

    def __call__(self, token_ids: NDArray[np.int64], beam_idx: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        step = {"decoder_input_ids": token_ids[:, None].astype(np.int64), "beam_idx": beam_idx.astype(np.int64),
                "position": np.array([self.position], dtype=np.int64)}
        outputs = dict(zip(self.names, self.session.run(self.names, {**self.feeds, **step}), strict=True))
        for name, value in outputs.items():
            if name.startswith("present_"):
                self.feeds["past_" + name.removeprefix("present_")] = value
        self.position += 1
        return outputs["top_ids"], outputs["top_logprobs"]


def validate(model: Transformer, graphs: dict[str, tuple[onnx.ModelProto, onnx.ModelProto]], tokenizer: Tokenizer,
             questions: list[str]) -> Findings:
    """Check names, shapes, numbers and whole answers of every variant. Raises ExportError with all failures.

    The fp32 variant must decode every question token for token as Keras does; int8 and fp16 round, so
    their embeddings must point the same way and all their values must be finite.
    """
    config = model.config
    ids, mask = encode_questions(tokenizer, questions, config.max_question_tokens)
    findings = Findings()
    for variant, (encoder_proto, decoder_proto) in graphs.items():
        _check_signature(findings, f"{variant} encoder", encoder_proto, encoder_signature(config))
        _check_signature(findings, f"{variant} decoder", decoder_proto, decoder_signature(config))
        encoder, decoder = session(encoder_proto), session(decoder_proto)
        encoded = _encode(encoder, ids, mask)
        if variant == CPU_FP32:
            _compare_encoder(findings, model, encoded, ids, mask)
            _compare_steps(findings, model, decoder, encoded, ids, mask)
            _compare_answers(findings, model, decoder, encoded, ids, mask)
        else:
            _check_rounded(findings, variant, model, decoder, encoded, ids, mask)
    if findings.failures:
        raise ExportError("export failed validation: " + "; ".join(findings.failures))
    return findings


def _check_signature(findings: Findings, where: str, proto: onnx.ModelProto, wanted: GraphSignature) -> None:
    for side, values, tensors in (("input", proto.graph.input, wanted.inputs), ("output", proto.graph.output, wanted.outputs)):
        names = [value.name for value in values]
        findings.check(names == [t.name for t in tensors], f"{where}: {side}s are {names}")
        for value, tensor in zip(values, tensors, strict=False):
            shape = tuple(d.dim_value if d.HasField("dim_value") else None for d in value.type.tensor_type.shape.dim)
            findings.check(shape == tensor.shape, f"{where}: {tensor.name} has shape {shape}, not {tensor.shape}")
    domains = {node.domain for node in proto.graph.node} - {"", "ai.onnx"}
    findings.check(not domains, f"{where}: uses the domains {sorted(domains)}")


def _encode(encoder: onnxruntime.InferenceSession, ids: NDArray[Any], mask: NDArray[Any]) -> Feeds:
    names = [output.name for output in encoder.get_outputs()]
    values = encoder.run(names, {"input_ids": ids.astype(np.int64), "attention_mask": mask.astype(np.int64)})
    return dict(zip(names, values, strict=True))


def _compare(findings: Findings, where: str, ours: Any, theirs: NDArray[Any]) -> None:
    mine = ops.convert_to_numpy(ours)
    if mine.shape != theirs.shape:
        findings.check(False, f"{where}: shape {theirs.shape}, Keras has {mine.shape}")
        return
    difference = float(np.abs(mine - theirs).max(initial=0.0))
    findings.differences[where] = max(difference, findings.differences.get(where, 0.0))
    findings.check(difference <= TOLERANCE, f"{where}: differs by {difference:.2g} from Keras")


def _compare_encoder(findings: Findings, model: Transformer, encoded: Feeds, ids: NDArray[Any], mask: NDArray[Any]) -> None:
    states = model.encode(ops.convert_to_tensor(ids), ops.convert_to_tensor(mask))
    _compare(findings, "pooled", model.pool(states, mask), encoded["pooled"])
    for i, (key, value) in enumerate(model.memory(states)):
        visible = mask[:, None, :, None]
        _compare(findings, "cross keys", ops.convert_to_numpy(key) * visible, encoded[f"cross_key_{i}"] * visible)
        _compare(findings, "cross values", ops.convert_to_numpy(value) * visible, encoded[f"cross_value_{i}"] * visible)


def _compare_steps(findings: Findings, model: Transformer, decoder: onnxruntime.InferenceSession, encoded: Feeds,
                   ids: NDArray[Any], mask: NDArray[Any]) -> None:
    """The first step, whose past is empty, and cached ones, with rows reordered as beams are."""
    ours, theirs = KerasStep(model, ids, mask), OnnxStep(decoder, encoded, mask)
    tokens, order = np.full(len(ids), BOS_ID, dtype=np.int64), np.arange(len(ids))
    for step in range(1 + CACHED_STEPS):
        (_, mine), (_, other) = ours(tokens, order), theirs(tokens, order)
        where = "first step" if step == 0 else "cached steps"
        width = min(mine.shape[1], other.shape[1])
        _compare(findings, where, mine[:, :width], other[:, :width])
        tokens = np.full(len(ids), EOS_ID + 1 + step, dtype=np.int64)
    for i, (key, _) in enumerate(ours.past):
        _compare(findings, "caches", key, theirs.feeds[f"past_key_{i}"])


def _compare_answers(findings: Findings, model: Transformer, decoder: onnxruntime.InferenceSession, encoded: Feeds,
                     ids: NDArray[Any], mask: NDArray[Any]) -> None:
    options = DecodingOptions(max_tokens=model.config.max_answer_tokens, bos_id=BOS_ID, eos_id=EOS_ID)
    ours = greedy(KerasStep(model, ids, mask), len(ids), options)
    theirs = greedy(OnnxStep(decoder, encoded, mask), len(ids), options)
    for i, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        findings.check(mine.tokens == other.tokens, f"answer {i} differs from Keras token for token")
    findings.compared_answers = len(ours)


def _check_rounded(findings: Findings, variant: str, model: Transformer, decoder: onnxruntime.InferenceSession,
                   encoded: Feeds, ids: NDArray[Any], mask: NDArray[Any]) -> None:
    pooled = ops.convert_to_numpy(model.pool(model.encode(ops.convert_to_tensor(ids), ops.convert_to_tensor(mask)), mask))
    cosine = float(np.sum(pooled * encoded["pooled"].astype(np.float32), axis=1).min())
    findings.differences[f"{variant} embedding (1 - cosine)"] = 1 - cosine
    findings.check(cosine >= 0.9, f"{variant}: an embedding turned to cosine {cosine:.3f}")
    findings.check(all(np.isfinite(value).all() for value in encoded.values()), f"{variant}: encoder values are not finite")
    step = OnnxStep(decoder, encoded, mask)
    for token in (BOS_ID, EOS_ID + 1, EOS_ID + 2):
        _, scores = step(np.full(len(ids), token, dtype=np.int64), np.arange(len(ids)))
        findings.check(bool(np.isfinite(scores).all()), f"{variant}: decoder values are not finite")
