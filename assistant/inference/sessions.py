"""The model's two graphs in onnxruntime: which device answers, one encoder pass, one decoder step.

The only importer of onnxruntime, and it imports it when the first model is opened, not before. Models are read as
bytes (after their hash was checked), scanned (see `assistant.bundle.onnx_scan`) and loaded from those bytes.

On the CPU a step goes through plain `run`, on a GPU through IO binding, which keeps the caches there. Measured for a
whole step of the 3-layer decoder in int8, one row, one thread: `run` 192 microseconds, IO binding 204,
`run_with_ort_values` 221; 178 of them are the graph's. Leaving out spinning costs the CPU half again, so it stays on
between the decoder's steps.

Letters: B questions, S question tokens, D width of the embedding, R decoder rows (B times beams), H heads, Dh head
width, P past length, K candidates.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assistant.bundle.manifest import DECODER, ENCODER, QUESTION_TOKENIZER, VARIANTS, Architecture, model_path
from assistant.bundle.onnx_scan import check_model
from assistant.bundle.reader import Bundle
from assistant.errors import BundleDamaged, BundleError, BundleUnsupported, DeviceError, UsageError
from assistant.inference.decoding import Floats, Ids
from assistant.inference.tokenizer import QuestionTokenizer

Device = Literal["cpu", "cuda"]
CPU_PROVIDER = "CPUExecutionProvider"
CUDA_PROVIDER = "CUDAExecutionProvider"
_CUDA_VARIANT = "cuda-fp16"
_DTYPES: dict[str, type[np.generic]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
}
# Small models gain nothing from more threads, and the rest of the machine has other things to do.
_MOST_THREADS = 4
# The fused node takes 1.6 microseconds a row of 384, its two parts together 0.5; the encoder gains a sixth without it.
_SLOW_ON_CPU = ["SkipLayerNormFusion"]
_PROBE = "What is this about?"
# int8 against fp16 moves the embedding by about 0.02; a GPU that computes nonsense lands near 0.
_LEAST_AGREEMENT = 0.9


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """Which device answers, with which variant and onnxruntime provider, and why it is that one."""

    device: Device
    variant: str
    provider: str
    reason: str


@dataclass(frozen=True, slots=True)
class Encoded:
    """What the encoder made of B questions."""

    pooled: NDArray[np.float32]  # (B, D), L2-normalised
    mask: Ids  # (B, S)
    cross: Mapping[str, NDArray[Any]]  # cross_key_i and cross_value_i, (B, H, S, Dh) each

    def select(self, rows: Sequence[int]) -> Encoded:
        """Return some of the questions, in that order, without padding that none of them needs."""
        picked = list(rows)
        mask = self.mask[picked]
        longest = int(mask.sum(axis=1).max(initial=1))
        # Question padding is on the right, so that cutting columns off drops only masked ones.
        cross = {name: value[picked][:, :, :longest] for name, value in self.cross.items()}
        return Encoded(self.pooled[picked], mask[:, :longest], cross)


class Model:
    """An opened bundle's encoder and decoder on one device. Safe to use from several threads at once."""

    def __init__(self, bundle: Bundle, report: DeviceReport, threads: int = 0) -> None:
        """Open both graphs of `report.variant`. Prefer `open_model`, which chooses the device.

        Raises BundleDamaged, BundleUnsupported, or DeviceError when the provider does not start.
        """
        self.report = report
        self.architecture: Architecture = bundle.manifest.architecture
        self.tokenizer = QuestionTokenizer.from_bytes(
            bundle.read(QUESTION_TOKENIZER),
            f"{bundle.root}: {QUESTION_TOKENIZER}",
            self.architecture.max_question_tokens,
            self.architecture.pad_id,
        )
        self._encoder = _Graph(bundle, ENCODER, report, threads)
        self._decoder = _Graph(bundle, DECODER, report, threads)
        self._check_names()

    def _check_names(self) -> None:
        layers = range(self.architecture.decoder_layers)
        cross = {f"cross_{part}_{layer}" for layer in layers for part in ("key", "value")}
        past = {f"past_{part}_{layer}" for layer in layers for part in ("key", "value")}
        present = {f"present_{part}_{layer}" for layer in layers for part in ("key", "value")}
        self._encoder.check({"input_ids", "attention_mask"}, {"pooled", *cross})
        step = {"decoder_input_ids", "position", "encoder_attention_mask", "beam_idx"}
        self._decoder.check({*step, *cross, *past}, {"top_ids", "top_logprobs", *present})

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Run the encoder over one or more questions, padded to the longest."""
        ids, mask = self.tokenizer.encode_batch(texts)
        outputs = self._encoder.run({"input_ids": ids, "attention_mask": mask})
        pooled = outputs.pop("pooled").astype(np.float32, copy=False)
        if pooled.ndim != 2 or not np.isfinite(pooled).all():
            raise BundleDamaged(f"{self._encoder.where}: answers with values that are no numbers")
        return Encoded(pooled, mask, outputs)

    def step_function(self, encoded: Encoded, beams: int = 1) -> CpuStep | GpuStep:
        """Return a step for `decoding`, with empty caches, for B * `beams` rows.

        Raises UsageError when the graph returns too few candidates for so many beams.
        """
        most = max(1, self.architecture.top_k // 2)
        if beams > most:
            raise UsageError(f"beams must be at most {most} with this bundle, not {beams}")
        if self.report.device == "cpu":
            return CpuStep(self._decoder, encoded, beams)
        return GpuStep(self._decoder, encoded, beams, self.report.device)


class CpuStep:
    """One step of the decoder graph on the CPU. For one decoding only: it keeps the caches."""

    def __init__(self, graph: _Graph, encoded: Encoded, beams: int) -> None:
        self._graph = graph
        self._position = np.full(1, -1, np.int64)  # (1,)
        self._feeds = {"position": self._position, **_question(encoded, beams)}
        self._feeds |= _empty_caches(graph, len(encoded.mask) * beams)
        self._caches = _caches(graph)
        self._ids_at, self._logprobs_at = graph.outputs.index("top_ids"), graph.outputs.index("top_logprobs")

    def __call__(self, token_ids: Ids, beam_idx: Ids) -> tuple[Ids, Floats]:
        """Feed one token a row, (R,) each, and return the best K continuations, (R, K) each."""
        feeds = self._feeds
        self._position += 1
        feeds["decoder_input_ids"] = token_ids.reshape(-1, 1)  # (R, 1)
        feeds["beam_idx"] = beam_idx
        with self._graph.named_errors():
            outputs = self._graph.session.run(self._graph.outputs, feeds)
        for place, _, past in self._caches:
            feeds[past] = outputs[place]
        return outputs[self._ids_at], outputs[self._logprobs_at]  # (R, K) each


class GpuStep:
    """One step of the decoder graph, with the caches bound from each step to the next on the GPU."""

    def __init__(self, graph: _Graph, encoded: Encoded, beams: int, device: Device) -> None:
        self._graph, self._device = graph, device
        self._past = 0
        self._binding = graph.session.io_binding()
        self._caches = _caches(graph)
        self._ids_at, self._logprobs_at = graph.outputs.index("top_ids"), graph.outputs.index("top_logprobs")
        value = _onnxruntime().OrtValue
        with graph.named_errors():
            for name, array in _question(encoded, beams).items():
                self._binding.bind_ortvalue_input(name, value.ortvalue_from_numpy(array, device, 0))
            for name, array in _empty_caches(graph, len(encoded.mask) * beams).items():
                empty = value.ortvalue_from_shape_and_type(array.shape, array.dtype.type, device, 0)
                self._binding.bind_ortvalue_input(name, empty)
            for name in graph.outputs:
                self._binding.bind_output(name, device if name.startswith("present_") else "cpu")

    def __call__(self, token_ids: Ids, beam_idx: Ids) -> tuple[Ids, Floats]:
        """Feed one token a row, (R,) each, and return the best K continuations, (R, K) each."""
        binding = self._binding
        binding.bind_cpu_input("decoder_input_ids", np.ascontiguousarray(token_ids).reshape(-1, 1))  # (R, 1)
        binding.bind_cpu_input("beam_idx", np.ascontiguousarray(beam_idx))  # (R,)
        binding.bind_cpu_input("position", np.array([self._past], np.int64))  # (1,)
        with self._graph.named_errors():
            self._graph.session.run_with_iobinding(binding)
            outputs = binding.get_outputs()
            for place, present, past in self._caches:
                binding.bind_ortvalue_input(past, outputs[place])
                # Bound anew: the caches grow by a column, and this one's buffer is now an input.
                binding.bind_output(present, self._device)
            ids, logprobs = outputs[self._ids_at].numpy(), outputs[self._logprobs_at].numpy()  # (R, K) each
        self._past += 1
        return ids, logprobs


def _question(encoded: Encoded, beams: int) -> dict[str, NDArray[Any]]:
    """Return the inputs that stay the same in all steps, one row a beam."""
    fixed = {"encoder_attention_mask": encoded.mask, **encoded.cross}
    return {
        name: np.ascontiguousarray(np.repeat(array, beams, axis=0) if beams > 1 else array)
        for name, array in fixed.items()
    }


def _caches(graph: _Graph) -> list[tuple[int, str, str]]:
    """Return each cache's place among the outputs, and its name as an output and as an input."""
    names = [name for name in graph.outputs if name.startswith("present_")]
    return [(graph.outputs.index(name), name, f"past_{name[8:]}") for name in names]


def _empty_caches(graph: _Graph, rows: int) -> dict[str, NDArray[Any]]:
    """Return the caches before the first step, (R, H, 0, Dh) each."""
    empty = {}
    for _, _, past in _caches(graph):
        heads, width = graph.cache_shape(past)
        empty[past] = np.zeros((rows, heads, 0, width), graph.dtype(past))
    return empty


def open_model(bundle: Bundle, device: str = "auto", threads: int = 0) -> Model:
    """Open a bundle's model on the device asked for: `auto`, `cpu` or `cuda`.

    `auto` takes an NVIDIA GPU that passes a probe, else the CPU; `report.reason` says why. `threads` is the number of
    CPU threads for one operator, 0 for a good number. Raises UsageError for another device, DeviceError when `cuda`
    cannot answer, BundleDamaged or BundleUnsupported.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(f"device must be auto, cpu or cuda, not {device!r}")
    if device == "cpu":
        return _open_cpu(bundle, "asked for", threads)
    obstacle = cuda_obstacle(bundle)
    if not obstacle:
        try:
            return _open_cuda(bundle, threads)
        except DeviceError as error:
            obstacle = str(error)
    if device == "cuda":
        raise DeviceError(f"device cuda cannot answer: {obstacle}")
    return _open_cpu(bundle, f"no CUDA: {obstacle}", threads)


def open_variant(bundle: Bundle, variant: str, threads: int = 0) -> Model:
    """Open one variant on the CPU. Raises UsageError where the bundle does not have it, and as `Model`."""
    if variant not in bundle.manifest.variants:
        raise UsageError(f"bundle {bundle.manifest.name} has no variant {variant!r}")
    return Model(bundle, DeviceReport("cpu", variant, CPU_PROVIDER, "asked for"), threads)


def choose_device(bundle: Bundle, device: str = "auto") -> DeviceReport:
    """Say which device would answer and why, after a probe with real sessions. Raises as `open_model`."""
    return open_model(bundle, device).report


def cuda_obstacle(bundle: Bundle) -> str:
    """Return what rules CUDA out before any session is made, or an empty text.

    The driver comes first: it is a look at one library, while onnxruntime's build says nothing about the machine.
    """
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(library)
    except OSError:
        return "this machine has no NVIDIA driver"
    if _CUDA_VARIANT not in bundle.manifest.variants:
        return f"bundle {bundle.manifest.name} has no {_CUDA_VARIANT} variant"
    if CUDA_PROVIDER not in _onnxruntime().get_available_providers():
        return "this onnxruntime is built without CUDA"
    return ""


def runtime_versions() -> dict[str, str]:
    """Return the versions `lamplight doctor` prints: onnxruntime and its providers."""
    runtime = _onnxruntime()
    return {
        "onnxruntime": str(runtime.__version__),
        "providers": ", ".join(runtime.get_available_providers()),
    }


def default_threads() -> int:
    """Return the number of CPU threads for one operator: the cores this process may use, at most four."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST_THREADS, cores)


def _open_cpu(bundle: Bundle, reason: str, threads: int) -> Model:
    variant = next(name for name in VARIANTS if name in bundle.manifest.variants and name.startswith("cpu-"))
    return Model(bundle, DeviceReport("cpu", variant, CPU_PROVIDER, reason), threads)


def _open_cuda(bundle: Bundle, threads: int) -> Model:
    """Open the model on the GPU and let it prove itself against the CPU. Raises DeviceError."""
    runtime = _onnxruntime()
    if hasattr(runtime, "preload_dlls"):  # Finds CUDA and cuDNN among the installed wheels.
        runtime.preload_dlls()
    report = DeviceReport("cuda", _CUDA_VARIANT, CUDA_PROVIDER, "")
    try:
        model = Model(bundle, report, threads)
        agreement = _agreement(model, _open_cpu(bundle, "probe", threads))
    except BundleError as error:
        # The same file may be sound on the CPU: what fails here is this device with it.
        raise DeviceError(str(error)) from error
    if not agreement >= _LEAST_AGREEMENT:
        raise DeviceError(f"its answers differ from the CPU's (similarity {agreement:.2f})")
    model.report = DeviceReport("cuda", _CUDA_VARIANT, CUDA_PROVIDER, "a probe agreed with the CPU")
    return model


def _agreement(model: Model, reference: Model) -> float:
    """Return the cosine of both embeddings of one question; 0 when their first steps share no candidate."""
    encoded, expected = model.encode([_PROBE]), reference.encode([_PROBE])
    start = np.array([model.architecture.bos_id], np.int64), np.zeros(1, np.int64)
    ids, logprobs = model.step_function(encoded)(*start)
    expected_ids, _ = reference.step_function(expected)(*start)
    if not np.isfinite(logprobs).all() or ids[0, 0] not in expected_ids[0]:
        return 0.0
    return float(encoded.pooled[0] @ expected.pooled[0])


class _Graph:
    """One ONNX graph in a session, its names looked up once, its errors turned into ours."""

    def __init__(self, bundle: Bundle, file: str, report: DeviceReport, threads: int) -> None:
        relative = model_path(report.variant, file)
        self.where = f"{bundle.root}: {relative}"
        data = bundle.read(relative)
        check_model(data, self.where)
        providers = [report.provider] if report.provider == CPU_PROVIDER else [report.provider, CPU_PROVIDER]
        options = _session_options(threads, decoder=file == DECODER)
        avoided = _SLOW_ON_CPU if report.provider == CPU_PROVIDER else None
        with self.named_errors():
            self.session = _onnxruntime().InferenceSession(
                data, options, providers=providers, disabled_optimizers=avoided
            )
        # Without this a failing provider is replaced by the CPU in the middle of an answer, silently.
        self.session.disable_fallback()
        if self.session.get_providers()[0] != report.provider:
            raise DeviceError(f"{report.provider} did not start (onnxruntime fell back to the CPU)")
        self._inputs = {item.name: item for item in self.session.get_inputs()}
        self.outputs = [item.name for item in self.session.get_outputs()]

    def check(self, inputs: set[str], outputs: set[str]) -> None:
        """Raise BundleUnsupported unless the graph has exactly these inputs and outputs."""
        wrong = sorted((inputs ^ set(self._inputs)) | (outputs ^ set(self.outputs)))
        if wrong:
            raise BundleUnsupported(f"{self.where}: input or output {wrong[0]} is missing or unknown")

    def run(self, feed: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Run the graph on arrays of the CPU and return its outputs by name."""
        with self.named_errors():
            return dict(zip(self.outputs, self.session.run(self.outputs, feed), strict=True))

    def dtype(self, name: str) -> type[np.generic]:
        """Return an input's NumPy type. Raises BundleUnsupported for one the graphs do not use."""
        if self._inputs[name].type not in _DTYPES:
            raise BundleUnsupported(f"{self.where}: {name} is a {self._inputs[name].type}")
        return _DTYPES[self._inputs[name].type]

    def cache_shape(self, name: str) -> tuple[int, int]:
        """Return heads and head width of a cache input, (R, H, P, Dh), the two that must be fixed."""
        shape = self._inputs[name].shape
        if len(shape) != 4 or not all(isinstance(shape[axis], int) and shape[axis] > 0 for axis in (1, 3)):
            raise BundleUnsupported(f"{self.where}: {name} has the shape {shape}")
        return shape[1], shape[3]

    @contextmanager
    def named_errors(self) -> Iterator[None]:
        """Turn an error of onnxruntime into BundleDamaged, on one line, naming the file."""
        try:
            yield
        except _runtime_errors() as error:
            text = (str(error).splitlines() or [type(error).__name__])[0]
            raise BundleDamaged(f"{self.where}: {text[:200]}") from error


@cache
def _onnxruntime() -> Any:
    """Import onnxruntime, quietly: its log lines would be written over the screen, its errors are raised anyway."""
    runtime: Any = importlib.import_module("onnxruntime")
    runtime.set_default_logger_severity(4)
    runtime.disable_telemetry_events()
    return runtime


@cache
def _runtime_errors() -> tuple[type[Exception], ...]:
    """Return what onnxruntime raises: its own classes share no base but Exception, so they are collected."""
    state: Any = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    own = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    return (*own, RuntimeError, ValueError, MemoryError)


def _session_options(threads: int, decoder: bool) -> Any:
    runtime = _onnxruntime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads or default_threads()
    options.inter_op_num_threads = 1
    options.execution_mode = runtime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 4
    if not decoder:
        # The encoder's threads must not go on spinning on the cores that the decoder's steps need.
        options.add_session_config_entry("session.force_spinning_stop", "1")
    return options
