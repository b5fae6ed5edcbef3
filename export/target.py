"""Where a bundle is put: looked at before the work begins, filled in one step when it is done."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from assistant.bundle.manifest import MANIFEST_NAME
from assistant.bundle.source import open_source
from assistant.errors import BundleError, ExportError


def is_zip(out: Path) -> bool:
    """Whether the bundle is to be one .zip file."""
    return out.suffix == ".zip"


def check_target(out: Path) -> None:
    """Raise ExportError unless a bundle may be written to `out`, which is then free, empty or an older bundle."""
    parent = out.absolute().parent
    while not os.path.lexists(parent):
        parent = parent.parent
    if not parent.is_dir():
        raise ExportError(f"{out}: cannot be made, {parent} is no folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ExportError(f"{out}: cannot be made, there is no permission to write to {parent}")
    if os.path.lexists(out) and not _replaceable(out):
        raise ExportError(f"{out}: exists and is no bundle; it is left as it is")


def _replaceable(out: Path) -> bool:
    """Whether what lies at `out` is a bundle, sound or damaged, and nothing else: it will be deleted."""
    if out.is_symlink() or is_zip(out) != out.is_file():
        return False
    try:
        if out.is_dir() and not any(out.iterdir()):
            return True
        return MANIFEST_NAME in open_source(out).names()
    except (BundleError, OSError):
        return False


def publish(folder: Path, out: Path) -> None:
    """Put the finished bundle `folder` in its place; what was there is kept until then. Raises ExportError, OSError.

    `folder` lies beside `out`, in a temporary folder of its own.
    """
    check_target(out)  # Again: an hour of training may lie between.
    if is_zip(out):
        Path(shutil.make_archive(str(folder), "zip", folder)).replace(out)
        return
    old = folder.with_name(f"{folder.name}.old")
    if out.exists():
        out.rename(old)
    try:
        folder.rename(out)
    except OSError:
        if old.exists():
            old.rename(out)
        raise
