"""The tokenizers: padding, truncation, streams that never split a character, files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from assistant.bundle.reader import Bundle
from assistant.errors import BundleDamaged
from assistant.inference.tokenizer import AnswerTokenizer, QuestionTokenizer


@pytest.fixture(scope="module")
def byte_level(tmp_path_factory: pytest.TempPathFactory) -> AnswerTokenizer:
    """A byte-level BPE without merges: each token is one byte, the hardest case for a stream."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    path = tmp_path_factory.mktemp("bytes") / "answer_tokenizer.json"
    tokenizer.save(str(path))
    return AnswerTokenizer(path)


@pytest.fixture
def questions(fake_bundle: Bundle) -> QuestionTokenizer:
    return QuestionTokenizer(fake_bundle.path("question_tokenizer.json"), max_tokens=8)


@given(text=st.text())
def test_text_comes_back_exactly(byte_level: AnswerTokenizer, text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    assert byte_level.decode(byte_level.encode(text)) == clean


@given(text=st.text(min_size=1))
def test_a_stream_gives_whole_characters_and_the_whole_text(byte_level: AnswerTokenizer, text: str) -> None:
    ids = byte_level.encode(text)
    stream = byte_level.stream()
    pieces = [stream.push(token) for token in ids]
    whole = byte_level.decode(ids)
    shown = ""
    for piece in pieces:
        shown += piece
        assert whole.startswith(shown)
    assert shown + stream.finish() == whole


@settings(max_examples=200)
@given(ids=st.lists(st.integers(0, 255), max_size=20))
def test_a_stream_of_any_bytes_adds_up_to_the_decoded_text(byte_level: AnswerTokenizer, ids: list[int]) -> None:
    stream = byte_level.stream()
    pieces = [stream.push(token) for token in ids]
    assert "".join(pieces) + stream.finish() == byte_level.decode(ids)


def test_half_a_character_is_held_back(byte_level: AnswerTokenizer) -> None:
    ids = byte_level.encode("aé€")
    stream = byte_level.stream()
    assert [stream.push(token) for token in ids] == ["a", "", "é", "", "", "€"]
    assert stream.finish() == ""


def test_marks_and_unknown_ids_write_nothing(fake_bundle: Bundle) -> None:
    tokenizer = AnswerTokenizer(fake_bundle.path("answer_tokenizer.json"))
    ids = tokenizer.encode("They do.")
    assert tokenizer.decode([1, *ids, 2, -5, 10**6]) == "They do."


def test_padding_is_on_the_right_and_masked(questions: QuestionTokenizer) -> None:
    ids, mask = questions.encode_batch(["what causes the tides", "waves"])
    assert ids.shape == mask.shape == (2, 4)
    assert ids.dtype == mask.dtype == "int64"
    assert mask.tolist() == [[1, 1, 1, 1], [1, 0, 0, 0]]
    assert ids[1, 1:].tolist() == [0, 0, 0]
    alone, _ = questions.encode_batch(["waves"])
    assert alone[0].tolist() == ids[1, :1].tolist()


@pytest.mark.parametrize(
    "text",
    ["waves " * 10_000, "w" * 50_000, "waves" + "\u0301" * 3000, "x" * 1_000_000],
    ids=["words", "word", "accents", "megabyte"],
)
def test_a_very_long_question_is_cut(questions: QuestionTokenizer, text: str) -> None:
    ids, mask = questions.encode_batch([text])
    assert 1 <= ids.shape[1] <= 8
    assert mask.all()


@pytest.mark.parametrize("text", ["", " ", "\ud800", "\x00", "👩‍👩‍👧", "\u202e"])
def test_odd_questions_encode(questions: QuestionTokenizer, text: str) -> None:
    ids, mask = questions.encode_batch([text])
    assert ids.shape == mask.shape
    assert ids.shape[1] >= 1


@pytest.mark.parametrize("data", [b"", b"<html></html>", b"{}", b"\xff\xfe", b'{"model": {"type": "None"}}'])
def test_what_is_no_tokenizer_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "question_tokenizer.json"
    path.write_bytes(data)
    with pytest.raises(BundleDamaged, match="question_tokenizer.json"):
        QuestionTokenizer(path, 8)
    with pytest.raises(BundleDamaged, match="missing.json"):
        AnswerTokenizer(tmp_path / "missing.json")


def test_a_regular_expression_that_never_ends_is_an_error_not_a_panic(fake_bundle: Bundle) -> None:
    record = json.loads(fake_bundle.read("question_tokenizer.json"))
    record["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": "(x+x+)+y"},
        "behavior": "Isolated",
        "invert": False,
    }
    tokenizer = QuestionTokenizer.from_bytes(json.dumps(record).encode(), "evil.json", 8)
    with pytest.raises(BundleDamaged, match="evil.json"):
        tokenizer.encode_batch(["x" * 40])
