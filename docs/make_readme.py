"""Write the parts of README that come from the code: `python docs/make_readme.py` (a test checks them)."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from assistant.ui.screens.pages import keys_table  # noqa: E402

README = ROOT / "README.md"
BEGIN, END = "<!-- keys: begin (python docs/make_readme.py) -->\n", "<!-- keys: end -->"


def with_keys(text: str) -> str:
    """Return README with the table of keys as the code has it."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n{keys_table().strip()}\n\n{END}{tail}"


if __name__ == "__main__":
    README.write_text(with_keys(README.read_text(encoding="utf-8")), encoding="utf-8")
