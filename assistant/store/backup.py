"""Copies of the history: made whole, checked, and put back without losing what is there."""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime
from pathlib import Path

from assistant.errors import StoreDamaged, StoreError, UsageError
from assistant.store.connection import connect, connect_read_only, translated
from assistant.store.migrations import check_version, version

KEPT_BEFORE_MIGRATION = 5


def folder_of(database: Path) -> Path:
    """Return the folder of a history's automatic backups."""
    return database.parent / "backups"


def default_target(database: Path, label: str = "") -> Path:
    """Return a new, dated name in the backups folder."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    base = folder_of(database) / f"{database.stem}-{stamp}{label}"
    target, number = base.with_name(base.name + ".db"), 1
    while target.exists():
        number += 1
        target = base.with_name(f"{base.name}-{number}.db")
    return target


def backups(database: Path) -> list[Path]:
    """Return the backups of a history, newest first."""
    found = [path for path in folder_of(database).glob("*.db") if path.is_file()]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def newest(database: Path) -> Path | None:
    """Return the newest backup of a history that passes its check, or None."""
    for path in backups(database):
        try:
            verify(path)
        except StoreError:
            continue
        return path
    return None


def copy(connection: sqlite3.Connection, target: Path) -> None:
    """Write a copy of an open history to `target`, which appears whole or not at all.

    Raises UsageError when `target` exists, StoreError when it cannot be written.
    """
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} is already there; choose another name")
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # VACUUM INTO takes an empty file: made here so that it is private from its first byte
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with translated(target):
            connection.execute("VACUUM INTO ?", [str(temporary)])
        _sync(temporary)
        verify(temporary)
        temporary.replace(target)
    except OSError as error:
        raise StoreError(f"cannot write the backup {target}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def before_migration(connection: sqlite3.Connection, database: Path) -> Path:
    """Back the history up before its schema changes; of these backups the newest few are kept."""
    target = default_target(database, f"-{os.getpid()}-before-update")
    copy(connection, target)
    ours = [path for path in backups(database) if path.stem.endswith("-before-update")]
    for path in ours[KEPT_BEFORE_MIGRATION:]:
        path.unlink(missing_ok=True)
    return target


def verify(path: Path) -> int:
    """Return the schema version of a history file after a full check, changing nothing.

    Raises StoreDamaged, StoreTooNew or StoreError.
    """
    connection = connect_read_only(path)
    try:
        with translated(path):
            number = check_version(connection, str(path))
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    finally:
        connection.close()
    if found != "ok" or number == 0:
        raise StoreDamaged(f"{path} is no whole history ({'it is empty' if found == 'ok' else found})")
    return number


def set_aside(database: Path, label: str = "damaged") -> Path:
    """Move a history (and its journal) to a dated name beside it, and return that name."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    target, number = database.with_name(f"{database.name}.{label}-{stamp}"), 1
    while target.exists():
        number += 1
        target = database.with_name(f"{database.name}.{label}-{stamp}-{number}")
    try:
        database.rename(target)
        for suffix in ("-journal", "-wal", "-shm"):
            # a journal left behind would be played into the next file of this name
            extra = database.with_name(database.name + suffix)
            if extra.exists():
                extra.rename(target.with_name(target.name + suffix))
    except OSError as error:
        raise StoreError(f"cannot set {database} aside: {error.strerror or error}") from error
    return target


def restore(database: Path, source: Path) -> Path | None:
    """Put the backup `source` in the place of the history; return where the old one is kept.

    The backup is checked first. A history that still works is replaced inside one transaction, so
    that other windows see either the old or the new; a damaged one is set aside.
    Raises StoreDamaged, StoreTooNew, StoreError.
    """
    verify(source)
    if source.resolve() == database.resolve():
        raise UsageError(f"{source} is the history itself")
    live = _open_live(database)
    kept = None
    if live is None:
        kept = set_aside(database) if os.path.lexists(database) else None
        _copy_file_in(database, source)
        return kept
    try:
        if version(live):
            kept = default_target(database, "-before-restore")
            copy(live, kept)
        _overwrite(live, database, source)
    finally:
        live.close()
    return kept


def remove_all(database: Path) -> int:
    """Delete the backups and set-aside copies of a history; return how many files went."""
    kept_aside = database.parent.glob(f"{database.name}.damaged-*")
    found = [*backups(database), *(path for path in kept_aside if path.is_file())]
    for path in found:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"cannot delete the backup {path}: {error.strerror or error}") from error
    return len(found)


def _open_live(database: Path) -> sqlite3.Connection | None:
    """Return the history opened for writing (which plays back its journal), None when it is no history."""
    if not os.path.lexists(database):
        return None
    try:
        live = connect(database)
    except StoreDamaged:
        return None
    try:
        with translated(database):
            check_version(live, str(database))
    except StoreDamaged:
        live.close()
        return None
    except BaseException:
        live.close()
        raise
    return live


def _overwrite(live: sqlite3.Connection, database: Path, source: Path) -> None:
    backup_file = connect_read_only(source)
    try:
        with translated(database):
            backup_file.backup(live)
    finally:
        backup_file.close()


def _copy_file_in(database: Path, source: Path) -> None:
    backup_file = connect_read_only(source)
    try:
        copy(backup_file, database)
    finally:
        backup_file.close()


def _sync(path: Path) -> None:
    with path.open("rb") as handle:
        os.fsync(handle.fileno())
