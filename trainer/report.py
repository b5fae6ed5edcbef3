"""The report at the end of a run: figures, the table per question, the curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_report(
    out: Path,
    sets: dict[str, tuple[dict[str, float], list[dict[str, Any]]]],
    history: list[dict[str, float]],
    about: dict[str, Any],
) -> None:
    """Write report.json (figures and every row), report.md (for people) and curves.png into `out`."""
    record = {
        "about": about,
        "figures": {name: figures for name, (figures, _) in sets.items()},
        "rows": {name: rows for name, (_, rows) in sets.items()},
    }
    (out / "report.json").write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")
    (out / "report.md").write_text(_markdown(sets, about), encoding="utf-8")
    draw_curves(out / "curves.png", history)


def figures_line(name: str, figures: dict[str, float]) -> str:
    """One line of figures for the terminal."""
    return (
        f"{name}: token F1 {figures['f1']:.3f}, exact match {figures['exact_match']:.3f}, "
        f"BLEU {figures['bleu']:.1f}, perplexity {figures['perplexity']:.2f}"
    )


def _markdown(sets: dict[str, tuple[dict[str, float], list[dict[str, Any]]]], about: dict[str, Any]) -> str:
    lines = ["# Training report", "", *(f"- {key}: {value}" for key, value in about.items()), ""]
    for name, (figures, rows) in sets.items():
        lines += [f"## {name}", "", figures_line(name, figures), "", "| F1 | question | generated |", "|---|---|---|"]
        for row in sorted(rows, key=lambda r: float(r["f1"])):
            lines.append(f"| {row['f1']:.2f} | {_cell(row['question'])} | {_cell(row['generated'])} |")
        lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def draw_curves(path: Path, history: list[dict[str, float]]) -> None:
    """Training and held-out loss over epochs as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), dpi=120)
    axes = figure.add_subplot()
    for key, label in (("loss", "training (all losses)"), ("val_loss", "held out (cross-entropy)")):
        points = [(row["epoch"], row[key]) for row in history if key in row]
        if points:
            axes.plot(*zip(*points, strict=True), label=label)
    axes.set(xlabel="epoch", ylabel="loss", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
