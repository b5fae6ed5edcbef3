"""feedback.jsonl: versioned, whole or not at all, without the messages that raised the help card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.errors import StoreError, UsageError
from assistant.store import feedback
from assistant.store.database import Store
from assistant.types import BundleName, Kind, Reply


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A history with judged replies: one ordinary pair, one help card, one answer after a card."""
    store = Store.open(tmp_path / "lamplight.db")
    conversation = store.create_conversation()
    said: list[tuple[str, Kind]] = [
        ("what is anxiety?", "generated"),
        ("and how is it treated?", "curated"),
        ("I want to end my life", "crisis"),
        ("I want to end my life", "curated"),
        ("how do I sleep better?", "generated"),
    ]
    for question, kind in said:
        turn = store.add_question(conversation, question)
        reply = Reply(question, kind, "text", "id", 0.5, bundle=BundleName("mental-health", "1"))
        store.finish_turn(turn, "complete", reply, "text")
        store.add_feedback(turn, "down", reason="=cmd()", corrected_text="better")
    return store


def test_messages_that_raised_the_card_stay_out(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    assert feedback.export(store, path) == 3
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [record["question"] for record in records] == [
        "what is anxiety?", "and how is it treated?", "how do I sleep better?",
    ]  # fmt: skip
    assert [record["previous"] for record in records] == [None, "what is anxiety?", None]
    assert records[0] | {"created": ""} == {
        "schema_version": 1, "turn_id": 1, "created": "", "question": "what is anxiety?", "previous": None,
        "kind": "generated", "answer_id": "id", "text": "text", "confidence": 0.5, "verdict": "down",
        "reason": "=cmd()", "corrected_id": None, "corrected_text": "better",
        "bundle": {"name": "mental-health", "version": "1"},
    }  # fmt: skip


def test_the_person_may_ask_for_them(store: Store, tmp_path: Path) -> None:
    assert feedback.export(store, tmp_path / "all.jsonl", include_crisis=True) == 5


def test_an_existing_file_or_link_is_not_overwritten(store: Store, tmp_path: Path) -> None:
    path, link = tmp_path / "feedback.jsonl", tmp_path / "link.jsonl"
    path.write_text("mine")
    link.symlink_to(path)
    for target in (path, link, tmp_path):
        with pytest.raises(UsageError, match="already there"):
            feedback.export(store, target)
    with pytest.raises(UsageError):
        feedback.export(store, link, force=True)
    assert path.read_text() == "mine"
    assert feedback.export(store, path, force=True) == 3


def test_a_folder_that_is_not_there_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        feedback.export(store, tmp_path / "nowhere" / "feedback.jsonl")
