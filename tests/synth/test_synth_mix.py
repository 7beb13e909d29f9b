"""Which styles a chunk is asked for."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.prompts import Style
from goldgen.synth import StyleMix

STYLES = {name: Style(name, f"like {name}") for name in ("fact", "how", "keywords", "symptom")} | {
    "far": Style("far", "from both", "other document")
}
WEIGHTS = st.dictionaries(st.sampled_from(sorted(STYLES)), st.integers(1, 5), min_size=1)


def names(mix: StyleMix, chunk_id: str, count: int) -> list[str]:
    return [slot.style.name for slot in mix.slots(chunk_id, count)]


def test_without_weights_come_all_styles_that_one_chunk_answers() -> None:
    assert set(names(StyleMix.usual(STYLES), "c", 4)) == {"fact", "how", "keywords", "symptom"}


@given(WEIGHTS, st.text(), st.integers(1, 20))
def test_the_mix_is_kept_over_rounds_and_slots_have_names_of_their_own(
    weights: dict[str, int], chunk_id: str, rounds: int
) -> None:
    mix, whole = StyleMix(STYLES, weights), sum(weights.values())
    slots = mix.slots(chunk_id, rounds * whole)
    assert Counter(slot.style.name for slot in slots) == {name: rounds * n for name, n in weights.items()}
    assert len({slot.key for slot in slots}) == len(slots)


@given(WEIGHTS, st.text(), st.integers(0, 12), st.integers(0, 12))
def test_a_larger_number_only_adds(weights: dict[str, int], chunk_id: str, few: int, more: int) -> None:
    mix = StyleMix(STYLES, weights)
    assert mix.slots(chunk_id, few) == mix.slots(chunk_id, few + more)[:few]


def test_over_many_chunks_shares_are_as_asked_for() -> None:
    mix = StyleMix(STYLES, {"fact": 2, "symptom": 3, "keywords": 1})
    counts = Counter(name for number in range(600) for name in names(mix, f"c{number}", 2))
    assert counts["fact"] / 1200 == pytest.approx(2 / 6, abs=0.03)
    assert counts["symptom"] / 1200 == pytest.approx(3 / 6, abs=0.03)


def test_a_style_comes_twice_in_a_chunk_only_if_it_must() -> None:
    mix = StyleMix(STYLES, {"fact": 2, "how": 2, "keywords": 2})
    assert all(len(set(names(mix, f"c{number}", 3))) == 3 for number in range(50))
    assert [slot.key for slot in StyleMix(STYLES, {"fact": 1}).slots("c", 3)] == ["fact", "fact_2", "fact_3"]
