"""The converted graphs: their form, and that every weight comes back out of a bundle."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from assistant.errors import ExportError, TrainingError
from export.convert import check_all_named, convert, marked
from export.quantize import VARIANTS, to_variant
from export.signatures import OPSET, decoder_signature, encoder_signature
from trainer.checkpoint import weights_of
from trainer.config import ModelConfig, StackConfig
from trainer.model import create_model
from trainer.pretrained import from_bundle, load_encoder
from trainer.warmstart import MODELS, read_bundle


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("which", [0, 1])
def test_the_form_of_every_graph(graphs: dict[str, Any], loaded: Any, variant: str, which: int) -> None:
    proto = graphs[variant][which]
    wanted = (encoder_signature, decoder_signature)[which](loaded[0].config)
    for values, tensors in ((proto.graph.input, wanted.inputs), (proto.graph.output, wanted.outputs)):
        assert [value.name for value in values] == [tensor.name for tensor in tensors]
        for value, tensor in zip(values, tensors, strict=True):
            dims = value.type.tensor_type.shape.dim
            assert tuple(d.dim_value if d.HasField("dim_value") else None for d in dims) == tensor.shape, tensor.name
    assert [(entry.domain, entry.version) for entry in proto.opset_import] == [("", OPSET)]
    assert {node.domain for node in proto.graph.node} == {""}
    assert all(tensor.data_location == onnx.TensorProto.DEFAULT for tensor in proto.graph.initializer)
    onnx.checker.check_model(proto, full_check=True)


def test_every_variable_is_an_initialiser_under_its_own_name(base: Any, loaded: Any) -> None:
    held = {t.name: onnx.numpy_helper.to_array(t) for proto in base for t in proto.graph.initializer}
    for path, value in weights_of(loaded[0]).items():
        np.testing.assert_array_equal(held[path], value, err_msg=path)


def test_a_trained_bundle_gives_its_weights_back(tiny_bundle: Path, loaded: Any) -> None:
    weights, architecture = read_bundle(tiny_bundle)
    wanted = weights_of(loaded[0])
    assert set(weights) == set(wanted)
    for path, value in wanted.items():
        assert weights[path].dtype == np.float32
        np.testing.assert_allclose(weights[path], value, rtol=1e-3, atol=1e-6, err_msg=path)
    assert architecture["encoder"]["layers"] == 2


@pytest.fixture(scope="module")
def untrained() -> Any:
    """A model in which all biases are zeros and all gammas ones, as the first weights are."""
    stack = StackConfig(2, 2, 16)
    config = ModelConfig(8, stack, stack, question_vocab_size=30, answer_vocab_size=40)
    return create_model(config)


def test_equal_variables_are_kept_apart(untrained: Any, tmp_path: Path) -> None:
    before = weights_of(untrained)
    pair = convert(untrained)
    for path, value in weights_of(untrained).items():
        np.testing.assert_array_equal(value, before[path], err_msg=f"{path} was not put back")
    write_fp16(tmp_path, pair, untrained.config)
    weights, _ = read_bundle(tmp_path)
    assert set(weights) == set(before)
    for path, value in before.items():
        np.testing.assert_allclose(weights[path], value, rtol=1e-3, atol=1e-6, err_msg=path)
    pretrained = from_bundle(tmp_path)
    assert set(pretrained.weights) == {path for path in before if path.startswith("encoder/")}
    other = create_model(untrained.config)
    load_encoder(other, pretrained.weights)
    np.testing.assert_allclose(other.encoder.embedding.tokens, before["encoder/embedding/tokens"], atol=1e-3)


def test_variables_come_back_also_when_the_conversion_fails(untrained: Any) -> None:
    before = weights_of(untrained)
    with pytest.raises(RuntimeError), marked(untrained):
        raise RuntimeError
    assert all((value == before[path]).all() for path, value in weights_of(untrained).items())


def test_a_lost_variable_stops_the_export(base: Any) -> None:
    check_all_named(base, ["encoder/embedding/tokens"])
    with pytest.raises(ExportError, match="lost the variable encoder/nowhere"):
        check_all_named(base, ["encoder/embedding/tokens", "encoder/nowhere"])


def test_damaged_weights_are_no_start(tiny_bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_bundle, copy)
    data = bytearray((copy / MODELS[0]).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / MODELS[0]).write_bytes(data)
    with pytest.raises(TrainingError, match=r"encoder_model\.onnx is not what its SHA-256"):
        read_bundle(copy)
    (copy / MODELS[0]).write_bytes(b"\xff\xff\xff")
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["files"][MODELS[0]]["sha256"] = sha256(copy / MODELS[0])
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(TrainingError, match="no weights to start from"):
        read_bundle(copy)


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"files": {}, "architecture": {}}'])
def test_no_bundle_is_no_start(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(TrainingError, match="no weights to start from"):
        read_bundle(tmp_path)


def write_fp16(folder: Path, pair: Any, config: ModelConfig) -> None:
    """Write as much of a bundle as a warm start reads."""
    from dataclasses import asdict

    files = {}
    for name, proto in zip(MODELS, pair, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        onnx.save(to_variant(proto, "cuda-fp16"), folder / name)
        files[name] = {"sha256": sha256(folder / name)}
    architecture = {"d_model": config.d_model, "encoder": asdict(config.encoder), "decoder": asdict(config.decoder)}
    (folder / "manifest.json").write_text(json.dumps({"files": files, "architecture": architecture}))


def sha256(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()
