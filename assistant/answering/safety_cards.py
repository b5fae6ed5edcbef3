"""The help card: words and numbers written by people, never generated (SAFETY.md 3, 5, 7).

Numbers are shown verbatim, with their source and the day they were checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Reason = Literal["self", "other", "abuse", "child"]

CHECKED = date(2026, 11, 20)
"""The day all numbers below were last checked against their source."""

_TRUSTED_FOR = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class HelpLine:
    """A free crisis line open day and night; `contact` and `emergency` are shown verbatim."""

    country: str
    name: str
    contact: str
    emergency: str
    source: str
    checked: date = CHECKED


LINES: dict[str, HelpLine] = {
    "US": HelpLine(
        "United States", "988 Suicide & Crisis Lifeline", "call or text 988, chat 988lifeline.org", "911",
        "988lifeline.org",
    ),
    "CA": HelpLine("Canada", "9-8-8 Suicide Crisis Helpline", "call or text 988", "911", "988.ca"),
    "GB": HelpLine("United Kingdom", "Samaritans", "call 116 123", "999", "samaritans.org"),
    "IE": HelpLine("Ireland", "Samaritans", "call 116 123", "112 or 999", "samaritans.org/ireland"),
    "AU": HelpLine("Australia", "Lifeline", "call 13 11 14, text 0477 13 11 14", "000", "lifeline.org.au"),
    "NZ": HelpLine("New Zealand", "Need to talk?", "call or text 1737", "111", "1737.org.nz"),
    "FR": HelpLine("France", "3114", "call 3114", "15 or 112", "3114.fr"),
    "DE": HelpLine(
        "Germany", "TelefonSeelsorge", "call 0800 111 0 111, 0800 111 0 222 or 116 123", "112",
        "telefonseelsorge.de",
    ),
    "ES": HelpLine("Spain", "Línea 024", "call 024", "112", "sanidad.gob.es"),
    "NL": HelpLine("Netherlands", "113 Zelfmoordpreventie", "call 113 or 0800-0113", "112", "113.nl"),
}  # fmt: skip

_EU = {
    "AT": "Austria", "BE": "Belgium", "BG": "Bulgaria", "CY": "Cyprus", "CZ": "Czechia", "DK": "Denmark",
    "EE": "Estonia", "FI": "Finland", "GR": "Greece", "HR": "Croatia", "HU": "Hungary", "IT": "Italy",
    "LT": "Lithuania", "LU": "Luxembourg", "LV": "Latvia", "MT": "Malta", "PL": "Poland",
    "PT": "Portugal", "RO": "Romania", "SE": "Sweden", "SI": "Slovenia", "SK": "Slovakia",
}  # fmt: skip

EU_EMERGENCY = "112"
EVERYWHERE = "findahelpline.com"

_OPENINGS: dict[Reason, tuple[str, ...]] = {
    "self": (
        "I'm glad you said this. You are carrying a great deal, and you don't have to carry it alone.",
        "Thank you for putting that into words. That can be hard, and what you feel matters.",
        "It is good that you wrote this. Feelings this heavy can ease, and people want to help you now.",
        "You did something important by saying it. You deserve someone at your side with this.",
    ),
    "other": (
        "It is good that you said this. Taking it seriously is right, and you need not handle it alone.",
        "Thank you for telling this. You care about somebody's safety, and others can help you with it.",
        "I'm glad you wrote this down. You are not overreacting: someone's safety comes first.",
    ),
    "abuse": (
        "I'm glad you said this. Nobody has the right to hurt or threaten you. It is not your fault.",
        "Thank you for telling this. You deserve to be safe, and there are people who can help.",
        "It is good that you put this into words. What is being done to you is not your fault.",
    ),
    "child": (
        "It is good that you said this. A young person's safety comes first, and you are not alone.",
        "Thank you for telling this. Acting on it is right, and there are people who will help you.",
        "I'm glad you wrote this. You are not overreacting: someone young needs an adult who acts.",
    ),
}

_NOT_A_PERSON = (
    "I'm a program, not a person, and I alert nobody: only a person can be with you now.",
    "This is a program on your own device, not a person. Nobody reads along, nobody has been alerted.",
    "I'm only software, not a person. Nothing you write leaves this device, so nobody has been told.",
    "This program can't call anyone, and nobody has been alerted. A person can help as it can't.",
)

_REACH_OUT: dict[Reason, str] = {
    "self": "Please talk with a professional there, **and** tell one person you trust how it is for you.",
    "other": "They advise people who worry about someone. Please call, **and** tell another person you trust.",
    "abuse": "Please talk with a professional there, **and** with a person you trust, from a safe device.",
    "child": "They advise people who worry about someone. Please call, **and** tell an adult you trust.",
}

_IMMEDIATE: dict[Reason, str] = {
    "self": (
        "stay with someone or ask someone to come, and put distance between yourself and anything you could"
        " hurt yourself with."
    ),
    "other": (
        "stay with them or have someone stay, and help to put distance between them and anything they could"
        " hurt themselves with. Ask them openly; asking does not put the thought there."
    ),
    "abuse": (
        "go where other people are if you can do so safely, stay with someone, and keep your distance from"
        " whoever threatens you and from anything that could hurt you."
    ),
    "child": (
        "stay with them or have a trusted adult stay, and put distance between them and whoever or whatever"
        " could hurt them."
    ),
}

_DOORS = """\
Three doors that are open now:

1. **A crisis line** — the one above, at any hour. You may just say "I don't know how to start".
2. **A safety plan, written together** — answer these, here or on paper: What tells me that it is \
getting worse? What has helped me through an hour like this? Where and with whom am I safe? Whom do I \
call first, and whom next? What is one thing I want to be here for?
3. **A grounding exercise** — name five things you see, four you can touch, three you hear, two you smell, \
one you taste. Then breathe in slowly, out more slowly, ten times."""

_CLOSINGS = (
    "We can go on talking here, about this or about anything else.",
    "I'm still here, and you may ask me whatever you like next.",
    "Write on whenever you want; this conversation stays open.",
    "You can keep writing here, also while you wait for someone to answer.",
)


def countries() -> dict[str, str]:
    """Return the countries that the card knows something about: ISO 3166 code to name, by name."""
    names = {code: line.country for code, line in LINES.items()} | _EU
    return dict(sorted(names.items(), key=lambda item: item[1]))


def help_card(country: str | None, variant: int = 0, *, reason: Reason | None = None, today: date | None = None) -> str:
    """Return the help card as Markdown.

    `country` is an ISO 3166 code; None or one without a known line gets findahelpline.com. Cards of
    neighbouring `variant` numbers differ in their words, so that none is repeated word for word.
    `reason` is the screen's finding (None: the person asked for the card).
    """
    kind: Reason = reason or "self"
    opening = _pick(_OPENINGS[kind], variant) if reason else "Here is help that is there day and night."
    return "\n\n".join(
        (
            opening,
            _pick(_NOT_A_PERSON, variant),
            _line(country, today or date.today()),
            _REACH_OUT[kind],
            f"**If the danger is immediate:** call {_emergency(country)}, {_IMMEDIATE[kind]}",
            _DOORS,
            _pick(_CLOSINGS, variant),
        )
    )


def _pick(texts: tuple[str, ...], variant: int) -> str:
    return texts[variant % len(texts)]


def _code(country: str | None) -> str:
    code = (country or "").strip().upper()
    return {"UK": "GB", "EL": "GR"}.get(code, code)


def _line(country: str | None, today: date) -> str:
    line = LINES.get(_code(country))
    if line is None:
        return (
            f"**A free line near you, open day and night:** find it at **{EVERYWHERE}**"
            f" ({_dated(EVERYWHERE, CHECKED, today)})."
        )
    return (
        f"**{line.name}** ({line.country}): **{line.contact}** — free, day and night"
        f" ({_dated(line.source, line.checked, today)}). Elsewhere: {EVERYWHERE}."
    )


def _dated(source: str, checked: date, today: date) -> str:
    note = "; may have changed" if today - checked > _TRUSTED_FOR else ""
    return f"source: {source}, checked {checked.isoformat()}{note}"


def _emergency(country: str | None) -> str:
    code = _code(country)
    if code in LINES:
        return f"**{LINES[code].emergency}**"
    return f"**{EU_EMERGENCY}**" if code in _EU else "**your local emergency number**"
