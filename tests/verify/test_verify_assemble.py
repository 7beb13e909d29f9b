from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import chunk, gold, question

from goldgen.types import Chunk, Judgment, Pooled, Question
from goldgen.verify import GoldenQuestion, assemble

TEXT = "Data is kept for 30 days on Basic. Owners may export it. Exports run at night."
EVIDENCE = "Data is kept for 30 days on Basic."
OWN = chunk("own", TEXT[:56])
OVERLAP = chunk("overlap", TEXT[:34], position=1)
TAIL = chunk("tail", TEXT[20:], start=20, position=2)
TWIN = chunk("twin", OWN.text, document="other")
NO_TWIN = chunk("no-twin", OWN.text, document="other", context="Team plan")
ASKED = question(of=OWN, answer="30 days", quote=EVIDENCE)


def only(questions: list[Question], judgments: list[Judgment], chunks: list[Chunk]) -> GoldenQuestion:
    (item,) = assemble(questions, judgments, chunks)
    return item


def test_gold_is_every_chunk_with_the_evidence_and_every_twin() -> None:
    item = only([ASKED], [gold(ASKED, OWN, EVIDENCE)], [OWN, OVERLAP, TAIL, TWIN, NO_TWIN])
    assert item.state == "golden"
    assert set(item.gold) == {"own", "overlap", "twin"}
    assert item.judged.cluster == "d"


@pytest.mark.parametrize(
    ("asked", "grades", "state"),
    [
        (ASKED, [3], "golden"),
        (ASKED, [2], "rejected"),
        (ASKED, [0], "rejected"),
        (ASKED, [None], "unjudged"),
        (ASKED, [], "unjudged"),
        (question(), [0, 3], "golden"),
        (question(), [0, 2], "unanswered"),
        (question(), [0, None], "unjudged"),
        (question(), [3, None], "golden"),
        (question(), [], "unjudged"),
    ],
)
def test_states(asked: Question, grades: list[int | None], state: str) -> None:
    chunks = [OWN, replace(TAIL, id="tail-1")]
    judgments = [
        Judgment(asked.id, target.id, "judge", grade=grade)
        for target, grade in zip(chunks, grades, strict=False)
    ]
    item = only([asked], judgments, chunks)
    assert item.state == state
    assert bool(item.gold) == (state == "golden")


def test_an_unjudged_pair_is_no_grade_of_0() -> None:
    item = only([question()], [Judgment("q", "own", "j", grade=2), Judgment("q", "tail", "j")], [OWN, TAIL])
    assert item.judged.grades == {"own": 2}


@pytest.mark.parametrize("grade", [None, 0, 3])
def test_verdicts_on_near_misses_say_nothing_of_the_question(grade: int | None) -> None:
    """They have the question's id, and a target that is no chunk."""
    near_miss = Judgment("q", "near-miss", "judge", grade=grade, quote=EVIDENCE if grade else "")
    assert only([ASKED], [near_miss], [OWN]).state == "unjudged"
    own = Judgment("q", "own", "judge", grade=0, document_id="d")
    assert only([ASKED], [near_miss, own], [OWN]).state == "rejected"


def test_a_human_verdict_stands_before_what_follows_from_a_verifier() -> None:
    """The verifier's evidence lies in another chunk too, of which a human said that it does not answer."""
    human = Judgment("q", "overlap", "ann", judge_kind="human", grade=1)
    item = only([ASKED], [gold(ASKED, OWN, EVIDENCE), human], [OWN, OVERLAP])
    assert item.judged.grades == {"own": 3, "overlap": 1}
    refused = Judgment("q", "own", "ann", judge_kind="human", grade=0)
    item = only([ASKED], [refused, gold(ASKED, TWIN, EVIDENCE)], [OWN, TWIN])
    assert item.state == "rejected"


def test_a_human_gold_needs_no_quote() -> None:
    human = Judgment("q", "own", "ann", judge_kind="human", grade=3)
    assert set(only([ASKED], [human], [OWN, OVERLAP, TWIN]).gold) == {"own", "twin"}


def test_a_document_cut_anew_is_found_again_by_its_evidence() -> None:
    anew = [chunk("new-1", TEXT[:40]), chunk("new-2", TEXT[35:], start=35, position=1)]
    assert only([ASKED], [gold(ASKED, OWN, EVIDENCE)], anew).gold == ("new-1",)


def test_a_short_quote_is_found_again_by_its_place_and_nowhere_else() -> None:
    text = "Wait 30 days. Pay 30 days later."
    judged = gold(ASKED, chunk("gone", text), "30 days")
    anew = [chunk("first", text[:13]), chunk("second", text[14:], start=14, position=1)]
    assert only([ASKED], [judged], anew).gold == ("first",)
    moved = [replace(piece, start=piece.start + 100, end=piece.end + 100) for piece in anew]
    assert only([ASKED], [judged], moved).gold == ()


def test_text_put_in_before_the_evidence_moves_no_gold_to_a_neighbour() -> None:
    """The judged chunk keeps its id, for its text is the same, but its offsets have moved."""
    judgment = gold(ASKED, OWN, EVIDENCE)
    new_first = chunk("new", "N" * 100)
    moved = [replace(c, start=c.start + 101, end=c.end + 101) for c in (OWN, OVERLAP, TAIL)]
    assert set(only([ASKED], [judgment], [new_first, *moved]).gold) == {"own", "overlap"}
    vanished = [new_first, *moved[1:]]
    assert only([ASKED], [judgment], vanished).gold == ("overlap",)


def test_evidence_of_one_document_makes_no_gold_in_another() -> None:
    elsewhere = chunk("elsewhere", f"{EVIDENCE} And more.", document="other")
    assert only([ASKED], [gold(ASKED, OWN, EVIDENCE)], [OWN, elsewhere]).gold == ("own",)


def test_questions_worded_alike_are_one_with_the_gold_of_all() -> None:
    other = chunk("x", "Basic keeps data for 30 days.", document="other")
    again = question("q2", "how long is data  kept on **Basic**?", of=other)
    third = question("q3", "How long on Pro?", of=other)
    judgments = [
        Judgment("q", "own", "judge", grade=1, document_id="d"),
        gold(again, other, other.text),
        Judgment("q3", "x", "judge", grade=0, document_id="other"),
    ]
    merged, alone = assemble([ASKED, again, third], judgments, [OWN, other])
    assert merged.question == again
    assert merged.merged == ("q",)
    assert merged.judged.question_id == "q2"
    assert merged.judged.grades == {"own": 1, "x": 3}
    assert (alone.question, alone.state, alone.merged) == (third, "rejected", ())


@given(st.permutations([ASKED, question("q2", "HOW LONG is data kept on Basic?", of=TWIN), question("q3")]))
def test_no_question_is_lost_whatever_the_order(questions: list[Question]) -> None:
    items = assemble(questions, [gold(ASKED, OWN, EVIDENCE)], [OWN, TWIN])
    assert sorted(key for item in items for key in (item.question.id, *item.merged)) == ["q", "q2", "q3"]
    assert [item.question.id for item in items if item.state == "golden"] == ["q"]


def test_a_log_question_is_a_cluster_of_its_own() -> None:
    asked = replace(question("log"), document_id="d")
    assert only([asked], [], [OWN]).judged.cluster == "log"


DOCUMENT = "d"


def person(target: str, grade: int, quote: str = "") -> Judgment:
    start = TEXT.index(quote) if quote else None
    return Judgment("q", target, "ann", "human", grade, DOCUMENT, quote, start)


def test_what_a_person_said_of_a_chunk_stands_before_what_follows_from_elsewhere() -> None:
    """The gold's evidence stands in the overlapping chunk too, which a person rejected."""
    judgments = [person("own", 3, EVIDENCE), person("overlap", 0)]
    found = only([ASKED], judgments, [OWN, OVERLAP, TWIN])
    assert found.judged.grades == {"own": 3, "overlap": 0, "twin": 3}


def test_what_a_person_said_of_a_chunk_stands_before_what_was_said_of_its_twin() -> None:
    found = only([ASKED], [person("own", 3), person("twin", 0)], [OWN, TWIN])
    assert found.judged.grades == {"own": 3, "twin": 0}
    third = replace(TWIN, id="third", document_id="third")
    found = only([ASKED], [person("own", 0), person("twin", 2)], [OWN, TWIN, third])
    assert found.judged.grades == {"own": 0, "twin": 2, "third": 2}


def test_what_was_said_of_a_twin_stands_before_evidence_seen_elsewhere() -> None:
    overlap_twin = chunk("overlap-twin", OVERLAP.text, document="other")
    judgments = [person("own", 3, EVIDENCE), person("overlap-twin", 0)]
    assert only([ASKED], judgments, [OWN, OVERLAP, overlap_twin]).judged.grades == {
        "own": 3,
        "overlap": 0,
        "overlap-twin": 0,
    }


BY_HAND = Question("q", "How long is data kept on Basic?", "manual", "manual")
OTHERS = [OWN, TAIL, chunk("far", "Ask us.", document="far")]
POOL = [Pooled("q", other.id, "bm25", rank, 50) for rank, other in enumerate(OTHERS, 1)]


@pytest.mark.parametrize("asked", [question(), BY_HAND])
@pytest.mark.parametrize(
    ("grades", "state"),
    [
        ({"own": 0, "tail": 1, "far": 0}, "unanswered"),
        ({"own": 0, "tail": 1}, "unjudged"),
        ({"own": 0, "tail": 1, "far": None}, "unjudged"),
        ({"own": 3}, "golden"),
    ],
)
def test_a_question_is_unanswered_only_once_its_whole_pool_is_judged(
    asked: Question, grades: dict[str, int | None], state: str
) -> None:
    judgments = [Judgment("q", target, "judge", grade=grade) for target, grade in grades.items()]
    (found,) = assemble([asked], judgments, OTHERS, POOL)
    assert found.state == state
    assert found.is_gap == (state == "unanswered")


def test_a_candidate_that_is_gone_or_has_a_judged_twin_keeps_nothing_open() -> None:
    pool = [*POOL, Pooled("q", "gone", "bm25", 4, 50), Pooled("q", "twin", "bm25", 5, 50)]
    judgments = [Judgment("q", other.id, "judge", grade=0) for other in OTHERS]
    (found,) = assemble([question()], judgments, [*OTHERS, TWIN], pool)
    assert found.state == "unanswered"


def test_a_named_page_of_which_nothing_is_judged_keeps_a_query_open() -> None:
    named = replace(question(), document_id="page")
    page = chunk("on-page", "Seats are counted at night.", document="page")
    judgments = [Judgment("q", other.id, "judge", grade=0) for other in OTHERS]
    (open_still,) = assemble([named], judgments, [*OTHERS, page], POOL)
    assert (open_still.state, open_still.is_gap) == ("unjudged", False)
    judgments.append(Judgment("q", "on-page", "judge", grade=1))
    (judged,) = assemble([named], judgments, [*OTHERS, page], POOL)
    assert judged.state == "unanswered"


def test_the_pool_of_a_question_written_from_a_chunk_does_not_keep_it_open() -> None:
    own = [Judgment("q", "own", "judge", grade=1)]
    (found,) = assemble([ASKED], own, OTHERS, POOL)
    assert found.state == "rejected"


def test_a_judge_that_knows_no_grades_between_shows_no_gap() -> None:
    """Its 0 says: below the threshold."""
    scored = [Judgment("q", other.id, "judge", grade=0, score=0.4) for other in OTHERS]
    (found,) = assemble([question()], scored, OTHERS, POOL)
    assert (found.state, found.is_gap) == ("unanswered", False)
    people = [replace(j, judge="ann", judge_kind="human", score=None) for j in scored]
    assert assemble([question()], people, OTHERS, POOL)[0].is_gap


def test_evidence_that_leaves_the_answer_out_makes_no_other_chunk_gold() -> None:
    text = "The Basic plan is for small teams. Support answers by email."
    chunks = [Chunk("all", "d", text, 0, len(text)), Chunk("half", "d", text[:34], 0, 34)]
    question = Question("q", "How does support answer on the Basic plan?", "synthetic", "fact", "all", "d")
    named = Judgment(
        "q",
        "all",
        "ver",
        grade=3,
        document_id="d",
        quote="The Basic plan",
        start=0,
        end=14,
        answer="by email",
    )
    (found,) = assemble([question], [named], chunks)
    assert found.gold == ("all",)
    stated = replace(named, answer="the Basic plan")
    (found,) = assemble([question], [stated], chunks)
    assert set(found.gold) == {"all", "half"}
