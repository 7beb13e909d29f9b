"""How deep a question's candidates are judged, and when that says that the corpus has no answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from goldgen.types import Pooled

GAP_DEPTH = 50
"""Down to here every candidate must be judged before a missing answer counts as a gap of the corpus."""
_ON_TOPIC = 1


class PoolDepths:
    """The pool of candidates of a whole set.

    A source that gave fewer chunks for a question than it was asked for had no more to give, and does not
    limit the depth. A candidate whose chunk is gone counts as unjudged, since what stands there now was never
    looked at.
    """

    def __init__(self, pool: Sequence[Pooled], chunk_ids: frozenset[str]) -> None:
        self._chunk_ids = chunk_ids
        self._by_question: dict[str, list[Pooled]] = defaultdict(list)
        for item in pool:
            self._by_question[item.question_id].append(item)

    def judged(self, question_ids: Sequence[str], grades: Mapping[str, float]) -> int:
        """The greatest depth down to which every candidate of every source has a grade; 0 without a pool.

        ``question_ids`` are the questions that are one, with the ``grades`` of their chunks.
        """
        pooled = self._pooled(question_ids)
        if not pooled:
            return 0
        unjudged = [item.rank for item in pooled if item.chunk_id not in grades]
        asked_for: dict[str, int] = {}
        for item in pooled:
            asked_for[item.source] = max(item.depth, asked_for.get(item.source, 0))
        return min([*asked_for.values(), *(rank - 1 for rank in unjudged)])

    def is_gap(self, question_ids: Sequence[str], grades: Mapping[str, float]) -> bool:
        """Whether no chunk does more than touch the topic, judged to depth 50 or over the whole corpus."""
        if not self._chunk_ids or any(grade > _ON_TOPIC for grade in grades.values()):
            return False
        pooled = {item.chunk_id for item in self._pooled(question_ids)}
        is_whole = self._chunk_ids <= pooled and self._chunk_ids <= grades.keys()
        return is_whole or self.judged(question_ids, grades) >= GAP_DEPTH

    def _pooled(self, question_ids: Sequence[str]) -> list[Pooled]:
        return [item for question_id in question_ids for item in self._by_question.get(question_id, ())]
