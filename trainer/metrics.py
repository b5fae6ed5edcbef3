"""Figures of merit over answers: token F1, exact match, BLEU."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

_PUNCTUATION = str.maketrans("", "", string.punctuation)


def answer_tokens(text: str) -> list[str]:
    """Lower case, without punctuation and articles, split at spaces: the SQuAD normalisation."""
    words = re.sub(r"\b(a|an|the)\b", " ", text.lower().translate(_PUNCTUATION))
    return words.split()


def token_f1(predicted: str, truth: str) -> float:
    """Harmonic mean of token precision and recall (Rajpurkar et al., 2016), in [0, 1]."""
    left, right = answer_tokens(predicted), answer_tokens(truth)
    if not left or not right:
        return float(left == right)
    common = sum((Counter(left) & Counter(right)).values())
    return 2 * common / (len(left) + len(right))


def exact_match(predicted: str, truth: str) -> bool:
    """Whether both have the same tokens in the same order."""
    return answer_tokens(predicted) == answer_tokens(truth)


def bleu(predicted: Sequence[str], truth: Sequence[str]) -> float:
    """Corpus BLEU by sacrebleu, 0 to 100."""
    import sacrebleu

    return float(sacrebleu.corpus_bleu(list(predicted), [list(truth)]).score)


def summary(predicted: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    """Mean token F1, exact-match rate and BLEU of answers against the right ones."""
    pairs = list(zip(predicted, truth, strict=True))
    scores: dict[str, Any] = {
        "f1": sum(token_f1(p, t) for p, t in pairs) / len(pairs),
        "exact_match": sum(exact_match(p, t) for p, t in pairs) / len(pairs),
        "bleu": bleu(predicted, truth),
    }
    return scores
