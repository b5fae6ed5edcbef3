"""`lamplight-train`: train a model from a table, evaluate a checkpoint."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from assistant.errors import LamplightError, UsageError
from trainer.config import PRESETS, ModelConfig, Preset, StackConfig, TrainConfig, preset
from trainer.general import subject_of, with_general
from trainer.table import Table, read_table

_TYPES = {"int": int, "float": float, "str": str, "bool": bool}


def overrides(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of the recipe."""
    names = {f.name: f.type for f in [*fields(TrainConfig), *fields(ModelConfig)] if not f.name.endswith("vocab_size")}
    for side in ("encoder", "decoder"):
        names.pop(side)
        names |= {f"{side}_{f.name}": f.type for f in fields(StackConfig) if f.name in ("layers", "heads", "inner")}
    for name, kind in reversed(names.items()):
        command = click.option(f"--{name.replace('_', '-')}", type=_TYPES.get(str(kind), str), default=None,
                               help="override of the preset")(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Train Lamplight's Transformer on a table of questions and answers."""


@cli.command()
def presets() -> None:
    """List the presets with all their values, as JSON."""
    click.echo(json.dumps({name: make().to_json() for name, make in PRESETS.items()}, indent=1))


@cli.command()
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option("--preset", "name", default="faq", show_default=True, help=", ".join(PRESETS))
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="folder for checkpoints and report")
@click.option("--pretrained", type=click.Path(path_type=Path), help="folder of a BERT-style encoder")
@click.option("--subject", help="what the table is about, in words; else from its name")
@click.option("--resume", is_flag=True, help="go on with the interrupted run in --out")
@overrides
def fit(table: Path | None, name: str, out: Path, pretrained: Path | None, subject: str | None,
        resume: bool, **values: Any) -> None:
    """Train on TABLE (.csv, .jsonl, .toml or a folder of .toml) and write checkpoints and a report."""
    if table is None and not resume:
        raise UsageError("name a TABLE to train on, or --resume")
    recipe = preset(name, **values)
    train_table(table, recipe, out, pretrained, subject, resume)


@cli.command()
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.option("--set", "questions", type=click.Path(path_type=Path), help="JSONL of {question, id}; else the table's own")
@click.option("--json", "as_json", is_flag=True)
def evaluate(checkpoint: Path, questions: Path | None, as_json: bool) -> None:
    """Figures of a CHECKPOINT's generated answers."""
    from trainer import checkpoint as checkpoints
    from trainer.evaluate import canonical, evaluate_questions
    from trainer.report import figures_line

    model, record = checkpoints.load_model(checkpoints.find(checkpoint))
    pairs = canonical(record.table) if questions is None else _read_set(questions, record.table.entries)
    figures, rows = evaluate_questions(model, record, pairs)
    if as_json:
        click.echo(json.dumps({"figures": figures, "rows": rows}, indent=1, ensure_ascii=False))
        return
    click.echo(figures_line(str(questions or "canonical questions"), figures))
    for row in sorted(rows, key=lambda r: float(r["f1"]))[:10]:
        click.echo(f"  {row['f1']:.2f}  {row['question']}\n        {row['generated']}")


def train_table(table: Path | None, recipe: Preset, out: Path, pretrained: Path | None, subject: str | None = None,
                going_on: bool = False) -> None:
    """The whole of `fit`: train, evaluate, report. Used by `lamplight-build` too."""
    from trainer import train
    from trainer.backend import device_name
    from trainer.dataset import Batches, training_rows
    from trainer.progress import Display

    began = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    if going_on:
        run = train.resume(out, _say)
    else:
        assert table is not None
        run = train.start(_read(table, recipe, subject), recipe, out, pretrained, _say)
    batches = Batches(run.table, training_rows(run.table, run.preset.train), run.tokenizers, run.preset)
    tokens = sum(len(batches.answers[index]) for _, index in batches.questions)
    display = Display(run.preset.train.epochs, len(batches), tokens, device_name(), run.start_epoch)
    try:
        history = train.fit(run, [display])
    finally:
        display.close()
    train.write_history(out, history)
    _report(out, history, time.monotonic() - began)


def _read(path: Path, recipe: Preset, subject: str | None) -> Table:
    table = read_table(path)
    return with_general(table, subject or subject_of(path)) if recipe.general else table


def _report(out: Path, history: list[dict[str, float]], seconds: float) -> None:
    from trainer import checkpoint as checkpoints
    from trainer.backend import device_name
    from trainer.dataset import split_table
    from trainer.evaluate import canonical, evaluate_questions
    from trainer.report import figures_line, write_report

    model, record = checkpoints.load_model(checkpoints.find(out))
    sets = {"canonical questions": evaluate_questions(model, record, canonical(record.table))}
    split = split_table(record.table, record.preset.train.seed)
    if split.validation != split.train:
        sets["held-out phrasings"] = evaluate_questions(model, record, list(split.validation))
    about = {"preset": record.preset.name, "best epoch": record.epoch, "entries": len(record.table.entries),
             "seconds": round(seconds), "device": device_name(), "seed": record.preset.train.seed}
    write_report(out, sets, history, about)
    for name, (figures, _) in sets.items():
        _say(figures_line(name, figures))
    _say(f"checkpoint, report.md and curves.png are in {out}")


def _read_set(path: Path, entries: Any) -> list[tuple[str, int]]:
    index = {entry.id: i for i, entry in enumerate(entries)}
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        record = json.loads(line)
        if record["id"] not in index:
            raise UsageError(f"{path}, line {number}: unknown id {record['id']!r}")
        pairs.append((record["question"], index[record["id"]]))
    return pairs


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run_cli(command: click.Command, program: str) -> None:
    """Run a click command; every error a person can cause becomes one line and an exit code."""
    try:
        command.main(prog_name=program, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say(f"{program}: interrupted")
        sys.exit(130)
    except LamplightError as error:
        _say(f"{program}: {error}")
        sys.exit(error.exit_code)
    except OSError as error:
        _say(f"{program}: {error.filename or ''}: {error.strerror or error}")
        sys.exit(1)


def main() -> None:
    """Console script `lamplight-train`."""
    run_cli(cli, "lamplight-train")


if __name__ == "__main__":
    main()
