"""Words typed into a search box, as an FTS5 query that can only be read literally."""

from __future__ import annotations

import re
import sqlite3

from assistant.store.records import SearchHit

SNIPPET_WORDS = 16

_HITS = """
    SELECT turns.id AS turn_id, turns.conversation_id, conversations.title,
           snippet(turns_fts, -1, '', '', '…', ?) AS snippet
    FROM turns_fts
    JOIN turns ON turns.id = turns_fts.rowid
    JOIN conversations ON conversations.id = turns.conversation_id
    WHERE turns_fts MATCH ?
    ORDER BY turns_fts.rank, turns.id DESC
    LIMIT ?
"""
_LITERAL_HITS = """
    SELECT turns.id AS turn_id, turns.conversation_id, conversations.title,
           substr(turns.question || ' — ' || turns.text, 1, 160) AS snippet
    FROM turns
    JOIN conversations ON conversations.id = turns.conversation_id
    WHERE instr(lower(turns.question), lower(?)) OR instr(lower(turns.text), lower(?))
    ORDER BY turns.id DESC
    LIMIT ?
"""


def quote(query: str) -> str:
    """Return the FTS5 query for `query`: every word in quotes, the last one also as a beginning.

    Operators, brackets, columns and asterisks lose their meaning. "" when no word is left.
    """
    words = [word for word in _printable(query).split() if re.search(r"\w", word)]
    if not words:
        return ""
    return " ".join(f'"{word.replace(chr(34), chr(34) * 2)}"' for word in words) + "*"


def search(connection: sqlite3.Connection, query: str, limit: int) -> list[SearchHit]:
    """Return the turns that hold all words of `query`, best first; without words, the literal signs."""
    signs = _printable(query).strip()
    if not signs or limit < 1:
        return []
    quoted = quote(signs)
    if quoted:
        rows = connection.execute(_HITS, [SNIPPET_WORDS, quoted, limit])
    else:  # only signs such as "%": the index knows words alone
        rows = connection.execute(_LITERAL_HITS, [signs, signs, limit])
    return [SearchHit(**dict(row)) for row in rows]


def _printable(query: str) -> str:
    """Without what SQLite cannot bind (lone surrogates) or would end the text (NUL)."""
    text = query.encode("utf-8", "replace").decode("utf-8")
    return "".join(character if character.isprintable() else " " for character in text)
