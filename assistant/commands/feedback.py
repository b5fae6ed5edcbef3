"""`lamplight feedback`: what was thought of the replies, for the next training."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from assistant.commands.console import emit_json, narrate, table
from assistant.commands.context import Session, common_options
from assistant.errors import UsageError


@click.group()
@common_options
@click.pass_context
def feedback(ctx: click.Context, session: Session) -> None:
    """List and export the feedback given in the chat."""
    ctx.obj = session


@feedback.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@common_options
def list_feedback(as_json: bool, session: Session) -> None:
    """List all feedback."""
    store = session.existing_store()
    found = store.feedback() if store else []
    if as_json:
        emit_json([{k: v for k, v in asdict(item).items() if k != "reply_json"} for item in found])
        return
    if not found:
        narrate("There is no feedback yet.")
    table((item.created[:10], item.verdict, item.reason or "", item.question) for item in found)


@feedback.command()
@click.argument("path", type=click.Path(path_type=Path, allow_dash=True), default=Path("feedback.jsonl"))
@click.option("--include-crisis", is_flag=True, help="With the messages that raised the help card.")
@click.option("--force", is_flag=True, help="Overwrite PATH.")
@common_options
def export(path: Path, include_crisis: bool, force: bool, session: Session) -> None:
    """Write the feedback to PATH (default: feedback.jsonl; - is stdout), a JSON object a line.

    Messages that raised the help card are left out unless you ask for them.
    """
    store = session.existing_store()
    if store is None:
        raise UsageError("nothing is stored yet, so there is no feedback to export")
    from assistant.store import feedback as exporter

    if str(path) == "-":
        for record in exporter.records(store, include_crisis):
            print(json.dumps(record))
        return
    count = exporter.export(store, path, include_crisis, force)
    left_out = len(store.feedback()) - count
    narrate(f"Wrote {count} records to {path}" + (f"; {left_out} left out (help card)." if left_out else "."))
