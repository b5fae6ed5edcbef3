"""What all commands share: the common options, and the session made of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from assistant.errors import StoreDamaged, StoreError
from assistant.paths import Paths, home
from assistant.settings import DEVICES, Settings, load

if TYPE_CHECKING:
    from assistant.bundle.reader import Bundle
    from assistant.store.database import Store

P = ParamSpec("P")
R = TypeVar("R")

_COMMON = ("home", "bundle", "device", "country")


class Session:
    """Paths, settings, bundle and store of one call, each found when it is first needed."""

    def __init__(self, flags: dict[str, Any]) -> None:
        """Take the common options; None stands for one that was not given."""
        self.flags = flags

    def with_flags(self, **flags: Any) -> Session:
        """Return a session in which these flags, where they are given, come before the ones here."""
        return Session(self.flags | {name: value for name, value in flags.items() if value is not None})

    @cached_property
    def paths(self) -> Paths:
        """Where everything lies; nothing is created by looking."""
        return home(self.flags.get("home"))

    @cached_property
    def settings(self) -> Settings:
        """The settings in force. Raises UsageError, SettingsError."""
        return load(self.flags, config_file=self.paths.config_file)

    def bundle(self, name: str | None = None) -> Bundle:
        """Open a bundle by name or path; None is the one in use. Raises BundleError."""
        from assistant.bundle.registry import find

        return find(name or self.settings.bundle, self.paths.bundles_dir)

    def store(self) -> Store:
        """Open the history, making it where there is none.

        Raises StoreError; for a damaged one it says how to get the newest backup back.
        """
        from assistant.store import backup
        from assistant.store.database import Store

        self.paths.create()
        try:
            return Store.open(self.paths.database)
        except StoreDamaged as error:
            newest = backup.newest(self.paths.database)
            way_out = f"`lamplight restore` puts back {newest.name}" if newest else "there is no backup of it"
            raise StoreDamaged(f"{error}; {way_out}") from error

    def existing_store(self) -> Store | None:
        """Open the history if there is one: looking into it must not make it. Raises StoreError."""
        try:
            self.paths.database.lstat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"cannot open {self.paths.database}: {error.strerror or error}") from error
        return self.store()


def common_options(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the common options, and hand it the `session` made of them.

    They may stand before the command or after it; after it they count more.
    """

    @click.option("--home", metavar="DIR", help="Keep everything under this folder (LAMPLIGHT_HOME).")
    @click.option("--bundle", metavar="NAME|PATH", help="Answer from this bundle.")
    @click.option("--device", type=click.Choice(DEVICES), help="Where the model runs (default: auto).")
    @click.option("--country", metavar="CODE", help="Two letters, for the numbers of the help card.")
    @click.pass_context
    @wraps(command)
    def wrapped(ctx: click.Context, /, *args: Any, **kwargs: Any) -> R:
        flags = {name: kwargs.pop(name) for name in _COMMON}
        above = ctx.obj if isinstance(ctx.obj, Session) else Session({})
        return command(*args, session=above.with_flags(**flags), **kwargs)  # type: ignore[arg-type]

    return wrapped
