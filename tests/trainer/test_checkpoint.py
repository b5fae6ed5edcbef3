"""Checkpoints: what comes back, what is said of damaged ones, and that one is whole at every moment."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import TrainingError
from trainer import checkpoint as checkpoints
from trainer.checkpoint import Checkpoint
from trainer.config import preset
from trainer.model import Transformer, create_model
from trainer.table import Entry, Table
from trainer.tokenizer import fit_answer_tokenizer, fit_question_tokenizer
from trainer.train import resume

TABLE = Table(
    (
        Entry("a", "What?", "That.", phrasings=("x", "y"), followups=(("p", "q"),), related=("b",)),
        Entry("b", "Où?", "Là-bas 😀.", kind="smalltalk"),
    ),
    ("negative",),
    "things",
)


@pytest.fixture(scope="module")
def record() -> Checkpoint:
    recipe = preset("tiny", d_model=16, encoder_layers=1, decoder_layers=1)
    questions = fit_question_tokenizer(["What? Where?"], recipe, None)
    answers = fit_answer_tokenizer(["That."], recipe)
    model = replace(
        recipe.model, question_vocab_size=questions.get_vocab_size(), answer_vocab_size=answers.get_vocab_size()
    )
    return Checkpoint(
        replace(recipe, model=model),
        questions,
        answers,
        TABLE,
        3,
        {"val_loss": 0.5},
        [{"epoch": 3.0, "loss": 1.25}],
        "a folder",
        TABLE.digest(),
    )


@pytest.fixture(scope="module")
def model(record: Checkpoint) -> Transformer:
    return create_model(record.preset.model)


@pytest.fixture
def saved(record: Checkpoint, model: Transformer, tmp_path: Path) -> Path:
    folder = tmp_path / "run" / "last"
    checkpoints.save(folder, record, {"weights": checkpoints.weights_of(model)})
    return folder


def test_everything_comes_back(saved: Path, record: Checkpoint, model: Transformer) -> None:
    again, read = checkpoints.load_model(saved)
    for mine, theirs in zip(model.weights, again.weights, strict=True):
        assert mine.path == theirs.path
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))
    assert (read.preset, read.table, read.epoch, read.metrics) == (record.preset, TABLE, 3, {"val_loss": 0.5})
    assert (read.history, read.pretrained, read.data_hash) == (record.history, "a folder", TABLE.digest())
    assert read.question_tokenizer.to_str() == record.question_tokenizer.to_str()
    assert read.answer_tokenizer.to_str() == record.answer_tokenizer.to_str()


def test_a_save_replaces_the_folder_and_leaves_nothing_beside_it(saved: Path, record: Checkpoint) -> None:
    checkpoints.save(saved, replace(record, epoch=4), {"weights": {"x": np.ones(2)}, "optimizer": {"0": np.arange(3)}})
    assert checkpoints.load(saved).epoch == 4
    assert [path.name for path in saved.parent.iterdir()] == ["last"]
    np.testing.assert_array_equal(checkpoints.load_tensors(saved, "optimizer")["0"], [0, 1, 2])


def test_a_save_that_fails_leaves_the_old_one_whole(saved: Path, record: Checkpoint, model: Transformer) -> None:
    with pytest.raises(TypeError):
        checkpoints.save(saved, replace(record, metrics={"bad": object()}), {"weights": {}})  # type: ignore[dict-item]
    again, read = checkpoints.load_model(saved)
    assert read.epoch == 3 and len(again.weights) == len(model.weights)
    assert [path.name for path in saved.parent.iterdir()] == ["last"]
    checkpoints.save(saved, replace(record, epoch=5), {"weights": checkpoints.weights_of(model)})
    assert [path.name for path in saved.parent.iterdir()] == ["last"]


def test_killed_between_the_two_renames_the_old_one_is_found(saved: Path) -> None:
    out = saved.parent
    saved.rename(out / "last.old")
    (out / "last.new").mkdir()
    assert checkpoints.find(out, "last") == out / "last.old"
    with pytest.raises(TrainingError, match=r"last\.old: holds no weight learner/prototypes"):
        resume(out)  # It is found; this one holds no learner.


def test_find_prefers_the_best(saved: Path) -> None:
    out = saved.parent
    assert checkpoints.find(saved) == saved
    with pytest.raises(TrainingError, match="holds no checkpoint"):
        checkpoints.find(out)
    saved.rename(out / "best")
    assert checkpoints.find(out) == out / "best"


def test_nothing_to_go_on_with(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=f"{tmp_path}: there is no run to go on with"):
        resume(tmp_path)


@pytest.mark.parametrize(
    "name", ["checkpoint.json", "table.json", "question_tokenizer.json", "answer_tokenizer.json", "weights.safetensors"]
)
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "noise", "other json"])
def test_a_damaged_file_is_named(saved: Path, name: str, damage: str) -> None:
    path = saved / name
    data = path.read_bytes()
    changes = {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "noise": b"\xff\xfe" + data[2:],
        "other json": b'{"a": [1]}',
    }
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(changes[damage])
    with pytest.raises(TrainingError) as caught:
        checkpoints.load_model(saved)
    assert name in str(caught.value) or (name == "checkpoint.json" and damage == "other json")
    assert str(caught.value).startswith(str(saved)) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r.update(format=99), "is of format 99, this version reads 1"),
        (lambda r: r.pop("preset"), "is damaged: 'preset'"),
        (lambda r: r["preset"]["model"].pop("d_model"), "is damaged: "),
    ],
)
def test_a_wrong_record_is_told(saved: Path, change: object, said: str) -> None:
    path = saved / "checkpoint.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    change(record)  # type: ignore[operator]
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(TrainingError, match=said):
        checkpoints.load(saved)


def test_missing_and_misshapen_weights_are_named(model: Transformer) -> None:
    weights = checkpoints.weights_of(model)
    fewer = {path: value for path, value in weights.items() if path != "decoder/layer_0/cross/query/bias"}
    with pytest.raises(TrainingError, match="FILE: holds no weight decoder/layer_0/cross/query/bias"):
        checkpoints.assign(model, fewer, "FILE")
    with pytest.raises(TrainingError, match=r"FILE: decoder/vocabulary/bias is \(3,\), the model needs \(\d+,\)"):
        checkpoints.assign(model, {**weights, "decoder/vocabulary/bias": np.ones(3)}, "FILE")


def test_weights_of_another_vocabulary_do_not_load(saved: Path, record: Checkpoint) -> None:
    other = replace(record.preset, model=replace(record.preset.model, answer_vocab_size=300))
    weights = checkpoints.load_tensors(saved)
    checkpoints.save(saved, replace(record, preset=other), {"weights": weights})
    with pytest.raises(TrainingError, match="decoder/embedding/tokens is"):
        checkpoints.load_model(saved)
