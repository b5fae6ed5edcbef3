"""What the trainer's tests share: small recipes, and runs that are started in this process."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trainer import checkpoint as checkpoints
from trainer import train
from trainer.cli import cli, run_cli
from trainer.config import preset
from trainer.table import read_table


@pytest.fixture
def start_run(tiny_table: Path, tmp_path: Path) -> Callable[..., train.Run]:
    """Start a run of a still smaller recipe on the twelve questions: start_run("name", epochs=2, ...).

    Nearly all of a short run's time goes into compiling: one layer, and few different shapes of batches.
    """
    small = {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "batch_size": 30, "augment": 0.0}

    def start(name: str = "run", **overrides: Any) -> train.Run:
        return train.start(read_table(tiny_table), preset("tiny", **{**small, **overrides}), tmp_path / name)

    return start


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run `lamplight-train` in this process: command("fit", ...) -> its exit code."""

    def call(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["lamplight-train", *arguments])
        try:
            run_cli(cli, "lamplight-train")
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    return call


@pytest.fixture(scope="session")
def tiny_model(tiny_run: Path) -> tuple[Any, checkpoints.Checkpoint]:
    """The trained tiny model and its checkpoint."""
    return checkpoints.load_model(tiny_run / "best")
