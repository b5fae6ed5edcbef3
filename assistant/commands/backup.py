"""`lamplight backup` and `lamplight restore`."""

from __future__ import annotations

from pathlib import Path

import click

from assistant.commands.console import confirm, emit, narrate
from assistant.commands.context import Session, common_options
from assistant.errors import UsageError


@click.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@common_options
def backup(path: Path | None, session: Session) -> None:
    """Write a whole, checked copy of the history to PATH (default: a dated file) and print its name."""
    store = session.existing_store()
    if store is None:
        raise UsageError("nothing is stored yet, so there is nothing to back up")
    from assistant.store.backup import default_target

    target = path or default_target(session.paths.database)
    with store:
        store.copy_to(target)
    emit(str(target))


@click.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--list", "only_list", is_flag=True, help="List the backups, newest first, and stop.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common_options
def restore(path: Path | None, only_list: bool, yes: bool, session: Session) -> None:
    """Put a backup (default: the newest one) in the place of the history, which is kept beside it."""
    from assistant.store import backup as copies

    database = session.paths.create().database
    if only_list:
        for item in copies.backups(database):
            emit(str(item))
        return
    source = path or copies.newest(database)
    if source is None:
        raise UsageError(f"there is no backup in {copies.folder_of(database)}; name one: lamplight restore PATH")
    confirm(f"Put {source} in the place of the history?", yes)
    kept = copies.restore(database, source)
    narrate(f"The history is now that of {source}.")
    if kept is not None:
        narrate(f"What was there before is kept as {kept}.")
