"""The manifest of a bundle: frozen records, read from JSON with every field checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from assistant.bundle.fields import JsonRecord, json_object
from assistant.errors import BundleDamaged, BundleUnsupported

SCHEMA_VERSION = 1
MANIFEST_NAME = "manifest.json"
QUESTION_TOKENIZER = "question_tokenizer.json"
ANSWER_TOKENIZER = "answer_tokenizer.json"
CURATED_TEXT = "curated.jsonl"
CURATED_VECTORS = "curated.npy"
CALIBRATION = "calibration.json"
MODEL_CARD = "MODEL_CARD.md"
ENCODER = "encoder_model.onnx"
DECODER = "decoder_with_past_model.onnx"
VARIANTS = ("cpu-int8", "cpu-fp32", "cuda-fp16")

SHARED_FILES = (QUESTION_TOKENIZER, ANSWER_TOKENIZER, CURATED_TEXT, CURATED_VECTORS, CALIBRATION, MODEL_CARD)

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Windows opens a device for these names, whatever extension follows.
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(1, 10)),
}


@dataclass(frozen=True, slots=True)
class FileRecord:
    """SHA-256 (hex) and size (bytes) of one file."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Attribution:
    """Somebody else's work inside the bundle, and its licence."""

    name: str
    licence: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Architecture:
    """The numbers the assistant needs to run the model; `more` keeps the rest as written."""

    preset: str
    d_model: int
    encoder_layers: int
    decoder_layers: int
    num_heads: int
    head_dim: int
    answer_vocab_size: int
    question_vocab_size: int
    max_question_tokens: int
    max_answer_tokens: int
    top_k: int
    pad_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle says about itself. `files` names every file but the manifest."""

    name: str
    version: str
    subject: str
    architecture: Architecture
    variants: tuple[str, ...]
    files: Mapping[str, FileRecord]
    description: str = ""
    language: str = "en"
    licence: str = ""
    created: str = ""
    attributions: tuple[Attribution, ...] = ()
    tensors: Mapping[str, Any] = field(default_factory=dict)
    data_hash: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as the exporter writes it, schema version first."""
        record = asdict(self)
        more = record["architecture"].pop("more")
        record["architecture"] = {**more, **record["architecture"]}
        return {"schema_version": SCHEMA_VERSION, **record}


def model_path(variant: str, model: str) -> str:
    """Return the path of a model file (`ENCODER` or `DECODER`) inside a bundle."""
    return f"variants/{variant}/{model}"


def allowed_files() -> frozenset[str]:
    """Return every path a bundle may hold; any other file makes it unusable."""
    models = {model_path(variant, model) for variant in VARIANTS for model in (ENCODER, DECODER)}
    return frozenset({MANIFEST_NAME, *SHARED_FILES, *models})


def is_bundle_name(name: str) -> bool:
    """Say whether `name` can be a bundle's name, and so a folder's on every system."""
    return bool(_NAME.fullmatch(name)) and not name.endswith(".") and name.split(".")[0] not in _DEVICES


def parse_manifest(data: bytes, where: str) -> Manifest:
    """Read a manifest from the bytes of its file.

    Raises BundleDamaged when a field is missing or is not what it should be, BundleUnsupported when
    the schema version is another. `where` is named in the message.
    """
    record = JsonRecord(json_object(data, where), where)
    version = record.integer("schema_version", least=0)
    if version != SCHEMA_VERSION:
        raise BundleUnsupported(f"{where}: schema version {version}; this Lamplight reads {SCHEMA_VERSION}")
    manifest = Manifest(
        name=record.text("name"),
        version=record.text("version"),
        subject=record.text("subject"),
        architecture=_architecture(record.child("architecture")),
        variants=tuple(record.texts("variants")),
        files=_files(record.child("files")),
        description=record.text("description", ""),
        language=record.text("language", "en"),
        licence=record.text("licence", ""),
        created=record.text("created", ""),
        attributions=tuple(_attribution(child) for child in record.children("attributions")),
        tensors=record.mapping("tensors"),
        data_hash=record.text("data_hash", ""),
        metrics=record.mapping("metrics"),
    )
    _check_whole(manifest, where)
    return manifest


def _check_whole(manifest: Manifest, where: str) -> None:
    """Check what only shows when fields are seen together."""
    if not is_bundle_name(manifest.name):
        raise BundleDamaged(f"{where}: name {manifest.name!r} is not lower-case letters, digits, '.', '_', '-'")
    unknown = sorted(set(manifest.variants) - set(VARIANTS))
    if unknown:
        raise BundleUnsupported(f"{where}: unknown variant {unknown[0]!r}")
    if not any(variant.startswith("cpu-") for variant in manifest.variants):
        raise BundleDamaged(f"{where}: variants name none for the CPU")
    models = [model_path(variant, model) for variant in manifest.variants for model in (ENCODER, DECODER)]
    wanted = {*SHARED_FILES, *models}
    missing = sorted(wanted - set(manifest.files))
    if missing:
        raise BundleDamaged(f"{where}: files does not name {missing[0]}")
    extra = sorted(set(manifest.files) - wanted)
    if extra:
        raise BundleDamaged(f"{where}: files names {extra[0]!r}, which is no part of a bundle")


def _architecture(record: JsonRecord) -> Architecture:
    known = {name for name in Architecture.__slots__ if name not in ("more", "preset")}
    # Marks may be 0; everything else counts something.
    numbers = {name: record.integer(name, least=0 if name.endswith("_id") else 1) for name in sorted(known)}
    more = {key: value for key, value in record.values.items() if key not in known and key != "preset"}
    return Architecture(preset=record.text("preset"), more=more, **numbers)


def _files(record: JsonRecord) -> dict[str, FileRecord]:
    files: dict[str, FileRecord] = {}
    for name in record.values:
        child = record.child(name)
        sha256 = child.text("sha256")
        if not _SHA256.fullmatch(sha256):
            raise BundleDamaged(f"{child.where}: sha256 is not 64 lower-case hexadecimal digits")
        files[name] = FileRecord(sha256=sha256, size=child.integer("size", least=0))
    return files


def _attribution(record: JsonRecord) -> Attribution:
    return Attribution(record.text("name"), record.text("licence"), record.text("url", ""))
