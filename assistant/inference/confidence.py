"""How sure the assistant may be: features of one reply, and the calibrated probability that it is right.

The exporter computes the same features on held-out phrasings and fits the logistic regression that
`calibration.json` holds, per variant.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.bundle.fields import JsonRecord, json_object
from assistant.errors import BundleDamaged, BundleUnsupported
from assistant.types import CuratedEntry, Match

FEATURES = (
    "mean_logprob",
    "min_logprob",
    "similarity",
    "margin",
    "negative_similarity",
    "agreement",
    "lexical_overlap",
    "length",
)
SCHEMA_VERSION = 1

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Words that say nothing about the subject of a question.
_FUNCTION_WORDS_TEXT = """
a about all also am an and any anyone are as at be because been being but by can could did do does doing
for from get had has have he her him his how i if in into is it it's its just like many me might more
most much my of on one or other our out people person please really she should so some someone tell than
that the their them then there these they thing things this those to too up us very want was way we were
what what's when where which who why will with would you your
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_WORDS_TEXT.split())


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, apostrophes inside them kept (written straight)."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def content_words(text: str) -> set[str]:
    """Return the words that carry meaning, a plural "s" taken off."""
    return {_stem(word) for word in words(text) if word not in _FUNCTION_WORDS}


def token_f1(text: str, reference: str) -> float:
    """Return the F1 of two texts as bags of words (SQuAD, without its dropping of articles)."""
    ours, theirs = Counter(words(text)), Counter(words(reference))
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((ours & theirs).values())
    return 2 * shared / (sum(ours.values()) + sum(theirs.values()))


def lexical_overlap(question: str, entry: CuratedEntry) -> float:
    """Return the share of the question's content words that stand in the entry's question or answer."""
    asked = content_words(question)
    if not asked:
        return 0.0
    return len(asked & content_words(f"{entry.question} {entry.answer}")) / len(asked)


def features(
    question: str,
    matches: Sequence[Match],
    entry: CuratedEntry | None,
    negative_similarity: float,
    generated: str,
    logprobs: Iterable[float],
) -> dict[str, float]:
    """Return the features of one reply.

    `matches` are the closest entries, best first, `entry` the first one's; `logprobs` are the generated tokens'
    natural logarithms, the end mark's included.
    """
    values = list(logprobs)
    best = matches[0].score if matches else 0.0
    return {
        "mean_logprob": math.fsum(values) / len(values) if values else 0.0,
        "min_logprob": min(values, default=0.0),
        "similarity": best,
        "margin": best - matches[1].score if len(matches) > 1 else best,
        "negative_similarity": negative_similarity,
        "agreement": token_f1(generated, entry.answer) if entry else 0.0,
        "lexical_overlap": lexical_overlap(question, entry) if entry else 0.0,
        "length": math.log1p(len(words(question))),
    }


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From `answer` on a reply is given as an answer, from `suggest` on close questions are offered."""

    answer: float = 0.6
    suggest: float = 0.2


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic regression on standardised features."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    thresholds: Thresholds = Thresholds()

    @classmethod
    def load(cls, path: Path, variant: str) -> Calibration:
        """Read `calibration.json`. Raises BundleDamaged or BundleUnsupported."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BundleDamaged(f"{path}: cannot be read ({error.strerror})") from error
        return cls.parse(data, str(path), variant)

    @classmethod
    def parse(cls, data: bytes, where: str, variant: str) -> Calibration:
        """Read it from the bytes of its file; a variant that is not there takes the first one's numbers."""
        whole = JsonRecord(json_object(data, where), where)
        version = whole.integer("schema_version", least=0)
        if version != SCHEMA_VERSION:
            raise BundleUnsupported(f"{where}: schema version {version}; this Lamplight reads {SCHEMA_VERSION}")
        variants = whole.child("variants")
        if not variants.values:
            raise BundleDamaged(f"{where}: holds no variant")
        record = variants.child(variant if variant in variants.values else next(iter(variants.values)))
        names = tuple(record.texts("features"))
        unknown = sorted(set(names) - set(FEATURES))
        if unknown:
            raise BundleUnsupported(f"{where}: unknown feature {unknown[0]!r}")
        size = len(names)
        return cls(
            names=names,
            mean=record.numbers("mean", size),
            scale=record.numbers("scale", size),
            weights=record.numbers("weights", size),
            bias=record.number("bias"),
            thresholds=_thresholds(record.child("thresholds")),
        )

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the probability, in [0, 1], that a reply with these features is right."""
        total = self.bias
        for name, mean, scale, weight in zip(self.names, self.mean, self.scale, self.weights, strict=True):
            # A feature that never varied in calibration has scale 0 and tells nothing.
            total += weight * (values[name] - mean) / scale if scale else 0.0
        # Beyond 700 math.exp overflows; the probability is 0 or 1 to all digits long before.
        return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, total))))


def _thresholds(record: JsonRecord) -> Thresholds:
    answer, suggest = record.number("answer"), record.number("suggest")
    if not 0.0 <= suggest <= answer <= 1.0:
        raise BundleDamaged(f"{record.where}: suggest and answer must be in order between 0 and 1")
    return Thresholds(answer, suggest)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
