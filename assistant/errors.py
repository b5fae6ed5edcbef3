"""The error tree of Lamplight.

Every error that a person can cause or meet is a subclass of `LamplightError`; its text is one clear
line that says what is wrong and where. The command line turns it into an exit code in one place
(`assistant.cli`), the chat into a notice in one place (`assistant.ui.app`).

    LamplightError
      UsageError              a value given by the person cannot be used (exit code 2)
      SettingsError           config.toml or an environment variable cannot be read
      BundleError             a bundle cannot be used
        BundleNotFound        no bundle of that name or path
        BundleDamaged         a hash, a size, a missing or an extra file
        BundleUnsupported     schema version, external data, custom domain
      DeviceError             the device asked for cannot answer
      StoreError              the history file cannot be used
        StoreDamaged          it is no database, or fails its check
        StoreTooNew           it was written by a newer Lamplight
        StoreReadOnly         it cannot be written
      TableError              a table of questions and answers cannot be used
      TrainingError           training cannot start or go on
      ExportError             conversion failed or did not pass validation
"""

from __future__ import annotations


class LamplightError(Exception):
    """Base of all errors that are shown to people as one line."""

    exit_code = 1


class UsageError(LamplightError):
    """A value given by the person cannot be used."""

    exit_code = 2


class SettingsError(LamplightError):
    """The settings file or an environment variable cannot be read."""


class BundleError(LamplightError):
    """A bundle cannot be used."""


class BundleNotFound(BundleError):
    """There is no bundle of that name or path."""


class BundleDamaged(BundleError):
    """A file of the bundle is missing, extra, or not what its hash says."""


class BundleUnsupported(BundleError):
    """The bundle asks for something this version does not do."""


class DeviceError(LamplightError):
    """The device asked for cannot answer."""


class StoreError(LamplightError):
    """The history file cannot be used."""


class StoreDamaged(StoreError):
    """The history file is no database, or fails its check."""


class StoreTooNew(StoreError):
    """The history file was written by a newer Lamplight."""


class StoreReadOnly(StoreError):
    """The history file cannot be written."""


class TableError(LamplightError):
    """A table of questions and answers cannot be used."""


class TrainingError(LamplightError):
    """Training cannot start or go on."""


class ExportError(LamplightError):
    """Conversion failed or did not pass validation."""
