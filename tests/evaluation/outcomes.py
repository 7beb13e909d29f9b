"""Outcomes of questions for the tests of what is made from them."""

from collections.abc import Mapping

from goldgen.evaluation.report import QuestionOutcome

MEASURE = "nDCG@10"


def outcome(
    question_id: str,
    *,
    cluster: str = "",
    traits: Mapping[str, str] | None = None,
    values: Mapping[str, float] | None = None,
    first_gold: Mapping[str, int | None] | None = None,
) -> QuestionOutcome:
    """``values``: retriever to nDCG@10. Without a cluster the question stands alone."""
    by_measure = {retriever: {MEASURE: value} for retriever, value in (values or {}).items()}
    return QuestionOutcome(
        question_id, "?", cluster or question_id, traits or {}, (), by_measure, first_gold or {}
    )
