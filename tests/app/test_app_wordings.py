"""One wording of each draft, though runs of synth word it differently."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stub.generator import as_asked, generated, stage
from stub.server import Body, Reply, StartStub

from goldgen.app.models import ModelSettings
from goldgen.app.synth import SynthOptions, SynthReport, synthesize
from goldgen.app.wordings import Wordings
from goldgen.store import open_store
from goldgen.synth import LITERAL, ChunkQuestions
from goldgen.types import Chunk, Judgment, NearMiss, Question

TEXT = "Deleted rows stay thirty days. Nobody has to ask for them, and they cost nothing at all."
CHUNK = Chunk("c", "d", TEXT, 0, len(TEXT))
REWRITE = "hash of the rewriting prompt"
DRAFT = Question(
    "draft", "How long stay deleted rows?", "synthetic", "fact", "c", "d", "thirty days", TEXT, "m"
)
REWORDED = replace(DRAFT, id="reworded", text="When is it too late?", prompt_hash=REWRITE)
AGAIN = replace(REWORDED, id="again", text="Until when can I undo it?")


def settled(
    stored: Sequence[Question],
    made: Question,
    *judged: Question,
    draft: Question = DRAFT,
    failure: str = "",
) -> ChunkQuestions:
    known = Wordings({"c": stored}, frozenset(question.id for question in judged), REWRITE)
    return known.settled(ChunkQuestions(CHUNK, 1, (made,), drafts=(draft,), failure=failure))


def named(ids: str) -> list[Question]:
    """Of "draft again": those two."""
    by_id = {question.id: question for question in (DRAFT, REWORDED, AGAIN)}
    return [by_id[key] for key in ids.split()]


def ids(outcome: ChunkQuestions) -> tuple[list[str], list[str], int]:
    return [question.id for question in outcome.questions], list(outcome.replaced), outcome.stood


@pytest.mark.parametrize(
    ("stored", "made", "judged", "standing", "replaced", "stood"),
    [
        ("", "draft", "", "draft", "", 0),
        ("draft", "draft", "", "draft", "", 0),
        ("draft", "reworded", "", "reworded", "draft", 0),
        ("reworded", "draft", "", "draft", "reworded", 0),
        ("draft reworded", "again", "", "again", "draft reworded", 0),
        ("draft reworded", "draft", "", "draft", "reworded", 0),
        ("draft", "reworded", "draft", "draft", "", 1),
        ("draft reworded", "again", "reworded", "reworded", "draft", 1),
        ("draft reworded", "draft", "reworded", "reworded", "draft", 1),
        ("draft reworded", "draft", "draft", "draft", "reworded", 0),
        ("draft reworded", "draft", "draft reworded", "draft", "", 0),
        ("draft reworded", "again", "draft reworded", "draft reworded", "", 1),
    ],
)
def test_the_newest_wording_stands_but_none_with_a_verdict_goes(
    stored: str, made: str, judged: str, standing: str, replaced: str, stood: int
) -> None:
    outcome = settled(named(stored), *named(made), *named(judged))
    assert ids(outcome) == (standing.split(), replaced.split(), stood)


def test_a_question_of_another_draft_is_no_wording_of_it() -> None:
    others = [
        replace(DRAFT, id="another text of the same model"),
        replace(REWORDED, id="style", style="symptom"),
        replace(REWORDED, id="answer", answer="nothing at all"),
        replace(REWORDED, id="quote", quote="Deleted rows stay thirty days."),
        replace(REWORDED, id="model", model="other"),
    ]
    assert ids(settled(others, REWORDED)) == (["reworded"], [], 0)
    assert ids(settled(others, REWORDED, *others)) == (["reworded"], [], 0)


def test_a_draft_that_stands_though_it_was_reworded_is_flagged() -> None:
    (question,) = settled([DRAFT], REWORDED, DRAFT).questions
    assert question == replace(DRAFT, flags=(LITERAL,))
    assert settled([question], REWORDED, DRAFT).questions == (question,)
    assert settled([REWORDED], DRAFT, REWORDED).questions == (REWORDED,)


def test_a_call_that_failed_takes_no_better_wording_away() -> None:
    assert ids(settled([REWORDED], DRAFT, failure="timeout")) == (["reworded"], [], 1)
    assert ids(settled([], DRAFT, failure="timeout")) == (["draft"], [], 0)


def test_questions_that_no_one_chunk_answers_are_left_as_they_are() -> None:
    both = replace(DRAFT, id="both", evidence_chunks=("c", "e"))
    known = Wordings({"c": [DRAFT]}, frozenset(), REWRITE)
    outcome = known.settled(ChunkQuestions(CHUNK, 2, (REWORDED, both), drafts=(DRAFT,)))
    assert ids(outcome) == (["reworded", "both"], ["draft"], 0)


def test_judging_and_parting_are_verdicts(tmp_path: Path) -> None:
    with open_store(tmp_path / "set.duckdb") as store:
        store.questions.add([DRAFT, REWORDED, replace(AGAIN, evidence_chunks=("c", "e"))])
        store.judgments.put([Judgment("draft", "c", "claude-judge", reason="timeout")])
        store.duplicates.part("reworded", "other")
        known = Wordings.of(store, REWRITE)
        assert {question.id for question in known.by_chunk["c"]} == {"draft", "reworded"}
        assert known.judged == {"draft", "reworded", "other"}
        store.questions.add_near_misses([NearMiss("near", "draft", "c", "text", "", "plan", "a", "b")])
        store.questions.remove(["draft"])
        assert store.questions.get("draft") is None and not store.questions.near_misses()


def _rewording(number: int, body: Body) -> Reply:
    """A capable generator that knows other words for every query."""
    return as_asked(body, _other_words(body) if stage(body) == "Queries" else generated(body))


def _other_words(body: Body) -> Mapping[str, Any]:
    queries = re.findall(r"^(\d+)\. (\w+): what holds for (\w+)", body["messages"][-1]["content"], re.M)
    return {f"query_{number}": f"{style} of {first}, until when?" for number, style, first in queries}


def test_runs_with_another_limit_leave_no_second_wording(tmp_path: Path, start_stub: StartStub) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "rows.md").write_text(
        "# Upkeep\n\nDeleted rows remain recoverable for the owner during thirty days. After that nobody "
        "recovers what somebody deleted by mistake. Exports leave every night towards the mailbox of their "
        "owner, compressed and encrypted.\n"
    )
    db = tmp_path / "set.duckdb"
    models = ModelSettings(model="gen", base_url=start_stub(_rewording).url)

    def synth(limit: float) -> SynthReport:
        job = SynthOptions(db, folder, near_misses=1, max_overlap=limit, models=models)
        return asyncio.run(synthesize(job))

    def stored() -> dict[str, str]:
        with open_store(db, read_only=True) as store:
            assert {item.question_id for item in store.questions.near_misses()} <= {
                question.id for question in store.questions.all()
            }
            return {question.id: question.text for question in store.questions.all()}

    synth(1)
    literal = stored()
    reworded = synth(0)
    assert (reworded.rewritten, reworded.replaced, reworded.stood) == (3, 3, 0)
    assert len(stored()) == 3 and not literal.keys() & stored().keys()
    judged = min(stored())
    with open_store(db) as store:
        store.judgments.put([Judgment(judged, "c", "ann", judge_kind="human", grade=3)])
    again = synth(1)
    assert (again.replaced, again.stood, again.questions) == (2, 1, 3)
    assert judged in stored() and len(stored()) == 3 and len(literal.keys() & stored().keys()) == 2
