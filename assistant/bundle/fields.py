"""JSON of a bundle, read with the type of every field checked."""

from __future__ import annotations

import json
from typing import Any, cast

from assistant.errors import BundleDamaged


def json_object(data: bytes, where: str) -> dict[str, Any]:
    """Read one JSON object from UTF-8 bytes. Raises BundleDamaged, which names `where`."""
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        raise BundleDamaged(f"{where}: not readable as JSON ({_first_line(error)})") from error
    if not isinstance(value, dict):
        raise BundleDamaged(f"{where}: not a JSON object")
    return cast("dict[str, Any]", value)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


class JsonRecord:
    """A JSON object whose fields are taken with their type, each failure naming the field."""

    def __init__(self, values: dict[str, Any], where: str) -> None:
        self.values = values
        self.where = where

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a default it must be there and hold more than blanks."""
        value = self.values.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise BundleDamaged(f"{self.where}: {key} is missing or not text")
        return value

    def integer(self, key: str, least: int) -> int:
        """Return a whole number of at least `least`."""
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**40:
            raise BundleDamaged(f"{self.where}: {key} is missing or not a whole number from {least}")
        return value

    def texts(self, key: str) -> list[str]:
        """Return a list of texts."""
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BundleDamaged(f"{self.where}: {key} is missing or not a list of texts")
        return value

    def number(self, key: str) -> float:
        """Return a finite number."""
        return self._finite(self.values.get(key), key)

    def numbers(self, key: str, length: int) -> tuple[float, ...]:
        """Return a list of `length` finite numbers."""
        value = self.values.get(key)
        if not isinstance(value, list) or len(value) != length:
            raise BundleDamaged(f"{self.where}: {key} is missing or not a list of {length} numbers")
        return tuple(self._finite(item, key) for item in value)

    def _finite(self, value: object, key: str) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1e30:
            raise BundleDamaged(f"{self.where}: {key} is missing or not a finite number")
        return float(value)

    def mapping(self, key: str) -> dict[str, Any]:
        """Return an object as it stands; empty where there is none."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise BundleDamaged(f"{self.where}: {key} is not an object")
        return cast("dict[str, Any]", value)

    def child(self, key: str) -> JsonRecord:
        """Return an object that must be there."""
        if not isinstance(self.values.get(key), dict):
            raise BundleDamaged(f"{self.where}: {key} is missing or not an object")
        return JsonRecord(self.values[key], f"{self.where}: {key}")

    def children(self, key: str) -> list[JsonRecord]:
        """Return a list of objects; empty where there is none."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise BundleDamaged(f"{self.where}: {key} is not a list of objects")
        return [JsonRecord(item, f"{self.where}: {key}[{place}]") for place, item in enumerate(value)]
