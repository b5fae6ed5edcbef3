"""Augmentation: the same question as a hurried, informal or chatty person would type it."""

from __future__ import annotations

import random
import re

FUNCTION_WORDS = frozenset(
    {
        "a",
        "an",
        "the",
        "is",
        "are",
        "do",
        "does",
        "am",
        "to",
        "of",
        "in",
        "on",
        "for",
        "it",
        "that",
        "this",
        "be",
        "been",
        "with",
    }
)
FRAMES = (
    "can you tell me {}",
    "hi, {}",
    "hello! {}",
    "please, {}",
    "i want to know: {}",
    "quick question: {}",
    "um {}",
    "sorry if this is a silly question but {}",
    "{} thanks",
    "{} please help",
    "i was wondering, {}",
    "so {}",
    "hey {}",
    "{} any advice?",
    "my question is: {}",
    "could you explain {}",
)
NEIGHBOURS = {
    "q": "wa",
    "w": "qes",
    "e": "wrd",
    "r": "etf",
    "t": "ryg",
    "y": "tuh",
    "u": "yij",
    "i": "uok",
    "o": "ipl",
    "p": "ol",
    "a": "sqz",
    "s": "adw",
    "d": "sfe",
    "f": "dgr",
    "g": "fht",
    "h": "gjy",
    "j": "hku",
    "k": "jli",
    "l": "ko",
    "z": "xa",
    "x": "zcs",
    "c": "xvd",
    "v": "cbf",
    "b": "vng",
    "n": "bmh",
    "m": "nj",
}
SHORT = {
    "you": "u",
    "are": "r",
    "because": "cuz",
    "please": "pls",
    "what": "wat",
    "about": "abt",
    "with": "w",
    "people": "ppl",
    "without": "w/o",
    "going to": "gonna",
    "want to": "wanna",
    "do not": "dont",
    "to": "2",
    "for": "4",
    "before": "b4",
    "though": "tho",
    "really": "rly",
    "know": "kno",
}


def typo(word: str, rng: random.Random) -> str:
    """One slip of the fingers in a word of four letters or more: swap, drop, double, or a neighbouring key."""
    if len(word) < 4 or not word.isalpha():
        return word
    i = rng.randrange(1, len(word) - 1)
    slip = rng.randrange(4)
    if slip == 0:
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if slip == 1:
        return word[:i] + word[i + 1 :]
    if slip == 2:
        return word[:i] + word[i] + word[i:]
    return word[:i] + rng.choice(NEIGHBOURS.get(word[i].lower(), word[i])) + word[i + 1 :]


def typos(text: str, rng: random.Random) -> str:
    """Slips in about every eighth word, at least one."""
    words = text.split()
    for i in rng.sample(range(len(words)), max(1, len(words) // 8)) if words else ():
        words[i] = typo(words[i], rng)
    return " ".join(words)


def drop_function_words(text: str, rng: random.Random) -> str:
    """Leave out half of the function words: a search-box habit, and a learner's."""
    kept = [w for w in text.split() if w.lower() not in FUNCTION_WORDS or rng.random() < 0.5]
    return " ".join(kept) if kept else text


def without_punctuation(text: str, _rng: random.Random) -> str:
    """Lower case without punctuation or apostrophes."""
    return " ".join(re.sub(r"[^\w\s]", "", text.lower()).split())


def framed(text: str, rng: random.Random) -> str:
    """Words around the question that say nothing."""
    inner = text[:1].lower() + text[1:] if rng.random() < 0.7 else text
    return rng.choice(FRAMES).format(inner)


def shorthand(text: str, rng: random.Random) -> str:
    """Text-message spelling of some words."""
    for plain, short in SHORT.items():
        if rng.random() < 0.5:
            text = re.sub(rf"\b{plain}\b", short, text)
    return text


CHANGES = (typos, drop_function_words, without_punctuation, framed, shorthand)


def augment(text: str, rng: random.Random, amount: float) -> str:
    """With probability `amount` change the text in one or two ways; never return an empty text."""
    if rng.random() >= amount:
        return text
    for change in rng.sample(CHANGES, rng.choice((1, 1, 2))):
        text = change(text, rng) or text
    return text
