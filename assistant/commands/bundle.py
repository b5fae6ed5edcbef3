"""`lamplight bundle`: which bundles there are, and which one answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.commands.console import confirm, emit, emit_json, narrate, table
from assistant.commands.context import Session, common_options
from assistant.errors import BundleDamaged

if TYPE_CHECKING:
    from assistant.bundle.registry import Listed


@click.group("bundle")
@common_options
@click.pass_context
def bundle(ctx: click.Context, session: Session) -> None:
    """List, install, choose, check and remove bundles.

    A bundle holds one subject: a model, its curated answers, and where they come from.
    """
    ctx.obj = session


@bundle.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@common_options
def list_bundles(as_json: bool, session: Session) -> None:
    """List the bundles; * marks the one in use."""
    from assistant.bundle.registry import listing

    found = listing(session.paths.bundles_dir)
    if as_json:
        emit_json([_listed_record(item) for item in found])
        return
    if not found:
        narrate("There is no bundle.")
    table(_listed_row(item) for item in found)


@bundle.command()
@click.argument("name", metavar="[NAME|PATH]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON.")
@common_options
def show(name: str | None, as_json: bool, session: Session) -> None:
    """Show what a bundle says about itself (default: the one in use)."""
    found = session.bundle(name)
    manifest = found.manifest
    if as_json:
        emit_json(manifest.to_json() | {"path": str(found.root)})
        return
    shapes = manifest.architecture
    rows = [
        ("name", f"{manifest.name} {manifest.version}"),
        ("subject", manifest.subject),
        ("about", manifest.description),
        ("language", manifest.language),
        ("licence", manifest.licence),
        ("made", manifest.created),
        ("entries", str(sum(1 for entry in found.entries() if entry.kind == "topic"))),
        ("model", f"{shapes.preset}, width {shapes.d_model}, {shapes.decoder_layers} decoder layers"),
        ("variants", ", ".join(manifest.variants)),
        ("path", str(found.root)),
    ]
    rows += [("uses", f"{item.name} ({item.licence}) {item.url}") for item in manifest.attributions]
    table((label, text) for label, text in rows if text)


@bundle.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--use", "choose", is_flag=True, help="Answer from it from now on.")
@common_options
def install(path: Path, choose: bool, session: Session) -> None:
    """Install a bundle from a folder or a .zip file, once every hash in it is right."""
    from assistant.bundle import install as installer
    from assistant.bundle import registry

    folder = session.paths.create().bundles_dir
    name = installer.install(path, folder).manifest.name
    narrate(f"Installed {name}.")
    if choose:
        registry.use(name, folder)
        narrate(f"{name} answers from now on.")
    else:
        narrate(f"`lamplight bundle use {name}` makes it the one that answers.")


@bundle.command()
@click.argument("name")
@common_options
def use(name: str, session: Session) -> None:
    """Answer from the bundle NAME from now on."""
    from assistant.bundle import registry

    folder = session.paths.create().bundles_dir
    before = registry.current(folder)
    found = registry.use(name, folder)
    narrate(f"{found.manifest.name} {found.manifest.version} answers from now on.")
    if before != name:
        narrate(f"Back again: lamplight bundle use {before}")


@bundle.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common_options
def remove(name: str, yes: bool, session: Session) -> None:
    """Delete the installed bundle NAME."""
    from assistant.bundle import registry

    confirm(f"Delete the bundle {name}?", yes)
    registry.remove(name, session.paths.bundles_dir)
    narrate(f"Removed {name}; {registry.current(session.paths.bundles_dir)} answers now.")


@bundle.command()
@click.argument("name", metavar="[NAME|PATH]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@common_options
def verify(name: str | None, as_json: bool, session: Session) -> None:
    """Check every file of a bundle against its hash (default: the one in use)."""
    from assistant.bundle.verify import problems

    found = session.bundle(name)
    wrong = problems(found)
    label = f"{found.manifest.name} {found.manifest.version}"
    if as_json:
        emit_json({"name": found.manifest.name, "version": found.manifest.version, "problems": wrong})
    elif not wrong:
        emit(f"{label}: all {len(found.manifest.files)} files are as they were made.")
    else:
        emit("\n".join(wrong))
    if wrong:
        raise BundleDamaged(f"{label}: {len(wrong)} of its files are not as they were made")


def _listed_record(item: Listed) -> dict[str, Any]:
    manifest = item.bundle.manifest if item.bundle else None
    return {
        "name": item.name,
        "version": manifest.version if manifest else None,
        "subject": manifest.subject if manifest else None,
        "path": str(item.path),
        "shipped": item.shipped,
        "current": item.current,
        "problem": item.problem or None,
    }


def _listed_row(item: Listed) -> tuple[str, ...]:
    manifest = item.bundle.manifest if item.bundle else None
    about = manifest.subject if manifest else f"cannot be opened: {item.problem}"
    origin = "shipped" if item.shipped else "installed"
    return ("*" if item.current else " ", item.name, manifest.version if manifest else "-", origin, about)
