"""The country that the locale names: a suggestion to show, never a choice made for someone."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping


def guessed_country(env: Mapping[str, str] | None = None) -> str | None:
    """Return the two letters of the locale's country, or None when it names none."""
    variables = os.environ if env is None else env
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if match := re.match(r"[a-z]{2,3}_([A-Z]{2})\b", variables.get(name, "")):
            return match[1]
    return None
