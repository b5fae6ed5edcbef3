"""Opening the history file safely, and SQLite's errors in our words."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.errors import StoreDamaged, StoreError, StoreReadOnly

BUSY_SECONDS = 20.0
"""How long a window waits for another one's write; writes take milliseconds."""

CHECK_LIMIT = 32 * 2**20
"""Files up to this many bytes are checked at every start; larger ones by `lamplight doctor`."""

FILE_MODE = 0o600

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into a StoreError that names the file and what can be done."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from error


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the StoreError that says what `error` means for the file at `path`."""
    # the extended code's low byte is the primary code
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGED:
        return StoreDamaged(f"the history {path} is damaged ({error}); it was left as it is")
    if code in _READ_ONLY:
        return StoreReadOnly(f"the history {path} cannot be written ({error})")
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"the history {path} cannot grow: the disk is full")
    if code in _BUSY:
        return StoreError(f"the history {path} is held by another program; try again when it is done")
    return StoreError(f"the history {path} cannot be used ({error})")


def connect(path: Path) -> sqlite3.Connection:
    """Open (or make) the file with our pragmas; one connection for all threads.

    Raises StoreDamaged when something that is no plain file is in its place, or when the check
    fails; StoreReadOnly when it cannot be written.
    """
    new = prepare_file(path)
    with translated(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _set_up(connection)
            if not new:
                _quick_check(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open an existing file for reading only. Raises StoreDamaged, StoreError."""
    _require_plain_file(path)
    with translated(path):
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS, isolation_level=None
        )


def prepare_file(path: Path) -> bool:
    """Make sure that a private plain file is at `path`; return True when it was just made.

    SQLite gives its journal the mode of the database, so 0600 here covers both.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
        return True
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreReadOnly(f"cannot make the history {path}: {error.strerror or error}") from error
    status = _require_plain_file(path)
    if status.st_mode & 0o077 and os.access(path, os.W_OK):
        _make_private(path)
    return status.st_size == 0


def _make_private(path: Path) -> None:
    try:
        path.chmod(FILE_MODE)
    except OSError as error:
        raise StoreReadOnly(f"cannot make the history {path} private: {error.strerror or error}") from error


def _require_plain_file(path: Path) -> os.stat_result:
    """Return the file's status; a FIFO in its place would hang us, a link lead us elsewhere."""
    try:
        status = os.lstat(path)
    except OSError as error:
        raise StoreError(f"cannot open the history {path}: {error.strerror or error}") from error
    if not stat.S_ISREG(status.st_mode):
        raise StoreDamaged(f"{path} should be the history, but is no plain file; it was left as it is")
    return status


def _set_up(connection: sqlite3.Connection) -> None:
    # A rollback journal on purpose: DESIGN.md, "Store". One connection per process, so no WAL-reset bug.
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    # what is deleted is overwritten, not only unlinked
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA journal_mode = DELETE")


def _quick_check(connection: sqlite3.Connection, path: Path) -> None:
    if path.stat().st_size <= CHECK_LIMIT:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreDamaged(f"the history {path} is damaged ({found}); it was left as it is")
