"""`lamplight history`: what was said, and getting rid of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from assistant.commands.console import confirm, emit, emit_json, narrate, table
from assistant.commands.context import Session, common_options
from assistant.errors import UsageError

if TYPE_CHECKING:
    from assistant.store.database import Store

_NOTHING = "Nothing is stored."


@click.group()
@common_options
@click.pass_context
def history(ctx: click.Context, session: Session) -> None:
    """Look at, search, export and delete past conversations.

    ID is the beginning of a conversation's id, as `history list` shows it, or "last".
    """
    ctx.obj = session


@history.command("list")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N, the one used last first.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@common_options
def list_conversations(limit: int | None, as_json: bool, session: Session) -> None:
    """List the conversations."""
    store = session.existing_store()
    found = store.conversations(limit) if store else []
    if as_json:
        emit_json([asdict(item) for item in found])
        return
    if not found:
        narrate(_NOTHING)
    table((item.id, _day(item.updated), f"{item.turns:>3}", item.title or "(no title)") for item in found)


@history.command()
@click.argument("conversation_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, replies included.")
@common_options
def show(conversation_id: str, as_json: bool, session: Session) -> None:
    """Show one conversation."""
    store = _required(session)
    conversation = _resolved(store, conversation_id)
    text = store.export_conversation(conversation, "json" if as_json else "md")
    if as_json:
        emit_json(json.loads(text))
    else:
        emit(text.rstrip("\n"))


@history.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@common_options
def search(words: tuple[str, ...], limit: int, as_json: bool, session: Session) -> None:
    """Find the questions and answers that hold all WORDS."""
    store = session.existing_store()
    hits = store.search(" ".join(words), limit) if store else []
    if as_json:
        emit_json([asdict(hit) for hit in hits])
        return
    if not hits:
        narrate("Nothing found.")
    table((hit.conversation_id, hit.title, hit.snippet) for hit in hits)


@history.command()
@click.argument("conversation_id", metavar="ID")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Default: stdout.")
@click.option("--format", "form", type=click.Choice(["md", "json"]), default="md", show_default=True)
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@common_options
def export(
    conversation_id: str, output: Path | None, form: Literal["md", "json"], force: bool, session: Session
) -> None:
    """Write one conversation as Markdown or JSON."""
    store = _required(session)
    text = store.export_conversation(_resolved(store, conversation_id), form)
    if output is None:
        if form == "json":
            emit_json(json.loads(text))
        else:
            emit(text.rstrip("\n"))
        return
    from assistant.store.files import refuse_to_overwrite, write_whole

    refuse_to_overwrite(output, force)
    write_whole(output, text)
    narrate(f"Written to {output}.")


@history.command()
@click.argument("conversation_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@common_options
def delete(conversation_ids: tuple[str, ...], yes: bool, session: Session) -> None:
    """Really delete conversations, with their feedback.

    Backups made before still hold them; `history purge` deletes those too.
    """
    store = _required(session)
    # all of them first, so that a mistyped one deletes nothing
    found = [store.conversation(_resolved(store, item)) for item in dict.fromkeys(conversation_ids)]
    for item in found:
        narrate(f"{item.id}  {item.title or '(no title)'}")
    confirm(f"Delete {_counted(len(found), 'conversation')} for good?", yes)
    for conversation_id in {item.id for item in found}:
        store.delete_conversation(conversation_id)
    narrate(f"Deleted {_counted(len(found), 'conversation')}.")


@history.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@common_options
def purge(yes: bool, session: Session) -> None:
    """Really delete everything that was ever said, and the backups of it."""
    store = session.existing_store()
    if store is None:
        narrate(_NOTHING)
        return
    from assistant.store import backup

    count = len(store.conversations())
    confirm(f"Delete {_counted(count, 'conversation')} and all backups here for good?", yes)
    store.purge()
    copies = backup.remove_all(session.paths.database)
    narrate(f"Deleted {_counted(count, 'conversation')} and {_counted(copies, 'backup')}.")


def _required(session: Session) -> Store:
    store = session.existing_store()
    if store is None:
        raise UsageError("nothing is stored yet")
    return store


def _resolved(store: Store, conversation_id: str) -> str:
    """Return a whole id for the beginning of one, or for "last"."""
    if conversation_id == "last":
        newest = store.conversations(limit=1)
        if not newest:
            raise UsageError("nothing is stored yet")
        return newest[0].id
    return store.conversation(conversation_id).id


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
