"""Token F1 in SQuAD's manner, exact match, BLEU: by hand."""

from __future__ import annotations

import pytest

from trainer.metrics import answer_tokens, bleu, exact_match, summary, token_f1


def test_the_squad_normalisation() -> None:
    assert answer_tokens("The  Cat, an owl's; A (theory)!") == ["cat", "owls", "theory"]


@pytest.mark.parametrize(
    ("predicted", "truth", "f1"),
    [
        ("a cat sat", "The cat sat.", 1.0),
        ("the cat", "the dog", 0.0),
        ("cat sat down", "cat sat", 2 * (2 / 3) * 1 / (2 / 3 + 1)),
        ("cat cat cat", "cat dog", 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)),
        ("mat the on sat cat", "cat sat on mat", 1.0),  # order does not count
        ("", "", 1.0),
        ("", "cat", 0.0),
        ("the", "cat", 0.0),
        ("the", "a!", 1.0),
    ],
)
def test_token_f1(predicted: str, truth: str, f1: float) -> None:
    assert token_f1(predicted, truth) == pytest.approx(f1)
    assert token_f1(truth, predicted) == pytest.approx(f1)


def test_exact_match_minds_the_order() -> None:
    assert exact_match("A cat sat!", "cat sat")
    assert not exact_match("sat cat", "cat sat")


def test_bleu_of_the_same_text_is_100() -> None:
    text = ["a budget is a plan for your money", "prices rise every year or so"]
    assert bleu(text, text) == pytest.approx(100.0)
    assert bleu(["nothing here fits at all today", "no word of this"], text) < 5


def test_summary_is_the_mean_over_answers() -> None:
    figures = summary(["cat sat down", "owl"], ["cat sat", "owl"])
    assert figures["f1"] == pytest.approx((0.8 + 1) / 2) and figures["exact_match"] == 0.5
