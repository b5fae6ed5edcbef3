"""Where Lamplight keeps its files: XDG folders by platformdirs, or all of it under one home."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import SettingsError

HOME_VARIABLE = "LAMPLIGHT_HOME"
APP_NAME = "lamplight"
FOLDER_MODE = 0o700  # what is stored here is private


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one installation, and the files in them."""

    config_dir: Path
    data_dir: Path
    state_dir: Path

    @property
    def bundles_dir(self) -> Path:
        """Folder of the bundles that were installed."""
        return self.data_dir / "bundles"

    @property
    def backups_dir(self) -> Path:
        """Folder of the copies of the history."""
        return self.data_dir / "backups"

    @property
    def database(self) -> Path:
        """The history file."""
        return self.data_dir / "lamplight.db"

    @property
    def config_file(self) -> Path:
        """The settings file."""
        return self.config_dir / "config.toml"

    @property
    def log_file(self) -> Path:
        """The log of the chat."""
        return self.state_dir / "lamplight.log"

    def create(self) -> Paths:
        """Make the three folders, readable by their owner only, and return self.

        Raises SettingsError when a folder cannot be made.
        """
        for folder in (self.config_dir, self.data_dir, self.state_dir):
            make_private_folder(folder)
        return self


def make_private_folder(folder: Path) -> None:
    """Make `folder` with mode 0700; raises SettingsError when that cannot be done."""
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"cannot make the folder {folder}: {error.strerror or error}") from error


def home(override: str | Path | None = None, env: Mapping[str, str] | None = None) -> Paths:
    """Return the paths: under `override`, else under LAMPLIGHT_HOME, else the platform's folders.

    Nothing is created here; see `Paths.create`. Raises SettingsError when no home can be found.
    """
    variables = os.environ if env is None else env
    chosen = str(override) if override is not None else variables.get(HOME_VARIABLE, "")
    if "\0" in chosen:
        raise SettingsError("the home folder's name holds a NUL character")
    if chosen:
        root = _absolute(Path(chosen))
        return Paths(config_dir=root, data_dir=root, state_dir=root)
    return _platform_paths()


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:  # "~nobody", or HOME unset
        raise SettingsError(f"there is no such home folder: {path}") from error


def _platform_paths() -> Paths:
    import platformdirs

    folders = Paths(
        config_dir=platformdirs.user_config_path(APP_NAME, appauthor=False),
        data_dir=platformdirs.user_data_path(APP_NAME, appauthor=False),
        state_dir=platformdirs.user_state_path(APP_NAME, appauthor=False),
    )
    if not folders.data_dir.is_absolute():  # HOME is unset and the user has no entry in passwd
        raise SettingsError(f"no home folder is known: set {HOME_VARIABLE} to a folder of your own")
    return folders
