"""Checkpoints that describe themselves: weights, recipe, tokenizers, the table and the figures.

    DIR/best/, DIR/last/     checkpoint.json  weights.safetensors  question_tokenizer.json
                             answer_tokenizer.json  table.json  (last only: optimizer.safetensors)

Only these two are kept. Each is written beside its place and renamed, so that one of them is whole
at every moment.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from assistant.errors import TrainingError
from trainer.config import Preset, preset_from_json
from trainer.table import Entry, Table

FORMAT = 1


@dataclass(frozen=True)
class Checkpoint:
    """Everything in a checkpoint but the weights."""

    preset: Preset
    question_tokenizer: Tokenizer
    answer_tokenizer: Tokenizer
    table: Table
    epoch: int = 0
    metrics: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)
    pretrained: str = ""
    data_hash: str = ""


def weights_of(model: Any) -> dict[str, NDArray[Any]]:
    """The model's weights by their path."""
    return {variable.path: np.asarray(variable) for variable in model.weights}


def assign(model: Any, weights: dict[str, NDArray[Any]], where: str) -> None:
    """Put weights into the model; raises TrainingError that names what does not fit."""
    for variable in model.weights:
        if variable.path not in weights:
            raise TrainingError(f"{where}: holds no weight {variable.path}")
        value = weights[variable.path]
        if tuple(value.shape) != tuple(variable.shape):
            raise TrainingError(f"{where}: {variable.path} is {value.shape}, the model needs {tuple(variable.shape)}")
        variable.assign(value)


def save(folder: Path, checkpoint: Checkpoint, tensors: dict[str, dict[str, NDArray[Any]]]) -> None:
    """Write `folder` in one step; `tensors` maps a file's stem ("weights", "optimizer") to its arrays."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for stem, arrays in tensors.items():
        save_file({name: np.ascontiguousarray(value) for name, value in arrays.items()}, fresh / f"{stem}.safetensors")
    checkpoint.question_tokenizer.save(str(fresh / "question_tokenizer.json"))
    checkpoint.answer_tokenizer.save(str(fresh / "answer_tokenizer.json"))
    table = asdict(checkpoint.table)
    (fresh / "table.json").write_text(json.dumps(table, ensure_ascii=False), encoding="utf-8")
    record = {"format": FORMAT, "preset": checkpoint.preset.to_json(), "epoch": checkpoint.epoch,
              "metrics": checkpoint.metrics, "history": checkpoint.history, "pretrained": checkpoint.pretrained,
              "data_hash": checkpoint.data_hash}
    (fresh / "checkpoint.json").write_text(json.dumps(record, indent=1), encoding="utf-8")
    _swap(fresh, folder)


def _swap(fresh: Path, folder: Path) -> None:
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.replace(folder, old)
    os.replace(fresh, folder)
    shutil.rmtree(old, ignore_errors=True)


def find(path: Path) -> Path:
    """The folder that holds checkpoint.json: `path`, or its `best`. Raises TrainingError."""
    for folder in (path, path / "best", path / "best.old"):
        if (folder / "checkpoint.json").is_file():
            return folder
    raise TrainingError(f"{path}: holds no checkpoint")


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint without its weights. Raises TrainingError that names the file at fault."""
    try:
        record = json.loads((folder / "checkpoint.json").read_text(encoding="utf-8"))
        raw = json.loads((folder / "table.json").read_text(encoding="utf-8"))
        tokenizers = [Tokenizer.from_file(str(folder / f"{side}_tokenizer.json")) for side in ("question", "answer")]
    except (OSError, ValueError) as error:
        raise TrainingError(f"{folder}: is damaged: {error}") from error
    if record.get("format") != FORMAT:
        raise TrainingError(f"{folder}: is of format {record.get('format')}, this version reads {FORMAT}")
    table = Table(tuple(_entry(e) for e in raw["entries"]), tuple(raw["negatives"]), raw["subject"])
    return Checkpoint(preset_from_json(record["preset"]), tokenizers[0], tokenizers[1], table, record["epoch"],
                      record["metrics"], record["history"], record["pretrained"], record["data_hash"])


def load_tensors(folder: Path, stem: str = "weights") -> dict[str, NDArray[Any]]:
    """Read one file of arrays. Raises TrainingError if it is missing or damaged."""
    path = folder / f"{stem}.safetensors"
    try:
        return dict(load_file(path))
    except (OSError, SafetensorError) as error:
        raise TrainingError(f"{path}: cannot be read: {error}") from error


def load_model(folder: Path) -> tuple[Any, Checkpoint]:
    """The model with its weights, and its checkpoint. Vocabularies and weights are checked against each other."""
    from trainer.model import create_model

    checkpoint = load(folder)
    model = create_model(checkpoint.preset.model)
    assign(model, load_tensors(folder), str(folder))
    return model, checkpoint


def _entry(record: dict[str, Any]) -> Entry:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    values["followups"] = tuple((a, b) for a, b in record["followups"])
    return Entry(**values)
