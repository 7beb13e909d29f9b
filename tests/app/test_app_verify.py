import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from stored_sets import FACTS, draft, fill

from goldgen.app.models import ModelSettings
from goldgen.app.verify import VerifyOptions, verify
from goldgen.store import open_store


@pytest.mark.model
def test_controls_are_made_only_of_drafts_that_the_threshold_decides(tmp_path: Path) -> None:
    """A draft whose evidence is not the best window is rejected at any score."""
    db = tmp_path / "set.duckdb"
    with open_store(db) as store:
        fill(store)
        kept = replace(
            draft("exports", "Do exports run at night or by day?"),
            answer="at night",
            quote="Exports run at night.",
        )
        elsewhere = replace(
            draft("seats", "How many seats has the Basic plan?"),
            answer="sold out",
            quote="The blue tent in the garden behind the house is sold out.",
        )
        text = f"{FACTS['seats.md']} Ask the owner of your workspace. {elsewhere.quote}"
        (document,) = (d for d in store.corpus.documents() if d.id == "doc-seats")
        (chunk,) = (c for c in store.corpus.chunks() if c.id == "chunk-seats")
        moved = [replace(chunk, text=text, end=len(text))]
        store.corpus.replace_document(replace(document, text=text), moved)
        store.questions.add([kept, elsewhere])
    report = asyncio.run(verify(VerifyOptions(db, models=ModelSettings(offline=True))))
    assert "the best window is not the generator's evidence" in report.rejected
    with open_store(db, read_only=True) as store:
        assert {control.question_id for control in store.controls.all()} == {"q-exports"}
