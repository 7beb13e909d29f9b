"""The bench of bench/logs.py on 20,000 rows: every count, and both errors of the scrubber."""

import importlib
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
RANDOM_STRINGS = {"TOKEN, base62, 28", "TOKEN, base62, 40"}
TAKEN = {
    "UUID",
    "long commit",
    "order number, bare, 10 digits",
    "order number, bare, 16 digits",
    "part number 3-2-4",
    "part number 8 digits and a letter",
    "version of four parts",
}
"""Known limits: see goldgen/logs/scrub.py."""


def test_a_generated_log_is_counted_exactly_and_scrubbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not BENCH.exists():
        pytest.skip("bench is not part of the source distribution")
    monkeypatch.syspath_prepend(BENCH)
    bench = importlib.import_module("logs")
    path = tmp_path / "log.csv"
    written = bench.write_log(path, 20_000, 1)

    found = bench.compare(written, bench.read(path))

    assert len(written.planted) > 300 and len(written.harmless) > 300
    assert {"bot: rate", "bot: uniform intervals", "bot: rotation", "navigation", "probe"} < set(
        written.rejected
    )
    assert found.miscounted == 0
    assert {name for name, (missed, _) in found.missed.items() if missed} <= RANDOM_STRINGS
    assert {name for name, (taken, _) in found.taken.items() if taken} <= TAKEN
