"""The training run: from a table and a preset to checkpoints and a report."""

from __future__ import annotations

import trainer.backend  # noqa: F401  (chooses Keras' backend before keras is imported)
from trainer.backend import device_name, make_deterministic, training_step

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import keras
from keras import ops
from tokenizers import Tokenizer

from assistant.errors import TrainingError, UsageError
from trainer import checkpoint as checkpoints
from trainer.checkpoint import Checkpoint
from trainer.config import Preset, TrainConfig, validate
from trainer.dataset import (
    Batches,
    answer_rows,
    encode_questions,
    fitted_schedule,
    questions_of,
    share,
    split_table,
    training_rows,
)
from trainer.losses import masked_cross_entropy, outside_loss, prototype_loss, supervised_contrastive
from trainer.model import Transformer, count_weights, create_model
from trainer.pretrained import Pretrained, find_pretrained, fitted, load_encoder
from trainer.schedule import optimizer
from trainer.table import ANSWER_WORDS, Entry, Table, shortened
from trainer.tokenizer import fit_answer_tokenizer, fit_question_tokenizer

Tensor = Any
Say = Callable[[str], None]
MOST_TOKENS = 1000


class Learner(keras.Model):  # type: ignore[misc]
    """The Transformer with what only training needs: one prototype an entry, and the joint loss."""

    def __init__(self, transformer: Transformer, train: TrainConfig, entries: int) -> None:
        super().__init__(name="learner")
        self.transformer, self.train_config = transformer, train
        self.prototypes = self.add_weight(
            name="prototypes",
            shape=(entries, transformer.config.d_model),
            initializer=keras.initializers.RandomNormal(stddev=0.05),
        )

    def call(self, inputs: dict[str, Tensor], training: bool = False) -> dict[str, Tensor]:
        """Shapes as in `trainer.dataset.Batches`; returns logits (B, T, V) and pooled (R, D)."""
        transformer, visible = self.transformer, inputs["question_mask"]
        states = transformer.encode(inputs["question_ids"], visible, training=training)
        rows = ops.shape(inputs["answer_ids"])[0]
        logits, _, _ = transformer.decoder(
            inputs["answer_ids"], transformer.memory(states[:rows]), visible[:rows], training=training
        )
        return {"logits": logits, "pooled": transformer.pool(states, visible)}

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Tensor:
        """Cross-entropy over answers plus, where the batch carries pairs, the contrast over questions."""
        train = self.train_config
        loss = masked_cross_entropy(y["answer"], y_pred["logits"], train.label_smoothing if training else 0.0)
        if training and (train.contrastive_weight or train.prototype_weight):
            loss = loss + self._contrast(y["entry"], y_pred["pooled"])
        return loss

    def _contrast(self, entry: Tensor, pooled: Tensor) -> Tensor:
        train, rows = self.train_config, ops.shape(entry)[0]
        pairs = self._pairs(rows)
        anchors, others = pooled[:rows], pooled[rows:]  # (B, D), (P + N, D)
        partners = entry[:pairs]
        same = ops.cast(ops.equal(partners[:, None], partners[None, :]), "float32")
        outside = ops.zeros((pairs, ops.shape(others)[0] - pairs))
        loss = train.contrastive_weight * supervised_contrastive(
            anchors[:pairs], others, ops.concatenate([same, outside], axis=1), train.temperature
        )
        if train.prototype_weight:
            inside = ops.concatenate([anchors, others[:pairs]], axis=0)
            loss = loss + train.prototype_weight * prototype_loss(
                inside, ops.concatenate([entry, partners], axis=0), self.prototypes, train.temperature
            )
        if train.negatives:
            # The appended zeros keep the mean finite in a batch without outside questions.
            strangers = ops.concatenate([others[pairs:], ops.zeros((1, pooled.shape[-1]))], axis=0)
            loss = loss + outside_loss(strangers, self.prototypes, train.temperature)
        return loss

    def _pairs(self, rows: Any) -> Any:
        """Number of partners in a batch of that many questions, as `trainer.dataset.share` counts them."""
        if isinstance(rows, int):  # JAX knows all shapes when it compiles, and must.
            return share(self.train_config.pair_share, rows)
        # A table, and not the product: in single precision that rounds 0.07 * 150 to another number.
        size = self.train_config.batch_size
        return ops.take(ops.convert_to_tensor([share(self.train_config.pair_share, n) for n in range(size + 1)]), rows)


@dataclass(frozen=True)
class Run:
    """A training run that is ready to start."""

    preset: Preset
    table: Table
    tokenizers: tuple[Tokenizer, Tokenizer]
    learner: Learner
    out: Path
    pretrained: str
    start_epoch: int = 0
    history: tuple[dict[str, float], ...] = ()

    def checkpoint(self, epoch: int, metrics: dict[str, float], history: list[dict[str, float]]) -> Checkpoint:
        """The self-description that is saved beside the weights."""
        return Checkpoint(
            self.preset, *self.tokenizers, self.table, epoch, metrics, history, self.pretrained, self.table.digest()
        )


def prepare_table(table: Table, preset: Preset) -> Table:
    """Shorten answers: to the report's 26 words, or to what a reply on a screen should hold."""
    if preset.cut_words:

        def cut(entry: Entry) -> Entry:
            return replace(entry, answer=" ".join(entry.answer.split()[: preset.cut_words]))
    else:

        def cut(entry: Entry) -> Entry:
            return shortened(entry, ANSWER_WORDS)

    return replace(table, entries=tuple(cut(entry) for entry in table.entries))


def start(
    table: Table, preset: Preset, out: Path, pretrained_folder: Path | None = None, say: Say = lambda _text: None
) -> Run:
    """Fit the tokenizers and make the model with its first weights. Raises TrainingError, UsageError."""
    make_deterministic(preset.train.seed)
    table = prepare_table(table, preset)
    pretrained = find_pretrained(pretrained_folder) if preset.pretrained else None
    if pretrained is not None:
        say(f"encoder starts from {pretrained.origin}")
    texts = [text for entry in table.entries for text in questions_of(entry)]
    tokenizers = (
        fit_question_tokenizer(texts, preset, pretrained.tokenizer_folder if pretrained else None),
        fit_answer_tokenizer((entry.answer for entry in table.entries), preset),
    )
    preset = _sized(preset, table, tokenizers, pretrained)
    transformer = _create(preset)
    if pretrained is not None:
        load_encoder(transformer, pretrained.weights)
    say(
        f"{preset.name}: {count_weights(transformer) / 1e6:.1f} M weights, {len(table.entries)} entries, "
        f"{len(texts):,} questions, vocabulary {preset.model.question_vocab_size:,} / "
        f"{preset.model.answer_vocab_size:,}, on {device_name()}"
    )
    learner = Learner(transformer, preset.train, len(table.entries))
    if pretrained is not None and preset.train.prototype_weight:
        learner.prototypes.assign(mean_embeddings(transformer, table, tokenizers[0]))
    return Run(preset, table, tokenizers, learner, out, pretrained.origin if pretrained else "")


def _create(preset: Preset) -> Transformer:
    """The model; with mixed precision its layers compute in bfloat16, weights and losses stay float32."""
    before = keras.config.dtype_policy()
    if preset.train.mixed_precision:
        keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        return create_model(preset.model)
    finally:
        keras.config.set_dtype_policy(before)


def mean_embeddings(transformer: Transformer, table: Table, tokenizer: Tokenizer) -> Any:
    """Where the entries lie for a pretrained encoder: the mean of their questions' embeddings (C, D)."""
    rows = []
    for entry in table.entries:
        ids, mask = encode_questions(tokenizer, questions_of(entry), transformer.config.max_question_tokens)
        rows.append(ops.mean(transformer.pool(transformer.encode(ids, mask), mask), axis=0))
    return ops.stack(rows)


def resume(out: Path, say: Say = lambda _text: None) -> Run:
    """Go on with an interrupted run from its `last` checkpoint; the table and the recipe are those saved."""
    if not any((out / name).is_dir() for name in ("last", "last.old")):
        raise TrainingError(f"{out}: there is no run to go on with")
    folder = checkpoints.find(out, "last")
    checkpoint = checkpoints.load(folder)
    make_deterministic(checkpoint.preset.train.seed)
    transformer = _create(checkpoint.preset)
    learner = Learner(transformer, checkpoint.preset.train, len(checkpoint.table.entries))
    checkpoints.assign(learner, checkpoints.load_tensors(folder), str(folder))
    say(f"going on after epoch {checkpoint.epoch} of {checkpoint.preset.train.epochs}")
    return Run(
        checkpoint.preset,
        checkpoint.table,
        (checkpoint.question_tokenizer, checkpoint.answer_tokenizer),
        learner,
        out,
        checkpoint.pretrained,
        checkpoint.epoch,
        tuple(checkpoint.history),
    )


def fit(run: Run, callbacks: list[Any] | None = None) -> list[dict[str, float]]:
    """Train; returns the figures of each epoch. Checkpoints are written behind every epoch."""
    preset, split = run.preset, split_table(run.table, run.preset.train.seed)
    if run.start_epoch >= preset.train.epochs:
        return list(run.history)
    freeze(run.learner.transformer, preset.train.freeze)
    batches = Batches(run.table, training_rows(run.table, preset.train), run.tokenizers, preset)
    batches.start(run.start_epoch)
    held = Batches(run.table, split.validation, run.tokenizers, preset, training=False)
    learner = run.learner
    adam = optimizer(preset.train, preset.model.d_model, len(batches) * preset.train.epochs)
    learner.compile(optimizer=adam, jit_compile=keras.backend.backend() == "jax")
    adam.build(learner.trainable_variables)
    if run.start_epoch:
        _restore_state(learner, adam, checkpoints.find(run.out, "last"))
    keeper = Keeper(run, adam, held)
    _loop(learner, batches, run.start_epoch, [keeper, *(callbacks or [])])
    return keeper.history


def freeze(transformer: Transformer, parts: int) -> None:
    """Leave the lowest parts of the encoder as they are: its embedding, then its layers upwards."""
    stack: list[Any] = [transformer.encoder.embedding, *transformer.encoder.stack]
    for part in stack[:parts]:
        part.trainable = False


def _loop(learner: Learner, batches: Batches, first: int, callbacks: list[Any]) -> None:
    """Compiled steps over the batches. `Model.fit` is not used: on TensorFlow it fixes a batch's width."""
    step = training_step(learner)
    for callback in callbacks:
        callback.on_train_begin()
    for epoch in range(first, batches.preset.train.epochs):
        batches.start(epoch)
        logs: dict[str, Any] = {}
        total = 0.0
        for callback in callbacks:
            callback.on_epoch_begin(epoch)
        for number in range(len(batches)):
            inputs, targets = batches[number]
            total += float(step(inputs, targets)["loss"])
            logs = {"loss": total / (number + 1)}
            for callback in callbacks:
                callback.on_train_batch_end(number, logs)
        for callback in callbacks:
            callback.on_epoch_end(epoch, logs)
    for callback in callbacks:
        callback.on_train_end()


class Keeper(keras.callbacks.Callback):  # type: ignore[misc]
    """Validates behind each epoch and keeps two checkpoints: the best and the last."""

    def __init__(self, run: Run, adam: Any, held: Batches) -> None:
        super().__init__()
        self.run, self.adam, self.held = run, adam, held
        self.history = list(run.history)
        self.every = max(1, run.preset.train.epochs // 20)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Write `last`, and `best` when the validation loss is the lowest so far."""
        final = epoch + 1 == self.run.preset.train.epochs
        logs = logs if logs is not None else {}
        row = {"epoch": epoch + 1.0, "loss": float(logs.get("loss", 0.0))}
        if (epoch + 1) % self.every == 0 or final:
            row["val_loss"] = validation_loss(self.run.learner, self.held)
            logs["val_loss"] = row["val_loss"]
        self.history.append(row)
        if "val_loss" in row:
            self._save(epoch + 1, row)

    def _save(self, epoch: int, row: dict[str, float]) -> None:
        weights = checkpoints.weights_of(self.run.learner)
        checkpoint = self.run.checkpoint(epoch, row, self.history)
        state = {str(i): ops.convert_to_numpy(v) for i, v in enumerate(self.adam.variables)}
        seeds = {f"seed {i}": ops.convert_to_numpy(v) for i, v in enumerate(_seeds(self.run.learner))}
        checkpoints.save(self.run.out / "last", checkpoint, {"weights": weights, "optimizer": state | seeds})
        scores = [past["val_loss"] for past in self.history if "val_loss" in past]
        if row["val_loss"] <= min(scores):
            checkpoints.save(self.run.out / "best", checkpoint, {"weights": weights})


def validation_loss(learner: Learner, held: Batches) -> float:
    """Teacher-forced cross-entropy over the held-out questions, a mean over batches."""
    total = 0.0
    for number in range(len(held)):
        inputs, targets = held[number]
        predicted = learner.predict_on_batch(inputs)
        total += float(
            masked_cross_entropy(ops.convert_to_tensor(targets["answer"]), ops.convert_to_tensor(predicted["logits"]))
        )
    return total / len(held)


def _seeds(learner: Learner) -> list[Any]:
    """States of the dropout generators, in a stable order."""
    weights = {id(variable) for variable in learner.weights}
    return [variable for variable in learner.variables if id(variable) not in weights]


def _restore_state(learner: Learner, adam: Any, folder: Path) -> None:
    """Put back Adam's moments and the state of the dropout generators, as `Keeper` saved them."""
    state = checkpoints.load_tensors(folder, "optimizer")
    variables = {str(i): v for i, v in enumerate(adam.variables)}
    variables |= {f"seed {i}": v for i, v in enumerate(_seeds(learner))}
    for name, variable in variables.items():
        if name not in state or state[name].size != math.prod(variable.shape):
            raise TrainingError(f"{folder / 'optimizer.safetensors'}: does not fit the model (at {name})")
        variable.assign(state[name].reshape(variable.shape))  # A single number is stored as a row of one.


def _sized(
    preset: Preset, table: Table, tokenizers: tuple[Tokenizer, Tokenizer], pretrained: Pretrained | None
) -> Preset:
    """Write into the recipe what only the data tells: vocabularies and the longest answer."""
    answers = [entry.answer for entry in table.entries]
    lengths = [len(row) - 2 for row in answer_rows(tokenizers[1], answers, MOST_TOKENS + 1)]
    longest = max(lengths)
    if longest > MOST_TOKENS:
        name = table.entries[lengths.index(longest)].id
        raise UsageError(f"the answer of {name!r} has more than {MOST_TOKENS:,} tokens: shorten it")
    limit = longest + 1 if preset.name.startswith("paper") else max(32, -(-(longest + 8) // 16) * 16)
    preset = replace(preset, train=fitted_schedule(table, preset.train))
    model = replace(
        preset.model,
        question_vocab_size=tokenizers[0].get_vocab_size(),
        answer_vocab_size=tokenizers[1].get_vocab_size(),
        max_answer_tokens=limit,
    )
    preset = replace(preset, model=fitted(model, pretrained) if pretrained else model)
    validate(preset)
    return preset


def write_history(out: Path, history: list[dict[str, float]]) -> None:
    """Figures of each epoch as JSON lines."""
    (out / "history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in history), encoding="utf-8")
