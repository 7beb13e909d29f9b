"""A verdict that was replaced comes back in its place."""

from dataclasses import replace
from pathlib import Path

from goldgen.store import open_store
from goldgen.types import AnsweredPart, Judgment


def test_a_replaced_verdict_comes_back_with_its_time_and_place(tmp_path: Path) -> None:
    ann = Judgment("q", "c", "ann", "human", grade=2, parts=(AnsweredPart("all", True),), votes=(3, None))
    bob = replace(ann, judge="bob", grade=1)
    with open_store(tmp_path / "set.duckdb") as store:
        store.judgments.put([ann])
        store.judgments.put([bob])
        first = store.judgments.stored(ann)
        assert first is not None and first.judgment == ann
        store.judgments.put([replace(ann, grade=3)])
        assert [judgment.grade for judgment in store.judgments.effective()] == [3], "ann spoke last"
        store.judgments.restore(first)
        assert store.judgments.stored(ann) == first
        assert store.judgments.all() == [ann, bob]
        assert store.judgments.effective() == [bob]
        assert store.judgments.stored(replace(ann, judge_kind="verifier")) is None
