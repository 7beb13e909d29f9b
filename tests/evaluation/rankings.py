"""Rankings and judged questions for the tests of measures."""

from collections.abc import Mapping, Sequence

from goldgen.evaluation import Measure, score_run
from goldgen.types import Hit, JudgedQuestion, Ranking


def ranking(*chunk_ids: str) -> Ranking:
    """The chunks in the order given, with falling scores."""
    return tuple(Hit(chunk_id, float(-rank)) for rank, chunk_id in enumerate(chunk_ids))


def hits(scores: Mapping[str, float]) -> Ranking:
    return tuple(Hit(chunk_id, score) for chunk_id, score in scores.items())


def judged(grades: Mapping[str, float], question_id: str = "q", cluster: str = "document") -> JudgedQuestion:
    return JudgedQuestion(question_id, cluster, grades)


def graded_ranking(grades: Sequence[float]) -> tuple[JudgedQuestion, Ranking]:
    """A question whose chunks, c00 and on, have these grades, and the ranking in that order."""
    names = [f"c{number:02}" for number in range(len(grades))]
    return judged(dict(zip(names, grades, strict=True))), ranking(*names)


def value(measure: str, question: JudgedQuestion, given_ranking: Ranking, threshold: float = 3) -> float:
    """Scored beside a deeper measure, which must not change it."""
    chosen, deeper = Measure.parse(measure), Measure("P", 1000)
    return score_run([question], {"q": given_ranking}, [chosen, deeper], threshold=threshold).mean(chosen)
