"""`lamplight`: the commands, and the one place where errors become a line on stderr and an exit code.

stdout is data, stderr is narration. Exit codes: 0 done, 1 failed, 2 usage, 130 interrupted. Each command
lives in `assistant.commands` and is imported only when it is called.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from assistant.commands.context import Session, common_options
from assistant.errors import LamplightError, UsageError

INTERRUPTED = 130

_COMMANDS = {
    "ask": "assistant.commands.ask:ask",
    "history": "assistant.commands.history:history",
    "feedback": "assistant.commands.feedback:feedback",
    "bundle": "assistant.commands.bundle:bundle",
    "backup": "assistant.commands.backup:backup",
    "restore": "assistant.commands.backup:restore",
    "doctor": "assistant.commands.doctor:doctor",
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the documentation."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, None when there is none of that name."""
        if cmd_name not in _COMMANDS:
            return None
        module, name = _COMMANDS[cmd_name].split(":")
        command = getattr(import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{_COMMANDS[cmd_name]} is no command")
        return command


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="lamplight", prog_name="lamplight", message="%(prog)s %(version)s")
@click.option("--resume", is_flag=True, help="Open the chat with the conversation used last.")
@click.option("--conversation", metavar="ID", help="Open the chat with this conversation.")
@common_options
@click.pass_context
def cli(ctx: click.Context, resume: bool, conversation: str | None, session: Session) -> int:
    """Ask questions; get answers from a curated set, on your own machine.

    Without a command the chat opens. Lamplight is a program that gives information: it is no person and no
    clinician, and it alerts nobody.
    """
    ctx.obj = session
    if ctx.invoked_subcommand is not None:
        return 0
    return chat(session, conversation, resume)


def chat(session: Session, conversation: str | None, resume: bool) -> int:
    """Run the chat and return its exit code. Raises UsageError where there is no terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError('the chat needs a terminal; for scripts there is `lamplight ask "QUESTION"`')
    if os.environ.get("TERM") == "dumb":
        raise UsageError('the chat cannot run in TERM=dumb; there is `lamplight ask "QUESTION"`')
    from assistant.ui.app import run

    return run(session.settings, session.paths.create(), conversation, resume)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `lamplight` with `argv` (default: the process's arguments) and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_letters(stream)
    try:
        # not cli.main(): click's own handling of Ctrl+C and closed pipes comes before ours there
        arguments = list(sys.argv[1:] if argv is None else argv)
        with cli.make_context("lamplight", arguments) as context:
            code = cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _failed("interrupted", INTERRUPTED)
    except click.ClickException as error:
        return _failed(_usage_line(error), error.exit_code)
    except LamplightError as error:
        return _failed(str(error), error.exit_code)
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        return _failed(_os_line(error), 1)
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int) -> int:
    """Say the one line, and return `code`."""
    from assistant.clean import clean_line

    print(f"lamplight: {clean_line(message)}", file=sys.stderr)
    return code


def _usage_line(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f" (see `{context.command_path} --help`)" if context else ""
    return error.format_message().rstrip(".") + hint


def _os_line(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _reader_left() -> int:
    """The reader of our output has seen enough (`| head`); nothing to say, and nothing to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _never_fail_on_letters(stream: Any) -> None:
    """A terminal that cannot show a letter gets its number, not an exception."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
