"""A small bundle whose models are written by hand with the onnx package, and run by the real onnxruntime.

The encoder is a bag of random word vectors. The decoder looks up which curated question the encoder's output is
closest to and spells the answer out, so that every path of the engine can be walked without training. Its caches
hold the tokens fed so far and move the logit of one token a little: a wrong reordering of rows shows in the numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

WIDTH = 32
TOP_K = 16
MAX_ANSWER = 48
BOS, EOS = 1, 2
HISTORY_TOKEN = 5

TOPICS: list[dict[str, Any]] = [
    {
        "id": "tides",
        "question": "What causes the tides?",
        "answer": "The moon pulls on the sea. It does not pull evenly, so 2 bulges form — naïve but true.",
        "category": "the-sea",
        "phrasings": ["why does the water rise and fall", "tides reason moon"],
        "source_title": "Harbour office",
        "source_url": "https://harbour.example/tides",
    },
    {
        "id": "tide-tables",
        "question": "Where can I read the tide tables?",
        "answer": "The harbour office prints them each year.",
        "category": "the-sea",
        "phrasings": ["tables of tide times"],
    },
    {
        "id": "waves",
        "question": "How do waves form?",
        "answer": "Wind drags on the water and piles it up.",
        "category": "the-sea",
        "phrasings": ["what makes waves"],
    },
    {
        "id": "knots",
        "question": "Which knot holds a boat?",
        "answer": "A cleat hitch holds a boat and comes loose when you want it to.",
        "category": "boats",
        "phrasings": ["tie up boat rope"],
    },
    {
        "id": "gulls",
        "question": "Do gulls steal food?",
        "answer": "They do. Never feed them.",
        "category": "birds",
        "phrasings": ["birds taking chips"],
    },
    {
        "id": "hello",
        "question": "hello",
        "answer": "Hello there!",
        "phrasings": [],
        "kind": "smalltalk",
    },
    {"id": "out-of-scope", "phrasings": ["capital of france", "bitcoin price"], "kind": "out_of_scope"},
]


def make_bundle(root: Path, name: str = "harbour", spoken: Mapping[str, str] | None = None) -> Path:
    """Write the bundle into `root`; `spoken` replaces what the decoder says for an entry."""
    root.mkdir(parents=True)
    spoken = spoken or {}
    answers = [entry["answer"] for entry in TOPICS if "answer" in entry]
    questions = _question_tokenizer()
    bpe = _answer_tokenizer([*answers, *spoken.values()])
    table = _word_vectors(questions)
    rows = _write_curated(root, questions, table)
    questions.save(str(root / "question_tokenizer.json"))
    bpe.save(str(root / "answer_tokenizer.json"))
    lines = [spoken.get(entry["id"], entry["answer"]) for entry in TOPICS if "answer" in entry]
    scripts = np.full((len(lines), MAX_ANSWER), EOS, np.int64)
    for place, line in enumerate(lines):
        ids = bpe.encode(line).ids
        scripts[place, : len(ids)] = ids
    variant = root / "variants" / "cpu-int8"
    variant.mkdir(parents=True)
    onnx.save(encoder_graph(table), variant / "encoder_model.onnx")
    onnx.save(decoder_graph(rows, scripts, bpe.get_vocab_size()), variant / "decoder_with_past_model.onnx")
    _write_calibration(root)
    (root / "MODEL_CARD.md").write_text("# Harbour\n", encoding="utf-8")
    write_manifest(root, name, answer_vocabulary=bpe.get_vocab_size(), question_vocabulary=len(table))
    return root


def write_manifest(root: Path, name: str = "harbour", **sizes: int) -> None:
    """Write a manifest with the hashes of the files that are there."""
    files = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.name != "manifest.json":
            data = path.read_bytes()
            relative = path.relative_to(root).as_posix()
            files[relative] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    manifest = {
        "schema_version": 1,
        "name": name,
        "version": "1.0",
        "subject": "the harbour",
        "architecture": {
            "preset": "fake", "d_model": WIDTH, "encoder_layers": 1, "decoder_layers": 1, "num_heads": 1,
            "head_dim": WIDTH, "answer_vocab_size": sizes.get("answer_vocabulary", 300),
            "question_vocab_size": sizes.get("question_vocabulary", 60), "max_question_tokens": 16,
            "max_answer_tokens": MAX_ANSWER, "top_k": TOP_K, "pad_id": 0, "bos_id": BOS, "eos_id": EOS, "norm": "post",
        },
        "variants": ["cpu-int8"],
        "files": files,
    }  # fmt: skip
    (root / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _phrasings(entry: dict[str, Any]) -> list[str]:
    return ([entry["question"]] if "question" in entry else []) + entry["phrasings"]


def _question_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]"])
    tokenizer.train_from_iterator([text for entry in TOPICS for text in _phrasings(entry)], trainer)
    return tokenizer


def _answer_tokenizer(texts: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["[PAD]", "[BOS]", "[EOS]"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _word_vectors(tokenizer: Tokenizer) -> np.ndarray:
    table = np.random.default_rng(7).normal(size=(tokenizer.get_vocab_size(), WIDTH)).astype(np.float32)
    table[0] = 0  # padding
    for mark in "?":
        table[tokenizer.token_to_id(mark)] *= 0.1
    # Unknown words look like nothing we have, but are no zero vector, which has no direction.
    table[1] = np.eye(WIDTH, dtype=np.float32)[0]
    return table


def embed(tokenizer: Tokenizer, table: np.ndarray, text: str) -> np.ndarray:
    """Return what the encoder graph gives for one text, (D,)."""
    vector = table[tokenizer.encode(text).ids].sum(axis=0)
    return vector / np.linalg.norm(vector)


def _write_curated(root: Path, tokenizer: Tokenizer, table: np.ndarray) -> np.ndarray:
    """Write entries and vectors; return the vectors of the canonical questions, (E, D)."""
    vectors, lines, canonical = [], [], []
    for entry in TOPICS:
        texts = _phrasings(entry)
        record = {key: value for key, value in entry.items() if key != "phrasings"}
        asked = [embed(tokenizer, table, text) for text in texts]
        if "answer" in entry:
            prototype = np.mean(asked, axis=0)
            asked.insert(0, prototype / np.linalg.norm(prototype))
        record["rows"] = [len(vectors), len(vectors) + len(asked)]
        vectors += asked
        lines.append(json.dumps(record, ensure_ascii=False))
        if "answer" in entry:
            canonical.append(np.mean(asked[1:], axis=0))
    (root / "curated.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    np.save(root / "curated.npy", np.array(vectors, np.float16))
    return np.array(canonical, np.float32)


def _write_calibration(root: Path) -> None:
    names = ["mean_logprob", "similarity", "negative_similarity", "agreement"]
    numbers = {
        "features": names,
        "mean": [0.0] * 4,
        "scale": [1.0] * 4,
        "weights": [1.0, 14.0, -4.0, 1.0],
        "bias": -5.0,
        "thresholds": {"answer": 0.6, "suggest": 0.2},
    }
    text = json.dumps({"schema_version": 1, "variants": {"cpu-int8": numbers}})
    (root / "calibration.json").write_text(text, encoding="utf-8")


def _tensor(name: str, array: Any) -> onnx.TensorProto:
    return numpy_helper.from_array(np.asarray(array), name)


def _value(name: str, kind: int, shape: list[str | int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def _model(nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: dict[str, Any]) -> onnx.ModelProto:
    tensors = [_tensor(name, array) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def encoder_graph(table: np.ndarray) -> onnx.ModelProto:
    """Return the encoder: pooled = the normalised sum of word vectors; the cross caches repeat it."""
    node = helper.make_node
    nodes = [
        node("Gather", ["table", "input_ids"], ["words"]),  # (B, S, D)
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "last"], ["mask3"]),
        node("Mul", ["words", "mask3"], ["kept"]),
        node("ReduceSum", ["kept", "one"], ["sum"], keepdims=0),
        node("LpNormalization", ["sum"], ["pooled"], axis=-1, p=2),
        node("Unsqueeze", ["pooled", "middle"], ["pooled4"]),  # (B, 1, 1, D)
        node("Unsqueeze", ["mask3", "one"], ["mask4"]),  # (B, 1, S, 1)
        node("Mul", ["pooled4", "mask4"], ["cross_key_0"]),
        node("Identity", ["cross_key_0"], ["cross_value_0"]),
    ]
    inputs = [_value(name, TensorProto.INT64, ["B", "S"]) for name in ("input_ids", "attention_mask")]
    outputs = [_value("pooled", TensorProto.FLOAT, ["B", WIDTH])]
    outputs += [_value(f"cross_{part}_0", TensorProto.FLOAT, ["B", 1, "S", WIDTH]) for part in ("key", "value")]
    constants = {"table": table, "last": np.array([-1]), "one": np.array([1]), "middle": np.array([1, 2])}
    return _model(nodes, inputs, outputs, constants)


def decoder_graph(questions: np.ndarray, scripts: np.ndarray, vocabulary: int) -> onnx.ModelProto:
    """Return the step: the script of the closest question at `position`, moved a little by the history."""
    node = helper.make_node
    nodes = [
        node("Gather", ["cross_key_0", "zero"], ["first"], axis=2),  # (B, 1, D)
        node("Squeeze", ["first", "one"], ["question"]),  # (B, D)
        node("MatMul", ["question", "questions"], ["similar"]),  # (B, E)
        node("ArgMax", ["similar"], ["entry"], axis=1, keepdims=0),  # (B,)
        node("Gather", ["scripts", "entry"], ["script"]),  # (B, T)
        node("Min", ["position", "end"], ["at"]),  # (1,)
        node("Gather", ["script", "at"], ["next"], axis=1),  # (B, 1)
        node("Squeeze", ["next", "one"], ["next1"]),
        node("OneHot", ["next1", "depth", "levels"], ["peak"]),  # (B, V)
        node("Cast", ["decoder_input_ids"], ["fed"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["fed", "middle"], ["fed4"]),  # (B, 1, 1, 1)
        node("Mul", ["fed4", "wide"], ["new"]),  # (B, 1, 1, D)
        node("Gather", ["past_key_0", "beam_idx"], ["past_key"]),
        node("Gather", ["past_value_0", "beam_idx"], ["past_value"]),
        node("Concat", ["past_key", "new"], ["present_key_0"], axis=2),
        node("Concat", ["past_value", "new"], ["present_value_0"], axis=2),
        node("ReduceMean", ["present_key_0"], ["history"], axes=[1, 2, 3], keepdims=0),  # (B,)
        node("Unsqueeze", ["history", "one"], ["history2"]),
        node("Mul", ["history2", "marked"], ["moved"]),  # (B, V)
        node("Add", ["peak", "moved"], ["peak2"]),
        node("Add", ["peak2", "order"], ["logits"]),
        node("LogSoftmax", ["logits"], ["logprobs"], axis=-1),
        node("TopK", ["logprobs", "k"], ["top_logprobs", "top_ids"], axis=-1),
        # The mask is an input of every real decoder; here it only has to be used.
        node("Identity", ["encoder_attention_mask"], ["unused_mask"]),
        node("Identity", ["cross_value_0"], ["unused_value"]),
    ]
    caches = ["past_key_0", "past_value_0"]
    inputs = [
        _value("decoder_input_ids", TensorProto.INT64, ["B", 1]),
        _value("position", TensorProto.INT64, [1]),
        _value("encoder_attention_mask", TensorProto.INT64, ["B", "S"]),
        _value("beam_idx", TensorProto.INT64, ["B"]),
        *(_value(f"cross_{part}_0", TensorProto.FLOAT, ["B", 1, "S", WIDTH]) for part in ("key", "value")),
        *(_value(name, TensorProto.FLOAT, ["B", 1, "P", WIDTH]) for name in caches),
    ]
    outputs = [
        _value("top_ids", TensorProto.INT64, ["B", TOP_K]),
        _value("top_logprobs", TensorProto.FLOAT, ["B", TOP_K]),
        *(_value(f"present_{part}_0", TensorProto.FLOAT, ["B", 1, "P1", WIDTH]) for part in ("key", "value")),
    ]
    marked = np.zeros((1, vocabulary), np.float32)
    marked[0, HISTORY_TOKEN] = 0.01
    constants = {
        "zero": np.array(0), "one": np.array([1]), "middle": np.array([1, 2]),
        "questions": questions.T.copy(), "scripts": scripts, "end": np.array([MAX_ANSWER - 1]),
        "depth": np.array(vocabulary), "levels": np.array([0, 9], np.float32),
        "wide": np.ones((1, 1, 1, WIDTH), np.float32), "marked": marked, "k": np.array([TOP_K]),
        "order": np.linspace(0.5, 0, vocabulary, dtype=np.float32)[None],
    }  # fmt: skip
    return _model(nodes, inputs, outputs, constants)
