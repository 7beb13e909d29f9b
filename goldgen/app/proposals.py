"""Golds that wait for a person, since the judge that found them was not shown to be strict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from goldgen.app.candidates import is_named, own_texts
from goldgen.store import Store
from goldgen.types import GOLD, Chunk, Judgment, Question
from goldgen.verify import StrictProof
from goldgen.verify.agreement import PROPOSED


def doubt(strict: StrictProof | None) -> str:
    """Why what the strict judge accepts is no gold yet; empty if it is."""
    if strict is None:
        return "the strict judge was not measured as it is asked now"
    return "" if strict.is_shown else f"the strict judge is not shown to be strict: {strict.reason}"


def proposal(judgment: Judgment, why: str) -> Judgment:
    """The verdict gold as a proposal: a grade lower, its evidence kept for a person to read."""
    return replace(judgment, grade=GOLD - 1, reason=f"{PROPOSED}: {why}")


def withdraw_golds(store: Store, verifier: str, chunks: Sequence[Chunk], why: str) -> int:
    """Make proposals of the verifier's golds that only a search found; how many there were.

    What a person or a later verifier said of a pair stands. The ledger remembers the calls, so that the golds
    come back free of charge with the next run that shows the judge to be strict.
    """
    questions = {question.id: question for question in store.questions.all()}
    by_id = {chunk.id: chunk for chunk in chunks}
    # The verifier's own word on a pair, also where a person's stands before it: what they read stays among
    # the accepted only as long as what they did not.
    latest = {
        judgment.pair: judgment for judgment in store.judgments.all() if judgment.judge_kind == "verifier"
    }
    golds = [
        judgment
        for judgment in latest.values()
        if (judgment.judge, judgment.grade) == (verifier, GOLD)
        and judgment.question_id in questions
        and _is_only_found(judgment, questions[judgment.question_id], by_id)
    ]
    store.judgments.put([proposal(judgment, why) for judgment in golds])
    return len(golds)


def _is_only_found(judgment: Judgment, question: Question, by_id: Mapping[str, Chunk]) -> bool:
    """Whether it is of a chunk that neither the question's writer nor the log's page named.

    The chunk may be gone: its evidence still makes others gold.
    """
    is_of_chunk = judgment.document_id is not None
    own = {question.chunk_id, *question.evidence_chunks}
    if not is_of_chunk or judgment.target_id in own or is_named(question, judgment.document_id):
        return False
    chunk = by_id.get(judgment.target_id)
    return chunk is None or chunk.full_text not in own_texts(question, by_id)
