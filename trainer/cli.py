"""`lamplight-train`: train a model from a table, evaluate a checkpoint."""

from __future__ import annotations

import json
import shlex
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
_FROM_DATA = ("question_vocab_size", "answer_vocab_size", "max_answer_tokens")
_STACK = ("layers", "heads", "inner", "positions")


def overrides(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of the recipe."""
    names = {f.name: f.type for f in [*fields(TrainConfig), *fields(ModelConfig)] if f.name not in _FROM_DATA}
    for side in ("encoder", "decoder"):
        names.pop(side)
        names |= {f"{side}_{f.name}": f.type for f in fields(StackConfig) if f.name in _STACK}
    for name, kind in reversed(names.items()):
        command = click.option(
            f"--{name.replace('_', '-')}", type=_TYPES.get(str(kind), str), default=None, help="override of the preset"
        )(command)
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
def fit(
    table: Path | None, name: str, out: Path, pretrained: Path | None, subject: str | None, resume: bool, **values: Any
) -> None:
    """Train on TABLE (.csv, .jsonl, .toml or a folder of .toml) and write checkpoints and a report."""
    if table is None and not resume:
        raise UsageError("name a TABLE to train on, or --resume")
    recipe = preset(name, **values)
    before = _saved(out)
    try:
        train_table(table, recipe, out, pretrained, subject, resume)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(_how_to_go_on(out, resume, before)) from stop


def _saved(out: Path) -> tuple[int, int]:
    """When `last` was written and after which epoch; zeros where there is none."""
    from trainer import checkpoint as checkpoints

    try:
        folder = checkpoints.find(out, "last")
        return (folder / "checkpoint.json").stat().st_mtime_ns, checkpoints.load(folder).epoch
    except (LamplightError, OSError):
        return 0, 0


def _how_to_go_on(out: Path, resumed: bool, before: tuple[int, int]) -> str:
    saved = _saved(out)
    if not saved[1] or (saved == before and not resumed):
        return "before the first checkpoint; nothing was saved"
    return f"after epoch {saved[1]}; go on with: lamplight-train fit --resume -o {shlex.quote(str(out))}"


@cli.command()
@click.argument("checkpoint", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--set", "questions", type=click.Path(path_type=Path), help="JSONL of {question, id}; else its own")
@click.option("--json", "as_json", is_flag=True)
@click.option("--limit", type=click.IntRange(min=1), help="ask only so many questions, spread over the set")
def evaluate(checkpoint: Path, questions: Path | None, as_json: bool, limit: int | None) -> None:
    """Figures of a checkpoint's generated answers, or of a whole bundle's replies (PATH is a folder or a .zip)."""
    from trainer import bundle_eval

    if bundle_eval.is_bundle(checkpoint):
        report = bundle_eval.evaluate_bundle(checkpoint, questions, limit)
        click.echo(json.dumps(report, indent=1, ensure_ascii=False) if as_json else bundle_eval.as_text(report))
        return
    from trainer import checkpoint as checkpoints
    from trainer.evaluate import canonical, evaluate_questions
    from trainer.report import figures_line

    model, record = checkpoints.load_model(checkpoints.find(checkpoint))
    pairs = canonical(record.table) if questions is None else _read_set(questions, record.table.entries)
    pairs = bundle_eval.spread(pairs, limit)
    figures, rows = evaluate_questions(model, record, pairs)
    if as_json:
        click.echo(json.dumps({"figures": figures, "rows": rows}, indent=1, ensure_ascii=False))
        return
    click.echo(figures_line(str(questions or "canonical questions"), figures))
    for row in sorted(rows, key=lambda r: float(r["f1"]))[:10]:
        click.echo(f"  {row['f1']:.2f}  {row['question']}\n        {row['generated']}")


def train_table(
    table: Path | None,
    recipe: Preset,
    out: Path,
    pretrained: Path | None,
    subject: str | None = None,
    going_on: bool = False,
) -> None:
    """The whole of `fit`: train, evaluate, report. Used by `lamplight-build` too."""
    began = time.monotonic()
    content = None
    if not going_on:
        assert table is not None
        content = _read(table, recipe, subject)
        out.mkdir(parents=True, exist_ok=True)  # Before minutes of training, but not for a table that is no good.
    # Keras takes seconds to import: a bad table is told at once.
    from trainer.backend import device_name

    from trainer import train
    from trainer.dataset import Batches, training_rows
    from trainer.progress import Display

    run = train.resume(out, _say) if content is None else train.start(content, recipe, out, pretrained, _say)
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
    from trainer.backend import device_name

    from trainer import checkpoint as checkpoints
    from trainer.dataset import split_table
    from trainer.evaluate import canonical, evaluate_questions, topics_only
    from trainer.report import figures_line, write_report

    model, record = checkpoints.load_model(checkpoints.find(out))
    sets = {"canonical questions": evaluate_questions(model, record, canonical(record.table))}
    split = split_table(record.table, record.preset.train.seed)
    if not set(split.validation) & set(split.train):
        sets["held-out phrasings"] = evaluate_questions(model, record, topics_only(record.table, split.validation))
    about = {
        "preset": record.preset.name,
        "best epoch": record.epoch,
        "entries": len(record.table.entries),
        "seconds": round(seconds),
        "device": device_name(),
        "seed": record.preset.train.seed,
    }
    write_report(out, sets, history, about)
    for name, (figures, _) in sets.items():
        _say(figures_line(name, figures))
    _say(f"checkpoint, report.md and curves.png are in {out}")


def _read_set(path: Path, entries: Any) -> list[tuple[str, int]]:
    from trainer.bundle_eval import read_set
    from trainer.dataset import join_followup

    index = {entry.id: i for i, entry in enumerate(entries)}
    asked = [question for question in read_set(path, set(index)) if question.id]
    if not asked:
        raise UsageError(f"{path}: no question in it has an id of this table")
    return [(join_followup(q.previous, q.text) if q.previous else q.text, index[q.id]) for q in asked]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run_cli(command: click.Command, program: str) -> None:
    """Run a click command; every error a person can cause becomes one line and an exit code."""
    try:
        command.main(prog_name=program, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _say(f"{program}: {error.format_message().rstrip('.')} (see `{program} --help`)")
        sys.exit(error.exit_code)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("assistant", "trainer", "export"):
            raise
        _say(f"{program}: {error.name} is not installed; `pip install 'lamplight[train]'` brings it")
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt) as error:
        note = str(error.__cause__ or error)  # click puts an Abort of its own around the interruption.
        _say(f"{program}: interrupted {note}".rstrip())
        sys.exit(130)
    except LamplightError as error:
        _say(f"{program}: {error}")
        sys.exit(error.exit_code)
    except OSError as error:
        _say(f"{program}: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
        sys.exit(1)


def main() -> None:
    """Console script `lamplight-train`."""
    run_cli(cli, "lamplight-train")


if __name__ == "__main__":
    main()
