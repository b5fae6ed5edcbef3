"""The whole way of a question: screen, encoder, index, decoder, confidence, policy, reply."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from assistant.answering.curated import CuratedIndex
from assistant.answering.policy import (
    Decision,
    decide,
    empty_text,
    has_words,
    reads_as_follow_up,
)
from assistant.answering.safety import help_card, screen
from assistant.bundle.manifest import ANSWER_TOKENIZER, CALIBRATION
from assistant.bundle.reader import Bundle
from assistant.errors import BundleDamaged, UsageError
from assistant.inference.confidence import Calibration, features
from assistant.inference.decoding import (
    DecodingOptions,
    Hypothesis,
    ShouldStop,
    beam_search,
    greedy,
    greedy_steps,
    validate_decoding_options,
)
from assistant.inference.sessions import DeviceReport, Encoded, Model, open_model, open_variant
from assistant.inference.tokenizer import AnswerTokenizer
from assistant.types import BundleName, CuratedEntry, Event, Finished, Generated, Match, Reply, Timing, Token

BATCH = 8
_CLOSEST = 5
# Some of the closest may be small talk, which is never offered as a choice.
_SEARCHED = 10


def screen_reply(question: str, country: str | None = None, variant: int = 0) -> Reply | None:
    """Return the help card when a message speaks of danger, else None. Needs no bundle and no model.

    `country` is an ISO 3166 code; cards of neighbouring `variant` numbers differ in their words. The confidence is
    0: rules give no probability.
    """
    screening = screen(question)
    if screening.level == "none":
        return None
    return Reply(question, "crisis", help_card(country, variant, reason=screening.reason))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question as it was understood: alone, or after the one before it (`text`)."""

    question: str
    text: str
    matches: list[Match]
    negative: float


@dataclass(frozen=True, slots=True)
class _Clock:
    """Milliseconds of one question's share of a batch, and when the work on it began."""

    started: float
    encode: float
    decode: float = 0.0
    shared_by: int = 1

    def timing(self) -> Timing:
        total = _milliseconds(self.started) / self.shared_by
        return Timing(round(self.encode, 3), round(self.decode, 3), round(total, 3))


class Engine:
    """An opened bundle that answers. Safe to use from several threads."""

    def __init__(self, bundle: Bundle, model: Model, beams: int = 1) -> None:
        """Read what lies beside the model. Prefer `open`. Raises BundleDamaged, BundleUnsupported, UsageError."""
        self.bundle = bundle
        self._model = model
        self._index = CuratedIndex(bundle.entries(), bundle.embeddings())
        where = f"{bundle.root}: {CALIBRATION}"
        self._calibration = Calibration.parse(bundle.read(CALIBRATION), where, model.report.variant)
        where = f"{bundle.root}: {ANSWER_TOKENIZER}"
        self._answers = AnswerTokenizer.from_bytes(bundle.read(ANSWER_TOKENIZER), where)
        self._options = self._decoding(beams)

    @classmethod
    def open(cls, bundle: Bundle, device: str = "auto", beams: int = 1, threads: int = 0) -> Engine:
        """Open a bundle on `auto`, `cpu` or `cuda`; `threads` are the CPU's for one operator, 0 for a good number.

        Raises UsageError, DeviceError, BundleDamaged or BundleUnsupported.
        """
        return cls(bundle, open_model(bundle, device, threads), beams)

    @classmethod
    def for_variant(cls, bundle: Bundle, variant: str) -> Engine:
        """Open one variant on the CPU, which runs them all: what the exporter and the benchmarks compare with.

        Raises UsageError for a variant that the bundle does not have, BundleDamaged or BundleUnsupported.
        """
        return cls(bundle, open_variant(bundle, variant))

    @property
    def device(self) -> DeviceReport:
        """Which device answers, and why."""
        return self._model.report

    @property
    def entries(self) -> tuple[CuratedEntry, ...]:
        """Every entry that can be shown, in the bundle's order."""
        return self._index.shown

    def entry(self, entry_id: str) -> CuratedEntry | None:
        """Return the entry of that id, if it can be shown."""
        return self._index.entry(entry_id)

    def suggest(self, prefix_text: str, k: int = 5) -> list[Match]:
        """Return the `k` topics closest to the beginning of a question (one encoder pass)."""
        if not has_words(prefix_text):
            return []
        vector = self._encode([_model_text(prefix_text)]).pooled[0]
        matches = self._index.search(vector, len(self.entries))
        return [match for match in matches if self._is_topic(match)][:k]

    def answer(
        self, question: str, previous: str | None = None, beams: int | None = None, country: str | None = None
    ) -> Reply:
        """Answer one question; with `previous`, the question before it, an elliptical one is read in its light."""
        return self.answer_many([question], [previous], beams, country)[0]

    def answer_many(
        self,
        questions: Sequence[str],
        previous: Sequence[str | None] | None = None,
        beams: int | None = None,
        country: str | None = None,
    ) -> list[Reply]:
        """Answer questions in batches of `BATCH`, in their order."""
        options = self._options if beams is None else self._decoding(beams)
        before = previous if previous is not None else [None] * len(questions)
        pairs = list(zip(questions, before, strict=True))
        replies = {place: self._early_reply(question, country) for place, (question, _) in enumerate(pairs)}
        waiting = [place for place, reply in replies.items() if reply is None]
        for start in range(0, len(waiting), BATCH):
            places = waiting[start : start + BATCH]
            answered = self._answer_batch([pairs[place] for place in places], options)
            replies.update(zip(places, answered, strict=True))
        return [reply for reply in replies.values() if reply is not None]

    def measure(
        self, questions: Sequence[str], previous: Sequence[str | None] | None = None
    ) -> list[tuple[str, dict[str, float]]]:
        """Return the closest entry's id and the features of each question's reply: what calibration is fitted on."""
        before = previous if previous is not None else [None] * len(questions)
        pairs = list(zip(questions, before, strict=True))
        measured = []
        for start in range(0, len(pairs), BATCH):
            readings, encoded = self._read(pairs[start : start + BATCH])
            for reading, best in zip(readings, self._decode(encoded, self._options), strict=True):
                measured.append((reading.matches[0].id, self._features(reading, best)[1]))
        return measured

    def stream(
        self,
        question: str,
        previous: str | None = None,
        cancel: threading.Event | None = None,
        country: str | None = None,
        screened: bool = False,
    ) -> Iterator[Event]:
        """Answer one question, token by token; the last event is always Finished, with the whole reply.

        Tokens come only while they are sure to stay: the question is likely to be answered and the words so far are the
        beginning of the curated answer. `cancel` is looked at between two steps; what was written then stands in
        the reply. With more than one beam there are no tokens. `screened` says that the caller has run the screen for
        danger itself, as the chat does: it shows the card, and answers too once the person said "I'm not in danger".
        """
        early = self._wordless_reply(question) if screened else self._early_reply(question, country)
        if early is not None:
            yield Finished(early)
            return
        started = perf_counter()
        (reading,), encoded = self._read([(question, previous)])
        encode = _milliseconds(started)
        stop = cancel.is_set if cancel is not None else None
        decoding = perf_counter()
        hypothesis, shown = yield from self._stream_tokens(reading, encoded, stop)
        clock = _Clock(started, encode, _milliseconds(decoding))
        cancelled = not hypothesis.finished and stop is not None and stop()
        yield Finished(self._reply(reading, hypothesis, clock, shown if cancelled else None), cancelled)

    def _decoding(self, beams: int) -> DecodingOptions:
        architecture = self._model.architecture
        options = DecodingOptions(
            max_tokens=architecture.max_answer_tokens,
            beams=beams,
            bos_id=architecture.bos_id,
            eos_id=architecture.eos_id,
        )
        validate_decoding_options(options)
        if beams > max(1, architecture.top_k // 2):
            raise UsageError(f"beams must be at most {architecture.top_k // 2} with this bundle, not {beams}")
        return options

    def _early_reply(self, question: str, country: str | None) -> Reply | None:
        """Return the reply that needs no model: the help card first of all, then a message without words."""
        return screen_reply(question, country) or self._wordless_reply(question)

    def _wordless_reply(self, question: str) -> Reply | None:
        if has_words(question):
            return None
        text = empty_text(self.bundle.manifest.subject, self.entries)
        return Reply(question, "declined", text, bundle=self._name(), device=self.device.device)

    def _answer_batch(self, pairs: Sequence[tuple[str, str | None]], options: DecodingOptions) -> list[Reply]:
        started = perf_counter()
        readings, encoded = self._read(pairs)
        encode = _milliseconds(started)
        decoding = perf_counter()
        hypotheses = self._decode(encoded, options)
        size = len(pairs)
        clock = _Clock(started, encode / size, _milliseconds(decoding) / size, size)
        return [self._reply(reading, best, clock) for reading, best in zip(readings, hypotheses, strict=True)]

    def _read(self, pairs: Sequence[tuple[str, str | None]]) -> tuple[list[_Reading], Encoded]:
        """Encode every question, and once more after the one before it; keep the better reading of each."""
        texts: list[str] = []
        for question, before in pairs:
            texts.append(_model_text(question))
            if before is not None and has_words(before):
                texts.append(_model_text(f"{before} {question}"))
        encoded = self._encode(texts)
        readings, rows, row = [], [], 0
        for question, before in pairs:
            alone = self._reading(question, texts, encoded, row)
            kept, kept_row = alone, row
            row += 1
            if before is not None and has_words(before):
                together = self._reading(question, texts, encoded, row)
                if reads_as_follow_up(question, alone.matches[0], alone.negative, together.matches[0]):
                    kept, kept_row = together, row
                row += 1
            readings.append(kept)
            rows.append(kept_row)
        return readings, encoded.select(rows)

    def _reading(self, question: str, texts: Sequence[str], encoded: Encoded, row: int) -> _Reading:
        vector = encoded.pooled[row]
        matches = self._index.search(vector, _SEARCHED)
        return _Reading(question, texts[row], matches, self._index.negative_similarity(vector))

    def _encode(self, texts: Sequence[str]) -> Encoded:
        encoded = self._model.encode(texts)
        if encoded.pooled.shape[1] != self._index.width:
            raise BundleDamaged(
                f"{self.bundle.root}: the encoder gives {encoded.pooled.shape[1]} numbers, "
                f"the curated vectors have {self._index.width}"
            )
        return encoded

    def _decode(self, encoded: Encoded, options: DecodingOptions, stop: ShouldStop | None = None) -> list[Hypothesis]:
        step = self._model.step_function(encoded, options.beams)
        batch = len(encoded.pooled)
        if options.beams == 1:
            return greedy(step, batch, options, should_stop=stop)
        return [best[0] for best in beam_search(step, batch, options, stop)]

    def _stream_tokens(
        self, reading: _Reading, encoded: Encoded, stop: ShouldStop | None
    ) -> Generator[Token, None, tuple[Hypothesis, str]]:
        """Decode one question, yielding its text; return the hypothesis and the text that was yielded."""
        if self._options.beams > 1:
            return self._decode(encoded, self._options, stop)[0], ""
        expected = self._expected(reading)
        decoder = self._answers.stream()
        shown = ""
        steps = greedy_steps(self._model.step_function(encoded), 1, self._options, stop)
        while True:
            hypothesis: Hypothesis | None = None
            try:
                piece = decoder.push(next(steps)[1])
            except StopIteration as end:
                hypothesis = end.value[0]
                piece = decoder.finish()
            piece = piece if shown else piece.lstrip()
            if not expected.startswith(shown + piece):
                expected = ""  # It went astray: nothing more is shown, the policy will decide.
            elif piece:
                shown += piece
                yield Token(piece)
            if hypothesis is not None:
                return hypothesis, shown

    def _expected(self, reading: _Reading) -> str:
        """Return the curated answer that may be streamed, or an empty text when no answer is likely.

        The calibration is asked as if the decoder were certain and agreed: what it then says is the most that the
        reply can reach.
        """
        entry = self.entry(reading.matches[0].id)
        if entry is None or entry.kind != "topic":
            return ""
        best = features(reading.text, reading.matches, entry, reading.negative, entry.answer, ())
        return entry.answer if self._calibration.probability(best) >= self._calibration.thresholds.answer else ""

    def _reply(self, reading: _Reading, hypothesis: Hypothesis, clock: _Clock, cut: str | None = None) -> Reply:
        """Put the reply together; `cut` is the text so far of an answer that was stopped."""
        written, values = self._features(reading, hypothesis)
        probability = self._calibration.probability(values)
        if cut is not None:
            decision = Decision("generated", cut, self.entry(reading.matches[0].id))
        else:
            decision = decide(
                probability,
                self._calibration.thresholds,
                reading.matches,
                written if hypothesis.finished else "",
                self._index,
                self.bundle.manifest.subject,
            )
        return Reply(
            question=reading.question,
            kind=decision.kind,
            text=decision.text,
            answer_id=decision.entry.id if decision.entry else None,
            confidence=round(probability, 4),
            closest=tuple(reading.matches[:_CLOSEST]),
            source=decision.source,
            generated=Generated(written, round(values["mean_logprob"], 5), round(values["min_logprob"], 5)),
            bundle=self._name(),
            device=self.device.device,
            timing_ms=clock.timing(),
        )

    def _features(self, reading: _Reading, hypothesis: Hypothesis) -> tuple[str, dict[str, float]]:
        """Return what the decoder wrote, and the features of the reply."""
        written = self._answers.decode(hypothesis.tokens).strip()
        best = self.entry(reading.matches[0].id)
        matches, logprobs = reading.matches, hypothesis.logprobs
        return written, features(reading.text, matches, best, reading.negative, written, logprobs)

    def _is_topic(self, match: Match) -> bool:
        entry = self.entry(match.id)
        return entry is not None and entry.kind == "topic"

    def _name(self) -> BundleName:
        return BundleName(self.bundle.manifest.name, self.bundle.manifest.version)


def _model_text(text: str) -> str:
    """Return a message as the model reads it: one line, blanks joined."""
    return " ".join(text.split())


def _milliseconds(since: float) -> float:
    return (perf_counter() - since) * 1000
