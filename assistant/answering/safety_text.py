"""Making a message plain for the rules: one spelling for what people write in twenty.

Case, accents, look-alike letters, zero-width characters, leetspeak, starred-out letters, l e t t e r s
with spaces, words glued together, repeeeated letters, missing apostrophes, slang and typos.
Words are changed only where that gives a word the rules know, so ordinary text stays as it is.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from assistant.answering.safety_words import (
    ALIASES,
    CONTRACTIONS,
    CRITICAL,
    LEET,
    LOOKALIKES,
    ORDINARY,
    STARTS_IS,
    WORDS,
)

MAX_CHARACTERS = 200_000
"""Longer messages are screened at their beginning and their end, half of this each."""

LONGEST_WORD = 12
"""Letters of the longest word looked for inside glued or spaced letters."""

WINDOW, OVERLAP = 80, 24
"""Words of one sentence looked at together; longer ones are cut into windows that overlap."""

_APOSTROPHES = re.compile("[\u2018\u2019\u02bc\u00b4`\u02b9\u2032\uff07]")
_SENTENCE_END = re.compile(r"[.!?;…]+(?=\s|$)|[\n\r\u2028\u2029]+")
_SINGLE = r"[a-z0-9@$!|+]"
_SPACED = re.compile(rf"(?<![^\W_])(?:{_SINGLE}[\s.\-_*/|,~]+){{3,}}{_SINGLE}(?![^\W_])")
_TOKEN = re.compile(r"[a-z0-9@$|+*#]+(?:[!1|][a-z0-9@$|+*#]+)*")
_RUN = re.compile(r"(.)\1+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in plain words, single spaces between them."""

    words: str
    question: bool


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of `text` in the rules' spelling, empty ones left out."""
    found: list[Sentence] = []
    start = 0
    plain = _SPACED.sub(_unspaced, _expanded(_folded(text)))
    for end in [*_SENTENCE_END.finditer(plain), None]:
        piece = plain[start : end.start() if end else len(plain)]
        question = bool(end and "?" in end.group())
        found.extend(Sentence(window, question) for window in _windows(list(_words(piece))))
        start = end.end() if end else len(plain)
    return found


def _windows(words: list[str]) -> Iterator[str]:
    """Yield a sentence's words, in overlapping windows when there are many: the time stays linear."""
    for start in range(0, len(words), WINDOW - OVERLAP):
        yield " ".join(words[start : start + WINDOW])
        if start + WINDOW >= len(words):
            return


def _folded(text: str) -> str:
    """Lower case without accents, zero-width characters and look-alikes; one kind of apostrophe."""
    if len(text) > MAX_CHARACTERS:
        half = MAX_CHARACTERS // 2
        text = text[:half] + "\n" + text[-half:]
    text = _APOSTROPHES.sub("'", text)
    decomposed = unicodedata.normalize("NFKD", text)
    kept = (c for c in decomposed if c.isascii() or unicodedata.category(c) not in ("Mn", "Me", "Cf"))
    return "".join(kept).casefold().translate(LOOKALIKES)


def _words(piece: str) -> Iterator[str]:
    """Yield the plain words of one sentence."""
    tokens = _rejoined([_known(token) for token in _TOKEN.findall(piece)])
    for token in tokens:
        yield from ALIASES.get(token, token).split()


def _unspaced(match: re.Match[str]) -> str:
    """`k i l l  m y s e l f` -> `kill myself`, when it can be read as words that the rules know."""
    letters = re.sub(r"[\s.\-_*/|,~]+", "", match.group())
    for candidate in _unleeted(letters):
        if split := segment(candidate):
            return " ".join(split)
    return match.group()


def _expanded(piece: str) -> str:
    """`i'm` -> `i am`, `can't` -> `can not`, `what's` -> `what is`; other 's are dropped."""
    for pattern, replacement in CONTRACTIONS:
        piece = pattern.sub(replacement, piece)
    piece = re.sub(rf"\b({STARTS_IS})'s\b", r"\1 is", piece)
    return re.sub(r"(\w)'s?(?!\w)", r"\1", piece).replace("'", "")


@lru_cache(maxsize=4096)
def _known(token: str) -> str:
    """Return the word that `token` stands for, or the token itself (glued words come back spaced)."""
    token = token.strip("|+#*") or token
    if token in WORDS or token in ALIASES or token in ORDINARY:
        return token
    for reading in (_starred, _leeted, _calmed, _corrected, _unglued):
        if found := reading(token):
            return found
    return token


def _starred(token: str) -> str | None:
    """`su*cide` -> `suicide`."""
    if not re.search(r"[*#]", token) or not re.search(r"[a-z]", token):
        return None
    for letters in _unleeted(token):
        pattern = re.compile(re.sub(r"[*#]", ".", re.sub(r"[^a-z*#]", "", letters)))
        if word := next((word for word in CRITICAL if pattern.fullmatch(word)), None):
            return word
    return None


def _leeted(token: str) -> str | None:
    """`k1ll` -> `kill`, `l1f3` -> `life`."""
    if token.isalpha() or not re.search("[a-z]", token):
        return None
    for candidate in _unleeted(token):
        if candidate in WORDS or candidate in ALIASES:
            return candidate
        if found := _calmed(candidate) or _unglued(candidate):
            return found
    return None


def _unleeted(token: str) -> Iterator[str]:
    """Yield the readings of leetspeak, at most 16."""
    choices = [LEET.get(character, character) for character in token]
    for letters in itertools.islice(itertools.product(*choices), 16):
        yield "".join(letters)


def _calmed(token: str) -> str | None:
    """`killlll` -> `kill`, `dieeee` -> `die`: each run of a letter once or twice."""
    runs = [match.group() for match in _RUN.finditer(token)]
    if not runs or len(runs) > 5:
        return None
    parts = _RUN.split(token)[::2]
    for lengths in itertools.product((2, 1), repeat=len(runs)):
        middle = [run[0] * length for run, length in zip(runs, lengths, strict=True)]
        candidate = "".join(itertools.chain(*itertools.zip_longest(parts, middle, fillvalue="")))
        if candidate in WORDS or candidate in ALIASES:
            return candidate
    return None


def _corrected(token: str) -> str | None:
    """`sucidal` -> `suicidal`: one slip (two in long words) in a word that matters."""
    if len(token) < 4 or not token.isalpha() or token in ORDINARY or len(token) > 14:
        return None
    for word in CRITICAL:
        slips = 2 if len(word) >= 8 else 1
        alike = len(word) >= 4 and word[0] == token[0] and abs(len(word) - len(token)) <= slips
        if alike and distance(token, word) <= slips:
            return word
    return None


def _unglued(token: str) -> str | None:
    """`iwanttodie` -> `i want to die`, only when a word that matters is inside."""
    if not 6 <= len(token) <= 60 or not token.isalpha():
        return None
    split = segment(token)
    if split and len(split) > 1 and any(word in CRITICAL for word in split):
        return " ".join(split)
    return None


def _rejoined(tokens: list[str]) -> list[str]:
    """`sui cide` -> `suicide`, `my self` -> `myself`."""
    joined: list[str] = []
    for token in tokens:
        together = joined[-1] + token if joined else ""
        if together in CRITICAL and not (joined[-1] in CRITICAL or token in CRITICAL):
            joined[-1] = together
        else:
            joined.extend(token.split())
    return joined


@lru_cache(maxsize=512)
def segment(letters: str) -> tuple[str, ...] | None:
    """Split `letters` into the fewest known words, or return None when that cannot be done."""
    far = len(letters) + 1
    counts = [0] + [far] * len(letters)  # the fewest words up to each place
    starts = [0] * (len(letters) + 1)  # where the last of them begins
    for end in range(1, len(letters) + 1):
        for start in range(max(0, end - LONGEST_WORD), end):
            if counts[start] + 1 < counts[end]:
                word = letters[start:end]
                if word in WORDS or word in ALIASES:
                    counts[end], starts[end] = counts[start] + 1, start
    if counts[-1] == far:
        return None
    words: list[str] = []
    end = len(letters)
    while end:
        words.append(letters[starts[end] : end])
        end = starts[end]
    return tuple(reversed(words))


def distance(first: str, second: str) -> int:
    """Return the number of slips (letter added, left out, changed, two swapped) between two words."""
    previous2: list[int] = []
    previous = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        row = [i]
        for j, b in enumerate(second, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                cost = min(cost, previous2[j - 2] + 1)
            row.append(cost)
        previous2, previous = previous, row
    return previous[-1]
