"""What every bundle gets besides its own table: small talk, and questions that no bundle answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trainer.table import Table, normalised, read_negatives, read_table

FOLDER = Path(__file__).resolve().parent / "curated" / "general"


def with_general(table: Table, subject: str) -> Table:
    """Add the general entries, with {subject} filled in, and the general negatives.

    An entry or a negative that the table already has (by id or question) is left out.
    """
    ids = {entry.id for entry in table.entries}
    asked = {normalised(text) for entry in table.entries for text in (entry.question, *entry.phrasings)}
    general = read_table(FOLDER)
    talk = tuple(
        replace(entry, answer=entry.answer.replace("{subject}", subject))
        for entry in general.entries
        if entry.id not in ids and normalised(entry.question) not in asked
    )
    asked |= {normalised(text) for entry in talk for text in (entry.question, *entry.phrasings)}
    negatives = dict.fromkeys((*table.negatives, *read_negatives(FOLDER / "negatives.jsonl")))
    kept = tuple(text for text in negatives if normalised(text) not in asked)
    return replace(table, entries=(*table.entries, *talk), negatives=kept, subject=subject)


def subject_of(path: Path) -> str:
    """The subject in words, guessed from the table's name: curated/mental_health -> mental health."""
    return " ".join(path.resolve().stem.replace("_", " ").replace("-", " ").split()).lower()
