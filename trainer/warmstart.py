"""Reading a bundle's fp16 weights back, so that every bundle can be the start of the next training."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.errors import TrainingError

VARIANT = "variants/cuda-fp16"
MODELS = tuple(f"{VARIANT}/{name}.onnx" for name in ("encoder_model", "decoder_with_past_model"))


def read_bundle(bundle: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the initialisers of the bundle's fp16 variant by our variables' paths, and its architecture.

    Arrays are float32. Raises TrainingError where there is no bundle, no fp16 variant in it, or a file of it is
    not what the manifest says.
    """
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from onnx import numpy_helper

    try:
        manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
        models = [onnx.load_from_string(_checked(bundle, name, manifest["files"])) for name in MODELS]
        architecture: dict[str, Any] = manifest["architecture"]
        missing = [side for side in ("encoder", "decoder") if side not in architecture]
    except (OSError, ValueError, TypeError, DecodeError) as error:
        raise TrainingError(f"{bundle}: no weights to start from: {error}") from error
    except KeyError as error:
        raise TrainingError(f"{bundle}: no weights to start from: its manifest has no {error}") from error
    if missing:
        raise TrainingError(f"{bundle}: no weights to start from: its manifest does not describe the {missing[0]}")
    # Constants of the graphs bear TensorFlow's names, which end in an output's number, or tf2onnx' own.
    weights = {
        tensor.name: numpy_helper.to_array(tensor).astype(np.float32)
        for model in models
        for tensor in model.graph.initializer
        if tensor.name.startswith(("encoder/", "decoder/")) and ":" not in tensor.name
    }
    return weights, architecture


def _checked(bundle: Path, name: str, files: dict[str, Any]) -> bytes:
    if name not in files:
        raise ValueError("it has no fp16 variant")
    data = (bundle / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != files[name]["sha256"]:
        raise ValueError(f"{name} is not what its SHA-256 in the manifest says")
    return data
