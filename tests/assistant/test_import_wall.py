"""The import wall of DESIGN.md: what each package may drag in, looked at in a fresh process."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = {"tensorflow", "keras", "tf2onnx", "onnx", "jax", "trainer", "export"}
RUNTIME = {"onnxruntime"}
SCREEN = {"textual"}
DATABASE = {"sqlite3", "sqlite_utils"}

WALL = {
    "assistant.cli": TRAINING | RUNTIME | SCREEN | DATABASE | {"numpy", "tokenizers"},
    "assistant.commands.ask": TRAINING | RUNTIME | SCREEN | DATABASE | {"numpy", "tokenizers"},
    "assistant.commands.jsonl": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.commands.history": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.commands.doctor": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.answering.safety": TRAINING | RUNTIME | SCREEN | DATABASE | {"numpy", "tokenizers", "assistant.bundle"},
    "assistant.answering.policy": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.answering.curated": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.answering.engine": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.inference.decoding": TRAINING | RUNTIME | SCREEN | DATABASE | {"tokenizers"},
    "assistant.inference.confidence": TRAINING | RUNTIME | SCREEN | DATABASE | {"tokenizers"},
    "assistant.inference.sessions": TRAINING | SCREEN | DATABASE,
    "assistant.bundle.registry": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.bundle.install": TRAINING | RUNTIME | SCREEN | DATABASE,
    "assistant.store.database": TRAINING | RUNTIME | SCREEN,
    "assistant.store.feedback": TRAINING | RUNTIME | SCREEN,
    "assistant.ui.app": TRAINING | RUNTIME,
}

ONLY_IN: dict[str, str | tuple[str, ...]] = {
    "onnxruntime": "assistant/inference/sessions.py",
    "textual": "assistant/ui/",
    "sqlite3": "assistant/store/",
    "sqlite_utils": "assistant/store/",
    "click": ("assistant/cli.py", "assistant/commands/"),
}


def modules_after(code: str) -> set[str]:
    """The names in sys.modules of a fresh process that ran `code`."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    process = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr
    return set(process.stdout.splitlines())


@pytest.mark.parametrize("module", WALL)
def test_a_module_drags_in_nothing_heavy(module: str) -> None:
    if not (ROOT / Path(*module.split(".")).with_suffix(".py")).exists():
        pytest.skip(f"{module} is not there yet")
    assert WALL[module] & modules_after(f"import {module}") == set()


def test_trainer_and_export_keep_their_side() -> None:
    for package, forbidden in (("trainer", {"export"}), ("assistant", {"trainer", "export"})):
        for file in sorted((ROOT / package).rglob("*.py")):
            found = {name.split(".")[0] for name in imported(file)}
            assert found & forbidden == set(), file


def test_a_crisis_ask_loads_neither_the_chat_nor_the_model() -> None:
    found = modules_after(
        "from assistant.cli import main\nassert main(['ask', '--no-save', 'I want to end my life']) == 0"
    )
    assert found & (SCREEN | RUNTIME | TRAINING) == set()


def test_help_loads_nothing_heavy() -> None:
    found = modules_after("from assistant.cli import main\nassert main(['--help']) == 0")
    assert found & (SCREEN | RUNTIME | TRAINING | DATABASE | {"numpy"}) == set()


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_imported_in_its_place_only(library: str) -> None:
    places = ONLY_IN[library]
    strays = [
        file
        for file in sorted((ROOT / "assistant").rglob("*.py"))
        if any(name.split(".")[0] == library for name in imported(file))
        and not file.relative_to(ROOT).as_posix().startswith(places)
    ]
    assert strays == []


def imported(file: Path) -> set[str]:
    """Every module that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names
