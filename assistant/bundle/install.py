"""Installing a bundle: copied file by file into a hidden folder, checked, then put in place by a rename.

A kill at any moment leaves either the old bundle or the new one in use (see `registry.location`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from assistant.bundle.manifest import MANIFEST_NAME
from assistant.bundle.reader import Bundle
from assistant.bundle.registry import replaced_path
from assistant.bundle.verify import check_file, verify
from assistant.errors import BundleDamaged, BundleError

_INCOMING = ".incoming-"
_LEFTOVER_SECONDS = 24 * 3600


def install(origin: Path, bundles_dir: Path) -> Bundle:
    """Install the bundle at `origin` (directory or .zip) under its own name and return it opened.

    An installed bundle of the same name is replaced. Raises BundleNotFound, BundleDamaged or
    BundleUnsupported when the bundle is not sound, BundleError when it cannot be written; then nothing changes.
    """
    bundle = Bundle.open(origin)
    _check_names(bundle)
    target = bundles_dir / bundle.manifest.name
    if target.exists() and target.resolve() == origin.resolve():
        raise BundleError(f"{origin} is already the installed bundle {bundle.manifest.name}")
    incoming: Path | None = None
    try:
        bundles_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_leftovers(bundles_dir)
        incoming = Path(tempfile.mkdtemp(prefix=_INCOMING, dir=bundles_dir))
        _copy(bundle, incoming)
        verify(Bundle.open(incoming))
        _swap(incoming, target)
    except OSError as error:
        raise BundleError(f"cannot install into {bundles_dir}: {error.strerror or error}") from error
    finally:
        if incoming is not None:
            shutil.rmtree(incoming, ignore_errors=True)
    return Bundle.open(target)


def _check_names(bundle: Bundle) -> None:
    """Compare the files there are with those the manifest names, before anything is copied."""
    there, named = set(bundle.source.names()), {MANIFEST_NAME, *bundle.manifest.files}
    if there != named:
        name = min(there ^ named)
        what = "is missing" if name in named else "is not named in the manifest"
        raise BundleDamaged(f"{bundle.root}: {name} {what}")


def _copy(bundle: Bundle, folder: Path) -> None:
    _write(folder / MANIFEST_NAME, bundle.source.read(MANIFEST_NAME))
    for name in bundle.manifest.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, check_file(bundle, name))
    for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        _sync_folder(path)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _swap(incoming: Path, target: Path) -> None:
    """Put the new bundle in the old one's place; between the two renames `location` finds the old one."""
    replaced = replaced_path(target.name, target.parent)
    if target.exists():
        shutil.rmtree(replaced, ignore_errors=True)
        target.rename(replaced)
    try:
        incoming.rename(target)
    except OSError:
        if replaced.exists():
            replaced.rename(target)
        raise
    _sync_folder(target.parent)
    shutil.rmtree(replaced, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    """Make renames in a folder last through a power cut, where the system can (not on Windows)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_leftovers(bundles_dir: Path) -> None:
    """Delete what a killed install left, unless it is so new that another one may be at work."""
    oldest = time.time() - _LEFTOVER_SECONDS
    for path in bundles_dir.iterdir():
        leftover = path.name.startswith((_INCOMING, ".removed-")) and path.is_dir()
        if leftover and path.stat().st_mtime < oldest:
            shutil.rmtree(path, ignore_errors=True)
