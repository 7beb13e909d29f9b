"""What a retriever in the pool contributed alone to the labels that it is then measured by."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from goldgen.app.candidates import own_texts
from goldgen.app.comparison import PRIMARY
from goldgen.app.golden import GoldenSet
from goldgen.evaluation import OwnLeftOut, score_run
from goldgen.types import GOLD, JudgedQuestion, Ranking
from goldgen.verify import assemble

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Reduced:
    """The labels of a set without what one source alone proposed."""

    judged: tuple[JudgedQuestion, ...]
    golds: int
    """Gold chunks left out, over all questions."""


def without_own(golden: GoldenSet, source: str) -> Reduced | None:
    """Leave out verdicts on pairs that only ``source`` proposed: unjudged, whatever their grade.

    What a human said stays, and so do a question's own chunk and the page that a log names. Of twins, whoever
    proposed one proposed all.
    None if ``source`` proposed nothing. Source: Zobel, "How reliable are the results of large-scale
    information retrieval experiments?", SIGIR 1998.
    """
    texts = {chunk.id: chunk.full_text for chunk in golden.chunks}
    sources: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in golden.pool:
        if item.chunk_id in texts:
            sources[item.question_id, texts[item.chunk_id]].add(item.source)
    if not any(source in found for found in sources.values()):
        return None
    by_id = {chunk.id: chunk for chunk in golden.chunks}
    of_page: dict[str, set[str]] = defaultdict(set)
    for chunk in golden.chunks:
        of_page[chunk.document_id].add(chunk.full_text)
    known: dict[str, set[str]] = {}
    for question in golden.drafts:
        named = of_page[question.document_id or ""] if question.origin == "log" else set[str]()
        known[question.id] = own_texts(question, by_id) | named
    kept = [
        verdict
        for verdict in golden.verdicts
        if verdict.judge_kind == "human"
        or (text := texts.get(verdict.target_id, "")) in known.get(verdict.question_id, ())
        or sources.get((verdict.question_id, text)) != {source}
    ]
    first = {i: item for item in golden.questions for i in (item.question.id, *item.merged)}
    reduced: list[JudgedQuestion] = []
    for item in assemble(golden.drafts, kept, golden.chunks, kept_for=golden.kept_for):
        full = first[item.question.id].judged
        reduced.append(replace(item.judged, question_id=full.question_id, cluster=full.cluster))
    return Reduced(tuple(reduced), _golds(golden.judged) - _golds(reduced))


def own_left_out(
    golden: GoldenSet, label: str, runs: Mapping[str, Mapping[str, Ranking]]
) -> OwnLeftOut | None:
    """How the retriever ``label`` fares by labels without its own; None if it is no source of the pool.

    ``runs``: the label of each measured retriever to its run. Questions that lose all their gold are left out
    of every mean that is compared.
    """
    reduced = without_own(golden, label)
    if reduced is None:
        return None
    left = [question for question in reduced.judged if _golds([question])]
    lost = len(golden.golden) - len(left)
    if not left:
        return OwnLeftOut(None, None, reduced.golds, lost)
    ids = {question.question_id for question in left}
    whole = [question for question in golden.judged if question.question_id in ids]
    before, after = (
        {name: score_run(labels, run, (PRIMARY,)).mean(PRIMARY) for name, run in runs.items()}
        for labels in (whole, left)
    )
    overtaking = (
        name for name in runs if before[name] <= before[label] and after[name] > after[label] + _ROUNDING
    )
    return OwnLeftOut(
        after[label], after[label] - before[label], reduced.golds, lost, tuple(sorted(overtaking))
    )


def _golds(judged: Sequence[JudgedQuestion]) -> int:
    return sum(grade >= GOLD for question in judged for grade in question.grades.values())
