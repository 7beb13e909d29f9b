"""The order rule, applied to whatever a retriever or a run file gave."""

from math import isnan

from goldgen.errors import RetrieverError
from goldgen.types import Hit, Ranking


def in_order(question_id: str, ranking: Ranking) -> Ranking:
    """The hits by score descending in float64, ties by chunk id descending, each chunk at its best rank.

    trec_eval compares scores in 32 bits, so scores that differ by less than that tie there but not here.
    Raises RetrieverError for a score that is NaN.
    """
    by_id = sorted(ranking, key=lambda hit: hit.chunk_id, reverse=True)
    undefined = next((hit for hit in by_id if isnan(hit.score)), None)
    if undefined is not None:
        raise RetrieverError(
            f"question {question_id!r}: chunk {undefined.chunk_id!r} has the score NaN; "
            "correct the retriever or the run file"
        )
    best: dict[str, Hit] = {}
    for hit in sorted(by_id, key=lambda hit: -hit.score):
        best.setdefault(hit.chunk_id, hit)
    return tuple(best.values())
