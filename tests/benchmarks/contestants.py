"""The three ways of decoding that `decode.py` compares, each in a process of its own.

Each works from the questions' text, so that tokenizing and the encoder's pass are in everybody's time. Each has its
own process because the threads of one library go on spinning for a while after a call and would take the cores from
the next.
Nothing heavy is imported at the top: a process imports only what its own contestant needs.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

Answers = list[list[int]]
Decoder = Callable[[Sequence[str], int], Answers]

OURS, CT2, REPORT = "lamplight", "ctranslate2", "report's way"


@dataclass(frozen=True)
class Contestant:
    """One engine in one precision or form, on a number of threads. `folder` holds what it reads."""

    engine: str
    form: str
    threads: int
    folder: Path
    max_tokens: int

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.engine} {self.form}, {self.threads} thread{'s' * (self.threads > 1)}"

    def open(self) -> Decoder:
        """Load the model; the function that comes back takes questions of one batch and a number of beams."""
        return {OURS: _open_ours, CT2: _open_ctranslate2, REPORT: _open_report}[self.engine](self)


@dataclass(frozen=True)
class Run:
    """What one pass over the questions gave: seconds of each batch, and the answers without marks."""

    seconds: tuple[float, ...]
    answers: tuple[tuple[int, ...], ...]


class Process:
    """A contestant in a process that waits for work."""

    def __init__(self, contestant: Contestant, questions: Sequence[str]) -> None:
        """Start it; the first `run` waits until it is ready."""
        self.contestant = contestant
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(contestant, list(questions), theirs), daemon=True)
        self._process.start()

    def run(self, beams: int, batch: int, count: int) -> Run:
        """Answer the first `count` questions in batches."""
        self._connection.send((beams, batch, count))
        try:
            result: Run = self._connection.recv()
        except EOFError as error:
            raise RuntimeError(f"{self.contestant.name} failed, see above") from error
        return result

    def stop(self) -> None:
        """End the process."""
        self._connection.send(None)
        self._process.join()


def _serve(contestant: Contestant, questions: list[str], connection: Connection) -> None:
    # Whoever reads OMP_NUM_THREADS (CTranslate2's libraries do) gets the same number as by its own option.
    os.environ["OMP_NUM_THREADS"] = str(contestant.threads)
    decode = contestant.open()
    while (order := connection.recv()) is not None:
        beams, batch, count = order
        seconds: list[float] = []
        answers: list[tuple[int, ...]] = []
        for first in range(0, count, batch):
            part = questions[first : min(first + batch, count)]
            started = perf_counter()
            found = decode(part, beams)
            seconds.append(perf_counter() - started)
            answers += [tuple(answer) for answer in found]
        connection.send(Run(tuple(seconds), tuple(answers)))


def _open_ours(contestant: Contestant) -> Decoder:
    """The assistant's own way from text to ids, over a bundle that holds only what it needs."""
    from assistant.bundle.manifest import Architecture, FileRecord, Manifest
    from assistant.bundle.reader import Bundle
    from assistant.bundle.source import DirectorySource
    from assistant.inference.decoding import DecodingOptions, beam_search, greedy
    from assistant.inference.sessions import open_variant
    from trainer import checkpoint

    config = checkpoint.load(contestant.folder).preset.model
    source = DirectorySource(contestant.folder / "bundle")
    files = {name: source.read(name) for name in source.names()}
    records = {name: FileRecord(hashlib.sha256(data).hexdigest(), len(data)) for name, data in files.items()}
    architecture = Architecture(
        "benchmark",
        config.d_model,
        config.encoder.layers,
        config.decoder.layers,
        config.decoder.heads,
        config.d_model // config.decoder.heads,
        config.answer_vocab_size,
        config.question_vocab_size,
        config.max_question_tokens,
        config.max_answer_tokens,
        top_k=min(16, config.answer_vocab_size),
    )
    manifest = Manifest("benchmark", "1", "benchmark", architecture, (contestant.form,), records)
    model = open_variant(Bundle(source.root, manifest, source), contestant.form, contestant.threads)

    def decode(questions: Sequence[str], beams: int) -> Answers:
        encoded = model.encode(questions)
        options = DecodingOptions(max_tokens=contestant.max_tokens, beams=beams)
        step = model.step_function(encoded, beams)
        if beams == 1:
            return [list(found.tokens) for found in greedy(step, len(questions), options)]
        return [list(found[0].tokens) for found in beam_search(step, len(questions), options)]

    return decode


def _open_ctranslate2(contestant: Contestant) -> Decoder:
    import ctranslate2  # type: ignore[import-untyped]
    from ct2_model import token, token_id

    from trainer import checkpoint

    tokenizer = _tokenizer(checkpoint.load(contestant.folder))
    translator = ctranslate2.Translator(
        str(contestant.folder / f"ct2-{contestant.form}"),
        device="cpu",
        compute_type=contestant.form,
        intra_threads=contestant.threads,
        inter_threads=1,
    )

    def decode(questions: Sequence[str], beams: int) -> Answers:
        source = [[token(number) for number in row.ids] for row in tokenizer.encode_batch(list(questions))]
        results = translator.translate_batch(
            source,
            beam_size=beams,
            max_decoding_length=contestant.max_tokens,
            min_decoding_length=0,
            length_penalty=0.6,
        )
        return [[token_id(name) for name in result.hypotheses[0]] for result in results]

    return decode


def _open_report(contestant: Contestant) -> Decoder:
    """The report's loop: the whole model, encoder and all, over question and prefix again for every token.

    "growing" runs it over the prefix as it is, "fixed" over a prefix padded to the greatest length, compiled by XLA.
    """
    import trainer.backend  # noqa: F401

    import numpy as np
    import tensorflow as tf

    from trainer import checkpoint
    from trainer.config import BOS_ID, EOS_ID, PAD_ID

    tf.config.threading.set_intra_op_parallelism_threads(contestant.threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    model, loaded = checkpoint.load_model(contestant.folder)
    tokenizer = _tokenizer(loaded)
    ids = tf.TensorSpec((1, None), tf.int32)

    def best(question: Any, answer: Any, last: Any) -> Any:
        visible = tf.ones_like(question)
        outputs = model({"question_ids": question, "question_mask": visible, "answer_ids": answer})
        return tf.argmax(outputs["logits"][0, last], output_type=tf.int32)

    growing = tf.function(best, input_signature=[ids, ids, tf.TensorSpec((), tf.int32)])
    fixed = tf.function(best, jit_compile=True)

    def answer(question: str) -> list[int]:
        source = tf.constant([tokenizer.encode(question).ids], tf.int32)
        tokens = [BOS_ID]
        for last in range(contestant.max_tokens):
            if contestant.form == "growing":
                token = growing(source, tf.constant([tokens], tf.int32), tf.constant(last))
            else:
                padded = np.full((1, contestant.max_tokens), PAD_ID, np.int32)
                padded[0, : len(tokens)] = tokens
                token = fixed(source, tf.constant(padded), tf.constant(last))
            if int(token) == EOS_ID:
                break
            tokens.append(int(token))
        return tokens[1:]

    return lambda questions, _beams: [answer(question) for question in questions]


def _tokenizer(loaded: Any) -> Any:
    tokenizer = loaded.question_tokenizer
    tokenizer.enable_truncation(loaded.preset.model.max_question_tokens)
    tokenizer.no_padding()
    return tokenizer
