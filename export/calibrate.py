"""Fitting the confidence: a logistic regression per variant over what the assistant sees of a reply.

The features are the assistant's own (`assistant.inference.confidence`), computed by its own engine on
questions that were not trained on.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.answering.engine import Engine
from assistant.errors import ExportError, TableError
from assistant.inference.confidence import FEATURES, SCHEMA_VERSION
from trainer.augment import CHANGES, framed
from trainer.bundle_eval import read_set
from trainer.dataset import split_negatives
from trainer.general import FOLDER as GENERAL
from trainer.table import Table, read_negatives

# Wrong replies that may stand among those given as answers.
RISK = 0.03
# Questions in scope that may fall below `suggest`, where the reply is that nothing is known.
MISSED = 0.02
FOLDS = 5


@dataclass(frozen=True)
class Example:
    """A calibration question; `id` is empty where no entry answers it."""

    question: str
    id: str
    previous: str | None = None


def neutral(variants: list[str]) -> dict[str, Any]:
    """A calibration that knows nothing: what a bundle has while its features are measured."""
    record = {
        "features": [],
        "mean": [],
        "scale": [],
        "weights": [],
        "bias": 0.0,
        "thresholds": {"answer": 0.6, "suggest": 0.2},
    }
    return {"schema_version": SCHEMA_VERSION, "variants": dict.fromkeys(variants, record)}


def read_examples(folder: Path, known: set[str]) -> list[Example]:
    """Read every *.jsonl of a folder: {question, id?, previous?}. Raises TableError that names file and line."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise TableError(f"{folder}: holds no .jsonl file with calibration questions")
    return [Example(q.text, q.id, q.previous) for path in files for q in read_set(path, known)]


def made_examples(table: Table, seed: int) -> list[Example]:
    """Where nobody wrote calibration questions: the table's own, roughened, and the negatives kept apart for it."""
    rng = random.Random(seed)
    examples = []
    for entry in table.entries:
        for text in rng.sample([entry.question, *entry.phrasings], min(3, 1 + len(entry.phrasings))):
            for change in rng.sample(CHANGES, 2):
                text = change(text, rng) or text
            examples.append(Example(framed(text, rng), entry.id))
    outside = split_negatives(table)[1] or list(read_negatives(GENERAL / "negatives.jsonl"))
    return examples + [Example(text, "") for text in outside]


def measure(engine: Engine, examples: list[Example]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Features (N, F) of each example's reply, and whether its closest entry is the right one (N,)."""
    seen = engine.measure([e.question for e in examples], [e.previous for e in examples])
    features = np.array([[values[name] for name in FEATURES] for _, values in seen])
    right = np.array([bool(e.id) and best == e.id for e, (best, _) in zip(examples, seen, strict=True)], dtype=bool)
    return features, right


def fit(
    features: NDArray[np.float64], right: NDArray[np.bool_], in_scope: NDArray[np.bool_], seed: int
) -> dict[str, Any]:
    """Fit one variant's record of calibration.json.

    Thresholds are chosen on cross-validated probabilities, so that no example judges its own fit. Raises
    ExportError where all examples are right, or none is.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.preprocessing import StandardScaler

    if right.all() or not right.any() or min(right.sum(), (~right).sum()) < FOLDS:
        raise ExportError(
            f"calibration needs right and wrong examples, {FOLDS} of each; it has {int(right.sum())} and "
            f"{int((~right).sum())}"
        )
    scaler = StandardScaler().fit(features)
    scaled = scaler.transform(features)
    model = LogisticRegression(C=1.0, max_iter=1000)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    probability = cross_val_predict(model, scaled, right, cv=folds, method="predict_proba")[:, 1]
    model.fit(scaled, right)
    answer = threshold(probability, right)
    suggest = min(answer, float(np.quantile(probability[in_scope], MISSED))) if in_scope.any() else answer / 2
    return {
        "features": list(FEATURES),
        "mean": scaler.mean_.tolist(),
        "scale": scaler.scale_.tolist(),
        "weights": model.coef_[0].tolist(),
        "bias": float(model.intercept_[0]),
        "thresholds": {"answer": answer, "suggest": suggest},
        "evidence": evidence(probability, right, answer),
    }


def threshold(probability: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The lowest probability from which on at most RISK of the examples are wrong; 1.0 where there is none."""
    order = np.argsort(-probability, kind="stable")
    ranked = probability[order]
    wrong = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
    # A cut falls between two values, never among examples that share one.
    last_of_its_value = np.append(ranked[1:] < ranked[:-1], True)
    good = np.flatnonzero((wrong <= RISK) & last_of_its_value)
    return float(ranked[good[-1]]) if len(good) else 1.0


def evidence(probability: NDArray[np.float64], right: NDArray[np.bool_], answer: float) -> dict[str, float]:
    """Figures of the cross-validated probabilities: Brier score, expected calibration error, risk and coverage."""
    given = probability >= answer
    bins = np.minimum((probability * 10).astype(int), 9)
    gaps = [
        abs(probability[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
        for b in range(10)
        if (bins == b).any()
    ]
    return {
        "examples": len(right),
        "right": float(right.mean()),
        "brier": float(np.mean((probability - right) ** 2)),
        "ece": float(sum(gaps)),
        "coverage": float(given.mean()),
        "risk": float((~right[given]).mean()) if given.any() else 0.0,
    }
