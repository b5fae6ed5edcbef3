"""How the rules are written down.

A rule is a regular expression over plain words: lower case, no punctuation, contractions written out
("do not", "i am"), slang in plain words (see `safety_text`). In a block of rules each line is one; a
line that begins with two spaces goes on with the one before, and a line that begins with # is a remark.
`<name>` stands for an entry of `FRAGMENTS`.
"""

from __future__ import annotations


def rules(block: str) -> tuple[str, ...]:
    """Return the rules of a block."""
    found: list[str] = []
    for line in block.strip("\n").splitlines():
        if line.startswith("  "):
            found[-1] += line[2:]
        elif line and not line.startswith("#"):
            found.append(line)
    return tuple(found)


def rule(block: str) -> str:
    """Return the only rule of a block."""
    (found,) = rules(block)
    return found
