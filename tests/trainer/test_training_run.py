"""Real training runs: what is written, one seed = one result, interruption and going on."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import json
import random
from collections.abc import Callable
from pathlib import Path
from string import ascii_letters
from typing import Any, ClassVar

import keras
import numpy as np
import pytest
from conftest import run

from assistant.errors import UsageError
from trainer import checkpoint as checkpoints
from trainer import train
from trainer.checkpoint import Checkpoint
from trainer.config import preset
from trainer.evaluate import answer_all, canonical, evaluate_questions
from trainer.model import create_model
from trainer.table import Entry, Table, read_table

Start = Callable[..., train.Run]


def weights_of(run: train.Run) -> dict[str, np.ndarray]:
    return {path: value.copy() for path, value in checkpoints.weights_of(run.learner).items()}


def assert_same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    assert first.keys() == second.keys()
    for path, value in first.items():
        np.testing.assert_array_equal(value, second[path], err_msg=path)


# The run of a person: `lamplight-train fit money.csv --preset tiny`


def test_a_tiny_model_learns_its_answers(tiny_run: Path) -> None:
    report = json.loads((tiny_run / "report.json").read_text(encoding="utf-8"))
    figures = report["figures"]["canonical questions"]
    assert figures["f1"] == figures["exact_match"] == 1.0 and figures["bleu"] == pytest.approx(100.0)
    assert figures["perplexity"] < 1.1
    assert report["about"]["preset"] == "tiny" and report["about"]["entries"] == 12 and report["about"]["seed"] == 7
    rows = report["rows"]["canonical questions"]
    assert len(rows) == 12 and rows[0]["question"] == "What is a budget?" and rows[0]["f1"] == 1.0


def test_what_a_run_leaves(tiny_run: Path) -> None:
    assert sorted(path.name for path in tiny_run.iterdir()) == [
        "best",
        "curves.png",
        "history.jsonl",
        "last",
        "report.json",
        "report.md",
    ]
    kept = ["answer_tokenizer.json", "checkpoint.json", "question_tokenizer.json", "table.json", "weights.safetensors"]
    assert sorted(path.name for path in (tiny_run / "best").iterdir()) == kept
    assert sorted(path.name for path in (tiny_run / "last").iterdir()) == sorted([*kept, "optimizer.safetensors"])
    assert (tiny_run / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "What is a budget?" in (tiny_run / "report.md").read_text(encoding="utf-8")


def test_the_history_is_that_of_every_epoch(tiny_run: Path) -> None:
    rows = [json.loads(line) for line in (tiny_run / "history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["epoch"] for row in rows] == list(range(1, 41))
    assert [row["epoch"] for row in rows if "val_loss" in row] == list(range(2, 41, 2))
    assert rows[-1]["loss"] < rows[0]["loss"] / 3 and rows[-1]["val_loss"] < 0.1
    best, last = (checkpoints.load(tiny_run / name) for name in ("best", "last"))
    assert best.metrics["val_loss"] == min(row["val_loss"] for row in rows if "val_loss" in row)
    assert last.epoch == 40 and last.history == rows


def test_a_checkpoint_describes_itself(tiny_run: Path, tiny_table: Path) -> None:
    record = checkpoints.load(tiny_run / "best")
    assert [e.question for e in record.table.entries] == [e.question for e in read_table(tiny_table).entries]
    assert record.data_hash == record.table.digest() and record.preset.name == "tiny"
    assert record.preset.model.answer_vocab_size == record.answer_tokenizer.get_vocab_size()
    assert record.preset.model.question_vocab_size == record.question_tokenizer.get_vocab_size()


def test_answers_do_not_depend_on_their_batch(tiny_model: tuple[Any, Checkpoint]) -> None:
    model, record = tiny_model
    pairs = canonical(record.table)
    questions = [text for text, _ in pairs]
    together = answer_all(
        model, record, [*questions, "a long question that nobody asked about the price of tea in 1842"]
    )
    assert together[:12] == [entry.answer for entry in record.table.entries]
    assert answer_all(model, record, questions[4:5]) == together[4:5]


def test_evaluation_scores_against_the_right_answers(tiny_model: tuple[Any, Checkpoint]) -> None:
    model, record = tiny_model
    wrong = [(text, (index + 1) % 12) for text, index in canonical(record.table)]
    figures, rows = evaluate_questions(model, record, wrong)
    assert (
        figures["exact_match"] == 0.0 and figures["f1"] < 0.6 and figures["perplexity"] > 1.2
    )  # It knows how they go on.
    assert rows[0]["answer"] == record.table.entries[1].answer


def test_the_evaluate_command(
    tiny_run: Path, tmp_path: Path, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("evaluate", str(tiny_run), "--json") == 0
    assert json.loads(capsys.readouterr().out)["figures"]["f1"] == 1.0
    asked = tmp_path / "set.jsonl"
    asked.write_text('{"question": "what does budget mean", "id": "budget"}\n', encoding="utf-8")
    assert command("evaluate", str(tiny_run / "last"), "--set", str(asked), "--json") == 0
    assert [row["f1"] for row in json.loads(capsys.readouterr().out)["rows"]] == [1.0]
    asked.write_text('{"question": "q", "id": "nobody"}\n', encoding="utf-8")
    assert command("evaluate", str(tiny_run), "--set", str(asked)) == 1
    assert "line 1" in capsys.readouterr().err


# One seed, one result


def test_one_seed_gives_one_result(start_run: Start) -> None:
    runs = [start_run(name, epochs=2, dropout=0.2) for name in ("a", "b")]
    histories = [train.fit(run) for run in runs]
    assert histories[0] == histories[1]
    assert_same(weights_of(runs[0]), weights_of(runs[1]))
    files = [(run.out / "last" / "weights.safetensors").read_bytes() for run in runs]
    assert files[0] == files[1]


def test_another_seed_begins_elsewhere(start_run: Start) -> None:
    first, second = (weights_of(start_run(str(seed), seed=seed)) for seed in (1, 2))
    assert not np.array_equal(first["encoder/embedding/tokens"], second["encoder/embedding/tokens"])


def test_the_loss_of_an_epoch_is_the_mean_of_its_batches(start_run: Start) -> None:
    class Collect(keras.callbacks.Callback):  # type: ignore[misc]
        seen: ClassVar[list[float]] = []

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.seen.append(logs["loss"])

    (row,) = train.fit(start_run(epochs=1, batch_size=20), [Collect()])
    first, second, third = np.diff([0.0, *(loss * (i + 1) for i, loss in enumerate(Collect.seen))])
    assert row["loss"] == pytest.approx((first + second + third) / 3) and len({first, second, third}) == 3


# Parts of the recipe


def test_frozen_parts_stay_as_they_are(start_run: Start) -> None:
    frozen = start_run(epochs=1, freeze=2, encoder_layers=2, encoder_positions="learned")
    before = weights_of(frozen)
    train.fit(frozen)
    after = weights_of(frozen)
    changed = {path for path, value in after.items() if not np.array_equal(value, before[path])}
    assert not any(path.startswith(("encoder/embedding", "encoder/layer_0/")) for path in changed)
    assert "encoder/layer_1/attention/qkv/kernel" in changed and "decoder/embedding/tokens" in changed


def test_an_encoder_rate_of_zero_leaves_the_encoder(start_run: Start) -> None:
    still = start_run(epochs=1, encoder_rate=0.0)
    before = weights_of(still)
    train.fit(still)
    changed = {path for path, value in weights_of(still).items() if not np.array_equal(value, before[path])}
    assert changed and not any(path.startswith("encoder/") for path in changed)


def test_the_contrast_pulls_phrasings_together(tiny_model: tuple[Any, Checkpoint]) -> None:
    model, record = tiny_model

    def apart(model: Any) -> float:
        """How much nearer two phrasings of one entry are than phrasings of two entries, as a cosine."""
        means = np.asarray(train.mean_embeddings(model, record.table, record.question_tokenizer))
        between = means @ means.T
        return float(np.diag(between).mean() - between[~np.eye(len(means), dtype=bool)].mean())

    keras.utils.set_random_seed(1)
    assert apart(model) > apart(create_model(record.preset.model)) + 0.3


def test_mixed_precision_computes_in_half_and_keeps_single(start_run: Start) -> None:
    mixed = start_run(epochs=2, mixed_precision=True)
    model = mixed.learner.transformer
    assert model.encoder.compute_dtype == model.decoder.stack[0].feed_forward.expand.compute_dtype == "bfloat16"
    assert keras.config.dtype_policy().name == "float32" == mixed.learner.compute_dtype
    history = train.fit(mixed)
    assert history[-1]["val_loss"] < history[0]["val_loss"] and np.isfinite(history[-1]["loss"])
    assert {value.dtype for value in checkpoints.load_tensors(mixed.out / "best").values()} == {np.dtype("float32")}
    inputs = {
        "question_ids": np.array([[2, 9, 3]]),
        "question_mask": np.ones((1, 3), int),
        "answer_ids": np.array([[1, 5]]),
    }
    half = model(inputs)
    assert {keras.backend.standardize_dtype(value.dtype) for value in half.values()} == {"float32"}
    single, _ = checkpoints.load_model(mixed.out / "last")
    assert single.encoder.compute_dtype == "float32"
    difference = np.abs(np.asarray(half["pooled"]) - np.asarray(single(inputs)["pooled"])).max()
    assert 0 < difference < 0.05


def test_answers_are_cut_as_the_recipe_says() -> None:
    long = " ".join(f"word{i}" for i in range(50)) + ". " + "more " * 49 + "end."
    table = Table((Entry("a", "q", long), Entry("b", "r", "short.")))
    paper = train.prepare_table(table, preset("paper"))
    assert paper.entries[0].answer.split() == [f"word{i}" for i in range(26)]
    faq = train.prepare_table(table, preset("tiny"))
    assert faq.entries[0].answer.endswith("word49.") and faq.entries[0].details == long.strip()


def test_an_answer_with_too_many_tokens_is_named(tmp_path: Path) -> None:
    table = Table(
        (Entry("good", "q?", "fine."), Entry("endless", "r?", "".join(random.Random(0).choices(ascii_letters, k=4000))))
    )
    with pytest.raises(UsageError, match="the answer of 'endless' has more than 1,000 tokens"):
        train.start(table, preset("tiny", answer_vocab=300), tmp_path)


def test_the_longest_answer_is_decoded_whole(tmp_path: Path) -> None:
    """The decoder's length comes from the data, with its end mark."""
    table = Table((Entry("a", "q?", "one two"), Entry("b", "r?", " ".join(f"w{i}" for i in range(70)))))
    made = train.start(table, preset("tiny", answer_vocab=300), tmp_path)
    longest = max(len(made.tokenizers[1].encode(e.answer).ids) for e in made.table.entries)
    limit = made.preset.model.max_answer_tokens
    assert longest + 1 <= limit <= longest + 24 and limit % 16 == 0
    paper = train.start(
        table, preset("paper", d_model=16, encoder_layers=1, decoder_layers=1, encoder_inner=8), tmp_path
    )
    assert paper.preset.model.max_answer_tokens == 27


JAX = """
import sys
from pathlib import Path
import keras
import numpy as np
from trainer import checkpoint, train
from trainer.config import preset
from trainer.table import read_table
recipe = preset("tiny", epochs=1, encoder_layers=1, decoder_layers=1, dropout=0.1, prototype_weight=1.0,
                batch_size=60, augment=0.0)
run = train.start(read_table(Path(sys.argv[1])), recipe, Path(sys.argv[2]))
before = checkpoint.weights_of(run.learner)
(row,) = train.fit(run)
assert keras.backend.backend() == "jax" and 0 < row["loss"] < 20 and 0 < row["val_loss"] < 20, row
model, record = checkpoint.load_model(Path(sys.argv[2]) / "best")
after = checkpoint.weights_of(model)
assert all(np.isfinite(value).all() for value in after.values())
assert any(not np.array_equal(value, before[path]) for path, value in after.items())
print("trained", row)
"""


def test_it_trains_on_jax(tiny_table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    done = run(["-c", JAX, str(tiny_table), str(tmp_path / "jax")])
    assert done.stdout.startswith("trained")
