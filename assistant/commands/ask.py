"""`lamplight ask`: one question, or a stream of them. Never imports the chat."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import click

from assistant.answering.safety import screen
from assistant.commands.console import emit, emit_json, narrate
from assistant.commands.context import Session, common_options
from assistant.commands.wording import reply_lines, verdict
from assistant.errors import LamplightError, StoreError, UsageError
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.answering.engine import Engine
    from assistant.store.database import Store
    from assistant.types import Reply


@click.command()
@click.argument("words", metavar="[QUESTION]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the reply as one JSON object.")
@click.option("--jsonl", is_flag=True, help='Read {"question", "previous"?} a line from stdin.')
@click.option("--no-save", is_flag=True, help="Store nothing.")
@click.option("--previous", metavar="TEXT", help="The question before, for a follow-up.")
@click.option("--beam", "beams", type=int, metavar="N", help="Search with N beams (default: 1).")
@common_options
def ask(
    words: tuple[str, ...],
    as_json: bool,
    jsonl: bool,
    no_save: bool,
    previous: str | None,
    beams: int | None,
    session: Session,
) -> int:
    """Answer a question and print the reply.

    Without QUESTION, or with -, the question is read from stdin. The answer and its source go to stdout,
    all else to stderr. With --jsonl one reply object is printed for each line, in their order, and nothing
    is stored.
    """
    session = session.with_flags(beams=beams)
    if jsonl:
        if words or as_json or previous is not None:
            raise UsageError("--jsonl takes all from stdin: leave QUESTION, --json and --previous out")
        from assistant.commands.jsonl import Readable, answer_lines

        return answer_lines(session, cast(Readable, sys.stdin.buffer), sys.stdout)
    question = _question(words)
    if screen(question).level == "danger":
        _settle_for_defaults(session)
    with _saved(session, question, no_save) as record:
        reply = answer_one(session, question, previous)
        record.append(reply)
    if as_json:
        emit_json(reply.to_json())
    else:
        print_reply(reply, session)
    return 0


def _settle_for_defaults(session: Session) -> None:
    """Let no broken settings file stand between a person in danger and the help card."""
    try:
        session.settings  # noqa: B018 - read for its errors
    except LamplightError as error:
        narrate(f"lamplight: {error}")
        session.settings = Settings()


def answer_one(session: Session, question: str, previous: str | None) -> Reply:
    """Answer one question. The screen for danger needs neither bundle nor model. Raises LamplightError."""
    from assistant.answering.engine import screen_reply

    settings = session.settings
    card = screen_reply(question, settings.country)
    if card is not None:
        return card
    return open_engine(session).answer(question, previous, country=settings.country)


def open_engine(session: Session) -> Engine:
    """Open the engine of the bundle that is asked for. Raises BundleError, DeviceError, UsageError."""
    from assistant.answering.engine import Engine

    settings = session.settings
    return Engine.open(session.bundle(), settings.device, settings.beams)


def print_reply(reply: Reply, session: Session) -> None:
    """Print a reply as text: answer and source to stdout, its kind and confidence to stderr."""
    for line in reply_lines(reply):
        emit(line)
    sys.stdout.flush()  # or the narration may come first
    narrate(verdict(reply))
    if reply.kind == "crisis" and session.settings.country is None:
        narrate(_country_hint())


def _country_hint() -> str:
    from assistant.commands.locale_guess import guessed_country

    guess = guessed_country()
    example = guess or "GB"
    why = "; your locale suggests it, but only you know" if guess else ""
    return f"For the numbers of your country add --country {example}, or set LAMPLIGHT_COUNTRY{why}."


def _question(words: tuple[str, ...]) -> str:
    text = " ".join(words)
    if not words or text == "-":
        if sys.stdin.isatty():
            raise UsageError('there is no question: lamplight ask "QUESTION"')
        text = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    if not text.strip():
        raise UsageError("the question is empty")
    # the shell may hand over bytes that are no UTF-8
    return text.strip().encode("utf-8", "replace").decode("utf-8")


@contextmanager
def _saved(session: Session, question: str, no_save: bool) -> Iterator[list[Reply]]:
    """Store the question before it is answered, and afterwards what came of it.

    The body appends the reply. A history that cannot be used costs a line on stderr, not the answer.
    """
    record: list[Reply] = []
    store = None if no_save or not session.settings.save_history else _open_store(session)
    if store is None:
        yield record
        return
    with store:
        turn = _stored_question(store, question)
        outcome: dict[str, Any] = {"state": "failed"}
        try:
            yield record
            outcome["state"] = "complete"
        except KeyboardInterrupt:
            outcome["state"] = "cancelled"
            raise
        finally:
            if turn is not None:
                reply = record[0] if record else None
                _finish(store, turn, outcome["state"], reply)


def _open_store(session: Session) -> Store | None:
    try:
        return session.store()
    except LamplightError as error:
        narrate(f"lamplight: this is not stored: {error}")
        return None


def _stored_question(store: Store, question: str) -> int | None:
    try:
        return store.add_question(store.create_conversation(), question)
    except StoreError as error:
        narrate(f"lamplight: this is not stored: {error}")
        return None


def _finish(store: Store, turn: int, state: Any, reply: Reply | None) -> None:
    try:
        store.finish_turn(turn, state, reply, reply.text if reply else "")
    except LamplightError as error:
        narrate(f"lamplight: the answer is not stored: {error}")
