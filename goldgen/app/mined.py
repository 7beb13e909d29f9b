"""Near misses that stand in the corpus: what search took for an answer and a judge did not."""

from collections import defaultdict

from goldgen.app.golden import GoldenSet
from goldgen.evaluation import Lookalike
from goldgen.retrieve import fused
from goldgen.types import GOLD

MINED = "mined"
_MOST_A_QUESTION = 3
_HIGHEST_GRADE = 1


def mined_near_misses(golden: GoldenSet) -> tuple[Lookalike, ...]:
    """Up to three chunks a golden question that were judged not to answer, the likeliest by the pool first.

    Grade 0 or 1 by a person, by a chat model or by labels that were imported. The embedded judge does not
    count: it knows no "on topic", and what it misses would stand here as a near miss.
    """
    told = {
        verdict.pair: verdict.grade
        for verdict in golden.verdicts
        if verdict.grade is not None and (verdict.judge_kind == "human" or verdict.score is None)
    }
    places: dict[str, list[tuple[str, int, float]]] = defaultdict(list)
    for item in golden.pool:
        places[item.question_id].append((item.chunk_id, item.rank, 1.0))
    chunks = {chunk.id for chunk in golden.chunks}
    found: list[Lookalike] = []
    for item in golden.golden:
        ids = (item.question.id, *item.merged)
        ranked = [hit.chunk_id for hit in fused([place for i in ids for place in places[i]])]
        candidates = dict.fromkeys([*ranked, *item.judged.grades])
        near = [
            chunk_id
            for chunk_id in candidates
            if chunk_id in chunks
            and item.judged.grades.get(chunk_id, GOLD) <= _HIGHEST_GRADE
            and (not golden.verdicts or any((i, chunk_id) in told for i in ids))
            and chunk_id not in item.gold
        ]
        found.extend(Lookalike(chunk_id, item.question.id, MINED) for chunk_id in near[:_MOST_A_QUESTION])
    return tuple(found)
