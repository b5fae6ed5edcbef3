"""Variants of the converted graphs: fp32 as it is, dynamic int8 for the CPU, fp16 for CUDA."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

import onnx

from assistant.errors import ExportError
from export.forms import scale_columns_apart

CPU_INT8, CPU_FP32, CUDA_FP16 = "cpu-int8", "cpu-fp32", "cuda-fp16"
VARIANTS = (CPU_INT8, CPU_FP32, CUDA_FP16)
# Interface tensors that stay float32 in the fp16 variant: the assistant computes with them.
FP32_OUTPUTS = ("pooled", "top_logprobs")


def to_variant(proto: onnx.ModelProto, variant: str) -> onnx.ModelProto:
    """Return the graph as the variant needs it; the one given stays as it is."""
    if variant == CPU_FP32:
        return proto
    if variant == CPU_INT8:
        return to_int8(proto)
    if variant == CUDA_FP16:
        return to_fp16(proto)
    raise ExportError(f"unknown variant {variant!r}: choose from {', '.join(VARIANTS)}")


def to_int8(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Dynamic quantisation, weights int8 per channel (`onnxruntime.quantization`)."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.getLogger("root").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.onnx"), Path(folder, "out.onnx")
        onnx.save(proto, source)
        quantize_dynamic(
            source,
            target,
            per_channel=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul", "Gather"],
            extra_options={"MatMulConstBOnly": True},
        )
        quantized = onnx.load(target)
    if any(value.name == "decoder_input_ids" for value in quantized.graph.input):
        scale_columns_apart(quantized)  # The step has few rows; the encoder has many, and would lose.
    _drop_contrib(quantized)
    return quantized


def to_fp16(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Half precision throughout but for `FP32_OUTPUTS`; CUDA has no kernels for int8 dynamic quantisation."""
    from onnxruntime.transformers.float16 import convert_float_to_float16
    from onnxruntime.transformers.onnx_model import OnnxModel

    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    outputs = [value.name for value in copy.graph.output]
    keep = [name for name in outputs if name in FP32_OUTPUTS]
    converted: onnx.ModelProto = convert_float_to_float16(copy, keep_io_types=keep or False, disable_shape_infer=False)
    # The casts are put at the end, which ONNX does not allow and onnxruntime only tolerates.
    OnnxModel(converted).topological_sort()
    return converted


def _drop_contrib(proto: onnx.ModelProto) -> None:
    """Dynamic quantisation declares onnxruntime's own domain even where no node uses it; bundles may not."""
    used = {node.domain for node in proto.graph.node}
    kept = [entry for entry in proto.opset_import if entry.domain in ("", "ai.onnx") or entry.domain in used]
    del proto.opset_import[:]
    proto.opset_import.extend(kept)
