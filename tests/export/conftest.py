"""What the exporter's tests share: the trained tiny model, its graphs, and exports made in this process."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from assistant.bundle.reader import Bundle
from export import package
from export.convert import convert
from export.quantize import VARIANTS, to_variant
from trainer import checkpoint as checkpoints

Loaded = tuple[Any, checkpoints.Checkpoint]
Pair = tuple[onnx.ModelProto, onnx.ModelProto]


@pytest.fixture(scope="session")
def loaded(tiny_run: Path) -> Loaded:
    """The trained tiny model and its checkpoint."""
    return checkpoints.load_model(tiny_run / "best")


@pytest.fixture(scope="session")
def base(loaded: Loaded) -> Pair:
    """Its two fp32 graphs, as they are converted. Nobody may change them."""
    return convert(loaded[0])


@pytest.fixture(scope="session")
def graphs(base: Pair) -> dict[str, Pair]:
    """The two graphs of every variant. Nobody may change them."""
    return {variant: (to_variant(base[0], variant), to_variant(base[1], variant)) for variant in VARIANTS}


@pytest.fixture(scope="session")
def opened(tiny_bundle: Path) -> Bundle:
    """The exported bundle, opened."""
    return Bundle.open(tiny_bundle)


@pytest.fixture
def pack(tiny_run: Path, base: Pair, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Export in this process, everything real but the conversion, which is done once: pack(out, name="money")."""
    monkeypatch.setattr(package, "convert", lambda _model: base)

    def export(out: Path, **values: Any) -> Path:
        about = package.Description("money", licence="CC0-1.0")
        return package.export(tiny_run, out, about, values.pop("variants", ("cpu-fp32",)), **values)

    return export
