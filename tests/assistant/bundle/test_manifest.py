"""The manifest: what it must say, and the message for each thing it says wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.bundle.manifest import Manifest, allowed_files, is_bundle_name, parse_manifest
from assistant.errors import BundleDamaged, BundleUnsupported


@pytest.fixture
def record(bundle_dir: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((bundle_dir / "manifest.json").read_text())
    return loaded


def parsed(record: dict[str, Any]) -> Manifest:
    return parse_manifest(json.dumps(record).encode(), "manifest.json")


def test_it_comes_back_as_it_was_written(record: dict[str, Any]) -> None:
    record |= {"attributions": [{"name": "MiniLM", "licence": "Apache-2.0", "url": "https://m.example"}]}
    record |= {"metrics": {"f1": 0.9}, "tensors": {"encoder": {}}, "data_hash": "abc"}
    manifest = parsed(record)
    assert manifest.architecture.more == {"norm": "post"}
    assert manifest.attributions[0].licence == "Apache-2.0"
    assert parsed(manifest.to_json()) == manifest
    assert manifest.to_json()["schema_version"] == 1


def test_fields_of_a_later_minor_version_are_no_obstacle(record: dict[str, Any]) -> None:
    assert parsed({**record, "mood": "sunny"}).name == "harbour"


WRONG: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("name", lambda it: it.pop("name")),
    ("name", lambda it: it.update(name="../x")),
    ("name", lambda it: it.update(name="CON")),
    ("version", lambda it: it.update(version=3)),
    ("subject", lambda it: it.update(subject=" ")),
    ("schema_version", lambda it: it.pop("schema_version")),
    ("schema_version", lambda it: it.update(schema_version=True)),
    ("variants", lambda it: it.update(variants="cpu-int8")),
    ("variants", lambda it: it.update(variants=[])),
    ("architecture", lambda it: it.pop("architecture")),
    ("top_k", lambda it: it["architecture"].update(top_k=0)),
    ("top_k", lambda it: it["architecture"].update(top_k=2**60)),
    ("d_model", lambda it: it["architecture"].update(d_model="32")),
    ("curated.npy", lambda it: it["files"].pop("curated.npy")),
    ("curated.npy", lambda it: it["files"].update({"curated.npy": 3})),
    ("sha256", lambda it: it["files"]["curated.npy"].update(sha256="zz")),
    ("size", lambda it: it["files"]["curated.npy"].update(size=-1)),
    ("evil.so", lambda it: it["files"].update({"evil.so": it["files"]["curated.npy"]})),
    ("attributions", lambda it: it.update(attributions=["MiniLM"])),
    ("metrics", lambda it: it.update(metrics=[])),
]


@pytest.mark.parametrize(("named", "spoil"), WRONG)
def test_a_wrong_field_is_named(record: dict[str, Any], named: str, spoil: Callable[[dict[str, Any]], object]) -> None:
    spoil(record)
    with pytest.raises(BundleDamaged, match=named) as failed:
        parsed(record)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{", b'{"a":' * 100_000, b"null", b'{"schema_version": NaN}'])
def test_what_is_no_manifest_is_damaged(data: bytes) -> None:
    with pytest.raises(BundleDamaged, match=r"manifest\.json"):
        parse_manifest(data, "manifest.json")


def test_the_unknown_is_unsupported(record: dict[str, Any]) -> None:
    with pytest.raises(BundleUnsupported, match="schema version 2"):
        parsed({**record, "schema_version": 2})
    with pytest.raises(BundleUnsupported, match="tpu-int4"):
        parsed({**record, "variants": ["cpu-int8", "tpu-int4"]})


@pytest.mark.parametrize("name", ["a", "mental-health", "v1.2_x", "0"])
def test_names_that_can_be(name: str) -> None:
    assert is_bundle_name(name)


@pytest.mark.parametrize(
    "name", ["", "A", ".x", "-x", "a/b", "a\\b", "con", "nul.txt", "lpt1", "a.", "é", "a" * 65, "a\n"]
)
def test_names_that_cannot_be(name: str) -> None:
    assert not is_bundle_name(name)


def test_the_allow_list_has_no_way_out() -> None:
    assert not any(name.startswith("/") or ".." in name or "\\" in name for name in allowed_files())
