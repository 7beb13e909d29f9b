"""Generated judgments, runs and measures."""

from hypothesis import strategies as st

from goldgen.evaluation import Measure, MeasureName

NAMES: tuple[MeasureName, ...] = (
    "P",
    "R",
    "RR",
    "AP",
    "AP_min",
    "nDCG",
    "nDCG_exp",
    "Success",
    "AllGold",
)
measures = st.one_of(
    st.builds(Measure, st.sampled_from(NAMES), st.integers(1, 15), st.booleans()),
    st.builds(Measure, st.just("Judged"), st.integers(1, 15)),
    st.just(Measure("bpref")),
)
chunk_ids = st.sampled_from([f"c{number}" for number in range(12)])
grades = st.dictionaries(chunk_ids, st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), max_size=8).map(
    lambda others: {"gold": 3.0, **others}
)
runs = st.dictionaries(chunk_ids | st.just("gold"), st.sampled_from([-2.0, 0.0, 0.5, 1.0, 1e30]), max_size=10)
