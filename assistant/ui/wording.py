"""Words for what the program knows in numbers and codes; plain functions, no widgets."""

from __future__ import annotations

from datetime import date, datetime

BAR_CELLS = 5

_KINDS = {
    "generated": "Answered",
    "curated": "Closest question we have",
    "suggestions": "Not sure which question",
    "declined": "Not covered",
    "smalltalk": "",
    "crisis": "",
}
_SURE = ((0.9, "very sure"), (0.75, "sure"), (0.5, "fairly sure"), (0.3, "not so sure"), (0.0, "a guess"))
_DEVICES = {"cpu": "CPU", "cuda": "GPU"}


def kind_words(kind: str) -> str:
    """Return what sort of reply this is, in words; "" where nothing needs saying."""
    return _KINDS.get(kind, kind)


def sure_words(confidence: float) -> str:
    """Return a probability in [0, 1] in words."""
    return next((words for least, words in _SURE if confidence >= least), _SURE[-1][1])


def bar_parts(confidence: float, cells: int = BAR_CELLS) -> tuple[str, str]:
    """Return the filled and the empty part of a bar; they differ in shape, not in colour only."""
    filled = round(min(max(confidence, 0.0), 1.0) * cells)
    return "━" * filled, "╌" * (cells - filled)


def shows_confidence(kind: str) -> bool:
    """Return whether the probability of being right says something for this kind of reply."""
    return kind in ("generated", "curated")


def device_words(device: str) -> str:
    """Return the name people know a device by."""
    return _DEVICES.get(device, device)


def local_moment(stored: str) -> datetime | None:
    """Return a stored UTC time in local time, or None when it is no time at all."""
    try:
        return datetime.fromisoformat(stored).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def day_words(stored: str, today: date) -> str:
    """Return the heading of the day a conversation was last used: "Today", "Monday", "3 March"."""
    moment = local_moment(stored)
    if moment is None:
        return "Earlier"
    day = moment.date()
    days = (today - day).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    if days < 7:
        return f"{day:%A}"
    return f"{day.day} {day:%B}" if day.year == today.year else f"{day.day} {day:%B %Y}"


def clock_words(stored: str) -> str:
    """Return the hour and minute of a stored time, "" when it is no time."""
    moment = local_moment(stored)
    return f"{moment:%H:%M}" if moment else ""


def subject_words(name: str) -> str:
    """Return a bundle's name as a title: "mental-health" -> "Mental health"."""
    words = name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
