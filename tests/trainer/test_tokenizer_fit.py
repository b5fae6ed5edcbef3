"""Fitted tokenizers: answers come back exactly, the report's words as the report had them."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from assistant.errors import TrainingError
from assistant.inference.tokenizer import AnswerTokenizer
from trainer.config import BOS_ID, EOS_ID, PAD_ID, preset
from trainer.tokenizer import fit_answer_tokenizer, fit_question_tokenizer

TEXTS = ["A budget is a plan for your money.", "Prices rise; don't panic! Où? 😀", "Line one.\n\n* **bold** item"]
BPE = fit_answer_tokenizer(TEXTS, preset("tiny"))
BPE.encode_special_tokens = True


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_byte_level_bpe_is_lossless(text: str) -> None:
    assert BPE.decode(BPE.encode(text).ids) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_has_marks_in_it(text: str) -> None:
    assert not {PAD_ID, BOS_ID, EOS_ID} & set(BPE.encode(text).ids)


def test_marks_have_the_ids_of_the_model() -> None:
    for tokenizer in (BPE, fit_answer_tokenizer(TEXTS, preset("paper"))):
        assert [tokenizer.token_to_id(mark) for mark in ("<pad>", "<s>", "</s>")] == [PAD_ID, BOS_ID, EOS_ID]


def test_bpe_learns_the_answers() -> None:
    assert len(BPE.encode(TEXTS[0]).ids) < len(TEXTS[0]) / 3
    assert BPE.get_vocab_size() <= preset("tiny").answer_vocab


def test_fitting_twice_gives_the_same_tokenizer() -> None:
    """The library's own WordPiece trainer gives other numbers each time."""
    for name in ("tiny", "paper"):
        assert len({fit_answer_tokenizer(TEXTS, preset(name)).to_str() for _ in range(5)}) == 1
        assert len({fit_question_tokenizer(TEXTS, preset(name), None).to_str() for _ in range(5)}) == 1


def test_the_assistant_reads_what_was_fitted(tmp_path: Path) -> None:
    BPE.save(str(tmp_path / "answer_tokenizer.json"))
    read = AnswerTokenizer(tmp_path / "answer_tokenizer.json")
    assert read.encode(TEXTS[1]) == BPE.encode(TEXTS[1]).ids and read.decode(read.encode(TEXTS[1])) == TEXTS[1]


def report_words(text: str) -> list[str]:
    """The report's preprocessing in Python: lower case, no accents, spaced punctuation, nothing else."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").lower()
    plain = re.sub(r"([?.!,])", r" \1 ", plain)
    return re.sub(r"[^a-z0-9.?!,']+", " ", plain).split()


@given(st.text(st.sampled_from("abcXYZéÑ09 .,?!'\"-–()\n…")))
def test_words_are_the_reports_preprocessing(text: str) -> None:
    tokenizer = fit_answer_tokenizer([text], preset("paper"))
    assert tokenizer.encode(text).tokens == report_words(text)


def test_words_by_example() -> None:
    tokenizer = fit_answer_tokenizer(["Naïve? You can't -- really (can't), can you!"], preset("paper"))
    encoded = tokenizer.encode("Naïve? You can't -- really (can't), can you!")
    assert tokenizer.decode(encoded.ids) == "naive ? you can't really can't , can you !"
    assert tokenizer.encode("naive people").tokens == ["naive", "<unk>"]


@pytest.mark.parametrize("name", ["tiny", "paper"])
def test_questions_stand_between_marks(name: str) -> None:
    tokenizer = fit_question_tokenizer(["What is a budget?"], preset(name), None)
    tokens = tokenizer.encode("What is a zebra?").tokens
    assert tokens[0] == "[CLS]" and tokens[-1] == "[SEP]" and "what" in tokens and "?" in tokens
    assert tokenizer.token_to_id("[PAD]") == PAD_ID


def test_pieces_inside_words_are_no_marks() -> None:
    tokenizer = fit_question_tokenizer(["What is a budget?", "budgets"], preset("tiny"), None)
    assert "##s" in tokenizer.get_vocab()
    assert tokenizer.encode("##s").tokens == ["[CLS]", "[UNK]", "[UNK]", "s", "[SEP]"]


def test_questions_in_capitals_are_the_same_questions() -> None:
    tokenizer = fit_question_tokenizer(["What is a budget?"], preset("tiny"), None)
    assert tokenizer.encode("WHAT IS A BÚDGET?").ids == tokenizer.encode("what is a budget?").ids


@pytest.mark.parametrize("name", ["tokenizer.json", "question_tokenizer.json"])
def test_a_pretrained_tokenizer_is_taken_without_padding_and_truncation(tmp_path: Path, name: str) -> None:
    """From a folder of the hub, or from a bundle, which calls it question_tokenizer.json."""
    stored = fit_question_tokenizer(["What is a budget?"], preset("tiny"), None)
    stored.enable_padding(length=64)
    stored.enable_truncation(4)
    stored.save(str(tmp_path / name))
    taken = fit_question_tokenizer([], preset("faq"), tmp_path)
    assert len(taken.encode("what is a budget ? what is a budget").ids) == 11
    assert isinstance(taken, Tokenizer)


def test_a_damaged_pretrained_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="holds no tokenizer.json"):
        fit_question_tokenizer([], preset("faq"), tmp_path)
    (tmp_path / "tokenizer.json").write_text('{"model": ')
    with pytest.raises(TrainingError, match="tokenizer.json: is no tokenizer"):
        fit_question_tokenizer([], preset("faq"), tmp_path)
