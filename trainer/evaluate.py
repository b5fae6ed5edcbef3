"""Answers of a checkpoint: greedy decoding with the assistant's own loop around the Keras model."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from keras import ops
from numpy.typing import NDArray

from assistant.inference.decoding import DecodingOptions, greedy
from trainer.checkpoint import Checkpoint
from trainer.config import BOS_ID, EOS_ID
from trainer.dataset import Batches, encode_questions
from trainer.metrics import summary, token_f1
from trainer.model import Transformer
from trainer.table import Table

BATCH = 64
TOP = 16


class KerasStep:
    """One decoding step of the Keras model with its caches: (R,) tokens -> best ids and log-probabilities (R, K)."""

    def __init__(self, model: Transformer, ids: NDArray[Any], mask: NDArray[Any]) -> None:
        config = model.config
        self.model, self.mask = model, ops.convert_to_tensor(mask)
        self.memory = model.memory(model.encode(ops.convert_to_tensor(ids), self.mask))
        width = config.d_model // config.decoder.heads
        empty = ops.zeros((len(ids), config.decoder.heads, 0, width))
        self.past = [(empty, empty)] * config.decoder.layers
        self.position = 0

    def __call__(self, token_ids: NDArray[np.int64], beam_idx: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        past = [(ops.take(k, beam_idx, axis=0), ops.take(v, beam_idx, axis=0)) for k, v in self.past]
        logits, self.past, _ = self.model.decoder(
            ops.convert_to_tensor(token_ids[:, None].astype("int32")),
            self.memory,
            self.mask,
            past=past,
            offset=ops.convert_to_tensor(np.array([self.position], dtype="int32")),
        )
        self.position += 1
        scores = ops.convert_to_numpy(ops.log_softmax(logits, axis=-1))
        order = np.argsort(-scores, axis=-1, kind="stable")[:, :TOP]
        return order.astype(np.int64), np.take_along_axis(scores, order, axis=-1)


def answer_all(model: Transformer, checkpoint: Checkpoint, questions: list[str]) -> list[str]:
    """Generate an answer to each question, greedily, in batches."""
    config = checkpoint.preset.model
    options = DecodingOptions(max_tokens=config.max_answer_tokens, bos_id=BOS_ID, eos_id=EOS_ID)
    texts: list[str] = []
    for first in range(0, len(questions), BATCH):
        part = questions[first : first + BATCH]
        ids, mask = encode_questions(checkpoint.question_tokenizer, part, config.max_question_tokens)
        for hypothesis in greedy(KerasStep(model, ids, mask), len(part), options):
            texts.append(checkpoint.answer_tokenizer.decode(list(hypothesis.tokens)))
    return texts


def reference_answers(checkpoint: Checkpoint) -> list[str]:
    """The right answers as the answer tokenizer writes them: the report's words lose case and spacing."""
    answers = [entry.answer for entry in checkpoint.table.entries]
    if checkpoint.preset.answer_tokenizer == "bpe":
        return answers
    tokenizer = checkpoint.answer_tokenizer
    return [tokenizer.decode(tokenizer.encode(answer).ids) for answer in answers]


def evaluate_questions(
    model: Transformer, checkpoint: Checkpoint, questions: list[tuple[str, int]]
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Score generated answers: figures, and a row {question, answer, generated, f1} for each question."""
    truth = reference_answers(checkpoint)
    generated = answer_all(model, checkpoint, [text for text, _ in questions])
    right = [truth[index] for _, index in questions]
    rows = [
        {"question": text, "answer": a, "generated": g, "f1": token_f1(g, a)}
        for (text, _), a, g in zip(questions, right, generated, strict=True)
    ]
    return {**summary(generated, right), "perplexity": perplexity(model, checkpoint, questions)}, rows


def perplexity(model: Transformer, checkpoint: Checkpoint, questions: list[tuple[str, int]]) -> float:
    """exp of the mean teacher-forced cross-entropy per answer token, end mark included."""
    from trainer.losses import masked_cross_entropy

    batches = Batches(
        checkpoint.table,
        tuple(questions),
        (checkpoint.question_tokenizer, checkpoint.answer_tokenizer),
        checkpoint.preset,
        training=False,
    )
    loss = tokens = 0.0
    for number in range(len(batches)):
        inputs, targets = batches[number]
        decoded = len(inputs["answer_ids"])
        logits = model({key: ops.convert_to_tensor(value[:decoded]) for key, value in inputs.items()})["logits"]
        count = float((targets["answer"] != 0).sum())
        loss += float(masked_cross_entropy(ops.convert_to_tensor(targets["answer"]), logits)) * count
        tokens += count
    return math.exp(loss / tokens)


def canonical(table: Table) -> list[tuple[str, int]]:
    """The canonical question of each topic: what the report measured on."""
    return topics_only(table, [(entry.question, index) for index, entry in enumerate(table.entries)])


def topics_only(table: Table, questions: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Leave out small talk, which is shown as written and never decoded."""
    return [pair for pair in questions if table.entries[pair[1]].kind == "topic"]
