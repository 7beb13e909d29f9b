"""The mix of styles after what people ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.synth.mix import matched_weights

USUAL = ("comparison", "fact", "goal", "how", "keywords")
COUNTS = st.dictionaries(st.sampled_from(USUAL), st.floats(0.5, 1e6), max_size=5)


def test_shares_become_steps_of_five_per_cent() -> None:
    assert matched_weights({"keywords": 60.0, "how": 30.0, "fact": 10.0}, 0.0, USUAL) == {
        "fact": 2,
        "how": 6,
        "keywords": 12,
    }


def test_what_is_not_told_counts_as_the_usual_mix() -> None:
    assert matched_weights({}, 7.0, USUAL) == dict.fromkeys(USUAL, 4)
    assert matched_weights({"keywords": 50.0}, 50.0, USUAL) == dict.fromkeys(USUAL, 2) | {"keywords": 12}


def test_a_rare_style_is_left_out() -> None:
    assert matched_weights({"keywords": 99.0, "how": 1.0}, 0.0, USUAL) == {"keywords": 20}


@given(COUNTS, st.floats(0.5, 1e6), st.floats(0.001, 1000))
def test_weights_sum_up_follow_the_counts_and_know_no_scale(
    counts: dict[str, float], untold: float, scale: float
) -> None:
    weights = matched_weights(counts, untold, USUAL)
    assert sum(weights.values()) == 20 and min(weights.values()) > 0
    whole = sum(counts.values()) + untold
    for name in USUAL:
        share = (counts.get(name, 0.0) + untold / len(USUAL)) / whole
        assert weights.get(name, 0) == pytest.approx(20 * share, abs=1.0001)
