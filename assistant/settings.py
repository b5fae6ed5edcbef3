"""The frozen settings: flag > LAMPLIGHT_* > config.toml > default."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from assistant.errors import SettingsError, UsageError
from assistant.paths import make_private_folder

DEVICES = ("auto", "cpu", "cuda")
MAX_BEAMS = 8  # the exported step graph returns 16 candidates, and a beam search needs two a beam
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person may choose. `bundle` None means the bundle in use; `country` None means not told."""

    bundle: str | None = None
    device: str = "auto"
    beams: int = 1
    country: str | None = None
    theme: str = "lamplight"
    enter_sends: bool = True
    plain: bool = False
    save_history: bool = True


NAMES = tuple(field.name for field in fields(Settings))


def load(
    flags: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    config_file: Path | None = None,
) -> Settings:
    """Return the settings in force. Flags that are None count as not given.

    Raises UsageError for a flag that cannot be used, SettingsError (naming file or variable) for a
    value of config.toml or the environment that cannot.
    """
    values: dict[str, Any] = {}
    for name, value in read_file(config_file).items():
        if name in NAMES:
            values[name] = _checked(name, value, f"{config_file}: {name}", SettingsError)
    variables = os.environ if env is None else env
    for name in NAMES:
        text = variables.get(variable(name), "")
        if text:
            values[name] = _checked(name, text, variable(name), SettingsError)
    for name, value in (flags or {}).items():
        if value is not None and name in NAMES:
            values[name] = _checked(name, value, _flag(name), UsageError)
    return Settings(**values)


def _flag(name: str) -> str:
    return "--beam" if name == "beams" else f"--{name.replace('_', '-')}"


def variable(name: str) -> str:
    """Return the environment variable of a setting: "beams" -> "LAMPLIGHT_BEAMS"."""
    return f"LAMPLIGHT_{name.upper()}"


def read_file(config_file: Path | None) -> dict[str, Any]:
    """Return what config.toml holds, {} when there is none. Raises SettingsError."""
    if config_file is None:
        return {}
    try:
        return tomllib.loads(config_file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"cannot read {config_file}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{config_file} is not valid TOML: {error}") from error


def save_value(config_file: Path, key: str, value: str | int | bool | None) -> None:
    """Write one setting into config.toml (None removes it); the file is replaced whole or not at all.

    Other tables of the file are kept, comments are not. Raises UsageError for an unknown key or
    value, SettingsError when the file cannot be written.
    """
    if key not in NAMES:
        raise UsageError(f"there is no setting named {key}")
    values = read_file(config_file)
    values.pop(key, None)
    if value is not None:
        values[key] = _checked(key, value, key, UsageError)
    make_private_folder(config_file.parent)
    temporary = config_file.with_name(f".{config_file.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as handle:
            handle.write(_to_toml(values))
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(config_file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SettingsError(f"cannot write {config_file}: {error.strerror or error}") from error


def _checked(name: str, value: Any, where: str, error: type[SettingsError | UsageError]) -> Any:
    """Return `value` in the setting's own type, or raise `error` naming where it stood."""
    try:
        return _CHECKS[name](value)
    except ValueError as problem:
        raise error(f"{where}: {problem}") from problem


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{value!r} is not a text")
    return value.strip()


def _device(value: Any) -> str:
    if value not in DEVICES:
        raise ValueError(f"{value!r} is not one of {', '.join(DEVICES)}")
    return str(value)


def _beams(value: Any) -> int:
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, str) and value.strip().isdecimal():
        number = int(value)
    if number is None or not 1 <= number <= MAX_BEAMS:
        raise ValueError(f"{value!r} is not a number of beams from 1 to {MAX_BEAMS}")
    return number


def _country(value: Any) -> str:
    code = _text(value).upper()
    if len(code) != 2 or not (code.isascii() and code.isalpha()):
        raise ValueError(f"{value!r} is not a two-letter country code such as GB")
    return {"UK": "GB", "EL": "GR"}.get(code, code)


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in _TRUE + _FALSE:
        raise ValueError(f"{value!r} is not true or false")
    return word in _TRUE


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "bundle": _text,
    "device": _device,
    "beams": _beams,
    "country": _country,
    "theme": _text,
    "enter_sends": _switch,
    "plain": _switch,
    "save_history": _switch,
}


def _to_toml(values: Mapping[str, Any]) -> str:
    """Return `values` as TOML: plain keys first, then tables one deep."""
    plain = {key: value for key, value in values.items() if not isinstance(value, dict)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for name, table in values.items():
        if isinstance(table, dict):
            lines += ["", f"[{_key(name)}]"]
            lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items()]
    return "\n".join(lines).strip() + "\n"


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    # JSON's escapes are TOML's, but for the surrogate pairs that ensure_ascii would write
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
