"""The history: conversations, turns, search and feedback in one SQLite file."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from sqlite_utils import Database

from assistant.errors import UsageError
from assistant.store import backup, transcript
from assistant.store import search as full_text
from assistant.store.connection import connect, translated
from assistant.store.migrations import NEWEST, check_version, migrate, table
from assistant.store.records import Conversation, Feedback, FinalState, SearchHit, Turn, Verdict
from assistant.types import Reply

TITLE_LENGTH = 60
UNTITLED = "New conversation"

_CONVERSATIONS = """
    SELECT conversations.id, title, conversations.created, updated, count(turns.id) AS turns
    FROM conversations LEFT JOIN turns ON turns.conversation_id = conversations.id
"""
_FEEDBACK = """
    SELECT turn_id, conversation_id, feedback.created, question, kind, text, answer_id, confidence,
           verdict, reason, corrected_id, corrected_text, reply_json
    FROM feedback JOIN turns ON turns.id = feedback.turn_id
"""


class Store:
    """One open history file. Every method may be called from any thread.

    All methods raise StoreError (StoreDamaged, StoreReadOnly, ...) when the file fails them, and
    UsageError for a conversation or turn that is not there.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Wrap a connection whose schema is up to date; use `Store.open`."""
        self.path = path
        self._connection = connection
        self._db = Database(connection, execute_plugins=False)
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or make the history at `path`, migrating an older one after a backup beside it.

        Raises StoreDamaged (the file stays as it is), StoreTooNew, StoreReadOnly, StoreError.
        """
        connection = connect(path)
        try:
            with translated(path):
                if 0 < check_version(connection, str(path)) < NEWEST:
                    backup.before_migration(connection, path)
                migrate(connection, str(path))
        except BaseException:
            connection.close()
            raise
        return cls(connection, path)

    def close(self) -> None:
        """Close the file; calling it twice is fine."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        """Return self, to be closed at the end of a with block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    # -- conversations

    def create_conversation(self, title: str | None = None) -> str:
        """Start a conversation and return its id. Without a title it takes its first question's words."""
        identity = secrets.token_hex(5)
        moment = now()
        row = {"id": identity, "title": short_title(title or ""), "created": moment, "updated": moment}
        with self._writing():
            table(self._db, "conversations").insert(row)
        return identity

    def rename_conversation(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        with self._writing():
            self._require(conversation_id)
            self._db.execute("UPDATE conversations SET title = ? WHERE id = ?", [short_title(title), conversation_id])

    def delete_conversation(self, conversation_id: str) -> None:
        """Really delete a conversation with its turns, feedback and search words."""
        with self._writing():
            self._require(conversation_id)
            self._db.execute("DELETE FROM conversations WHERE id = ?", [conversation_id])
            # merging drops the deleted words from the index; secure_delete then wipes its old pages
            self._db.execute("INSERT INTO turns_fts (turns_fts) VALUES ('optimize')")

    def conversations(self, limit: int | None = None) -> list[Conversation]:
        """Return the conversations, the one used last first."""
        order = "GROUP BY conversations.id ORDER BY updated DESC, conversations.rowid DESC LIMIT ?"
        sql = _CONVERSATIONS + order
        return [Conversation(**row) for row in self._rows(sql, [-1 if limit is None else limit])]

    def conversation(self, prefix: str) -> Conversation:
        """Return the conversation whose id is, or alone begins with, `prefix`. Raises UsageError."""
        sql = _CONVERSATIONS + "WHERE substr(conversations.id, 1, ?) = ? GROUP BY conversations.id LIMIT 2"
        rows = self._rows(sql, [len(prefix), storable(prefix)]) if prefix else []
        if len(rows) != 1:
            problem = "more than one conversation begins with" if rows else "there is no conversation"
            raise UsageError(f"{problem} {prefix!r}; see `lamplight history list`")
        return Conversation(**rows[0])

    # -- turns

    def add_question(self, conversation_id: str, text: str) -> int:
        """Store a question, committed to disk when this returns, and give back its turn id."""
        question = storable(text)
        moment = now()
        with self._writing():
            self._require(conversation_id)
            row = {"conversation_id": conversation_id, "created": moment, "question": question}
            turn = table(self._db, "turns").insert(row | {"state": "pending"}).last_pk
            # max(): a clock set back must not send the conversation down the list
            self._db.execute(
                "UPDATE conversations SET updated = max(updated, ?), title = iif(title = '', ?, title) WHERE id = ?",
                [moment, short_title(question) or UNTITLED, conversation_id],
            )
        return int(str(turn))

    def finish_turn(self, turn_id: int, state: FinalState, reply: Reply | None, text: str) -> None:
        """Store what came of a question: the reply object, and the `text` that was shown."""
        sql = (
            "UPDATE turns SET state = ?, text = ?, kind = ?, answer_id = ?, confidence = ?, reply_json = ? WHERE id = ?"
        )
        record = json.dumps(reply.to_json(), allow_nan=False) if reply else None
        facts = (reply.kind, reply.answer_id, reply.confidence) if reply else (None, None, None)
        with self._writing():
            changed = self._db.execute(sql, [state, storable(text), *facts, record, turn_id]).rowcount
        if not changed:  # deleted in another window meanwhile
            raise UsageError(f"there is no turn {turn_id}")

    def turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of a conversation in the order they were asked."""
        sql = "SELECT * FROM turns WHERE conversation_id = ? ORDER BY id"
        return [Turn(**row) for row in self._rows(sql, [storable(conversation_id)])]

    def search(self, query: str, limit: int = 50) -> list[SearchHit]:
        """Return the turns that hold all words of `query`, best first. Any text is a valid query."""
        with self._lock, translated(self.path):
            return full_text.search(self._connection, query, limit)

    # -- feedback

    def add_feedback(
        self,
        turn_id: int,
        verdict: Verdict,
        reason: str | None = None,
        corrected_id: str | None = None,
        corrected_text: str | None = None,
    ) -> None:
        """Store the judgement of a turn; a later one takes the place of the earlier."""
        if verdict not in ("up", "down"):
            raise UsageError(f"a verdict is up or down, not {verdict!r}")
        row = {"turn_id": turn_id, "created": now(), "verdict": verdict, "corrected_id": corrected_id}
        row |= {"reason": _optional(reason), "corrected_text": _optional(corrected_text)}
        with self._writing():
            if not self._rows("SELECT id FROM turns WHERE id = ?", [turn_id]):
                raise UsageError(f"there is no turn {turn_id}")
            table(self._db, "feedback").insert(row, replace=True)

    def remove_feedback(self, turn_id: int) -> None:
        """Take the judgement of a turn back; fine when there is none."""
        with self._writing():
            self._db.execute("DELETE FROM feedback WHERE turn_id = ?", [turn_id])

    def feedback_for(self, turn_id: int) -> Feedback | None:
        """Return the judgement of a turn, or None when there is none."""
        rows = self._rows(_FEEDBACK + "WHERE turn_id = ?", [turn_id])
        return Feedback(**rows[0]) if rows else None

    def feedback(self) -> list[Feedback]:
        """Return all judgements in the order of their turns."""
        return [Feedback(**row) for row in self._rows(_FEEDBACK + "ORDER BY turn_id", [])]

    # -- everything else

    def purge(self) -> None:
        """Really delete everything that was said, and the small values with it. Backups are apart."""
        with self._writing():
            for name in ("feedback", "turns", "conversations", "state"):
                self._db.execute(f"DELETE FROM {name}")
            self._db.execute("DELETE FROM sqlite_sequence WHERE name = 'turns'")
            self._db.execute("INSERT INTO turns_fts (turns_fts) VALUES ('optimize')")
        with self._lock, translated(self.path):
            self._connection.execute("VACUUM")

    def export_conversation(self, conversation_id: str, format: Literal["md", "json"] = "md") -> str:
        """Return a conversation as Markdown or as one JSON object."""
        conversation = self.conversation(conversation_id)
        turns = self.turns(conversation.id)
        if format == "json":
            return transcript.to_json(conversation, turns)
        return transcript.to_markdown(conversation, turns)

    def get_value(self, key: str) -> str | None:
        """Return a small value such as the last conversation's id, or None."""
        rows = self._rows("SELECT value FROM state WHERE key = ?", [key])
        return str(rows[0]["value"]) if rows else None

    def set_value(self, key: str, value: str | None) -> None:
        """Keep a small value; None removes it."""
        with self._writing():
            if value is None:
                self._db.execute("DELETE FROM state WHERE key = ?", [key])
            else:
                table(self._db, "state").insert({"key": key, "value": storable(value)}, replace=True)

    def integrity(self) -> str:
        """Return "ok", or the first problems that SQLite's full check found."""
        rows = self._rows("PRAGMA integrity_check(5)", [])
        self._rows("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)", [])
        return "; ".join(str(row["integrity_check"]) for row in rows)

    def copy_to(self, target: Path) -> None:
        """Write a whole, checked copy to `target`; see `backup.copy`."""
        with self._lock, translated(self.path):
            backup.copy(self._connection, target)

    # -- inside

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction that holds the write lock from its start, so that it never has to give up."""
        with self._lock, translated(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def _rows(self, sql: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        with self._lock, translated(self.path):
            return [dict(row) for row in self._connection.execute(sql, values)]

    def _require(self, conversation_id: str) -> None:
        if not self._rows("SELECT id FROM conversations WHERE id = ?", [storable(conversation_id)]):
            raise UsageError(f"there is no conversation {conversation_id!r}")


def now() -> str:
    """Return this moment in UTC, to the millisecond, as text that sorts."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def storable(text: str) -> str:
    """Return `text` without the lone surrogates that no database can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def short_title(text: str) -> str:
    """Return the first words of `text` on one line."""
    line = " ".join(storable(text).split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


def _optional(text: str | None) -> str | None:
    return None if text is None else storable(text)
