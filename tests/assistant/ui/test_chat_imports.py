"""The first paint waits for no model library and no database library."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"numpy", "onnxruntime", "tokenizers", "sqlite_utils", "sqlite3", "tensorflow", "keras", "click"}


def test_importing_the_chat_is_lean() -> None:
    code = "import assistant.ui.app, sys; print(' '.join(name.partition('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
