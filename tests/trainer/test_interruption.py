"""Runs that are interrupted, and going on with them."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from conftest import ROOT

from assistant.errors import TrainingError
from trainer import checkpoint as checkpoints
from trainer import train

Start = Callable[..., train.Run]
Command = Callable[..., int]


def assert_same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    assert first.keys() == second.keys()
    for path, value in first.items():
        np.testing.assert_array_equal(value, second[path], err_msg=path)


class Stop(keras.callbacks.Callback):  # type: ignore[misc]
    """Interrupts at the beginning of an epoch, or in its middle."""

    def __init__(self, epoch: int, batch: int = 0) -> None:
        super().__init__()
        self.at, self.seen = (epoch, batch), -1

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.seen = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if (self.seen, batch) == self.at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("extra", [{}, {"prototype_weight": 1.0, "freeze": 1, "encoder_rate": 0.5, "schedule": "noam"}])
def test_an_interrupted_run_ends_as_one_that_was_not(start_run: Start, extra: dict[str, Any]) -> None:
    recipe = {"epochs": 4, "dropout": 0.2, **extra}
    whole, cut = start_run("whole", **recipe), start_run("cut", **recipe)
    history = train.fit(whole)
    with pytest.raises(KeyboardInterrupt):
        train.fit(cut, [Stop(2, 1)])
    assert checkpoints.load(cut.out / "last").epoch == 2
    resumed = train.resume(cut.out)
    assert resumed.start_epoch == 2
    assert train.fit(resumed) == history
    assert_same(checkpoints.weights_of(resumed.learner), checkpoints.weights_of(whole.learner))
    for stem in ("weights", "optimizer"):
        assert_same(
            checkpoints.load_tensors(cut.out / "last", stem), checkpoints.load_tensors(whole.out / "last", stem)
        )


def test_a_finished_run_has_nothing_to_go_on_with(start_run: Start) -> None:
    done = start_run(epochs=1)
    history = train.fit(done)
    assert train.fit(train.resume(done.out)) == history


def test_a_damaged_optimizer_is_told(start_run: Start) -> None:
    cut = start_run(epochs=3)
    with pytest.raises(KeyboardInterrupt):
        train.fit(cut, [Stop(1)])
    state = checkpoints.load_tensors(cut.out / "last", "optimizer")
    del state["5"]
    record = checkpoints.load(cut.out / "last")
    checkpoints.save(
        cut.out / "last", record, {"weights": checkpoints.load_tensors(cut.out / "last"), "optimizer": state}
    )
    with pytest.raises(TrainingError, match=r"optimizer.safetensors: does not fit the model \(at 5\)"):
        train.fit(train.resume(cut.out))


def test_ctrl_c_ends_with_one_line_and_a_usable_checkpoint(
    tiny_table: Path, tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    """SIGINT in the middle of a real run, then `--resume` to its end."""
    out = tmp_path / "my run"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "trainer",
            "fit",
            str(tiny_table),
            "--preset",
            "tiny",
            "-o",
            str(out),
            "--epochs",
            "39",
            "--encoder-layers",
            "1",
            "--decoder-layers",
            "1",
        ],
        cwd=ROOT,
        text=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    limit = time.monotonic() + 120
    while not (out / "last" / "checkpoint.json").exists() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    saved = checkpoints.load(checkpoints.find(out, "last")).epoch
    assert errors.splitlines()[-1] == (
        f"lamplight-train: interrupted after epoch {saved}; go on with: lamplight-train fit --resume -o '{out}'"
    )
    assert "Traceback" not in errors and output == "" and 1 <= saved < 39
    assert command("fit", "--resume", "-o", str(out)) == 0
    said = capsys.readouterr().err
    assert f"going on after epoch {saved} of 39" in said and "token F1" in said
    rows = (out / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["epoch"] for row in rows] == list(range(1, 40))
    assert json.loads((out / "report.json").read_text(encoding="utf-8"))["figures"]["canonical questions"]["f1"] > 0.95


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_before_the_first_checkpoint_does_not_promise_one(
    tiny_table: Path,
    tiny_run: Path,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("trainer.cli.train_table", interrupted)
    for out in (tmp_path / "new", tiny_run):  # The second holds an older run, which is not this one.
        assert command("fit", str(tiny_table), "--preset", "tiny", "-o", str(out)) == 130
        wanted = "lamplight-train: interrupted before the first checkpoint; nothing was saved"
        assert capsys.readouterr().err.splitlines()[-1] == wanted
    assert command("fit", "--resume", "-o", str(tiny_run)) == 130
    assert "after epoch 40; go on with" in capsys.readouterr().err


def test_nothing_to_resume(tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("fit", "--resume", "-o", str(tmp_path / "none")) == 1
    assert capsys.readouterr().err == f"lamplight-train: {tmp_path / 'none'}: there is no run to go on with\n"
    assert not (tmp_path / "none").exists()


def test_an_output_that_is_a_file(
    tiny_table: Path, tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    assert command("fit", str(tiny_table), "--preset", "tiny", "-o", str(tmp_path / "file")) == 1
    assert capsys.readouterr().err == f"lamplight-train: {tmp_path / 'file'}: File exists\n"
    assert (tmp_path / "file").read_text() == "mine"
