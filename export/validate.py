"""The exported graphs must say what the Keras model says; an export that does not is never packed.

All failures are collected, then one error names them.
"""

from __future__ import annotations

import trainer.backend  # noqa: F401

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import onnx
import onnxruntime
from keras import ops
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state
from tokenizers import Tokenizer

from assistant.errors import BundleDamaged, ExportError
from assistant.inference.decoding import DecodingOptions, Hypothesis, greedy
from export.quantize import CPU_FP32, CUDA_FP16, FP32_OUTPUTS
from export.signatures import OPSET, GraphSignature, TensorSignature, decoder_signature, encoder_signature
from trainer.config import BOS_ID, EOS_ID
from trainer.dataset import encode_questions
from trainer.evaluate import KerasStep
from trainer.model import Transformer

# Greatest absolute difference of any output from the Keras model's, in float32.
TOLERANCE = 2e-3
LEAST_COSINE = 0.9
CACHED_STEPS = 3
# What running a broken graph raises: onnxruntime's own classes share no base but Exception.
RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    BundleDamaged,
    RuntimeError,
    ValueError,
    *(
        kind
        for kind in vars(onnxruntime_pybind11_state).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ),
)
Feeds = dict[str, NDArray[Any]]


class Reference:
    """What the Keras model makes of the questions: ids and mask (B, S)."""

    def __init__(self, model: Transformer, ids: NDArray[Any], mask: NDArray[Any]) -> None:
        self.model, self.ids, self.mask = model, ids, mask
        self.states = model.encode(ops.convert_to_tensor(ids), ops.convert_to_tensor(mask))
        self.pooled = ops.convert_to_numpy(model.pool(self.states, mask))
        self.options = DecodingOptions(max_tokens=model.config.max_answer_tokens, bos_id=BOS_ID, eos_id=EOS_ID)

    def step(self) -> KerasStep:
        """A fresh step function."""
        return KerasStep(self.model, self.ids, self.mask)

    @cached_property
    def answers(self) -> list[Hypothesis]:
        """The greedy answers."""
        return greedy(self.step(), len(self.ids), self.options)


@dataclass
class Findings:
    """What validation measured, and what it will not let pass."""

    differences: dict[str, float] = field(default_factory=dict)
    rounding: dict[str, float] = field(default_factory=dict)
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
        step = {
            "decoder_input_ids": token_ids[:, None].astype(np.int64),
            "beam_idx": beam_idx.astype(np.int64),
            "position": np.array([self.position], dtype=np.int64),
        }
        outputs = dict(zip(self.names, self.session.run(self.names, {**self.feeds, **step}), strict=True))
        for name, value in outputs.items():
            if name.startswith("present_"):
                self.feeds["past_" + name.removeprefix("present_")] = value
        self.position += 1
        return outputs["top_ids"], outputs["top_logprobs"]


def validate(
    model: Transformer,
    graphs: dict[str, tuple[onnx.ModelProto, onnx.ModelProto]],
    tokenizer: Tokenizer,
    questions: list[str],
) -> Findings:
    """Check names, types, shapes, numbers and whole answers of every variant. Raises ExportError with all failures.

    The fp32 variant must decode every question token for token as Keras does; int8 and fp16 round, so
    their embeddings must point the same way and all their values must be finite.
    """
    config = model.config
    ids, mask = encode_questions(tokenizer, questions, config.max_question_tokens)
    reference = Reference(model, ids, mask)
    findings = Findings()
    for variant, (encoder, decoder) in graphs.items():
        wrong = len(findings.failures)
        _check_signature(findings, f"{variant} encoder", encoder, encoder_signature(config), variant)
        _check_signature(findings, f"{variant} decoder", decoder, decoder_signature(config), variant)
        if len(findings.failures) > wrong:
            continue  # It cannot be fed; the other variants are looked at all the same.
        try:
            _check_numbers(findings, variant, reference, session(encoder), session(decoder))
        except RUNTIME_ERRORS as error:
            findings.check(False, f"{variant}: it cannot be run: {(str(error).splitlines() or ['?'])[0]}")
    if findings.failures:
        raise ExportError("export failed validation: " + "; ".join(findings.failures))
    return findings


def _check_signature(
    findings: Findings, where: str, proto: onnx.ModelProto, wanted: GraphSignature, variant: str
) -> None:
    for side, values, tensors in (
        ("input", proto.graph.input, wanted.inputs),
        ("output", proto.graph.output, wanted.outputs),
    ):
        names = [value.name for value in values]
        findings.check(names == [t.name for t in tensors], f"{where}: the {side}s are {', '.join(names)}")
        known = {value.name: value.type.tensor_type for value in values}
        for tensor in tensors:
            if tensor.name in known:
                _check_tensor(findings, where, known[tensor.name], tensor, variant)
    domains = {node.domain for node in proto.graph.node} - {"", "ai.onnx"}
    findings.check(not domains, f"{where}: uses the domains {', '.join(sorted(domains))}")
    versions = [entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx")]
    findings.check(versions == [OPSET], f"{where}: is of opset {versions}, not {OPSET}")
    outside = [t.name for t in proto.graph.initializer if t.data_location == onnx.TensorProto.EXTERNAL]
    findings.check(not outside, f"{where}: {', '.join(outside)} lies in a file of its own")


def _check_tensor(findings: Findings, where: str, found: Any, wanted: TensorSignature, variant: str) -> None:
    shape = tuple(d.dim_value if d.HasField("dim_value") else None for d in found.shape.dim)
    findings.check(shape == wanted.shape, f"{where}: {wanted.name} has shape {shape}, not {wanted.shape}")
    half = variant == CUDA_FP16 and wanted.dtype == "float32" and wanted.name not in FP32_OUTPUTS
    dtype = "float16" if half else wanted.dtype
    is_type = onnx.TensorProto.DataType.Name(found.elem_type).lower()
    is_type = "float32" if is_type == "float" else is_type
    findings.check(is_type == dtype, f"{where}: {wanted.name} is {is_type}, not {dtype}")


def _check_numbers(
    findings: Findings,
    variant: str,
    reference: Reference,
    encoder: onnxruntime.InferenceSession,
    decoder: onnxruntime.InferenceSession,
) -> None:
    encoded = _encode(encoder, reference.ids, reference.mask)
    if variant == CPU_FP32:
        _compare_encoder(findings, reference, encoded)
        _compare_steps(findings, reference, decoder, encoded)
        _compare_answers(findings, reference, decoder, encoded)
    else:
        _check_rounded(findings, variant, reference, decoder, encoded)


def _encode(encoder: onnxruntime.InferenceSession, ids: NDArray[Any], mask: NDArray[Any]) -> Feeds:
    names = [output.name for output in encoder.get_outputs()]
    values = encoder.run(names, {"input_ids": ids.astype(np.int64), "attention_mask": mask.astype(np.int64)})
    return dict(zip(names, values, strict=True))


def _compare(findings: Findings, group: str, name: str, ours: Any, theirs: NDArray[Any]) -> None:
    """Compare the tensor `name`; the greatest difference is kept for its `group`."""
    mine = ops.convert_to_numpy(ours)
    if mine.shape != theirs.shape:
        findings.check(False, f"{name}: shape {theirs.shape}, Keras has {mine.shape}")
        return
    difference = float(np.abs(mine - theirs).max(initial=0.0))
    findings.differences[group] = max(difference, findings.differences.get(group, 0.0))
    findings.check(difference <= TOLERANCE, f"{name}: differs by {difference:.2g} from Keras")


def _compare_encoder(findings: Findings, reference: Reference, encoded: Feeds) -> None:
    _compare(findings, "pooled", "pooled", reference.pooled, encoded["pooled"])
    visible = reference.mask[:, None, :, None]  # Behind a question's end there may be anything.
    for i, pair in enumerate(reference.model.memory(reference.states)):
        for part, ours in zip(("key", "value"), pair, strict=True):
            name = f"cross_{part}_{i}"
            _compare(findings, f"cross {part}s", name, ops.convert_to_numpy(ours) * visible, encoded[name] * visible)


def _compare_steps(
    findings: Findings, reference: Reference, decoder: onnxruntime.InferenceSession, encoded: Feeds
) -> None:
    """The first step, whose past is empty, and cached ones, with rows that change places as beams do."""
    rows = len(reference.ids)
    ours, theirs = reference.step(), OnnxStep(decoder, encoded, reference.mask)
    tokens, order = np.full(rows, BOS_ID, dtype=np.int64), np.arange(rows)
    for step in range(1 + CACHED_STEPS):
        (_, mine), (_, other) = ours(tokens, order), theirs(tokens, order)
        group = "first step" if step == 0 else "cached steps"
        width = min(mine.shape[1], other.shape[1])
        _compare(findings, group, f"top_logprobs of step {step}", mine[:, :width], other[:, :width])
        # Other tokens in every row, or an exchange of rows would not show.
        tokens = (EOS_ID + 1 + step + np.arange(rows)) % reference.model.config.answer_vocab_size
        order = np.roll(np.arange(rows), 1)
    for i, pair in enumerate(ours.past):
        for part, value in zip(("key", "value"), pair, strict=True):
            _compare(findings, "caches", f"present_{part}_{i}", value, theirs.feeds[f"past_{part}_{i}"])


def _compare_answers(
    findings: Findings, reference: Reference, decoder: onnxruntime.InferenceSession, encoded: Feeds
) -> None:
    theirs = greedy(OnnxStep(decoder, encoded, reference.mask), len(reference.ids), reference.options)
    for i, (mine, other) in enumerate(zip(reference.answers, theirs, strict=True)):
        findings.check(mine.tokens == other.tokens, f"answer {i} differs from Keras token for token")
    findings.compared_answers = len(theirs)


def _check_rounded(
    findings: Findings, variant: str, reference: Reference, decoder: onnxruntime.InferenceSession, encoded: Feeds
) -> None:
    cosine = float(np.sum(reference.pooled * encoded["pooled"].astype(np.float32), axis=1).min())
    findings.rounding[f"{variant} embedding (1 - cosine)"] = 1 - cosine
    findings.check(cosine >= LEAST_COSINE, f"{variant}: pooled turned to a cosine of {cosine:.3f}")
    for name, value in encoded.items():
        findings.check(bool(np.isfinite(value).all()), f"{variant}: {name} is not finite")
    rows = len(reference.ids)
    step = OnnxStep(decoder, encoded, reference.mask)
    for token in (BOS_ID, EOS_ID + 1, EOS_ID + 2):
        _, scores = step(np.full(rows, token, dtype=np.int64), np.arange(rows))
        findings.check(bool(np.isfinite(scores).all()), f"{variant}: top_logprobs is not finite")
    answers = greedy(OnnxStep(decoder, encoded, reference.mask), rows, reference.options)
    other = sum(mine.tokens != theirs.tokens for mine, theirs in zip(reference.answers, answers, strict=True))
    findings.rounding[f"{variant} answers with another token (share)"] = other / rows
