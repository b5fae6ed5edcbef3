"""From a table to batches. One (seed, epoch) gives the same batches on every machine."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from trainer.augment import augment
from trainer.config import BOS_ID, EOS_ID, PAD_ID, Preset, TrainConfig
from trainer.table import Entry, Table

Batch = tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]
# Widths are rounded up so that few different shapes are compiled.
ROUND, QUESTION_ROUND = 16, 8
STEPS_AN_EPOCH = 40


@dataclass(frozen=True)
class Split:
    """Questions with the index of their entry, for training and for choosing the best epoch."""

    train: tuple[tuple[str, int], ...]
    validation: tuple[tuple[str, int], ...]


def join_followup(previous: str, question: str) -> str:
    """How a question and the one before it are read as one: as the assistant does it."""
    return f"{previous} {question}"


def training_rows(table: Table, train: TrainConfig) -> tuple[tuple[str, int], ...]:
    """The training questions of one epoch."""
    return repeated(split_table(table, train.seed).train, train.least_rows)


def questions_of(entry: Entry) -> list[str]:
    """All ways to ask an entry, the canonical one first, follow-ups joined to what they follow."""
    return [entry.question, *entry.phrasings, *(join_followup(p, q) for p, q in entry.followups)]


def split_table(table: Table, seed: int) -> Split:
    """Hold out one phrasing of each topic that has at least eight; without any, validate on the topics' own."""
    rng = random.Random(seed)
    train: list[tuple[str, int]] = []
    held: list[tuple[str, int]] = []
    for index, entry in enumerate(table.entries):
        phrasings = list(entry.phrasings)
        if len(phrasings) >= 8 and entry.kind == "topic":
            held.append((phrasings.pop(rng.randrange(len(phrasings))), index))
        others = [join_followup(p, q) for p, q in entry.followups]
        train += [(text, index) for text in (entry.question, *phrasings, *others)]
    own = [pair for pair in train if table.entries[pair[1]].kind == "topic"]
    return Split(tuple(train), tuple(held or own))


def fitted_schedule(table: Table, train: TrainConfig) -> TrainConfig:
    """Where the recipe leaves the epochs to the data: as many as decode each answer `exposures` times.

    A small table also gets a smaller batch, so that an epoch has about forty steps: it learns in fewer minutes.
    """
    if train.epochs:
        return train
    rows = training_rows(table, train)
    topics = {index for index, entry in enumerate(table.entries) if entry.kind == "topic"}
    # Topics come first in a batch, so that up to `generation_share` of all rows are decoded.
    decoded = min(sum(index in topics for _, index in rows), train.generation_share * len(rows))
    epochs = max(6, round(train.exposures * len(topics) / max(1.0, decoded)))
    batch = min(train.batch_size, max(16, len(rows) // STEPS_AN_EPOCH))
    return replace(train, epochs=epochs, batch_size=batch, negatives=min(train.negatives, batch // 4))


def repeated(questions: tuple[tuple[str, int], ...], least: int) -> tuple[tuple[str, int], ...]:
    """Ask every entry at least `least` times, its questions in turn."""
    by_entry: dict[int, list[str]] = {}
    for text, index in questions:
        by_entry.setdefault(index, []).append(text)
    extra = [(texts[i % len(texts)], index) for index, texts in by_entry.items() for i in range(len(texts), least)]
    return (*questions, *extra)


def split_negatives(table: Table) -> tuple[list[str], list[str]]:
    """Questions outside the set, for training and (every fifth, by its hash) for calibration."""
    train: list[str] = []
    held: list[str] = []
    for text in table.negatives:
        (held if sha256(text.encode()).digest()[0] % 5 == 0 else train).append(text)
    return train, held


def pad(rows: list[list[int]], limit: int, multiple: int = ROUND) -> NDArray[np.int32]:
    """Rows of ids -> (B, T) filled with PAD_ID, T the longest row rounded up, at most `limit`."""
    longest = max(map(len, rows))
    width = min(limit, -(-longest // multiple) * multiple)
    out = np.full((len(rows), width), PAD_ID, dtype=np.int32)
    for i, row in enumerate(rows):
        out[i, : min(len(row), width)] = row[:width]
    return out


def encode_questions(tokenizer: Tokenizer, texts: list[str], limit: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Texts -> ids and 0/1 mask (B, S); a long question keeps its last mark."""
    rows = [e.ids if len(e.ids) <= limit else [*e.ids[: limit - 1], e.ids[-1]] for e in tokenizer.encode_batch(texts)]
    ids = pad(rows, limit, QUESTION_ROUND)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        mask[i, : len(row)] = 1
    return ids, mask


def answer_rows(tokenizer: Tokenizer, texts: list[str], limit: int) -> list[list[int]]:
    """Answers -> ids with start and end mark, at most `limit` + 2 long."""
    tokenizer.encode_special_tokens = True  # "</s>" in an answer is four characters, not its end.
    return [[BOS_ID, *tokenizer.encode(text).ids[:limit], EOS_ID] for text in texts]


class Batches:
    """Batches of one training run, each of questions of about one length.

    inputs: question_ids, question_mask (R, S) with R = B questions, then P partners (other phrasings of
    the first P entries) and N questions that no entry answers, both only where a contrastive loss is
    on; answer_ids (G, T), the first G answers. targets: answer (G, T), entry (B,).
    """

    def __init__(
        self,
        table: Table,
        questions: tuple[tuple[str, int], ...],
        tokenizers: tuple[Tokenizer, Tokenizer],
        preset: Preset,
        training: bool = True,
    ) -> None:
        self.preset, self.training, self.epoch = preset, training, 0
        self.table, self.questions = table, questions
        self.question_tokenizer = tokenizers[0]
        answers = [entry.answer for entry in table.entries]
        self.answers = answer_rows(tokenizers[1], answers, preset.model.max_answer_tokens)
        self.negatives = split_negatives(table)[0]
        self.by_entry: dict[int, list[str]] = {}
        for text, index in questions:
            self.by_entry.setdefault(index, []).append(text)
        train = preset.train
        self.paired = training and (train.contrastive_weight > 0 or train.prototype_weight > 0)
        self.start(0)

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, number: int) -> Batch:
        train = self.preset.train
        rng = random.Random(f"{train.seed}:{self.epoch}:{number}:{self.training}")
        chosen = [self.questions[i] for i in self.groups[number]]
        # Small talk is shown as written: the decoder learns it only where a batch holds nothing else.
        chosen.sort(key=lambda pair: self.table.entries[pair[1]].kind == "smalltalk")
        texts = [text for text, _ in chosen]
        if self.paired:
            texts += [self._partner(text, index, rng) for text, index in chosen[: share(train.pair_share, len(chosen))]]
            texts += self._negatives(max(map(len, texts)), rng)
        texts = [augment(text, rng, train.augment if self.training else 0.0) for text in texts]
        ids, mask = encode_questions(self.question_tokenizer, texts, self.preset.model.max_question_tokens)
        decoded = chosen[: share(train.generation_share, len(chosen))] if self.training else chosen
        decoded = [pair for pair in decoded if self.table.entries[pair[1]].kind == "topic"] or decoded[:1]
        answers = pad([self.answers[index] for _, index in decoded], self.preset.model.max_answer_tokens + 2)
        entries = np.array([index for _, index in chosen], dtype=np.int32)
        inputs = {"question_ids": ids, "question_mask": mask, "answer_ids": answers[:, :-1]}
        return inputs, {"answer": answers[:, 1:], "entry": entries}

    def start(self, epoch: int) -> None:
        """Make ready the batches of that epoch (0-based)."""
        self.epoch = epoch
        size = self.preset.train.batch_size
        order = list(range(len(self.questions)))
        rng = random.Random(f"{self.preset.train.seed}:{epoch}")
        if self.training:
            rng.shuffle(order)
            # Sorted within windows: little padding, and still other neighbours in every epoch.
            window = size * 12
            order = [
                i
                for first in range(0, len(order), window)
                for i in sorted(order[first : first + window], key=lambda i: len(self.questions[i][0]))
            ]
        self.groups = [order[first : first + size] for first in range(0, len(order), size)]
        if self.training:
            rng.shuffle(self.groups)
            for group in self.groups:
                rng.shuffle(group)

    def _partner(self, text: str, index: int, rng: random.Random) -> str:
        """Another phrasing of the entry, not much longer; the text itself where there is none."""
        others = [other for other in self.by_entry[index] if other != text]
        near = [other for other in others if len(other) <= 1.3 * len(text)]
        return rng.choice(near or others or [text])

    def _negatives(self, longest: int, rng: random.Random) -> list[str]:
        fitting = [text for text in self.negatives if len(text) <= longest] or self.negatives
        return rng.sample(fitting, min(self.preset.train.negatives, len(fitting)))


def share(part: float, rows: int) -> int:
    """How many of so many rows a share is; at least one."""
    return max(1, round(part * rows))
