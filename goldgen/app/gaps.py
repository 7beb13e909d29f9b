"""What users ask and the documents do not say, as far as the judged pools can tell."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.languages import UNCLEAR, language_of
from goldgen.errors import EmptyResultError
from goldgen.retrieve import detected_language, fused
from goldgen.retrieve.languages import STOP_WORDS
from goldgen.store import Store, open_store
from goldgen.store.logs import LoggedQuery
from goldgen.text import fold
from goldgen.text.words import words
from goldgen.types import Chunk, Judgment, Origin
from goldgen.verify import GoldenQuestion
from goldgen.verify.agreement import is_proposed

GapKind = Literal["gap", "answered in part", "pool too shallow", "judge with scores", "answer proposed"]
KINDS: Mapping[GapKind, str] = {
    "gap": "the documents do not say it: judged to depth 50, and no chunk does more than touch the topic",
    "answered in part": "no chunk answers fully, and one answers in part: there is something to add to",
    "pool too shallow": "not judged deep enough, gold may be missed: goldgen logs add --depth 50",
    "judge with scores": "the embedded verifier finds no answer, but it misses many and knows no gap: "
    "judge with a chat model, or look yourself",
    "answer proposed": "a verifier accepts a chunk and was not shown to be strict: a person decides, with "
    "goldgen review --show proposed",
}
"""What each kind means, the surest first."""
_ASKED_BY = ("log", "manual")
_NEAREST = 3
_IN_PART = 2
_FUNCTION_WORDS = 2


@dataclass(frozen=True, slots=True)
class NearChunk:
    """A chunk that the pool proposed for a question without an answer."""

    chunk_id: str
    document: str
    """Its path."""
    headings: str
    """The headings above it; empty if there are none."""
    grade: float | None
    """None: not judged."""
    score: float | None
    """Of a judge with scores: from 0 to 1, how likely the chunk answers."""
    rank: int
    """The best that a search had it at."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A question that no chunk answers fully, and what the logs say of all its wordings."""

    question_id: str
    question: str
    kind: GapKind
    origin: Origin
    traffic: float
    """How many queries of the logs it stands for; without a sample, how often it was asked."""
    asked: int
    first_seen: datetime | None
    last_seen: datetime | None
    unclicked: int
    rewritten: int
    """How often it was asked again in other words within minutes, after no click."""
    variants: tuple[str, ...]
    """Wordings that differ in more than case and punctuation."""
    foreign: str
    """The language it is asked in, where that is told and is not that of the documents: judges and searches
    of one language then miss answers. Else empty."""
    pool_depth: int
    """How deep its pool is judged."""
    nearest: tuple[NearChunk, ...]
    """The best judged first: where an answer would belong."""


@dataclass(frozen=True, slots=True)
class GapsReport:
    """``asked`` = ``answered`` + all ``kinds`` + ``rejected`` + ``unjudged``."""

    asked: int
    """Questions that users asked: of logs, and by hand."""
    answered: int
    rejected: int
    """The chunk that was named for it does not answer, and no search was judged."""
    unjudged: int
    """Those of which nothing is known yet."""
    kinds: Mapping[GapKind, int]
    traffic: float
    """Of all questions from logs."""
    traffic_of: Mapping[GapKind, float]
    gaps: tuple[Gap, ...]
    """By kind, the surest first, and then the most asked first; at most as many as were asked for."""


@dataclass(frozen=True, slots=True)
class GapsOptions:
    db: Path
    n: int | None = None
    """At most so many of them; None: all."""


def gaps(options: GapsOptions) -> GapsReport:
    """List the questions of users without an answer. The set stays as it is.

    A gap of the documents is told by ``GoldenQuestion.is_gap`` alone; the others are kept apart by what is
    missing to tell. Raises EmptyResultError if the set has no question from a log or by hand.
    """
    with open_store(options.db, read_only=True) as store:
        golden = load_golden(store)
        by_users = {draft.id for draft in golden.drafts if draft.origin in _ASKED_BY}
        asked = [item for item in golden.questions if not by_users.isdisjoint(_ids(item))]
        if not asked:
            raise EmptyResultError(
                f"{options.db} has no question that users asked; run goldgen logs add FILE, or goldgen add"
            )
        found = _Reader(store, golden)
        weights = {item.question.id: found.traffic(item) for item in asked}
        missing = [found.gap(item) for item in asked if item.state == "unanswered"]
    order = list(KINDS)
    missing.sort(key=lambda gap: (order.index(gap.kind), -gap.traffic, -gap.rewritten, gap.question_id))
    kinds = Counter(gap.kind for gap in missing)
    traffic_of: dict[GapKind, float] = defaultdict(float)
    for gap in missing:
        traffic_of[gap.kind] += gap.traffic
    states = Counter(item.state for item in asked)
    return GapsReport(
        asked=len(asked),
        answered=states["golden"],
        rejected=states["rejected"],
        unjudged=states["unjudged"],
        kinds={kind: kinds[kind] for kind in order if kinds[kind]},
        traffic=sum(weights.values()),
        traffic_of={kind: traffic_of[kind] for kind in order if kinds[kind]},
        gaps=tuple(missing[: options.n]),
    )


class _Reader:
    """What the set and its logs know of a question."""

    def __init__(self, store: Store, golden: GoldenSet) -> None:
        self._weights = store.logs.weights()
        self._logged = {query.question_id: query for query in store.logs.totals()}
        self._paths = {document.id: document.path for document in store.corpus.documents()}
        self._chunks = {chunk.id: chunk for chunk in golden.chunks}
        self._language = detected_language(chunk.full_text for chunk in golden.chunks) or UNCLEAR
        self._texts = {draft.id: draft.text for draft in golden.drafts}
        self._verdicts: dict[str, list[Judgment]] = defaultdict(list)
        for verdict in golden.verdicts:
            self._verdicts[verdict.question_id].append(verdict)
        self._pooled: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for place in golden.pool:
            if place.chunk_id in self._chunks:
                self._pooled[place.question_id].append((place.chunk_id, place.rank))

    def traffic(self, item: GoldenQuestion) -> float:
        return sum(self._weights.get(question_id, 0.0) for question_id in _ids(item))

    def gap(self, item: GoldenQuestion) -> Gap:
        logged = [self._logged[i] for i in _ids(item) if i in self._logged]
        wordings = [v for query in logged for v in (query.text, *query.variants)]
        wordings += [self._texts[i] for i in item.merged if i in self._texts]
        text = item.question.text
        others = {_key(wording): wording for wording in reversed(wordings)}
        return Gap(
            question_id=item.question.id,
            question=text,
            kind=self._kind(item),
            origin=item.question.origin,
            traffic=self.traffic(item),
            asked=sum(query.asked for query in logged) or item.question.asked,
            first_seen=min(_times(logged, "first"), default=None),
            last_seen=max(_times(logged, "last"), default=None),
            unclicked=sum(query.unclicked for query in logged),
            rewritten=sum(query.rewritten for query in logged),
            variants=tuple(wording for key, wording in others.items() if key and key != _key(text)),
            foreign=self._foreign(text),
            pool_depth=item.pool_depth,
            nearest=self._nearest(item),
        )

    def _foreign(self, text: str) -> str:
        language = language_of(text)
        if language in (self._language, UNCLEAR):
            return ""
        # One function word may be a name or a word of ours: "interval per target" is no Italian.
        listed = STOP_WORDS.get(language)
        return "" if listed and sum(map(listed.__contains__, words(text))) < _FUNCTION_WORDS else language

    def _kind(self, item: GoldenQuestion) -> GapKind:
        if item.is_gap:
            return "gap"
        verdicts = [v for i in _ids(item) for v in self._verdicts.get(i, ()) if v.target_id in self._chunks]
        if any(map(is_proposed, verdicts)):
            return "answer proposed"
        if any(verdict.score is not None for verdict in verdicts if verdict.judge_kind == "verifier"):
            return "judge with scores"
        grades = item.judged.grades.values()
        return "answered in part" if max(grades, default=0.0) >= _IN_PART else "pool too shallow"

    def _scores(self, item: GoldenQuestion) -> dict[str, float | None]:
        """Chunk to score, of verdicts that a verifier gave."""
        return {
            verdict.target_id: verdict.score
            for question_id in _ids(item)
            for verdict in self._verdicts.get(question_id, ())
            if verdict.judge_kind == "verifier" and verdict.target_id in self._chunks
        }

    def _nearest(self, item: GoldenQuestion) -> tuple[NearChunk, ...]:
        places = [place for question_id in _ids(item) for place in self._pooled.get(question_id, ())]
        ranks: dict[str, int] = {}
        for chunk_id, rank in places:
            ranks[chunk_id] = min(rank, ranks.get(chunk_id, rank))
        scores, grades = self._scores(item), item.judged.grades
        # Sorting is stable: what is judged alike keeps the order of the searches together.
        found = [hit.chunk_id for hit in fused([(chunk, rank, 1.0) for chunk, rank in places])]
        found.sort(key=lambda chunk: (grades.get(chunk, -1.0), scores.get(chunk) or 0.0), reverse=True)
        return tuple(
            self._near(self._chunks[chunk], grades.get(chunk), scores.get(chunk), ranks[chunk])
            for chunk in found[:_NEAREST]
        )

    def _near(self, chunk: Chunk, grade: float | None, score: float | None, rank: int) -> NearChunk:
        path = self._paths.get(chunk.document_id, "")
        return NearChunk(chunk.id, path, chunk.context.split("\n", 1)[0], grade, score, rank)


def _ids(item: GoldenQuestion) -> tuple[str, ...]:
    return (item.question.id, *item.merged)


def _key(text: str) -> str:
    """What spellings that differ in case and punctuation alone have in common."""
    return " ".join(words(text)) or fold(text)


def _times(logged: Iterable[LoggedQuery], which: Literal["first", "last"]) -> Sequence[datetime]:
    seen = [query.first_seen if which == "first" else query.last_seen for query in logged]
    return [moment for moment in seen if moment is not None]
