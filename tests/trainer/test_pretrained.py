"""Pretrained encoders: the same vectors as the original, and where they are looked for."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import json
import os
import shutil
from pathlib import Path
from typing import Any

import huggingface_hub
import huggingface_hub.constants
import numpy as np
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError
from safetensors.numpy import load_file, save_file

from assistant.errors import TrainingError
from trainer import checkpoint as checkpoints
from trainer import pretrained
from trainer.config import preset
from trainer.dataset import encode_questions
from trainer.model import create_model
from trainer.table import read_table
from trainer.tokenizer import fit_question_tokenizer
from trainer.train import start

ROOT = Path(__file__).resolve().parents[2]
# Read before conftest.py takes LAMPLIGHT_* out of the environment.
MINILM = Path(os.environ.get("LAMPLIGHT_PRETRAINED") or ROOT.parent / "shared" / "models" / "all-MiniLM-L6-v2")
needs_minilm = pytest.mark.skipif(not (MINILM / "model.safetensors").is_file(), reason="all-MiniLM-L6-v2 is not here")


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    """A small BERT-style folder with random weights."""
    folder, rng, d, inner = tmp_path / "bert", np.random.default_rng(0), 16, 24
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (40, d),
        "embeddings.position_embeddings.weight": (512, d),
        "embeddings.token_type_embeddings.weight": (2, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    for i in range(2):
        layer = f"encoder.layer.{i}"
        names = {f"attention.self.{part}": (d, d) for part in ("query", "key", "value")}
        names |= {"attention.output.dense": (d, d), "intermediate.dense": (inner, d), "output.dense": (d, inner)}
        for name, shape in names.items():
            shapes |= {f"{layer}.{name}.weight": shape, f"{layer}.{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}.{name}.weight": (d,), f"{layer}.{name}.bias": (d,)}
    folder.mkdir()
    save_file(
        {name: rng.normal(size=shape).astype("float32") for name, shape in shapes.items()}, folder / "model.safetensors"
    )
    config = {"hidden_size": d, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": inner}
    (folder / "config.json").write_text(json.dumps(config))
    fit_question_tokenizer(["a budget"], preset("tiny"), None).save(str(folder / "tokenizer.json"))
    return folder


def encoder_of(found: pretrained.Pretrained) -> Any:
    """A model with that encoder and a small decoder."""
    config = preset("faq", decoder_layers=1, decoder_heads=1, decoder_inner=8).model
    vocabulary = found.weights["encoder/embedding/tokens"].shape[0]
    fields = {**config.__dict__, "question_vocab_size": vocabulary, "answer_vocab_size": 8}
    model = create_model(pretrained.fitted(type(config)(**fields), found))
    pretrained.load_encoder(model, found.weights)
    return model


@needs_minilm
def test_our_encoder_gives_the_vectors_of_the_original() -> None:
    stored = json.loads((ROOT / "tests" / "data" / "minilm_vectors.json").read_text(encoding="utf-8"))["rows"]
    found = pretrained.find_pretrained(MINILM)
    tokenizer = fit_question_tokenizer([], preset("faq"), found.tokenizer_folder)
    ids, mask = encode_questions(tokenizer, [row["text"] for row in stored], 128)
    assert mask.sum(axis=1).tolist() == [row["tokens"] for row in stored]
    model = encoder_of(found)
    vectors = np.asarray(model.pool(model.encode(ids, mask), mask))
    np.testing.assert_allclose(vectors, np.array([row["vector"] for row in stored]), atol=1e-5)


@needs_minilm
def test_the_folder_here_is_the_pinned_one() -> None:
    import hashlib

    for name, wanted in pretrained.SHA256.items():
        assert hashlib.sha256((MINILM / name).read_bytes()).hexdigest() == wanted


def test_queries_keys_and_values_stand_in_their_places(bert: Path) -> None:
    found, theirs = pretrained.from_folder(bert), load_file(bert / "model.safetensors")
    assert found.shape == {"d_model": 16, "layers": 2, "heads": 4, "inner": 24} and found.origin == "the folder bert"
    kernel = found.weights["encoder/layer_1/attention/qkv/kernel"]
    for place, name in enumerate(("query", "key", "value")):
        np.testing.assert_array_equal(
            kernel[:, 16 * place : 16 * place + 16], theirs[f"encoder.layer.1.attention.self.{name}.weight"].T
        )
    positions = theirs["embeddings.position_embeddings.weight"] + theirs["embeddings.token_type_embeddings.weight"][0]
    np.testing.assert_array_equal(found.weights["encoder/embedding/positions"], positions)
    assert set(found.weights) == {variable.path for variable in encoder_of(found).encoder.weights}


def test_the_folder_given_comes_before_the_environment(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    shutil.copytree(bert, other)
    monkeypatch.setenv("LAMPLIGHT_PRETRAINED", str(other))
    assert pretrained.find_pretrained(bert).origin == "the folder bert"
    assert pretrained.find_pretrained(None).origin == "the folder other"


def test_the_environment_comes_before_the_hub(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMPLIGHT_PRETRAINED", str(bert))
    monkeypatch.setattr(pretrained, "from_hub", lambda: pytest.fail("the hub was asked"))
    assert pretrained.find_pretrained(None).tokenizer_folder == bert


def test_the_hub_comes_before_the_bundle(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "from_hub", lambda: pretrained.from_folder(bert, "the hub"))
    monkeypatch.setattr(pretrained, "from_bundle", lambda _bundle: pytest.fail("the bundle was read"))
    assert pretrained.find_pretrained(None).origin == "the hub"


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No file fetched earlier on this machine is found."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_offline_the_encoder_of_the_bundle_is_used(
    tiny_bundle: Path, tiny_run: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretrained, "SHIPPED", tiny_bundle)
    found = pretrained.find_pretrained(None)
    assert found.origin == "the encoder of the bundle money"
    trained = checkpoints.load_tensors(tiny_run / "best")
    assert set(found.weights) == {path for path in trained if path.startswith("encoder/")}
    for path, value in found.weights.items():
        np.testing.assert_allclose(value, trained[path], rtol=2e-3, atol=1e-4, err_msg=path)
    assert value.dtype == np.float32
    stored = fit_question_tokenizer([], preset("faq"), found.tokenizer_folder)
    assert stored.get_vocab() == checkpoints.load(tiny_run / "best").question_tokenizer.get_vocab()


def test_without_any_source_it_is_told(tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "SHIPPED", tmp_path / "none")
    with pytest.raises(TrainingError, match="none: no weights to start from"):
        pretrained.find_pretrained(None)


def test_the_hub_is_not_asked_when_it_should_be_offline(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not pretrained.hub_answers() and pretrained.from_hub() is None
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "https://127.0.0.1:9")
    monkeypatch.setattr(pretrained, "getproxies", dict)
    assert not pretrained.hub_answers() and pretrained.from_hub() is None
    monkeypatch.setattr(pretrained, "getproxies", lambda: {"https": "http://proxy"})
    assert pretrained.hub_answers()


def hub(folder: Path, asked: list[dict[str, Any]]) -> Any:
    def download(repository: str, name: str, **options: Any) -> str:
        asked.append({"repository": repository, "name": name, **options})
        if not (folder / name).exists():
            raise LocalEntryNotFoundError(name)
        return str(folder / name)

    return download


def test_files_of_the_hub_are_checked(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", hub(bert, asked))
    with pytest.raises(
        TrainingError, match=r"model.safetensors from sentence-transformers/all-MiniLM-L6-v2 is not the file"
    ):
        pretrained.from_hub()
    sums = {name: hashlib.sha256((bert / name).read_bytes()).hexdigest() for name in pretrained.SHA256}
    monkeypatch.setattr(pretrained, "SHA256", sums)
    found = pretrained.from_hub()
    assert found is not None and found.origin == "sentence-transformers/all-MiniLM-L6-v2 at c9745ed"
    assert {a["revision"] for a in asked} == {pretrained.REVISION} and len(pretrained.REVISION) == 40
    assert {a["repository"] for a in asked} == {pretrained.REPOSITORY} and {a["local_files_only"] for a in asked} == {
        True
    }
    (bert / "tokenizer.json").unlink()
    assert pretrained.from_hub() is None


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: shutil.rmtree(f), "is no pretrained encoder"),
        (lambda f: (f / "config.json").write_text("{}"), "is no pretrained encoder: 'hidden_size'"),
        (lambda f: (f / "model.safetensors").write_bytes(b"<html>"), "is no pretrained encoder"),
        (lambda f: save_file({"x": np.ones(1)}, f / "model.safetensors"), "is no pretrained encoder: 'embeddings"),
        (lambda f: (f / "tokenizer.json").unlink(), "holds no tokenizer.json"),
    ],
)
def test_a_folder_that_is_none_is_told(bert: Path, damage: Any, said: str) -> None:
    damage(bert)
    with pytest.raises(TrainingError, match=said) as caught:
        pretrained.find_pretrained(bert)
    assert str(caught.value).startswith(str(bert))


def test_a_run_starts_from_the_pretrained_encoder(bert: Path, tiny_table: Path, tmp_path: Path) -> None:
    recipe = preset("faq", decoder_heads=2, decoder_inner=16, epochs=1, max_question_tokens=32)
    lines: list[str] = []
    tensors = load_file(bert / "model.safetensors")
    tokenizer = fit_question_tokenizer(["a budget"], preset("tiny"), None)
    size = tokenizer.get_vocab_size()
    rng = np.random.default_rng(0)
    tensors["embeddings.word_embeddings.weight"] = rng.normal(size=(size, 16)).astype("float32")
    save_file(tensors, bert / "model.safetensors")
    run = start(read_table(tiny_table), recipe, tmp_path / "out", bert, lines.append)
    assert lines[0] == "encoder starts from the folder bert"
    assert run.preset.model.d_model == 16 and run.preset.model.encoder.layers == 2
    np.testing.assert_array_equal(
        np.asarray(run.learner.transformer.encoder.embedding.tokens), tensors["embeddings.word_embeddings.weight"]
    )
    # Each prototype is the mean of its entry's questions.
    assert np.abs(np.linalg.norm(np.asarray(run.learner.prototypes), axis=1)).max() <= 1.0 + 1e-5
