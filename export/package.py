"""From a checkpoint to a bundle: convert, validate, calibrate, pack. Nothing half-written is left behind."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import datetime
import hashlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from assistant.answering.engine import Engine
from assistant.bundle.manifest import (
    ANSWER_TOKENIZER,
    CALIBRATION,
    CURATED_TEXT,
    CURATED_VECTORS,
    MANIFEST_NAME,
    MODEL_CARD,
    QUESTION_TOKENIZER,
    SCHEMA_VERSION,
    model_path,
)
from assistant.bundle.reader import Bundle
from assistant.bundle.verify import verify
from export.calibrate import Example, fit, made_examples, measure, neutral, read_examples
from export.card import model_card
from export.convert import convert
from export.quantize import CPU_FP32, CUDA_FP16, to_variant
from export.signatures import DECODER, ENCODER, GraphSignature, decoder_signature, encoder_signature
from export.target import check_target, publish
from export.validate import Findings, validate
from trainer import checkpoint as checkpoints
from trainer.checkpoint import Checkpoint
from trainer.config import BOS_ID, EOS_ID, PAD_ID
from trainer.dataset import encode_questions, questions_of, split_negatives
from trainer.evaluate import canonical, evaluate_questions
from trainer.model import Transformer, count_weights
from trainer.table import Entry

VALIDATED = 40
EMBED_BATCH = 64
SEED = 7
OUTSIDE_ID, PROTOTYPES = "out-of-scope", "learner/prototypes"
MINILM = {
    "name": "sentence-transformers/all-MiniLM-L6-v2 (encoder weights, WordPiece vocabulary)",
    "licence": "Apache-2.0",
    "url": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
}
SHIPPED_ORIGIN = "the encoder of the bundle mental-health"
Graphs = dict[str, tuple[onnx.ModelProto, onnx.ModelProto]]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Description:
    """What the person says about the bundle."""

    name: str
    version: str = "1.0.0"
    description: str = ""
    language: str = "en"
    licence: str = "not stated"


def export(
    checkpoint_folder: Path,
    out: Path,
    about: Description,
    variants: tuple[str, ...],
    calibration: Path | None = None,
    say: Say = lambda _text: None,
) -> Path:
    """Make the bundle `out` (a directory, or a .zip) of a checkpoint.

    fp32 graphs are always built and validated; `variants` says which are shipped. Raises ExportError,
    UsageError or TrainingError; `out` is then as it was before.
    """
    check_target(out)
    source = checkpoints.find(checkpoint_folder)
    model, checkpoint = checkpoints.load_model(source)
    examples = _examples(checkpoint, calibration)
    say("converting to ONNX")
    base = convert(model)
    graphs = {
        variant: (to_variant(base[0], variant), to_variant(base[1], variant))
        for variant in dict.fromkeys((CPU_FP32, *variants))
    }
    say("comparing with the Keras model")
    questions = [entry.question for entry in checkpoint.table.entries][:VALIDATED]
    findings = validate(model, graphs, checkpoint.question_tokenizer, questions)
    greatest = max(findings.differences.values())
    say(f"greatest difference {greatest:.2g}; {findings.compared_answers} answers equal token for token")
    shipped = {variant: graphs[variant] for variant in variants}
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".lamplight-", dir=out.parent) as scratch:
        folder = Path(scratch, about.name)
        _Writer(folder, model, checkpoint, about, shipped, findings, source).write(examples, say)
        publish(folder, out)
    return out


class _Writer:
    """Writes the files of one bundle into a folder."""

    def __init__(
        self,
        folder: Path,
        model: Transformer,
        checkpoint: Checkpoint,
        about: Description,
        graphs: Graphs,
        findings: Findings,
        source: Path,
    ) -> None:
        self.folder, self.model, self.checkpoint = folder, model, checkpoint
        self.about, self.graphs, self.findings = about, graphs, findings
        self.prototypes = checkpoints.load_tensors(source)[PROTOTYPES]
        self.created = datetime.date.today().isoformat()

    def write(self, examples: list[Example], say: Say) -> None:
        """Write all files and calibrate on `examples`; the manifest comes last and names them all."""
        self.folder.mkdir(parents=True)
        for variant, pair in self.graphs.items():
            for name, graph in zip((ENCODER, DECODER), pair, strict=True):
                path = self.folder / model_path(variant, f"{name}.onnx")
                path.parent.mkdir(parents=True, exist_ok=True)
                onnx.save(graph, path)
        self.checkpoint.question_tokenizer.save(str(self.folder / QUESTION_TOKENIZER))
        self.checkpoint.answer_tokenizer.save(str(self.folder / ANSWER_TOKENIZER))
        say("embedding the curated questions")
        self._write_curated()
        self._write_json(CALIBRATION, neutral(list(self.graphs)))
        (self.folder / MODEL_CARD).write_text("being written\n", encoding="utf-8")
        self._write_manifest({})
        say("calibrating the confidence")
        record = self._calibrate(examples)
        self._write_json(CALIBRATION, record)
        training = self._training_record()
        manifest = self._write_manifest(training["figures"])
        card = model_card(manifest, record, training, self.findings)
        (self.folder / MODEL_CARD).write_text(card, encoding="utf-8")
        self._write_manifest(training["figures"])
        verify(Bundle.open(self.folder))

    def _write_curated(self) -> None:
        """Write entries and vectors: of each entry its prototype, then its questions."""
        table = self.checkpoint.table
        vectors: list[NDArray[np.float32]] = []
        lines = []
        count = 0
        for index, entry in enumerate(table.entries):
            asked = self._embed(questions_of(entry))
            vectors += [self._prototype(index, asked), asked]
            lines.append(_curated_record(entry, (count, count + 1 + len(asked))))
            count += 1 + len(asked)
        outside = split_negatives(table)[0]
        if outside:
            vectors.append(self._embed(outside))
            lines.append({"id": OUTSIDE_ID, "kind": "out_of_scope", "rows": [count, count + len(outside)]})
        content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (self.folder / CURATED_TEXT).write_text(content, encoding="utf-8")
        np.save(self.folder / CURATED_VECTORS, directions(np.concatenate(vectors)))

    def _prototype(self, index: int, asked: NDArray[np.float32]) -> NDArray[np.float32]:
        """The direction (1, D) that training gave an entry, or the mean of its questions where it gave none."""
        learned = self.checkpoint.preset.train.prototype_weight > 0
        vector = self.prototypes[index] if learned else asked.mean(axis=0)
        return (vector / max(float(np.linalg.norm(vector)), 1e-9))[None].astype(np.float32)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Pooled embeddings (N, D) of the Keras model; texts of about one length together."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        vectors = np.zeros((len(texts), self.model.config.d_model), dtype=np.float32)
        for first in range(0, len(order), EMBED_BATCH):
            part = order[first : first + EMBED_BATCH]
            ids, mask = encode_questions(
                self.checkpoint.question_tokenizer, [texts[i] for i in part], self.model.config.max_question_tokens
            )
            vectors[part] = np.asarray(self.model.pool(self.model.encode(ids, mask), mask))
        return vectors

    def _calibrate(self, examples: list[Example]) -> dict[str, Any]:
        """Fit each CPU variant on its own replies; fp16 takes the first one's fit, since a CPU runs it too slowly."""
        record = neutral(list(self.graphs))
        measured = [variant for variant in self.graphs if variant != CUDA_FP16]
        for variant in measured:
            record["variants"][variant] = self._fit(variant, examples)
        for variant in set(self.graphs) - set(measured):
            record["variants"][variant] = {**record["variants"][measured[0]], "measured_on": measured[0]}
        return record

    def _fit(self, variant: str, examples: list[Example]) -> dict[str, Any]:
        engine = Engine.for_variant(Bundle.open(self.folder), variant)
        features, right = measure(engine, examples)
        in_scope = np.array([bool(example.id) for example in examples])
        return fit(features, right, in_scope, SEED)

    def _training_record(self) -> dict[str, Any]:
        checkpoint, table = self.checkpoint, self.checkpoint.table
        figures, _ = evaluate_questions(self.model, checkpoint, canonical(table))
        return {
            "entries": sum(entry.kind == "topic" for entry in table.entries),
            "questions": sum(len(questions_of(entry)) for entry in table.entries),
            "weights": count_weights(self.model),
            "pretrained": checkpoint.pretrained,
            "epochs": checkpoint.preset.train.epochs,
            "best_epoch": checkpoint.epoch,
            "seed": checkpoint.preset.train.seed,
            "figures": {"canonical questions": figures},
        }

    def _write_manifest(self, metrics: dict[str, Any]) -> dict[str, Any]:
        config, table = self.checkpoint.preset.model, self.checkpoint.table
        files = {
            path.relative_to(self.folder).as_posix(): path for path in sorted(self.folder.rglob("*")) if path.is_file()
        }
        files.pop(MANIFEST_NAME, None)
        top = decoder_signature(config).outputs[0].shape[1]
        manifest = {
            "schema_version": SCHEMA_VERSION,
            **asdict(self.about),
            "subject": table.subject or self.about.name,
            "created": self.created,
            "attributions": attributions(self.checkpoint.pretrained),
            "architecture": {
                "preset": self.checkpoint.preset.name,
                "d_model": config.d_model,
                "encoder_layers": config.encoder.layers,
                "decoder_layers": config.decoder.layers,
                "num_heads": config.decoder.heads,
                "head_dim": config.d_model // config.decoder.heads,
                "answer_vocab_size": config.answer_vocab_size,
                "question_vocab_size": config.question_vocab_size,
                "max_question_tokens": config.max_question_tokens,
                "max_answer_tokens": config.max_answer_tokens,
                "top_k": top,
                "pad_id": PAD_ID,
                "bos_id": BOS_ID,
                "eos_id": EOS_ID,
                "encoder": asdict(config.encoder),
                "decoder": asdict(config.decoder),
            },
            "tensors": {"encoder": _tensors(encoder_signature(config)), "decoder": _tensors(decoder_signature(config))},
            "variants": list(self.graphs),
            "files": {name: {"sha256": _sha256(path), "size": path.stat().st_size} for name, path in files.items()},
            "data_hash": self.checkpoint.data_hash,
            "metrics": metrics,
        }
        self._write_json(MANIFEST_NAME, manifest)
        return manifest

    def _write_json(self, name: str, record: dict[str, Any]) -> None:
        (self.folder / name).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def attributions(pretrained: str) -> list[dict[str, str]]:
    """Whose weights the encoder started from, by what the checkpoint says of them."""
    if not pretrained:
        return []
    if "MiniLM" in pretrained or pretrained == SHIPPED_ORIGIN:
        return [MINILM]
    return [{"name": f"encoder weights of {pretrained}", "licence": "as stated there", "url": ""}]


def _examples(checkpoint: Checkpoint, folder: Path | None) -> list[Example]:
    table = checkpoint.table
    if folder is None:
        return made_examples(table, SEED)
    return read_examples(folder, {entry.id for entry in table.entries})


def directions(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Rows (N, D) as int8, each scaled to its own greatest value: only the direction counts, and is read back."""
    return np.round(vectors * (127.0 / np.abs(vectors).max(axis=1, keepdims=True))).astype(np.int8)


def _curated_record(entry: Entry, rows: tuple[int, int]) -> dict[str, Any]:
    record = asdict(entry)
    for unneeded in ("phrasings", "followups"):
        del record[unneeded]
    return {**record, "rows": list(rows)}


def _tensors(signature: GraphSignature) -> dict[str, Any]:
    return {side: [asdict(tensor) for tensor in getattr(signature, side)] for side in ("inputs", "outputs")}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
