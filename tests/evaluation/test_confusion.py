import pytest
from rankings import judged, ranking

from goldgen.errors import RetrieverError
from goldgen.evaluation import confusion_rate
from goldgen.types import Hit, NearMiss


def near_miss(miss_id: str, question_id: str = "q") -> NearMiss:
    return NearMiss(miss_id, question_id, "parent", "text", "", "plan", "free", "paid")


@pytest.mark.parametrize(
    ("chunk_ids", "confused", "neither"),
    [
        (["miss", "gold"], 1, 0),
        (["gold", "miss"], 0, 0),
        (["part", "miss", "gold", "gold 2"], 1, 0),
        (["gold 2", "miss", "gold"], 0, 0),
        (["other", "miss"], 1, 0),
        (["other", "gold"], 0, 0),
        (["other"], 0, 1),
        ([], 0, 1),
    ],
)
def test_a_near_miss_confuses_if_it_outranks_every_gold(
    chunk_ids: list[str], confused: float, neither: int
) -> None:
    question = judged({"gold": 3, "gold 2": 3, "part": 2})
    confusion = confusion_rate([near_miss("miss")], [question], {"miss": ranking(*chunk_ids)})
    assert (confusion.rate, confusion.neither, confusion.n) == (confused, neither, 1)


def test_the_rate_is_over_near_misses_with_gold_and_the_rest_is_counted() -> None:
    questions = [
        judged({"g": 3}, "a", "document 1"),
        judged({"g": 3}, "b", "document 2"),
        judged({"g": 2}, "c"),
    ]
    misses = [near_miss("m1", "a"), near_miss("m2", "b"), near_miss("m3", "c"), near_miss("m4", "unknown")]
    confusion = confusion_rate(misses, questions, {"m1": ranking("m1", "g"), "m3": ranking("m3")})
    assert confusion.near_miss_ids == ("m1", "m2")
    assert confusion.clusters == ("document 1", "document 2")
    assert confusion.values.tolist() == [1, 0]
    assert (confusion.rate, confusion.n, confusion.neither, confusion.excluded) == (0.5, 2, 1, 2)


def test_the_threshold_says_what_is_gold() -> None:
    misses, rankings = [near_miss("m")], {"m": ranking("part", "m", "g")}
    question = judged({"g": 3, "part": 2})
    assert confusion_rate(misses, [question], rankings).rate == 1
    assert confusion_rate(misses, [question], rankings, threshold=2).rate == 0


def test_a_tie_is_decided_by_the_order_rule() -> None:
    tied = (Hit("a gold", 1.0), Hit("b miss", 1.0), Hit("c gold", 1.0))
    rate_of = {
        gold: confusion_rate([near_miss("b miss")], [judged({gold: 3})], {"b miss": tied}).rate
        for gold in ("a gold", "c gold")
    }
    assert rate_of == {"a gold": 1, "c gold": 0}


def test_no_near_misses_have_no_rate() -> None:
    confusion = confusion_rate([], [judged({"g": 3})], {})
    assert (confusion.rate, confusion.n) == (None, 0)


def test_a_score_of_nan_fails() -> None:
    with pytest.raises(RetrieverError, match="chunk 'g' has the score NaN"):
        confusion_rate([near_miss("m")], [judged({"g": 3})], {"m": (Hit("g", float("nan")),)})
