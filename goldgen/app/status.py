"""What a set holds, and the next step worth taking."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.proofs import verdicts
from goldgen.store import Store, open_store
from goldgen.verify import GoldenQuestion

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
    golden_by_style: Mapping[str, int]
    golden_by_document: Mapping[str, int]
    """Path to number of golden questions; documents without one are not named."""
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
    runs: int
    marks: tuple[str, ...]
    next_step: str


def status(db: Path) -> SetStatus:
    """Look at a set without changing it. Raises StoreError if there is none."""
    with open_store(db, read_only=True) as store:
        golden = load_golden(store)
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
            skipped=dict(Counter(file.reason for file in store.corpus.skipped())),
            states=_states(golden),
            golden_by_style=dict(Counter(item.question.style for item in golden.golden).most_common()),
            golden_by_document=dict(Counter(_path(item, paths) for item in golden.golden).most_common()),
            near_misses=len(store.questions.near_misses()),
            near_misses_kept=len(golden.near_misses),
            rejections={stage: store.questions.rejections(stage) for stage in ("synth", "near_miss")},
            calls=sum(total.calls for total in totals),
            calls_failed=sum(total.failed for total in totals),
            tokens=sum(total.usage.prompt_tokens + total.usage.completion_tokens for total in totals),
            usd=None if unpriced else sum(total.usd or 0.0 for total in totals),
            verifiers=proofs,
            runs=len(store.runs.all()),
            marks=golden.marks,
            next_step=_next_step(store, golden, verified=bool(proofs)),
        )


def _states(golden: GoldenSet) -> dict[str, dict[str, int]]:
    states: dict[str, dict[str, int]] = {}
    for item in golden.questions:
        of_origin = states.setdefault(item.question.origin, {})
        of_origin[item.state] = of_origin.get(item.state, 0) + 1
    return states


def _path(item: GoldenQuestion, paths: Mapping[str, str]) -> str:
    return paths.get(item.question.document_id or "", "(log, no page named)")


def _next_step(store: Store, golden: GoldenSet, *, verified: bool) -> str:
    states = Counter(item.state for item in golden.questions)
    if not golden.questions:
        return "goldgen synth PATH: draft questions for your documents"
    if not verified or states["unjudged"]:
        return f"goldgen verify: {states['unjudged']} questions have no verdict yet"
    if not store.questions.all("log"):
        return "goldgen logs add FILE: real queries are the hardest and most valuable part of a set"
    if not store.runs.all():
        return "goldgen eval: measure your retrievers"
    if states["golden"] < _THIN:
        return (
            f"goldgen synth with a larger --sample: {states['golden']} questions tell only large differences"
        )
    if states["golden"] < _ENOUGH:
        return f"goldgen synth with a larger --sample: {_ENOUGH} to 500 questions tell finer differences"
    return "read a random sample of accepted questions: the set's error rate is known only from people"
