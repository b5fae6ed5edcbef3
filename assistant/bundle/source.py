"""Reading the files of a bundle, from a directory or a .zip, without trusting either.

Only regular files whose path is on the allow-list of `manifest.allowed_files` exist for a source: that
alone rules out `..`, absolute paths, backslashes, links, devices and names that differ only by case.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Protocol

from assistant.bundle.manifest import allowed_files
from assistant.errors import BundleDamaged, BundleError, BundleNotFound, BundleUnsupported

MAX_FILE_BYTES = 1 << 30
MAX_ENTRIES = 64
_MAX_DIRECTORY_BYTES = 1 << 16
_END_RECORD = b"PK\x05\x06"


class BundleSource(Protocol):
    """Where the files of a bundle are read from."""

    def names(self) -> list[str]:
        """Return the path of every file, sorted. Raises BundleDamaged for a file that may not be there."""

    def read(self, name: str, limit: int = MAX_FILE_BYTES) -> bytes:
        """Return a file's bytes. Raises BundleDamaged when it is missing or longer than `limit` bytes."""


def open_source(path: Path) -> BundleSource:
    """Return the source for a directory or a .zip file.

    Raises BundleNotFound when there is nothing at `path`, BundleUnsupported when it is neither.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise BundleNotFound(f"no bundle at {path} ({error.strerror})") from error
    if stat.S_ISDIR(mode):
        return DirectorySource(path)
    if stat.S_ISREG(mode):
        return ZipSource(path)
    raise BundleUnsupported(f"{path} is neither a directory nor a .zip file")


class DirectorySource:
    """A bundle that lies in a directory."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self) -> list[str]:
        """Return the path of every file below the root, refusing links and whatever is not allowed."""
        found: list[str] = []
        for folder, folders, files in os.walk(self.root, onerror=_raise_unreadable):
            for name in (*folders, *files):
                path = Path(folder, name)
                relative = path.relative_to(self.root).as_posix()
                mode = path.lstat().st_mode
                if stat.S_ISDIR(mode):
                    continue
                if relative not in allowed_files() or not stat.S_ISREG(mode):
                    raise BundleDamaged(f"{self.root}: {relative!r} may not be in a bundle")
                found.append(relative)
        return sorted(found)

    def read(self, name: str, limit: int = MAX_FILE_BYTES) -> bytes:
        """Return a file's bytes, opened without following a link."""
        _check_allowed(name, str(self.root))
        path = self.root / name
        try:
            # O_NONBLOCK: a FIFO in the file's place must not hang the program.
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise BundleDamaged(f"{path}: cannot be read ({error.strerror})") from error
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise BundleDamaged(f"{path}: not a regular file")
            if status.st_size > limit:
                raise BundleDamaged(f"{path}: {status.st_size} bytes, at most {limit} expected")
            return file.read(limit)


class ZipSource:
    """A bundle in one .zip file, its files at the top level."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _check_end_record(path)
        self._entries = self._read_entries()

    def _read_entries(self) -> dict[str, zipfile.ZipInfo]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise BundleDamaged(f"{self.path}: not a readable .zip file ({error})") from error
        entries: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            if info.is_dir() and any(name.startswith(info.filename) for name in allowed_files()):
                continue
            _check_allowed(info.filename, str(self.path))
            # 0 is what writers leave that know nothing of Unix modes.
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.filename in entries or kind not in (0, stat.S_IFREG) or info.flag_bits & 1:
                raise BundleDamaged(f"{self.path}: {info.filename!r} is doubled, encrypted or no regular file")
            entries[info.filename] = info
        return entries

    def names(self) -> list[str]:
        """Return the path of every file in the archive."""
        return sorted(self._entries)

    def read(self, name: str, limit: int = MAX_FILE_BYTES) -> bytes:
        """Return a file's bytes; no more than `limit` are ever unpacked, whatever the archive says."""
        if name not in self._entries:
            raise BundleDamaged(f"{self.path}: {name} is missing")
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(self._entries[name]) as file:
                data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as error:
            raise BundleDamaged(f"{self.path}: {name} cannot be unpacked ({error})") from error
        if len(data) > limit:
            raise BundleDamaged(f"{self.path}: {name} is longer than {limit} bytes")
        return data


def _check_allowed(name: str, where: str) -> None:
    if name not in allowed_files():
        raise BundleDamaged(f"{where}: {name!r} may not be in a bundle")


def _raise_unreadable(error: OSError) -> None:
    raise BundleError(f"{error.filename}: cannot be read ({error.strerror})") from error


def _check_end_record(path: Path) -> None:
    """Look at the archive's size before `zipfile` reads a million entries into memory."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - (1 << 16) - 22))
            tail = file.read()
    except OSError as error:
        raise BundleDamaged(f"{path}: cannot be read ({error.strerror})") from error
    at = tail.rfind(_END_RECORD)
    if at < 0 or len(tail) - at < 22:
        raise BundleDamaged(f"{path}: not a .zip file, or cut off")
    entries, directory_bytes = struct.unpack_from("<HI", tail, at + 10)
    if entries > MAX_ENTRIES or directory_bytes > _MAX_DIRECTORY_BYTES:
        raise BundleDamaged(f"{path}: holds {entries} entries or more, at most {MAX_ENTRIES} expected")
