"""Checkpoints that describe themselves: weights, recipe, tokenizers, the table and the figures.

    DIR/best/, DIR/last/     checkpoint.json  weights.safetensors  question_tokenizer.json
                             answer_tokenizer.json  table.json  (last only: optimizer.safetensors)

Only these two are kept. Each is written beside its place and renamed, so that one of them is whole
at every moment.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
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
    try:
        _write(fresh, checkpoint, tensors)
        _swap(fresh, folder)
    finally:  # Full disk, Ctrl+C: no half of a checkpoint stays behind.
        shutil.rmtree(fresh, ignore_errors=True)


def _write(fresh: Path, checkpoint: Checkpoint, tensors: dict[str, dict[str, NDArray[Any]]]) -> None:
    for stem, arrays in tensors.items():
        _save_arrays(fresh / f"{stem}.safetensors", arrays)
    checkpoint.question_tokenizer.save(str(fresh / "question_tokenizer.json"))
    checkpoint.answer_tokenizer.save(str(fresh / "answer_tokenizer.json"))
    table = asdict(checkpoint.table)
    (fresh / "table.json").write_text(json.dumps(table, ensure_ascii=False), encoding="utf-8")
    record = {
        "format": FORMAT,
        "preset": checkpoint.preset.to_json(),
        "epoch": checkpoint.epoch,
        "metrics": checkpoint.metrics,
        "history": checkpoint.history,
        "pretrained": checkpoint.pretrained,
        "data_hash": checkpoint.data_hash,
    }
    (fresh / "checkpoint.json").write_text(json.dumps(record, indent=1), encoding="utf-8")


def _save_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    try:
        save_file({name: np.ascontiguousarray(value) for name, value in arrays.items()}, path)
    except SafetensorError as error:  # A full disk, for one.
        raise TrainingError(f"{path}: cannot be written: {error}") from error


def _swap(fresh: Path, folder: Path) -> None:
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.replace(old)
    fresh.replace(folder)
    shutil.rmtree(old, ignore_errors=True)


def find(path: Path, name: str = "best") -> Path:
    """The folder that holds checkpoint.json: `path`, or its `best` (or `last`). Raises TrainingError."""
    # Between the two renames of a save that was killed there, only NAME.old is whole.
    for folder in (path, path / name, path / f"{name}.old"):
        if (folder / "checkpoint.json").is_file():
            return folder
    raise TrainingError(f"{path}: holds no checkpoint")


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint without its weights. Raises TrainingError that names the file at fault."""
    record = _read(folder / "checkpoint.json", lambda data: dict(json.loads(data)))
    if record.get("format") != FORMAT:
        raise TrainingError(f"{folder}: is of format {record.get('format')}, this version reads {FORMAT}")
    table = _read(folder / "table.json", lambda data: _table(json.loads(data)))
    sides = [_read(folder / f"{side}_tokenizer.json", Tokenizer.from_buffer) for side in ("question", "answer")]
    try:
        return Checkpoint(
            preset_from_json(record["preset"]),
            sides[0],
            sides[1],
            table,
            record["epoch"],
            record["metrics"],
            record["history"],
            record["pretrained"],
            record["data_hash"],
        )
    except (KeyError, TypeError) as error:
        raise TrainingError(f"{folder / 'checkpoint.json'}: is damaged: {error}") from error


def _read(path: Path, parse: Callable[[bytes], Any]) -> Any:
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise TrainingError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TrainingError(f"{path}: is damaged: {error}") from error


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


def _table(record: dict[str, Any]) -> Table:
    return Table(tuple(_entry(e) for e in record["entries"]), tuple(record["negatives"]), record["subject"])


def _entry(record: dict[str, Any]) -> Entry:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    values["followups"] = tuple((a, b) for a, b in record["followups"])
    return Entry(**values)
