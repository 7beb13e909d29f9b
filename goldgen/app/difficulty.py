"""How hard a question is: where two usual retrievers have its gold."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from goldgen.app.golden import GoldenSet
from goldgen.app.measuring import DEPTH, Measured, first_rank
from goldgen.store import GoldRank, Store

Difficulty = Literal["easy", "middle", "hard", "not measured"]
MEASURED_BY = ("bm25", "dense")
_FIRST_PAGE = 10


def keep_ranks(store: Store, golden: GoldenSet, measured: Sequence[Measured]) -> None:
    """Store where bm25 and dense, if they are among ``measured``, have the best gold of each question."""
    ranks: list[GoldRank] = []
    for found in measured:
        if found.name in MEASURED_BY:
            for item in golden.golden:
                ranking = found.run.get(item.question.id, ())
                ranks.append(GoldRank(item.question.id, found.name, first_rank(ranking, item.gold), DEPTH))
    store.selections.put_ranks(ranks)


def difficulties(store: Store) -> Mapping[str, Difficulty]:
    """Question id to difficulty by the worse of the retrievers that it was measured by.

    easy: gold comes first; middle: among the first ten; hard: further down or not at all.
    """
    ranks: dict[str, list[int]] = defaultdict(list)
    for found in store.selections.ranks():
        ranks[found.question_id].append(found.rank or found.depth + 1)
    return {question_id: _level(max(places)) for question_id, places in ranks.items()}


def _level(rank: int) -> Difficulty:
    if rank == 1:
        return "easy"
    return "middle" if rank <= _FIRST_PAGE else "hard"
