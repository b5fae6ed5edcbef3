"""A live display of training; a line an epoch where there is no terminal."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import time
from typing import Any

import keras
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Display(keras.callbacks.Callback):  # type: ignore[misc]
    """Epoch, loss, answer tokens a second, time left, device."""

    def __init__(self, epochs: int, steps: int, tokens_per_epoch: int, device: str, first: int = 0) -> None:
        super().__init__()
        self.console = Console(stderr=True)
        self.epochs, self.steps, self.device, self.first = epochs, steps, device, first
        self.tokens = tokens_per_epoch / max(1, steps)
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=self.console,
            disable=not self.console.is_terminal,
        )

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.began = self.epoch_began = time.monotonic()
        self.task = self.progress.add_task(
            f"training on {self.device}", total=self.epochs * self.steps, completed=self.first * self.steps, figures=""
        )
        self.progress.start()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.epoch, self.epoch_began = epoch, time.monotonic()

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if self.progress.disable:
            return
        rate = self.tokens * (batch + 1) / max(1e-6, time.monotonic() - self.epoch_began)
        loss = float((logs or {}).get("loss", 0.0))
        self.progress.update(
            self.task, advance=1, figures=f"epoch {self.epoch + 1}/{self.epochs} loss {loss:.3f} {rate:,.0f} tokens/s"
        )

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        logs = logs or {}
        now = time.monotonic()
        done = epoch + 1 - self.first
        left = (now - self.began) / done * (self.epochs - epoch - 1)
        held = f" held-out {logs['val_loss']:.3f}" if "val_loss" in logs else ""
        if "val_loss" not in logs:
            return
        self.console.print(
            f"epoch {epoch + 1:>3}/{self.epochs}  loss {float(logs.get('loss', 0.0)):.3f}{held}  "
            f"{self.tokens * self.steps / max(1e-6, now - self.epoch_began):,.0f} tokens/s  "
            f"left {int(left // 60)}:{int(left % 60):02}  {self.device}",
            highlight=False,
        )

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self.close()

    def close(self) -> None:
        """Give the terminal back, also after an interruption."""
        self.progress.stop()
