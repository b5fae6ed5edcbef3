"""Reading a bundle's fp16 weights back, so that every bundle can be the start of the next training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.errors import TrainingError


def read_bundle(bundle: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the initialisers of the bundle's fp16 variant by our variables' paths, and its architecture.

    Arrays are float32. Raises TrainingError where there is no bundle or no fp16 variant in it.
    """
    import onnx
    from onnx import numpy_helper

    folder = bundle / "variants" / "cuda-fp16"
    try:
        manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
        models = [onnx.load(folder / f"{name}.onnx") for name in ("encoder_model", "decoder_with_past_model")]
    except (OSError, ValueError) as error:
        raise TrainingError(f"{bundle}: no weights to start from: {error}") from error
    weights = {tensor.name: numpy_helper.to_array(tensor).astype(np.float32)
               for model in models for tensor in model.graph.initializer if "/" in tensor.name}
    return weights, manifest["architecture"]
