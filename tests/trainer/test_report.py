"""The report at the end of a run."""

from __future__ import annotations

import json
from pathlib import Path

from trainer.report import draw_curves, figures_line, write_report

FIGURES = {"f1": 0.8125, "exact_match": 0.5, "bleu": 61.24, "perplexity": 1.5}
ROWS = [
    {"question": "what | is?", "answer": "a", "generated": "line\none", "f1": 1.0},
    {"question": "why", "answer": "b", "generated": "c", "f1": 0.625},
]
HISTORY = [{"epoch": 1.0, "loss": 4.0}, {"epoch": 2.0, "loss": 2.0, "val_loss": 3.0}]


def test_report_holds_figures_and_every_row(tmp_path: Path) -> None:
    write_report(tmp_path, {"canonical": (FIGURES, ROWS)}, HISTORY, {"preset": "tiny", "seed": 7})
    record = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert record == {
        "about": {"preset": "tiny", "seed": 7},
        "figures": {"canonical": FIGURES},
        "rows": {"canonical": ROWS},
    }
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "- preset: tiny" in text and "token F1 0.812" in text
    # The worst first, and no row broken by its own text.
    assert text.index("| 0.62 | why | c |") < text.index("| 1.00 | what \\| is? | line one |")


def test_curves_are_a_picture(tmp_path: Path) -> None:
    draw_curves(tmp_path / "curves.png", HISTORY)
    data = (tmp_path / "curves.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n") and len(data) > 5000
    draw_curves(tmp_path / "other.png", [{"epoch": 1.0, "loss": 9.0}, {"epoch": 2.0, "loss": 1.0, "val_loss": 2.0}])
    assert (tmp_path / "other.png").read_bytes() != data


def test_the_line_for_the_terminal() -> None:
    assert (
        figures_line("held out", FIGURES) == "held out: token F1 0.812, exact match 0.500, BLEU 61.2, perplexity 1.50"
    )
