"""README against the code: its key table, its commands, the tree it draws."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import click
import pytest
from conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_keys_is_current() -> None:
    assert load(ROOT / "docs" / "make_readme.py").with_keys(README) == README, "run: python docs/make_readme.py"


def test_every_command_of_lamplight_that_it_names_exists() -> None:
    from assistant.cli import cli

    named = set(re.findall(r"^lamplight (\w+)", README, flags=re.MULTILINE))
    assert named >= {"ask", "history", "doctor", "bundle"}
    with click.Context(cli) as context:
        assert named <= set(cli.list_commands(context))


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)\)", README))))
def test_every_file_that_it_links_to_is_there(link: str) -> None:
    assert (ROOT / link).exists()


def test_the_tree_names_what_is_there() -> None:
    tree = README.split("```text\n")[1].split("```")[0]
    for line in tree.splitlines():
        names = re.match(r" *((?:[\w.]+/? )+)", line)
        assert names is not None, line
        for name in names[1].replace("/", "").split():
            assert any((ROOT / parent / name).exists() for parent in ("", "assistant", "trainer", "export")), line
