"""Fixtures for all tests: a home of their own, and one small bundle that is really trained and exported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# The models of the tests are too small to share out over threads; those would only wait for each other.
for name in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So a shell starts what it runs in the background; the programs that the tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the real home, and none reaches a model hub."""
    home = tmp_path / "lamplight-home"
    for name in [name for name in os.environ if name.startswith("LAMPLIGHT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LAMPLIGHT_HOME", str(home))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return home


@pytest.fixture(scope="session")
def tiny_table() -> Path:
    """Twelve questions about money, with phrasings."""
    return DATA / "money.csv"


@pytest.fixture(scope="session")
def tiny_run(tiny_table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training run of a two-layer model, by the command a person would use."""
    out = tmp_path_factory.mktemp("run") / "tiny"
    run(["-m", "trainer", "fit", str(tiny_table), "--preset", "tiny", "-o", str(out)])
    return out


@pytest.fixture(scope="session")
def tiny_bundle(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of that run with all three variants."""
    out = tmp_path_factory.mktemp("bundle") / "money"
    run(
        [
            "-m",
            "export",
            str(tiny_run),
            "-o",
            str(out),
            "--variants",
            "cpu-int8,cpu-fp32,cuda-fp16",
            "--licence",
            "CC0-1.0",
        ]
    )
    return out


def run(arguments: list[str], code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run Python in the repository; fail with its output unless it exits with `code`."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, text=True, capture_output=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done
