"""Pretrained BERT-style encoders: where they come from and how they get into our layers.

Tried in this order, and said in the output: the folder given (`--pretrained` or LAMPLIGHT_PRETRAINED),
the hub of huggingface_hub at a pinned revision when it can be reached, the encoder of the shipped
bundle, read back from its fp16 variant.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from assistant.errors import TrainingError
from trainer.config import ModelConfig

REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
SHIPPED = Path(__file__).resolve().parent.parent / "assistant" / "bundles" / "mental-health"
Weights = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Pretrained:
    """Encoder weights by the paths of our variables, the tokenizer's folder, and where both came from."""

    weights: Weights
    tokenizer_folder: Path
    origin: str
    shape: dict[str, int]


def find_pretrained(folder: Path | None) -> Pretrained:
    """Find the encoder's weights in the order above. Raises TrainingError if a folder given cannot be used."""
    given = folder or (Path(os.environ["LAMPLIGHT_PRETRAINED"]) if os.environ.get("LAMPLIGHT_PRETRAINED") else None)
    if given is not None:
        return from_folder(given)
    return from_hub() or from_bundle(SHIPPED)


def from_folder(folder: Path, origin: str | None = None) -> Pretrained:
    """Read config.json, model.safetensors and tokenizer.json of a BERT-style model."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tensors = load_file(folder / "model.safetensors")
        shape = {
            "d_model": config["hidden_size"],
            "layers": config["num_hidden_layers"],
            "heads": config["num_attention_heads"],
            "inner": config["intermediate_size"],
        }
        weights = from_bert(tensors, shape["layers"])
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise TrainingError(f"{folder}: is no pretrained encoder: {error}") from error
    if not (folder / "tokenizer.json").is_file():
        raise TrainingError(f"{folder}: holds no tokenizer.json")
    return Pretrained(weights, folder, origin or f"the folder {folder.name}", shape)


def from_hub() -> Pretrained | None:
    """Fetch the pinned revision; None when the hub cannot be reached. A wrong sha256 raises TrainingError."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    # Files fetched earlier are used without a network; without either the library retries for half a minute.
    local = not hub_answers()
    try:
        files = [
            Path(hf_hub_download(REPOSITORY, name, revision=REVISION, etag_timeout=3, local_files_only=local))
            for name in ("config.json", *SHA256)
        ]
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError):
        return None
    for path in files[1:]:
        if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256[path.name]:
            raise TrainingError(f"{path.name} from {REPOSITORY} is not the file that was pinned (sha256 differs)")
    return from_folder(files[0].parent, f"{REPOSITORY} at {REVISION[:7]}")


def hub_answers() -> bool:
    """Whether the hub can be reached at all. A proxy is trusted to know the way."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or os.environ.get("HF_HUB_OFFLINE") == "1":
        return False
    address = urlsplit(constants.ENDPOINT)
    if getproxies().get(address.scheme):
        return True
    try:
        with socket.create_connection((address.hostname, address.port or 443), timeout=3):
            return True
    except OSError:
        return False


def from_bundle(bundle: Path) -> Pretrained:
    """Read the encoder back from a bundle's fp16 variant, whose initialisers bear our variables' paths."""
    from trainer.warmstart import read_bundle

    tensors, architecture = read_bundle(bundle)
    encoder = {name: value for name, value in tensors.items() if name.startswith("encoder/")}
    stack = architecture["encoder"]
    shape = {
        "d_model": architecture["d_model"],
        "layers": stack["layers"],
        "heads": stack["heads"],
        "inner": stack["inner"],
    }
    return Pretrained(encoder, bundle, f"the encoder of the bundle {bundle.name}", shape)


def fitted(config: ModelConfig, pretrained: Pretrained) -> ModelConfig:
    """The model's shape with its encoder as the pretrained one has it."""
    shape = pretrained.shape
    encoder = replace(config.encoder, layers=shape["layers"], heads=shape["heads"], inner=shape["inner"])
    return replace(config, d_model=shape["d_model"], encoder=encoder)


def from_bert(tensors: Weights, layers: int) -> Weights:
    """Rename and join BERT's tensors; its type-0 embedding is added to the positions (type 1 is never used)."""
    table = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
    weights = {
        "encoder/embedding/tokens": tensors["embeddings.word_embeddings.weight"],
        "encoder/embedding/positions": table,
    }
    weights |= _norm(tensors, "embeddings.LayerNorm", "encoder/embedding/norm")
    for i in range(layers):
        weights |= _layer(tensors, f"encoder.layer.{i}", f"encoder/layer_{i}")
    return weights


def _layer(tensors: Weights, theirs: str, ours: str) -> Weights:
    parts = [f"{theirs}.attention.self.{name}" for name in ("query", "key", "value")]
    weights = {
        f"{ours}/attention/qkv/kernel": np.concatenate([tensors[f"{p}.weight"].T for p in parts], axis=1),
        f"{ours}/attention/qkv/bias": np.concatenate([tensors[f"{p}.bias"] for p in parts]),
    }
    dense = {
        "attention.output.dense": "attention/output",
        "intermediate.dense": "feed_forward/expand",
        "output.dense": "feed_forward/contract",
    }
    for name, path in dense.items():
        weights[f"{ours}/{path}/kernel"] = tensors[f"{theirs}.{name}.weight"].T
        weights[f"{ours}/{path}/bias"] = tensors[f"{theirs}.{name}.bias"]
    weights |= _norm(tensors, f"{theirs}.attention.output.LayerNorm", f"{ours}/norm_attention")
    return weights | _norm(tensors, f"{theirs}.output.LayerNorm", f"{ours}/norm_output")


def _norm(tensors: Weights, theirs: str, ours: str) -> Weights:
    return {f"{ours}/gamma": tensors[f"{theirs}.weight"], f"{ours}/beta": tensors[f"{theirs}.bias"]}


def load_encoder(model: Any, weights: Weights) -> None:
    """Assign pretrained weights to the encoder. Raises TrainingError for a missing or misshapen one."""
    from trainer.checkpoint import assign

    assign(model.encoder, {name: value.astype("float32") for name, value in weights.items()}, "pretrained encoder")
