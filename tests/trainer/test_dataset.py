"""From a table to batches: repeatable, in the documented shapes, with nothing in the wrong split."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trainer.config import BOS_ID, EOS_ID, PAD_ID, Preset, preset
from trainer.dataset import (
    Batches,
    answer_rows,
    encode_questions,
    fitted_schedule,
    pad,
    questions_of,
    repeated,
    share,
    split_negatives,
    split_table,
    training_rows,
)
from trainer.table import Entry, Table, read_table
from trainer.tokenizer import fit_answer_tokenizer, fit_question_tokenizer


@pytest.fixture(scope="module")
def table(tiny_table: Path) -> Table:
    """The twelve questions; one entry with eight phrasings and a follow-up, small talk, and negatives."""
    entries = list(read_table(tiny_table).entries)
    many = tuple(f"budget phrasing number {i}" for i in range(8))
    entries[0] = replace(entries[0], phrasings=many, followups=(("I have money", "and a plan?"),))
    entries += [Entry(f"talk-{i}", f"hello number {i}", f"Hi, talk {i}.", kind="smalltalk") for i in range(6)]
    return Table(tuple(entries), tuple(f"who won game {i}" for i in range(100)))


def batches(table: Table, recipe: Preset, questions: Any = None, training: bool = True) -> Batches:
    texts = [text for entry in table.entries for text in questions_of(entry)]
    tokenizers = (
        fit_question_tokenizer(texts, recipe, None),
        fit_answer_tokenizer((e.answer for e in table.entries), recipe),
    )
    return Batches(table, questions or training_rows(table, recipe.train), tokenizers, recipe, training)


def content(made: Batches, epoch: int) -> list[bytes]:
    made.start(epoch)
    return [b"".join(array.tobytes() for part in made[i] for array in part.values()) for i in range(len(made))]


def test_one_seed_and_epoch_give_the_same_batches(table: Table) -> None:
    first, second = batches(table, preset("tiny")), batches(table, preset("tiny"))
    content(second, 5)  # What came before does not count.
    assert content(first, 3) == content(second, 3)
    assert first[1][0]["question_ids"].tobytes() == first[1][0]["question_ids"].tobytes()


def test_epochs_and_seeds_differ(table: Table) -> None:
    made = batches(table, preset("tiny"))
    assert content(made, 0) != content(made, 1)
    assert content(made, 0) != content(batches(table, preset("tiny", seed=8)), 0)


def test_an_epoch_asks_every_question_once(table: Table) -> None:
    made = batches(table, preset("tiny", batch_size=7))
    for epoch in (0, 1):
        made.start(epoch)
        assert sorted(i for group in made.groups for i in group) == list(range(len(made.questions)))
        assert {len(group) for group in made.groups[:]} <= {7, len(made.questions) % 7}


def test_shapes_are_as_documented(table: Table) -> None:
    recipe = preset("tiny", batch_size=10, pair_share=0.3, generation_share=0.5, negatives=4)
    made = batches(table, recipe)
    for number in range(len(made)):
        inputs, targets = made[number]
        rows = len(made.groups[number])
        wanted = rows + share(0.3, rows) + 4
        assert inputs["question_ids"].shape == inputs["question_mask"].shape
        assert inputs["question_ids"].shape[0] == wanted and inputs["question_ids"].shape[1] % 8 == 0
        assert inputs["answer_ids"].shape == targets["answer"].shape
        assert 1 <= len(targets["answer"]) <= share(0.5, rows) and targets["entry"].shape == (rows,)
        assert all(array.dtype == np.int32 for part in (inputs, targets) for array in part.values())


def test_targets_are_the_answers_shifted_by_one(table: Table) -> None:
    made = batches(table, preset("tiny", augment=0.0))
    inputs, targets = made[0]
    for row, entry in zip(range(len(targets["answer"])), targets["entry"], strict=False):
        whole = made.answers[entry]
        assert whole[0] == BOS_ID and whole[-1] == EOS_ID
        assert list(inputs["answer_ids"][row][: len(whole)])[: len(whole) - 1] == whole[:-1]
        assert list(targets["answer"][row][: len(whole) - 1]) == whole[1:]
        assert np.all(targets["answer"][row][len(whole) - 1 :] == PAD_ID)


def test_partners_are_other_phrasings_of_the_same_entry(table: Table) -> None:
    recipe = preset("tiny", augment=0.0, pair_share=1.0, negatives=0, batch_size=8)
    made = batches(table, recipe)
    ids = {tuple(encode_questions(made.question_tokenizer, [text], 48)[0][0]): index for text, index in made.questions}
    texts = Counter(index for _, index in made.questions)
    checked = 0
    for number in range(len(made)):
        inputs, targets = made[number]
        rows = len(targets["entry"])
        for row in range(rows):
            one, other = (tuple(int(x) for x in inputs["question_ids"][r] if x) for r in (row, rows + row))
            found = [
                {tuple(x for x in key if x): value for key, value in ids.items()}[one_of] for one_of in (one, other)
            ]
            assert found == [targets["entry"][row]] * 2
            if texts[targets["entry"][row]] > 1:
                assert one != other
                checked += 1
    assert checked > 40


def test_small_talk_is_not_decoded(table: Table) -> None:
    made = batches(table, preset("tiny", augment=0.0, batch_size=9))
    for epoch in range(3):
        made.start(epoch)
        for number in range(len(made)):
            _, targets = made[number]
            decoded = targets["entry"][: len(targets["answer"])]
            assert all(table.entries[index].kind == "topic" for index in decoded)
            topics = [index for index in targets["entry"] if table.entries[index].kind == "topic"]
            assert len(decoded) == len(topics)


def test_a_batch_of_small_talk_alone_still_has_an_answer(table: Table) -> None:
    talk = tuple((entry.question, i) for i, entry in enumerate(table.entries) if entry.kind == "smalltalk")
    inputs, targets = batches(table, preset("tiny"), talk)[0]
    assert len(targets["answer"]) == len(inputs["answer_ids"]) == 1 and len(targets["entry"]) == 6


def test_validation_is_as_written_and_has_no_pairs(table: Table) -> None:
    rows = split_table(table, 7).validation
    made = batches(table, preset("tiny", augment=1.0), rows, training=False)
    inputs, targets = made[0]
    assert len(inputs["question_ids"]) == len(targets["entry"]) == len(rows)
    wanted = encode_questions(made.question_tokenizer, [text for text, _ in rows], 48)[0]
    np.testing.assert_array_equal(inputs["question_ids"], wanted)


def test_the_held_out_phrasing_is_never_trained(table: Table) -> None:
    split = split_table(table, 7)
    assert [index for _, index in split.validation] == [0]
    held = split.validation[0][0]
    assert held in table.entries[0].phrasings
    recipe = preset("tiny", augment=0.0, least_rows=12)
    made = batches(table, recipe)
    assert held not in {text for text, _ in made.questions} | {t for texts in made.by_entry.values() for t in texts}
    needle = [x for x in encode_questions(made.question_tokenizer, [held], 48)[0][0] if x]
    for number in range(len(made)):
        assert not any([x for x in row if x] == needle for row in made[number][0]["question_ids"].tolist())


def test_every_other_question_is_trained(table: Table) -> None:
    split = split_table(table, 7)
    everything = Counter((text, i) for i, entry in enumerate(table.entries) for text in questions_of(entry))
    assert Counter(split.train) + Counter(split.validation) == everything
    assert ("I have money and a plan?", 0) in split.train
    assert split_table(table, 7) == split and {split_table(table, seed).validation for seed in range(20)} != {
        split.validation
    }


def test_a_table_of_few_phrasings_validates_on_what_it_trains(tiny_table: Path) -> None:
    split = split_table(read_table(tiny_table), 7)
    assert split.validation == split.train and len(split.train) == 60


def test_negatives_are_in_one_split_only(table: Table) -> None:
    train, held = split_negatives(table)
    assert sorted(train + held) == sorted(table.negatives) and not set(train) & set(held)
    assert 8 <= len(held) <= 35
    assert split_negatives(replace(table, negatives=tuple(reversed(table.negatives))))[1] == held[::-1]
    assert set(batches(table, preset("tiny")).negatives) == set(train)


def test_entries_with_few_questions_are_asked_again() -> None:
    rows = (("a", 0), ("b", 0), ("c", 1))
    assert Counter(repeated(rows, 5)) == {("a", 0): 3, ("b", 0): 2, ("c", 1): 5}
    assert repeated(rows, 1) == rows


def test_epochs_follow_from_exposures() -> None:
    topics = tuple(Entry(f"t{i}", f"Question {i}?", "Answer.", phrasings=("a", "b", "c")) for i in range(50))
    train = preset("tiny", epochs=0, exposures=120, generation_share=0.5, least_rows=10, batch_size=64).train
    fitted = fitted_schedule(Table(topics), train)
    assert fitted.epochs == 24  # ten questions an entry, half of them decoded
    assert fitted.batch_size == 16  # 500 questions in about forty steps, but no batch under 16
    assert fitted_schedule(Table(topics), replace(train, epochs=3)) == replace(train, epochs=3)
    assert fitted_schedule(Table(topics), replace(train, exposures=1)).epochs == 6
    talk = tuple(replace(entry, id=f"s{i}", kind="smalltalk") for i, entry in enumerate(topics))
    # Small talk fills the half that is not decoded, so topics are decoded twice as often.
    assert fitted_schedule(Table((*topics, *talk)), train).epochs == 12


def test_pad_rounds_up_and_keeps_the_limit() -> None:
    made = pad([[5, 6, 7], [8]], 40)
    assert made.shape == (2, 16) and made[0, :4].tolist() == [5, 6, 7, 0] and made[1, 1] == PAD_ID
    assert pad([[1] * 17, [2]], 40).shape == (2, 32)
    assert pad([[1] * 50], 40).tolist() == [[1] * 40]


def test_long_questions_keep_their_last_mark(table: Table) -> None:
    tokenizer = batches(table, preset("tiny")).question_tokenizer
    ids, mask = encode_questions(tokenizer, ["loan " * 300, "loan"], 16)
    last = tokenizer.token_to_id("[SEP]")
    assert ids.shape == (2, 16) and ids[0, -1] == last and mask[0].all()
    assert ids[0, 0] == tokenizer.token_to_id("[CLS]") and mask[1].sum() == (ids[1] != 0).sum()


def test_long_answers_keep_their_end_mark(table: Table) -> None:
    tokenizer = fit_answer_tokenizer(["money you owe"], preset("tiny"))
    (row,) = answer_rows(tokenizer, ["money you owe " * 50], 20)
    assert len(row) == 22 and row[0] == BOS_ID and row[-1] == EOS_ID


def test_marks_written_in_an_answer_are_text(table: Table) -> None:
    """HTML writes </s> for struck-out text: it must not end the answer."""
    tokenizer = fit_answer_tokenizer(["a </s> b <pad>"], preset("tiny"))
    (row,) = answer_rows(tokenizer, ["a </s> b <pad> <s>"], 50)
    assert not {PAD_ID, BOS_ID, EOS_ID} & set(row[1:-1])
    assert tokenizer.decode(row) == "a </s> b <pad> <s>"
