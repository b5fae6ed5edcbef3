"""What `lamplight doctor` says about the history. Nothing is made or changed here."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import StoreError
from assistant.store import backup
from assistant.store.connection import connect_read_only, translated


@dataclass(frozen=True, slots=True)
class StoreReport:
    """The history file as it was found; `problem` is "" when all is well, `bytes` its size."""

    path: str
    exists: bool
    sqlite_version: str
    bytes: int = 0
    schema: int = 0
    conversations: int = 0
    turns: int = 0
    backups: int = 0
    problem: str = ""


def diagnose(path: Path) -> StoreReport:
    """Return a report on the history at `path`, after a full integrity check. Raises nothing."""
    version = sqlite3.sqlite_version
    kept = len(backup.backups(path))
    if not os.path.lexists(path):
        return StoreReport(str(path), False, version, backups=kept)
    size = path.lstat().st_size
    try:
        schema = backup.verify(path)
        conversations, turns = _counts(path)
    except StoreError as error:
        return StoreReport(str(path), True, version, size, backups=kept, problem=str(error))
    return StoreReport(str(path), True, version, size, schema, conversations, turns, kept)


def _counts(path: Path) -> tuple[int, int]:
    connection = connect_read_only(path)
    try:
        with translated(path):
            conversations = connection.execute("SELECT count(*) FROM conversations").fetchone()[0]
            return int(conversations), int(connection.execute("SELECT count(*) FROM turns").fetchone()[0])
    finally:
        connection.close()
