"""`lamplight-export`: a checkpoint becomes a bundle."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from assistant.bundle.manifest import is_bundle_name
from assistant.errors import UsageError
from export.target import check_target, is_zip
from trainer.cli import _say as say
from trainer.cli import run_cli

ALL = ("cpu-int8", "cpu-fp32", "cuda-fp16")
SHIPPED = "cpu-int8,cuda-fp16"


def bundle_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options that describe a bundle, shared with `lamplight-build`."""
    options = [
        click.option(
            "-o", "--out", type=click.Path(path_type=Path), required=True, help="the bundle: a folder, or a .zip"
        ),
        click.option("--name", help="name of the bundle; else that of --out"),
        click.option("--version", default="1.0.0", show_default=True),
        click.option("--description", default=""),
        click.option("--licence", default="not stated", show_default=True),
        click.option("--variants", default=SHIPPED, show_default=True, help=f"of {', '.join(ALL)}"),
        click.option(
            "--calibration",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="folder of .jsonl with questions never trained on",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def variants_of(text: str) -> tuple[str, ...]:
    """Read --variants. Raises UsageError for an unknown one, or where none is for the CPU."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [name for name in names if name not in ALL]
    if unknown:
        raise UsageError(f"unknown variant {unknown[0]!r}: choose from {', '.join(ALL)}")
    if not any(name.startswith("cpu-") for name in names):
        raise UsageError("a bundle needs a variant for the CPU: cpu-int8 or cpu-fp32")
    return names


def check_options(out: Path, name: str | None) -> str:
    """Return the bundle's name: the one given, or that of `out`. Raises UsageError or ExportError before any work."""
    plain = out.absolute().stem if is_zip(out) else out.absolute().name
    chosen = name or plain.lower().replace("_", "-").replace(" ", "-")
    if not is_bundle_name(chosen):
        raise UsageError(f"a bundle cannot be called {chosen!r}: lower-case letters, digits, '.', '_', '-'; see --name")
    if os.environ.get("KERAS_BACKEND", "tensorflow") != "tensorflow":
        raise UsageError("the conversion to ONNX runs on TensorFlow: KERAS_BACKEND must be unset or tensorflow")
    check_target(out)
    return chosen


def pack(checkpoint: Path, values: dict[str, Any]) -> Path:
    """Export a checkpoint with the options of `bundle_options`."""
    out: Path = values["out"]
    name = check_options(out, values["name"])
    from export.package import Description, export

    about = Description(name, values["version"], values["description"], "en", values["licence"])
    return export(checkpoint, out, about, variants_of(values["variants"]), values["calibration"], say)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("checkpoint", type=click.Path(path_type=Path))
@bundle_options
def cli(checkpoint: Path, **values: Any) -> None:
    """Convert CHECKPOINT to ONNX, compare it with Keras, calibrate it and pack it as a bundle."""
    click.echo(str(pack(checkpoint, values)))


def main() -> None:
    """Console script `lamplight-export`."""
    run_cli(cli, "lamplight-export")


if __name__ == "__main__":
    main()
