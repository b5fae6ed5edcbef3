"""Files in the history's place that are old, new, damaged, foreign, or cannot be written."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.errors import StoreDamaged, StoreError, StoreReadOnly, StoreTooNew, UsageError
from assistant.store import backup
from assistant.store.database import Store
from assistant.store.migrations import MIGRATIONS, NEWEST, migrate

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A history with a few hundred rows, closed."""
    path = tmp_path / "lamplight.db"
    with Store.open(path) as store:
        conversation = store.create_conversation("kept")
        for number in range(100):
            turn = store.add_question(conversation, f"question {number} " * 20)
            store.finish_turn(turn, "complete", None, f"answer {number}")
    return path


def old_history(path: Path, version: int) -> None:
    """Make a history as the Lamplight of schema `version` left it, with one turn."""
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, str(path), up_to=version)
    connection.execute("INSERT INTO conversations VALUES ('c1', 'Old', '2026-01-01', '2026-01-01')")
    connection.execute(
        "INSERT INTO turns (conversation_id, created, question, state, text)"
        " VALUES ('c1', '2026-01-01', 'an old question', 'complete', 'an old answer')"
    )
    connection.close()


def schema(path: Path) -> list[tuple[str, str]]:
    """Names and definitions of everything in a database."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    connection.close()
    return rows


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_old_schemas_are_brought_up_to_date_after_a_backup(tmp_path: Path, version: int) -> None:
    path, fresh = tmp_path / "lamplight.db", tmp_path / "fresh" / "lamplight.db"
    old_history(path, version)
    Store.open(fresh).close()
    with Store.open(path) as store:
        assert store.turns("c1")[0].text == "an old answer"
        assert [hit.conversation_id for hit in store.search("old answer")] == ["c1"]
        store.add_feedback(1, "up")
        assert store.integrity() == "ok"
    assert schema(path) == schema(fresh)
    (copy,) = backup.backups(path)
    assert backup.verify(copy) == version


def test_a_blank_file_has_all_steps_and_their_diary(tmp_path: Path) -> None:
    path = tmp_path / "lamplight.db"
    path.touch()
    Store.open(path).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == NEWEST
    names = [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY number")]
    connection.close()
    assert names == [step.__name__ for step in MIGRATIONS]
    assert backup.backups(path) == []


def test_a_step_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "lamplight.db"
    old_history(path, 1)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE turns_fts (in_the_way TEXT)")
    connection.commit()
    connection.close()
    before = schema(path)
    with pytest.raises(StoreError):
        Store.open(path)
    assert schema(path) == before


def test_a_newer_schema_is_refused_untouched(history: Path) -> None:
    connection = sqlite3.connect(history)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = history.read_bytes()
    with pytest.raises(StoreTooNew, match="newer Lamplight"):
        Store.open(history)
    assert history.read_bytes() == before


def truncated(path: Path) -> None:
    """Cut the file in the middle."""
    os.truncate(path, path.stat().st_size // 2)


def flipped(path: Path) -> None:
    """Overwrite bytes in each page but the first."""
    data = bytearray(path.read_bytes())
    rng = random.Random(7)
    for start in range(4096, len(data), 4096):
        for _ in range(40):
            data[start + rng.randrange(200)] = rng.randrange(256)
    path.write_bytes(data)


def garbage(path: Path) -> None:
    """Put something else in its place."""
    path.write_bytes(b"this is not a database at all" * 500)


def foreign(path: Path) -> None:
    """Put another program's database in its place."""
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (text)")
    connection.close()


def folder(path: Path) -> None:
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


def fifo(path: Path) -> None:
    """Put a pipe in its place, which would hang whoever opens it."""
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    """Put a link to somewhere else in its place."""
    path.rename(path.with_name("elsewhere.db"))
    path.symlink_to(path.with_name("elsewhere.db"))


@pytest.mark.parametrize("damage", [truncated, flipped, garbage, foreign, folder, fifo, link])
def test_a_damaged_file_is_named_and_left_as_it_is(history: Path, damage: Callable[[Path], None]) -> None:
    damage(history)
    before = history.read_bytes() if history.is_file() else None
    with pytest.raises(StoreDamaged, match=str(history)):
        Store.open(history)
    assert os.path.lexists(history)
    if before is not None:
        assert history.read_bytes() == before


def test_a_damaged_file_is_set_aside_and_the_newest_backup_restored(history: Path) -> None:
    with Store.open(history) as store:
        store.copy_to(backup.default_target(history))
    garbage(history)
    chosen = backup.newest(history)
    assert chosen is not None
    kept = backup.restore(history, chosen)
    assert kept is not None
    assert kept.read_bytes().startswith(b"this is not a database")
    with Store.open(history) as store:
        assert store.conversations()[0].turns == 100


def test_a_damaged_backup_is_no_choice(history: Path) -> None:
    with Store.open(history) as store:
        store.copy_to(backup.default_target(history))
    garbage(backup.backups(history)[0])
    assert backup.newest(history) is None
    with pytest.raises(StoreDamaged):
        backup.restore(history, backup.backups(history)[0])


def test_restore_keeps_what_was_there_and_other_windows_see_it(history: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with Store.open(history) as store:
        store.copy_to(copy)
        store.create_conversation("after the backup")
        kept = backup.restore(history, copy)
        assert [item.title for item in store.conversations()] == ["kept"]
        store.create_conversation("goes on")
    assert kept is not None
    with Store.open(kept) as old:
        assert "after the backup" in [item.title for item in old.conversations()]


def test_a_backup_never_overwrites(history: Path, tmp_path: Path) -> None:
    target = tmp_path / "there.db"
    target.write_text("mine")
    with Store.open(history) as store, pytest.raises(UsageError, match="already there"):
        store.copy_to(target)
    assert target.read_text() == "mine"
    assert target.parent.exists()


def test_a_stale_journal_does_not_travel_with_a_restore(history: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with Store.open(history) as store:
        store.copy_to(copy)
    garbage(history)
    history.with_name(history.name + "-journal").write_bytes(b"stale")
    backup.restore(history, copy)
    assert not history.with_name(history.name + "-journal").exists()
    with Store.open(history) as store:
        assert store.integrity() == "ok"


def test_a_stale_wal_of_another_database_is_ignored(history: Path) -> None:
    history.with_name(history.name + "-wal").write_bytes(random.Random(1).randbytes(5000))
    with Store.open(history) as store:
        assert store.conversations()[0].turns == 100


def test_sixteen_starts_at_once(tmp_path: Path) -> None:
    code = "import sys;from pathlib import Path;from assistant.store.database import Store\n"
    code += "Store.open(Path(sys.argv[1])).create_conversation('x')"
    path = str(tmp_path / "lamplight.db")
    children = [subprocess.Popen([sys.executable, "-c", code, path], cwd=REPOSITORY) for _ in range(16)]
    assert [process.wait(timeout=120) for process in children] == [0] * 16
    with Store.open(Path(path)) as store:
        assert len(store.conversations()) == 16


READ_ONLY_SCRIPT = """
import os, sys
from pathlib import Path
from assistant.errors import StoreReadOnly
from assistant.store.database import Store
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    store = Store.open(Path(sys.argv[1]))
    store.create_conversation("x")
except StoreReadOnly as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("what", ["file", "folder", "missing"])
def test_a_read_only_history_says_so(history: Path, what: str) -> None:
    for parent in [history.parent, *history.parent.parents][:3]:
        parent.chmod(0o755)  # the other user has to get there
    if what == "missing":
        history.unlink()
    elif what == "file":
        history.chmod(0o444)
    else:
        history.chmod(0o666)
    history.parent.chmod(0o777 if what == "file" else 0o555)
    process = subprocess.run(
        [sys.executable, "-c", READ_ONLY_SCRIPT, str(history)], cwd=REPOSITORY, capture_output=True, text=True
    )
    history.parent.chmod(0o755)
    assert process.returncode == 0, process.stderr
    assert str(history) in process.stdout
    assert StoreReadOnly.__name__ not in process.stdout
