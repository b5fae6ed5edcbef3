"""The frozen records that cross the packages: entries, matches, replies, events."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["generated", "curated", "suggestions", "declined", "smalltalk", "crisis"]
EntryKind = Literal["topic", "smalltalk", "out_of_scope"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where an answer's facts come from."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class CuratedEntry:
    """One curated question with its answer.

    `rows` is the half-open range of rows in the bundle's `curated.npy` that hold the embeddings of
    the canonical question (first row) and of its phrasings.
    """

    id: str
    question: str
    answer: str
    category: str = ""
    details: str = ""
    source: Source | None = None
    written: str = ""
    related: tuple[str, ...] = ()
    kind: EntryKind = "topic"
    rows: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Match:
    """A curated entry and how close it is to the question (cosine similarity, -1 to 1)."""

    id: str
    question: str
    score: float


@dataclass(frozen=True, slots=True)
class Generated:
    """What the decoder wrote, with natural-log probabilities of its tokens (end mark included)."""

    text: str
    mean_logprob: float
    min_logprob: float


@dataclass(frozen=True, slots=True)
class BundleName:
    """Name and version of the bundle that answered."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds spent on one reply."""

    encode: float = 0.0
    decode: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the assistant says to one question.

    `answer_id` is the curated entry the reply rests on; `confidence` is a calibrated probability in
    [0, 1] that the reply is right; `closest` holds at most five entries, best first.
    """

    question: str
    kind: Kind
    text: str
    answer_id: str | None = None
    confidence: float = 0.0
    closest: tuple[Match, ...] = ()
    source: Source | None = None
    generated: Generated | None = None
    bundle: BundleName = field(default_factory=lambda: BundleName("", ""))
    device: str = "cpu"
    timing_ms: Timing = field(default_factory=Timing)

    def to_json(self) -> dict[str, Any]:
        """Return the reply object of the command-line contract, ready for `json.dumps`."""
        record = asdict(self)
        record["closest"] = list(record["closest"])
        return record


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text that the decoder has just written (streamed)."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of a stream: the whole reply, and whether it was stopped half-way."""

    reply: Reply
    cancelled: bool = False


Event = Token | Finished
