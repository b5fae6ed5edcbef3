"""The history: what is put in comes out, is found, is really deleted, and survives a kill."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.errors import UsageError
from assistant.store.database import Store
from assistant.types import BundleName, Reply, Source

HOSTILE_QUERIES = [
    "can't", '"', "multi-agent", "AND", "NOT x", "*", "col:a", "(", "NEAR(", "", "%", "\0", "a\0b", "'",
    "x OR",
    "^a", "- -", "a" * 5000, "\ud800", "question : x", "{a b}:c", '"a" + "b"', "🕯", "\\", "_", " ", "\n\t",
]  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An open, blank history."""
    with Store.open(tmp_path / "lamplight.db") as opened:
        yield opened


def reply(question: str = "what is sleep hygiene?", text: str = "Habits that help sleep.") -> Reply:
    """A reply with everything the store keeps apart."""
    return Reply(
        question,
        "curated",
        text,
        "sleep",
        0.75,
        source=Source("NHS: Sleep", "https://www.nhs.uk/sleep"),
        bundle=BundleName("mental-health", "1.0.0"),
    )


def ask(store: Store, conversation: str, question: str, text: str) -> int:
    """Store a question with its answer and return the turn."""
    turn = store.add_question(conversation, question)
    store.finish_turn(turn, "complete", reply(question, text), text)
    return turn


def test_a_turn_comes_back_as_it_was_stored(store: Store) -> None:
    conversation = store.create_conversation()
    turn_id = ask(store, conversation, "How do I sleep?\nreally", "Keep *regular* hours [/] é 🕯")
    (turn,) = store.turns(conversation)
    assert (turn.id, turn.question, turn.state) == (turn_id, "How do I sleep?\nreally", "complete")
    assert (turn.kind, turn.answer_id, turn.confidence) == ("curated", "sleep", 0.75)
    assert turn.text == "Keep *regular* hours [/] é 🕯"
    assert turn.reply_json is not None
    assert json.loads(turn.reply_json)["source"]["title"] == "NHS: Sleep"


def test_a_conversation_is_titled_by_its_first_question(store: Store) -> None:
    untitled, named = store.create_conversation(), store.create_conversation("Mine")
    ask(store, untitled, "What   is\nstress? " + "x" * 100, "a")
    ask(store, untitled, "And sleep?", "b")
    ask(store, named, "What is grief?", "c")
    titles = {item.id: item for item in store.conversations()}
    assert titles[named].title == "Mine"
    assert titles[untitled].title.startswith("What is stress? xx")
    assert len(titles[untitled].title) <= 60
    assert titles[untitled].turns == 2


def test_the_conversation_used_last_is_first(store: Store) -> None:
    first, second = store.create_conversation("one"), store.create_conversation("two")
    assert [item.id for item in store.conversations()] == [second, first]
    ask(store, first, "again", "yes")
    assert [item.id for item in store.conversations(limit=1)] == [first]


def test_a_cancelled_answer_keeps_its_part(store: Store) -> None:
    conversation = store.create_conversation()
    turn = store.add_question(conversation, "q")
    store.finish_turn(turn, "cancelled", None, "Half an ans")
    (stored,) = store.turns(conversation)
    assert (stored.state, stored.text) == ("cancelled", "Half an ans")


def test_what_is_not_there_is_named(store: Store) -> None:
    for call in (
        lambda: store.add_question("nope", "q"),
        lambda: store.delete_conversation("nope"),
        lambda: store.rename_conversation("nope", "t"),
        lambda: store.conversation("nope"),
        lambda: store.conversation(""),
        lambda: store.finish_turn(99, "complete", None, ""),
        lambda: store.add_feedback(99, "up"),
    ):
        with pytest.raises(UsageError, match="there is no"):
            call()


def test_the_beginning_of_an_id_is_enough(store: Store) -> None:
    conversation = store.create_conversation("t")
    assert store.conversation(conversation[:6]).id == conversation


@pytest.mark.parametrize("query", HOSTILE_QUERIES)
def test_any_text_is_a_valid_search(store: Store, query: str) -> None:
    ask(store, store.create_conversation(), "a plain question", "a plain answer")
    assert isinstance(store.search(query), list)


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("can't", "I can't sleep"),
        ("multi-agent", "a multi-agent world"),
        ("AND", "this and that"),
        ("col:a", "col:a is odd"),
        ("100%", "100% sure"),
        ("%", "fifty % of it"),
        ("depr", "about depression"),
        ("cafe", "in the Café"),
        ("sleep can't", "I can't sleep"),
    ],
)
def test_search_reads_its_words_literally(store: Store, query: str, question: str) -> None:
    conversation = store.create_conversation("T")
    wanted = ask(store, conversation, question, "yes")
    ask(store, conversation, "something else", "no")
    assert [hit.turn_id for hit in store.search(query)] == [wanted]
    assert store.search(query)[0].title == "T"


def test_search_finds_words_of_answers_and_of_questions_without_one(store: Store) -> None:
    conversation = store.create_conversation()
    answered = ask(store, conversation, "q", "Breathing slowly helps.")
    waiting = store.add_question(conversation, "what about breathing?")
    assert {hit.turn_id for hit in store.search("breathing")} == {answered, waiting}


def test_deleted_words_are_gone_from_the_file(store: Store) -> None:
    kept = store.create_conversation("kept")
    ask(store, kept, "ordinary", "ordinary")
    gone = store.create_conversation()
    turn = ask(store, gone, "xyzzyquestion", "xyzzyanswer")
    store.add_feedback(turn, "down", reason="xyzzyreason")
    store.delete_conversation(gone)
    assert store.search("xyzzyquestion") == []
    assert store.feedback() == []
    assert b"xyzzy" not in store.path.read_bytes()
    assert [item.id for item in store.conversations()] == [kept]


def test_purge_leaves_nothing(store: Store) -> None:
    turn = ask(store, store.create_conversation(), "xyzzyquestion", "xyzzyanswer")
    store.add_feedback(turn, "up")
    store.set_value("last", "xyzzyvalue")
    store.purge()
    assert (store.conversations(), store.feedback(), store.get_value("last")) == ([], [], None)
    assert b"xyzzy" not in store.path.read_bytes()
    ask(store, store.create_conversation(), "goes on", "yes")
    assert len(store.search("goes")) == 1


def test_feedback_can_be_changed_and_taken_back(store: Store) -> None:
    turn = ask(store, store.create_conversation(), "q", "a")
    store.add_feedback(turn, "up")
    store.add_feedback(turn, "down", reason="too short", corrected_id="other")
    judgement = store.feedback_for(turn)
    assert judgement is not None
    assert (judgement.verdict, judgement.reason, judgement.corrected_id) == ("down", "too short", "other")
    assert len(store.feedback()) == 1
    store.remove_feedback(turn)
    assert store.feedback_for(turn) is None


def test_lone_surrogates_and_nul_are_stored(store: Store) -> None:
    conversation = store.create_conversation("t\udfff")
    ask(store, conversation, "a\ud800b\0c", "d\udc00")
    assert store.turns(conversation)[0].question == "a?b\0c"


def test_values_are_kept_and_removed(store: Store) -> None:
    store.set_value("k", "1")
    store.set_value("k", "2")
    assert store.get_value("k") == "2"
    store.set_value("k", None)
    assert store.get_value("k") is None


def test_a_conversation_is_exported(store: Store) -> None:
    conversation = store.create_conversation("Title")
    ask(store, conversation, "# not a heading", "**bold**")
    store.add_question(conversation, "no answer yet")
    text = store.export_conversation(conversation)
    assert "> # not a heading" in text
    assert "Source: NHS: Sleep, <https://www.nhs.uk/sleep>" in text
    assert "no answer was stored" in text
    record = json.loads(store.export_conversation(conversation, "json"))
    assert record["turns"][0]["reply"]["answer_id"] == "sleep"
    assert record["turns"][1]["reply"] is None


def test_the_file_and_its_folder_are_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lamplight.db"
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_pragmas(store: Store) -> None:
    connection = sqlite3.connect(store.path)
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    connection.close()
    assert store.integrity() == "ok"


def test_threads_share_one_store(store: Store) -> None:
    conversation = store.create_conversation()

    def work() -> None:
        for _ in range(5):
            ask(store, conversation, "q", "a")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.turns(conversation)) == 20


def child(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start another process that runs `code` with the store imported."""
    script = "import sys\nfrom pathlib import Path\nfrom assistant.store.database import Store\n"
    return subprocess.Popen(
        [sys.executable, "-c", script + textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )


def test_processes_write_and_migrate_at_once(tmp_path: Path) -> None:
    path = tmp_path / "lamplight.db"
    code = """
        store = Store.open(Path(sys.argv[1]))
        conversation = store.create_conversation(sys.argv[2])
        for number in range(20):
            store.finish_turn(store.add_question(conversation, f"q{number}"), "complete", None, "a")
    """
    children = [child(code, str(path), f"window {number}") for number in range(4)]
    for process in children:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    with Store.open(path) as store:
        assert sorted((item.title, item.turns) for item in store.conversations()) == [
            (f"window {number}", 20) for number in range(4)
        ]
        assert store.integrity() == "ok"


def test_a_kill_between_question_and_answer_keeps_the_question(tmp_path: Path) -> None:
    path = tmp_path / "lamplight.db"
    process = child(
        """
        store = Store.open(Path(sys.argv[1]))
        store.add_question(store.create_conversation(), "still here?")
        print("stored", flush=True)
        sys.stdin.read()
        """,
        str(path),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "stored\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    with Store.open(path) as store:
        (conversation,) = store.conversations()
        (turn,) = store.turns(conversation.id)
        assert (turn.question, turn.state, turn.text) == ("still here?", "pending", "")


def test_a_kill_inside_a_write_leaves_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "lamplight.db"
    for _ in range(3):
        process = child(
            """
            store = Store.open(Path(sys.argv[1]))
            conversation = store.create_conversation()
            print("go", flush=True)
            while True:
                store.finish_turn(store.add_question(conversation, "q" * 5000), "complete", None, "a" * 5000)
            """,
            str(path),
        )
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)
    with Store.open(path) as store:
        assert store.integrity() == "ok"
        assert len(store.conversations()) == 3
