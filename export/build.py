"""`lamplight-build`: from a table to a bundle in one command."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from export.cli import bundle_options, check_options, pack, variants_of
from trainer.cli import overrides, run_cli, train_table
from trainer.config import PRESETS, preset


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("table", type=click.Path(path_type=Path))
@bundle_options
@click.option("--preset", "recipe", default="faq", show_default=True, help=", ".join(PRESETS))
@click.option("--pretrained", type=click.Path(path_type=Path), help="folder of a BERT-style encoder")
@click.option("--subject", help="what the table is about, in words; else from its name")
@click.option("--work", type=click.Path(path_type=Path), help="keep checkpoints and the training report here")
@overrides
def cli(
    table: Path,
    recipe: str,
    pretrained: Path | None,
    subject: str | None,
    work: Path | None,
    out: Path,
    name: str | None,
    version: str,
    description: str,
    licence: str,
    variants: str,
    calibration: Path | None,
    **values: Any,
) -> None:
    """Train on TABLE (.csv, .jsonl, .toml or a folder of .toml), convert, calibrate and pack: one bundle."""
    variants_of(variants)
    check_options(out, name)
    if calibration is None and (table / "calibration").is_dir():
        calibration = table / "calibration"
    described = {
        "out": out,
        "name": name,
        "version": version,
        "description": description,
        "licence": licence,
        "variants": variants,
        "calibration": calibration,
    }
    with tempfile.TemporaryDirectory(prefix="lamplight-build-") as scratch:
        folder = work or Path(scratch)
        train_table(table, preset(recipe, **values), folder, pretrained, subject)
        click.echo(str(pack(folder, described)))


def main() -> None:
    """Console script `lamplight-build`."""
    run_cli(cli, "lamplight-build")


if __name__ == "__main__":
    main()
