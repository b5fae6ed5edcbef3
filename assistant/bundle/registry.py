"""Which bundles there are, which one is in use, and where a name leads.

Installed bundles lie under `BUNDLES_DIR/NAME`, the shipped ones beside this package; an installed bundle hides a
shipped one of the same name. Which one is in use stands in `BUNDLES_DIR/current.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from assistant.bundle.fields import JsonRecord, json_object
from assistant.bundle.manifest import is_bundle_name
from assistant.bundle.reader import Bundle
from assistant.errors import BundleError, BundleNotFound

DEFAULT_NAME = "mental-health"
SHIPPED_DIR = Path(__file__).resolve().parent.parent / "bundles"
_CURRENT = "current.json"
_REPLACED = ".replaced-"


@dataclass(frozen=True, slots=True)
class Listed:
    """A bundle as the registry lists it. `problem` says why it cannot be opened."""

    name: str
    path: Path
    shipped: bool
    current: bool
    bundle: Bundle | None = None
    problem: str = ""


def find(name_or_path: str | None, bundles_dir: Path, shipped_dir: Path = SHIPPED_DIR) -> Bundle:
    """Open a bundle by name or path; None means the one in use.

    A text with a path separator, or ending in .zip, is a path. Raises BundleNotFound, which names the
    bundles there are, BundleDamaged or BundleUnsupported.
    """
    wanted = name_or_path or current(bundles_dir)
    if _is_path(wanted):
        return Bundle.open(Path(wanted).expanduser())
    path = location(wanted, bundles_dir, shipped_dir)
    if path is not None:
        return Bundle.open(path)
    if Path(wanted).is_dir():  # A folder here, given without a separator.
        return Bundle.open(Path(wanted))
    known = sorted({path.name for path in _folders(bundles_dir) + _folders(shipped_dir)})
    raise BundleNotFound(f"no bundle named {wanted!r}; there are: {', '.join(known) or 'none'}")


def location(name: str, bundles_dir: Path, shipped_dir: Path = SHIPPED_DIR) -> Path | None:
    """Return the folder of the bundle of that name, or None."""
    if not is_bundle_name(name):
        return None
    # An install that was killed between its two renames leaves the old bundle under the third path.
    for path in (bundles_dir / name, replaced_path(name, bundles_dir), shipped_dir / name):
        if path.is_dir():
            return path
    return None


def listing(bundles_dir: Path, shipped_dir: Path = SHIPPED_DIR) -> list[Listed]:
    """Return all bundles by name, the broken ones with what is wrong."""
    in_use = current(bundles_dir)
    names = {path.name: path for path in _folders(shipped_dir)}
    names |= {path.name: path for path in _folders(bundles_dir)}
    listed = []
    for name, path in sorted(names.items()):
        bundle, problem = _try_open(path)
        listed.append(Listed(name, path, path.parent == shipped_dir, name == in_use, bundle, problem))
    return listed


def current(bundles_dir: Path) -> str:
    """Return the name of the bundle in use."""
    return _choice(bundles_dir).get("current", DEFAULT_NAME)


def previous(bundles_dir: Path) -> str | None:
    """Return the name of the bundle that was in use before `use` was last called."""
    return _choice(bundles_dir).get("previous")


def use(name: str, bundles_dir: Path, shipped_dir: Path = SHIPPED_DIR) -> Bundle:
    """Record that the bundle of that name answers from now on; the one before stays known for an undo.

    Raises BundleNotFound, BundleDamaged or BundleUnsupported and then changes nothing.
    """
    if location(name, bundles_dir, shipped_dir) is None:
        raise BundleNotFound(f"no bundle named {name!r}")
    bundle = find(name, bundles_dir, shipped_dir)
    before = current(bundles_dir)
    kept = previous(bundles_dir) if before == name else before
    _write_choice(bundles_dir, {"current": name, **({"previous": kept} if kept else {})})
    return bundle


def remove(name: str, bundles_dir: Path) -> None:
    """Delete an installed bundle; when it was in use, the default one takes over.

    Raises BundleNotFound when none of that name is installed, BundleError when it cannot be deleted.
    """
    path = bundles_dir / name
    if not is_bundle_name(name) or not path.is_dir():
        raise BundleNotFound(f"no bundle named {name!r} is installed")
    try:
        if current(bundles_dir) == name:
            _write_choice(bundles_dir, {"current": DEFAULT_NAME})
        # First out of sight, so that a removal that is cut short leaves no half bundle.
        going = Path(tempfile.mkdtemp(prefix=".removed-", dir=bundles_dir))
        path.rename(going / name)
        shutil.rmtree(going)
        shutil.rmtree(replaced_path(name, bundles_dir), ignore_errors=True)
    except OSError as error:
        raise BundleError(f"cannot remove {path}: {error.strerror}") from error


def replaced_path(name: str, bundles_dir: Path) -> Path:
    """Return where an install keeps the bundle it is about to replace."""
    return bundles_dir / f"{_REPLACED}{name}"


def _is_path(text: str) -> bool:
    separators = [os.sep, "/"] + ([os.altsep] if os.altsep else [])
    return text.endswith(".zip") or text.startswith((".", "~")) or any(mark in text for mark in separators)


def _folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    return [path for path in parent.iterdir() if is_bundle_name(path.name) and path.is_dir()]


def _try_open(path: Path) -> tuple[Bundle | None, str]:
    try:
        return Bundle.open(path), ""
    except BundleError as error:
        return None, str(error)


def _choice(bundles_dir: Path) -> dict[str, str]:
    path = bundles_dir / _CURRENT
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BundleError(f"{path}: cannot be read ({error.strerror})") from error
    record = JsonRecord(json_object(data, str(path)), str(path))
    return {key: record.text(key) for key in ("current", "previous") if key in record.values}


def _write_choice(bundles_dir: Path, choice: dict[str, str]) -> None:
    path = bundles_dir / _CURRENT
    try:
        bundles_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(prefix=".current-", dir=bundles_dir)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(choice, file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except OSError as error:
        raise BundleError(f"{path}: cannot be written ({error.strerror})") from error
