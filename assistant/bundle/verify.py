"""The full check of a bundle: every file, every hash, nothing else. Slow; opening checks what it reads."""

from __future__ import annotations

from assistant.bundle.manifest import MANIFEST_NAME
from assistant.bundle.onnx_scan import check_model
from assistant.bundle.reader import Bundle
from assistant.errors import BundleDamaged, BundleError


def problems(bundle: Bundle) -> list[str]:
    """Return everything that is wrong with a bundle, one line each; empty when it is sound."""
    found: list[str] = []
    try:
        extra = sorted(set(bundle.source.names()) - set(bundle.manifest.files) - {MANIFEST_NAME})
    except BundleError as error:
        found.append(str(error))
    else:
        found += [f"{bundle.root}: {name} is not named in the manifest" for name in extra]
    for name in sorted(bundle.manifest.files):
        try:
            check_file(bundle, name)
        except BundleError as error:
            found.append(str(error))
    return found or _content_problems(bundle)


def verify(bundle: Bundle) -> None:
    """Raise BundleDamaged with the first problem, and how many more there are."""
    found = problems(bundle)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise BundleDamaged(found[0] + more)


def check_file(bundle: Bundle, name: str) -> bytes:
    """Return a file's bytes after its hash was checked and, for a model, what it reaches for."""
    data = bundle.read(name)
    if name.endswith(".onnx"):
        check_model(data, f"{bundle.root}: {name}")
    return data


def _content_problems(bundle: Bundle) -> list[str]:
    """Check what the hashes cannot tell: whether texts and vectors fit together."""
    try:
        rows = len(bundle.embeddings())
        last = max(entry.rows[1] for entry in bundle.entries())
    except BundleError as error:
        return [str(error)]
    return [f"{bundle.root}: entries ask for {last} vectors, there are {rows}"] if last > rows else []
