"""An opened bundle: its manifest, and its files, each checked against its hash when it is read."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from assistant.bundle.fields import JsonRecord, json_object
from assistant.bundle.manifest import (
    CURATED_TEXT,
    CURATED_VECTORS,
    MANIFEST_NAME,
    Manifest,
    parse_manifest,
)
from assistant.bundle.source import BundleSource, open_source
from assistant.errors import BundleDamaged
from assistant.types import CuratedEntry, EntryKind, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MANIFEST_LIMIT = 4 << 20
_ENTRY_KINDS = ("topic", "smalltalk", "out_of_scope")


@dataclass(frozen=True)
class Bundle:
    """A bundle in a directory or a .zip file. Opening reads the manifest; the rest is read when asked for."""

    root: Path
    manifest: Manifest
    source: BundleSource = field(repr=False)

    @classmethod
    def open(cls, root: Path) -> Bundle:
        """Open the bundle at `root`.

        Raises BundleNotFound, BundleDamaged or BundleUnsupported.
        """
        source = open_source(root)
        data = source.read(MANIFEST_NAME, _MANIFEST_LIMIT)
        return cls(root, parse_manifest(data, f"{root}: {MANIFEST_NAME}"), source)

    def path(self, relative: str) -> Path:
        """Return where a file of an unpacked bundle lies. Its content is not checked: see `read`."""
        return self.root / relative

    def read(self, relative: str) -> bytes:
        """Return a file's bytes after its size and SHA-256 have been checked. Raises BundleDamaged."""
        record = self.manifest.files.get(relative)
        if record is None:
            raise BundleDamaged(f"{self.root}: the manifest names no {relative}")
        data = self.source.read(relative, record.size)
        if len(data) != record.size:
            raise BundleDamaged(f"{self.root}: {relative} has {len(data)} bytes, the manifest says {record.size}")
        if hashlib.sha256(data).hexdigest() != record.sha256:
            raise BundleDamaged(f"{self.root}: {relative} is not what its SHA-256 in the manifest says")
        return data

    def entries(self) -> list[CuratedEntry]:
        """Return the curated entries in their order. Raises BundleDamaged."""
        where = f"{self.root}: {CURATED_TEXT}"
        lines = self.read(CURATED_TEXT).split(b"\n")
        entries = [
            _entry(JsonRecord(json_object(line, f"{where}:{number}"), f"{where}:{number}"))
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]
        if len({entry.id for entry in entries}) != len(entries):
            raise BundleDamaged(f"{where}: an id is given twice")
        if not any(entry.kind == "topic" for entry in entries):
            raise BundleDamaged(f"{where}: holds no topic")
        return entries

    def embeddings(self) -> NDArray[np.float32]:
        """Return the L2-normalised embeddings, (N, D), stored as int8 or as floats. Raises BundleDamaged."""
        import numpy as np  # Not at the top: listing bundles needs no arrays.

        where = f"{self.root}: {CURATED_VECTORS}"
        try:
            array = np.load(io.BytesIO(self.read(CURATED_VECTORS)), allow_pickle=False)
        except (ValueError, EOFError, MemoryError) as error:
            raise BundleDamaged(f"{where}: not a readable .npy file") from error
        if not isinstance(array, np.ndarray) or array.ndim != 2 or not _is_vector_type(array.dtype):
            raise BundleDamaged(f"{where}: not a matrix of int8 or floating-point numbers")
        vectors = array.astype(np.float32)
        if array.dtype == np.int8:  # Directions, each in steps of its own; their lengths are made 1 again.
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        if not np.isfinite(vectors).all():
            raise BundleDamaged(f"{where}: holds values that are no numbers")
        return cast("NDArray[np.float32]", vectors)


def _is_vector_type(dtype: np.dtype[np.generic]) -> bool:
    return dtype.kind == "f" or dtype == "int8"


def _entry(record: JsonRecord) -> CuratedEntry:
    kind = record.text("kind", "topic")
    if kind not in _ENTRY_KINDS:
        raise BundleDamaged(f"{record.where}: kind {kind!r} is none of {', '.join(_ENTRY_KINDS)}")
    out_of_scope = kind == "out_of_scope"
    title = record.text("source_title", "")
    start, stop = (int(number) for number in record.numbers("rows", 2))
    if not 0 <= start < stop:
        raise BundleDamaged(f"{record.where}: rows are not a range")
    return CuratedEntry(
        id=record.text("id"),
        # The class of negatives is never shown, so it needs no words.
        question=record.text("question", "" if out_of_scope else None),
        answer=record.text("answer", "" if out_of_scope else None),
        category=record.text("category", ""),
        details=record.text("details", ""),
        source=Source(title, record.text("source_url", "")) if title else None,
        written=record.text("written", ""),
        related=tuple(record.texts("related")) if "related" in record.values else (),
        kind=cast("EntryKind", kind),
        rows=(start, stop),
    )
