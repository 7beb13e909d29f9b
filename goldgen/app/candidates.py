"""Which pairs of question and chunk are worth judging, the most promising first."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from goldgen.app.golden import assembled
from goldgen.app.pooling import LOG_DEPTH, named_chunks, pool
from goldgen.app.retrievers import NamedRetriever
from goldgen.retrieve import fused
from goldgen.store import Store
from goldgen.text import fold
from goldgen.types import Chunk, Origin, Pooled, Question
from goldgen.verify import GoldenQuestion


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair to judge."""

    question: Question
    chunk: Chunk
    named: bool
    """The log names the chunk's page, which makes an answer there likelier than in a search result."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The pairs to judge, the most promising first, and how many pairs the pool has."""

    to_judge: tuple[Candidate, ...]
    proposed: int
    """Distinct pairs in the pool, those of a question's own chunks left out."""

    @property
    def shared(self) -> int:
        """Pairs that get their label without being judged."""
        return self.proposed - len(self.to_judge)


def questions_to_label(
    store: Store, chunks: Sequence[Chunk], *, complete: bool, with_unjudged: bool = False
) -> list[Question]:
    """Questions that name no chunk (log queries, those by hand without a place, those about what no chunk
    says) and, if ``complete``, golden ones; of those worded alike the one that counts.

    ``with_unjudged``: also those that may yet become golden.
    """
    origins: tuple[Origin, ...] = ("log", "manual", "synthetic")
    placeless = [q for origin in origins for q in store.questions.all(origin) if not q.chunk_id]
    by_words: dict[str, Question] = {}
    for question in placeless:
        by_words.setdefault(fold(question.text), question)
    if complete:
        states = ("golden", "unjudged") if with_unjudged else ("golden",)
        for item in assembled(store, chunks):
            if item.state in states:
                by_words.setdefault(fold(item.question.text), item.question)
    return list(by_words.values())


def pool_depths(store: Store, depth: int, questions: Sequence[Question]) -> dict[Question, int]:
    """How deep each question is pooled: never less deep than before, for what was judged stays known."""
    before: dict[str, int] = {}
    for item in store.pool.all():
        before[item.question_id] = max(item.depth, before.get(item.question_id, 0))
    return {
        question: max(depth, LOG_DEPTH if question.chunk_id is None else 0, before.get(question.id, 0))
        for question in questions
    }


async def find_candidates(
    store: Store,
    depths: Mapping[Question, int],
    chunks: Sequence[Chunk],
    retrievers: Sequence[NamedRetriever],
) -> tuple[Candidates, tuple[GoldenQuestion, ...]]:
    """The pairs to judge, their pool kept, and the set as it stands without any verdict on these pairs."""
    store.pool.put(await pool(depths, chunks, retrievers))
    asked = list(depths)
    pooled = [*store.pool.all(), *named_chunks(asked, chunks)]
    in_pool = promising_first(pooled, asked, chunks, {})
    pairs = {(candidate.question.id, candidate.chunk.full_text) for candidate in in_pool.to_judge}
    texts = {chunk.id: chunk.full_text for chunk in chunks}
    kept = [
        judgment
        for judgment in store.judgments.effective()
        if judgment.judge_kind == "human"
        or (judgment.question_id, texts.get(judgment.target_id, "")) not in pairs
    ]
    before = assembled(store, chunks, kept)
    labelled = {
        question_id: item.judged.grades for item in before for question_id in (item.question.id, *item.merged)
    }
    return promising_first(pooled, asked, chunks, labelled), before


def promising_first(
    pooled: Sequence[Pooled],
    questions: Sequence[Question],
    chunks: Sequence[Chunk],
    labelled: Mapping[str, Collection[str]],
) -> Candidates:
    """The best of every question by reciprocal rank fusion of all sources, then the second of each …

    So a budget that ends leaves the least promising pairs of all questions. ``labelled`` are the chunks of a
    question whose labels are settled otherwise. Of twins one stands for all: on a named page if one is.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    places: dict[str, list[tuple[str, int, float]]] = defaultdict(list)
    for item in pooled:
        if item.chunk_id in by_id:
            places[item.question_id].append((item.chunk_id, item.rank, 1.0))
    lines: list[list[Candidate]] = []
    proposed = 0
    for question in questions:
        own = own_texts(question, by_id)
        best = (by_id[hit.chunk_id] for hit in fused(places[question.id]))
        others = [chunk for chunk in best if chunk.full_text not in own]
        proposed += len(others)
        settled = {by_id[chunk_id].full_text for chunk_id in labelled.get(question.id, ())}
        first: dict[str, Candidate] = {}
        for chunk in others:
            candidate = Candidate(question, chunk, is_named(question, chunk.document_id))
            earlier = first.get(chunk.full_text)
            if chunk.full_text not in settled and (earlier is None or candidate.named > earlier.named):
                first[chunk.full_text] = candidate
        lines.append(list(first.values()))
    longest = max(map(len, lines), default=0)
    turns = (line[place] for place in range(longest) for line in lines if place < len(line))
    return Candidates(tuple(turns), proposed)


def own_texts(question: Question, by_id: Mapping[str, Chunk]) -> set[str]:
    """The texts of the chunks that the question was written from."""
    own = (question.chunk_id or "", *question.evidence_chunks)
    return {by_id[chunk_id].full_text for chunk_id in own if chunk_id in by_id}


def is_named(question: Question, document_id: str | None) -> bool:
    """Whether the log that has the query names this page for it."""
    return question.origin == "log" and document_id is not None and document_id == question.document_id
