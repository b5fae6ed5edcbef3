"""Keras' backend: a quiet start, and JAX where there is no TensorFlow."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("KERAS_BACKEND", "TF_CPP_MIN_LOG_LEVEL")}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=kept | environment, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("module", ["trainer.layers", "export.convert"])
def test_the_start_of_tensorflow_is_quiet(module: str) -> None:
    code = f"import {module}, keras, sys; keras.ops.ones(2) + 1; print('heard', file=sys.stderr)"
    done = python(code)
    assert (done.returncode, done.stderr) == (0, "heard\n")


def test_an_error_while_it_is_loaded_is_heard() -> None:
    done = python("import sys; sys.modules['tensorflow'] = None; import trainer.layers")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


def test_a_closed_stderr_does_no_harm() -> None:
    code = "import os, sys; os.close(2); sys.stderr = None; import trainer.backend; print('done')"
    assert python(code).stdout == "done\n"


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="needs JAX")
def test_jax_trains_where_there_is_no_tensorflow(tiny_table: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['tensorflow'] = None\n"
        f"sys.argv = ['x', 'fit', {str(tiny_table)!r}, '-o', {str(tmp_path)!r}, '--preset', 'tiny', '--epochs', '1']\n"
        "from trainer.cli import main; main()"
    )
    done = python(code, KERAS_BACKEND="jax")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "best" / "weights.safetensors").is_file()
