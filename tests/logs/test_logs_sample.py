import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.logs import draw, parts

_SIZES = st.dictionaries(st.text(max_size=4), st.integers(1, 1000), min_size=1, max_size=40)


@given(_SIZES, st.integers(1, 50), st.integers(0, 9))
def test_a_sample_stands_for_all_of_the_traffic(sizes: dict[str, int], count: int, seed: int) -> None:
    drawn = draw(sizes, count, seed)

    assert len(drawn) == min(count, len(sizes))
    assert all(weight >= sizes[key] * (1 - 1e-9) for key, weight in drawn.items())
    if len(drawn) == len(sizes):
        assert drawn == {key: float(size) for key, size in sizes.items()}


@given(_SIZES, st.integers(1, 50), st.integers(0, 9))
def test_the_same_seed_draws_the_same(sizes: dict[str, int], count: int, seed: int) -> None:
    shuffled = dict(reversed(list(sizes.items())))
    assert draw(sizes, count, seed) == draw(shuffled, count, seed)


def test_the_weights_are_unbiased_and_the_head_is_in() -> None:
    sizes = {f"q{number:03}": 1000 // (number + 1) for number in range(300)}
    true = sum(size for key, size in sizes.items() if key.endswith("7")) / sum(sizes.values())
    estimates: list[float] = []
    for seed in range(400):
        drawn = draw(sizes, 40, seed)
        assert {"q000", "q001", "q002"} <= drawn.keys()
        assert sum(drawn.values()) == pytest.approx(sum(sizes.values()))
        estimates.append(sum(w for key, w in drawn.items() if key.endswith("7")) / sum(drawn.values()))

    assert sum(estimates) / len(estimates) == pytest.approx(true, abs=0.01)


def test_head_torso_and_tail_hold_a_third_of_the_traffic_each() -> None:
    sizes = {"a": 100, **{f"b{n}": 10 for n in range(10)}, **{f"c{n:02}": 1 for n in range(100)}}

    found = parts(sizes, draw(sizes, 21))

    assert [(part.name, part.queries, part.asked) for part in found] == [
        ("head", 1, 100),
        ("torso", 10, 100),
        ("tail", 100, 100),
    ]
    assert [part.chosen for part in found] == [1, 10, 10]
    assert parts({}, {})[0].queries == 0
