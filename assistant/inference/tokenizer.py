"""The two tokenizers of a bundle, thin over the `tokenizers` library.

Questions go in through the encoder's own vocabulary (WordPiece of the pretrained checkpoint, or one fitted by the
trainer); answers come out of a byte-level BPE, which writes every character back exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BundleDamaged

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ids = NDArray[np.int64]

# Far more than any question's tokens can hold; a megabyte that was pasted need not be split into words.
MAX_CHARACTERS = 100_000


class QuestionTokenizer:
    """Turns questions into ids for the encoder, cut at `max_tokens` (marks included) and padded on the right."""

    def __init__(self, path: Path, max_tokens: int, pad_id: int = 0) -> None:
        """Read a `tokenizers` file. Raises BundleDamaged when it is none."""
        self._setup(_load(_read(path), str(path)), str(path), max_tokens, pad_id)

    @classmethod
    def from_bytes(cls, data: bytes, where: str, max_tokens: int, pad_id: int = 0) -> QuestionTokenizer:
        """Make the tokenizer from the bytes of its file. Raises BundleDamaged, which names `where`."""
        made = cls.__new__(cls)
        made._setup(_load(data, where), where, max_tokens, pad_id)
        return made

    def _setup(self, tokenizer: Tokenizer, where: str, max_tokens: int, pad_id: int) -> None:
        self._tokenizer, self._where, self._pad_id = tokenizer, where, pad_id
        with _panics_named(where):
            tokenizer.enable_truncation(max_tokens)
            tokenizer.no_padding()  # Padding is done below, whatever the file says.

    def encode_batch(self, texts: Sequence[str]) -> tuple[Ids, Ids]:
        """Return ids (B, S) and mask (B, S), 1 where a token is. S is the longest question's length, at least 1."""
        clean = [_clean(text) for text in texts]
        with _panics_named(self._where):
            # One text goes without the library's thread pool, which takes longer to start than to encode.
            encoded = [self._tokenizer.encode(clean[0])] if len(clean) == 1 else self._tokenizer.encode_batch(clean)
        rows = [row.ids for row in encoded]
        ids = np.full((len(rows), max((len(row) for row in rows), default=0) or 1), self._pad_id, np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        return ids, mask

    @property
    def vocabulary_size(self) -> int:
        """The number of ids, added tokens included."""
        return int(self._tokenizer.get_vocab_size())


class AnswerTokenizer:
    """Turns answers into ids for the trainer, and ids of the decoder into text."""

    def __init__(self, path: Path) -> None:
        """Read a `tokenizers` file. Raises BundleDamaged when it is none."""
        self._tokenizer, self._where = _load(_read(path), str(path)), str(path)

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> AnswerTokenizer:
        """Make the tokenizer from the bytes of its file. Raises BundleDamaged, which names `where`."""
        made = cls.__new__(cls)
        made._tokenizer, made._where = _load(data, where), where
        return made

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without start and end mark."""
        with _panics_named(self._where):
            return list(self._tokenizer.encode(_clean(text), add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids; marks are left out, ids beyond the vocabulary write nothing."""
        with _panics_named(self._where):
            return str(self._tokenizer.decode([max(0, int(token)) for token in ids], skip_special_tokens=True))

    def stream(self) -> StreamDecoder:
        """Return a decoder that takes one token at a time."""
        return StreamDecoder(self)

    @property
    def vocabulary_size(self) -> int:
        """The number of ids, added tokens included."""
        return int(self._tokenizer.get_vocab_size())


class StreamDecoder:
    """Gives an answer's text piece by piece, never half a character of several bytes.

    The pieces of `push`, and what `finish` gives at last, put together are `AnswerTokenizer.decode` of all tokens.
    """

    def __init__(self, tokenizer: AnswerTokenizer) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._given = 0

    def push(self, token: int) -> str:
        """Take a token and return the text that is now certain, maybe none."""
        self._ids.append(token)
        # Bytes that are not yet a character show as U+FFFD at the end; the next token may complete them.
        # Decoding everything again is quadratic, but 128 tokens take less than one step of the model.
        return self._give(self._tokenizer.decode(self._ids).rstrip("\ufffd"))

    def finish(self) -> str:
        """Return what was held back."""
        return self._give(self._tokenizer.decode(self._ids))

    def _give(self, text: str) -> str:
        piece = text[self._given :]
        self._given += len(piece)
        return piece


def _clean(text: str) -> str:
    """Cut a text, and replace lone surrogates, which have no UTF-8 and would raise in the library."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BundleDamaged(f"{path}: cannot be read ({error.strerror})") from error


def _load(data: bytes, where: str) -> Tokenizer:
    from tokenizers import Tokenizer  # Not at the top: the chat's first screen needs no tokenizer.

    with _panics_named(where):
        try:
            return Tokenizer.from_buffer(data)
        except (ValueError, TypeError, UnicodeDecodeError) as error:
            raise BundleDamaged(f"{where}: not a tokenizer file") from error


@contextmanager
def _panics_named(where: str) -> Iterator[None]:
    """Turn a panic of the library's Rust code (a regular expression that never ends) into BundleDamaged."""
    try:
        yield
    except BaseException as error:
        # PanicException is a BaseException and cannot be imported; everything else goes on as it is.
        if type(error).__name__ != "PanicException":
            raise
        raise BundleDamaged(f"{where}: the tokenizer cannot work ({error})") from error
