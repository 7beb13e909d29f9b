"""What a set holds, and the next step worth taking."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.duplicates import DuplicateGroup, duplicate_groups
from goldgen.app.golden import GoldenSet, SetModels, load_golden, unanswered_to_depth
from goldgen.app.imported import imported_set
from goldgen.app.leakage import leakage
from goldgen.app.proofs import verdicts
from goldgen.app.review_queue import review_items, trusted
from goldgen.app.skips import reasons
from goldgen.store import Store, open_store
from goldgen.text.leakage import LeakageMeans
from goldgen.verify import GoldenQuestion
from goldgen.verify.agreement import is_proposed
from goldgen.verify.trusted import TrustedFigure

_THIN = 50
_ENOUGH = 200


@dataclass(frozen=True, slots=True)
class SetStatus:
    """Counts of a golden set."""

    db: str
    corpus: str
    documents: int
    chunks: int
    skipped: Mapping[str, int]
    states: Mapping[str, Mapping[str, int]]
    """Origin to state (golden, rejected, unanswered, unjudged) to number of questions."""
    unanswered_to_depth: Mapping[int, int]
    """How deep the pool is judged to number of questions that it does not answer; gaps are not among them."""
    gaps: int
    """Questions that the documents do not answer: judged to depth 50, or the whole corpus, and no chunk does
    more than touch the topic."""
    chunks_gone: int
    """Questions without a verdict whose chunk is no longer in the corpus: verify cannot judge them."""
    max_gold: int
    ambiguous: tuple[str, ...]
    """Ids of the questions with more gold chunks than that; they count all the same."""
    golden_by_style: Mapping[str, int]
    golden_by_document: Mapping[str, int]
    """Path to number of golden questions; documents without one are not named."""
    leakage: Mapping[str, LeakageMeans]
    """Origin to how much its questions with gold take over from that."""
    near_duplicates: int
    """Questions that another one in nearly the same words stands for."""
    duplicates: tuple[DuplicateGroup, ...]
    """What was found alike, with wording, similarity and whether it is merged."""
    near_misses: int
    near_misses_kept: int
    rejections: Mapping[str, Mapping[str, int]]
    """Stage to reason to number of drafts turned down before verification."""
    calls: int
    calls_failed: int
    tokens: int
    usd: float | None
    """Price of all calls so far; None if the price of some model is not known."""
    verifiers: Mapping[str, str]
    """Verifier to proven, unproven or failed, with the reason."""
    models: SetModels
    human_verdicts: int
    disputed: int
    """Pairs that wait for a person's word: the verifier's votes or answers differ, or people do."""
    proposed: int
    """Golds found by label completion that wait for a person, since the judge was not shown to be strict."""
    trusted: TrustedFigure | None
    """The share of wrong golds by people who read a random sample; None without one."""
    runs: int
    marks: tuple[str, ...]
    next_step: str


def status(db: Path) -> SetStatus:
    """Look at a set without changing it. Raises StoreError if there is none."""
    with open_store(db, read_only=True) as store:
        golden = load_golden(store)
        judgments = store.judgments.all()
        items = review_items(store)
        disputed = sum(item.is_disputed for item in items)
        figure = trusted(store, items)
        gone = _chunks_gone(golden)
        totals = store.calls.totals()
        proofs = verdicts(store)
        corpus = store.meta.get("corpus")
        paths = {document.id: document.path for document in store.corpus.documents()}
        unpriced = any(total.unpriced for total in totals)
        return SetStatus(
            db=str(db),
            corpus=str(json.loads(corpus)["name"]) if corpus else "",
            documents=store.corpus.document_count(),
            chunks=store.corpus.chunk_count(),
            skipped=reasons(store.corpus.skipped()),
            states=_states(golden),
            unanswered_to_depth=unanswered_to_depth(golden.questions),
            gaps=sum(item.is_gap and item.state == "unanswered" for item in golden.questions),
            chunks_gone=gone,
            max_gold=golden.max_gold,
            ambiguous=golden.ambiguous,
            golden_by_style=dict(Counter(item.question.style for item in golden.golden).most_common()),
            golden_by_document=dict(Counter(_path(item, paths) for item in golden.golden).most_common()),
            leakage=leakage(golden),
            near_duplicates=len(golden.kept_for),
            duplicates=duplicate_groups(store),
            near_misses=len(store.questions.near_misses()),
            near_misses_kept=len(golden.near_misses),
            rejections={stage: store.questions.rejections(stage) for stage in ("synth", "near_miss")},
            calls=sum(total.calls for total in totals),
            calls_failed=sum(total.failed for total in totals),
            tokens=sum(total.usage.prompt_tokens + total.usage.completion_tokens for total in totals),
            usd=None if unpriced else sum(total.usd or 0.0 for total in totals),
            verifiers=proofs,
            models=golden.models,
            human_verdicts=sum(j.judge_kind == "human" and j.grade is not None for j in judgments),
            disputed=disputed,
            proposed=sum(map(is_proposed, golden.verdicts)),
            trusted=figure,
            runs=len(store.runs.all()),
            marks=golden.marks,
            next_step=_next_step(
                store,
                golden,
                disputed=disputed,
                gone=gone,
                sampled=figure is not None and not figure.withheld,
            ),
        )


def _states(golden: GoldenSet) -> dict[str, dict[str, int]]:
    states: dict[str, dict[str, int]] = {}
    for item in golden.questions:
        of_origin = states.setdefault(item.question.origin, {})
        of_origin[item.state] = of_origin.get(item.state, 0) + 1
    return states


def _path(item: GoldenQuestion, paths: Mapping[str, str]) -> str:
    return paths.get(item.question.document_id or "", "(no document named)")


def _chunks_gone(golden: GoldenSet) -> int:
    """Unjudged questions that no run can judge: none of those worded so has its chunks in the corpus."""
    ids = {chunk.id for chunk in golden.chunks}
    judgeable = {
        question.id
        for question in golden.drafts
        if question.chunk_id is None or ids.issuperset(question.evidence_chunks or (question.chunk_id,))
    }
    return sum(
        item.state == "unjudged" and judgeable.isdisjoint((item.question.id, *item.merged))
        for item in golden.questions
    )


def _next_step(store: Store, golden: GoldenSet, *, disputed: int, gone: int, sampled: bool) -> str:
    if imported_set(store) is not None:
        return "goldgen eval: measure your retrievers"
    states = Counter(item.state for item in golden.questions)
    waiting = states["unjudged"] - gone
    if not golden.questions or (gone and gone == len(golden.questions)):
        return "goldgen synth PATH: draft questions for your documents"
    if not verdicts(store) or waiting:
        return f"goldgen verify: {waiting} questions have no verdict yet"
    if not store.questions.all("log"):
        return "goldgen logs add FILE: real queries are the hardest and most valuable part of a set"
    if not store.runs.all():
        return "goldgen eval: measure your retrievers"
    if disputed:
        return f"goldgen review: {disputed} pairs wait for a person's word; --again where people differ"
    if states["golden"] < _THIN:
        return (
            f"goldgen synth with a larger --sample: {states['golden']} questions tell only large differences"
        )
    if not sampled:
        return "goldgen review --show sample: the set's error rate is known only from people"
    if states["golden"] < _ENOUGH:
        return f"goldgen synth with a larger --sample: {_ENOUGH} to 500 questions tell finer differences"
    return "goldgen eval: the set is ready to be used, whenever your retrieval changes"
