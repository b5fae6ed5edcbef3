"""Writing a document that is private, and there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from assistant.errors import StoreError, UsageError


def refuse_to_overwrite(path: Path, force: bool) -> None:
    """Raise UsageError when something is at `path`; `force` allows for a plain file, never a link or folder."""
    if path.is_symlink() or (path.exists() and not (force and path.is_file())):
        way_out = "" if force else " or use --force"
        raise UsageError(f"{path} is already there; choose another name{way_out}")


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` (UTF-8, mode 0600) in one step; raises StoreError when it cannot be written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
