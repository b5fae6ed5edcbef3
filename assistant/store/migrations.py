"""The schema of the history, as numbered steps that are only ever appended.

`PRAGMA user_version` is the one truth about which steps a file has had: it changes in the same
transaction as the step. The table `migrations` is the diary of when that was, for people.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

from sqlite_utils import Database
from sqlite_utils.db import Table

from assistant.errors import StoreDamaged, StoreTooNew

APPLICATION_ID = 0x4C616D70  # "Lamp": tells our file from another program's database


def conversations_and_turns(db: Database) -> None:
    """1: conversations, their turns, and small values such as the last conversation."""
    table(db, "conversations").create(
        {"id": str, "title": str, "created": str, "updated": str}, pk="id", not_null={"title", "created"}
    )
    db.execute(
        """
        CREATE TABLE turns (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            created TEXT NOT NULL,
            question TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('pending', 'complete', 'cancelled', 'failed')),
            kind TEXT,
            text TEXT NOT NULL DEFAULT '',
            answer_id TEXT,
            confidence REAL,
            reply_json TEXT
        )
        """
    )
    table(db, "turns").create_index(["conversation_id"])
    table(db, "state").create({"key": str, "value": str}, pk="key", not_null={"value"})


def full_text_search(db: Database) -> None:
    """2: words of questions and replies, kept up to date by triggers."""
    table(db, "turns").enable_fts(["question", "text"], create_triggers=True, tokenize="unicode61 remove_diacritics 2")


def feedback(db: Database) -> None:
    """3: one judgement a turn."""
    db.execute(
        """
        CREATE TABLE feedback (
            turn_id INTEGER PRIMARY KEY REFERENCES turns(id) ON DELETE CASCADE,
            created TEXT NOT NULL,
            verdict TEXT NOT NULL CHECK (verdict IN ('up', 'down')),
            reason TEXT,
            corrected_id TEXT,
            corrected_text TEXT
        )
        """
    )


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    conversations_and_turns,
    full_text_search,
    feedback,
)
NEWEST = len(MIGRATIONS)


def table(db: Database, name: str) -> Table:
    """Return a table of `db` (sqlite-utils types it as table or view)."""
    return cast(Table, db[name])


def version(connection: sqlite3.Connection) -> int:
    """Return the number of the last step the file has had, 0 for a blank one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_version(connection: sqlite3.Connection, name: str) -> int:
    """Return the file's version; raises StoreTooNew or StoreDamaged (another program's database)."""
    number = version(connection)
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if owner not in (0, APPLICATION_ID) or (tables and owner == 0):
        raise StoreDamaged(f"{name} is a database, but not one of Lamplight's; it was left as it is")
    if number > NEWEST:
        raise StoreTooNew(
            f"{name} was written by a newer Lamplight (schema {number}, this one knows {NEWEST});"
            " it was left as it is: please update"
        )
    if bool(number) != bool(tables):
        raise StoreDamaged(f"{name} has lost its tables")
    return number


def migrate(connection: sqlite3.Connection, name: str, up_to: int = NEWEST) -> int:
    """Apply the steps that are missing, each in a transaction of its own; return how many.

    Two processes may get here at once: each step looks at the version again once it holds the
    write lock, so that the second one finds the work done.
    """
    applied = 0
    while True:
        connection.execute("BEGIN IMMEDIATE")
        try:
            number = check_version(connection, name)
            if number >= up_to:
                return applied
            _apply(connection, number + 1)
            connection.execute("COMMIT")
            applied += 1
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _apply(connection: sqlite3.Connection, number: int) -> None:
    step = MIGRATIONS[number - 1]
    db = Database(connection, execute_plugins=False)
    step(db)
    db.execute("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT)")
    db.execute(
        "INSERT INTO migrations (number, name, applied) VALUES (?, ?, ?)",
        [number, step.__name__, datetime.now(UTC).isoformat(timespec="seconds")],
    )
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {number}")
