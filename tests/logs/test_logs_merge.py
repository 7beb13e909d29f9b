import csv
import pickle
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_secrets import PLANTED

from goldgen.logs import LogQuery, LogRow, merge, read_log, to_questions
from goldgen.tabular import BadRow, read_rows
from goldgen.text import stable_id

SHARED_LOGS = Path(__file__).parents[2] / ".." / "shared" / "data" / "logs"


def _rows(*queries: str) -> list[LogRow | BadRow]:
    return [LogRow(line, query) for line, query in enumerate(queries, start=2)]


def _day(day: int) -> datetime:
    return datetime(2024, 5, day, tzinfo=UTC)


@pytest.mark.parametrize(
    "other",
    [
        "how do i log in",
        "How do I log in?",
        '"How do I log in"',
        "'how do I log in?'",
        "“How do I log in”?",
        "HOW DO I LOG IN!!!",
        "how do I **log in** .",
        "how  do I log in…",
        "how do I log in？",
    ],
)
def test_spellings_of_one_query_are_counted_together(other: str) -> None:
    merged = merge(_rows(other, "How do I log in", "How do I log in"))

    assert merged.queries == (LogQuery("How do I log in", 3, (), None, None, ("How do I log in", other)),)


@pytest.mark.parametrize("other", ["how do I log out", "do I log in", "how do I log in v2", "how do I login"])
def test_different_queries_stay_apart(other: str) -> None:
    assert len(merge(_rows("how do I log in", other)).queries) == 2


def test_of_equally_frequent_spellings_the_first_is_the_text() -> None:
    assert merge(_rows("Reset?", "reset")).queries[0].text == "Reset?"
    assert merge(_rows("reset", "Reset?")).queries[0].text == "reset"


def test_queries_stand_most_often_asked_first_then_as_in_the_log() -> None:
    merged = merge(_rows("a1", "b1", "c1", "c1"))

    assert [(query.text, query.asked) for query in merged.queries] == [("c1", 2), ("a1", 1), ("b1", 1)]


def test_pages_and_times_of_all_spellings() -> None:
    rows = [
        LogRow(2, "reset", "/once", None, _day(3)),
        LogRow(3, "Reset?", "https://docs.example.com/most?user=jane#top", 5, _day(1)),
        LogRow(4, "reset", "/twice", None, None),
        LogRow(5, "reset", "/twice", 1, _day(9)),
        LogRow(6, "reset", "/shown-only", 0),
    ]

    query = merge(rows).queries[0]

    assert query.pages == ("https://docs.example.com/most", "/twice", "/once")
    assert (query.first_seen, query.last_seen) == (_day(1), _day(9))


def test_queries_are_merged_as_scrubbed() -> None:
    merged = merge(_rows("mail to jane@example.com fails", "Mail to bob@example.com fails."))

    assert [(query.text, query.asked) for query in merged.queries] == [("mail to <EMAIL> fails", 2)]
    assert merged.scrubbed == {"EMAIL": 2}


@pytest.mark.parametrize(
    "query", ["jane@example.com", "+49 30 901820, jane@example.com", "(4111111111111111)"]
)
def test_a_query_of_personal_data_alone_is_a_bad_row(query: str) -> None:
    merged = merge(_rows(query, "reset"))

    assert merged.bad == (BadRow(2, "only personal data"),)
    assert (merged.rows, len(merged.queries)) == (2, 1)


def test_the_region_reaches_the_scrubber() -> None:
    assert merge(_rows("sms an 030 901820"), "DE").queries[0].text == "sms an <PHONE>"


def test_an_empty_log_is_empty() -> None:
    merged = merge([])
    assert (merged.queries, merged.rows, merged.bad, merged.scrubbed) == ((), 0, (), {})


def test_no_planted_value_survives_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    planted = [value for value in PLANTED if value.region == "US"]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "page"])
        for value in planted:
            writer.writerow([value.query, f"https://docs.example.com/a?q={value.query}"])
            writer.writerow(["the same query", f"/a/{value.query}"])
            writer.writerow([value.query * 200, "/a"])

    merged = merge(read_log(read_rows(path)))

    assert merged.rows == 3 * len(planted)
    for written in (repr(merged), repr(to_questions(merged))):
        assert [value.secret for value in planted if value.secret in written] == []
    raw = pickle.dumps(merged) + pickle.dumps(to_questions(merged))
    assert [value.secret for value in planted if value.secret.encode() in raw] == []


def test_a_reason_that_quotes_the_query_is_scrubbed() -> None:
    merged = merge([BadRow(4, "cannot read 'jane@example.com'")])
    assert merged.bad == (BadRow(4, "cannot read '<EMAIL>'"),)


_WORDS = st.sampled_from(
    ["reset", "Reset?", "log in", '"LOG IN"', "c++", "jane@example.com", "a jane@example.com"]
)
_LOG_ROWS = st.builds(
    LogRow,
    st.integers(1, 99),
    st.one_of(_WORDS, st.text(min_size=1, max_size=8).filter(lambda text: any(map(str.isalnum, text)))),
    st.none() | st.sampled_from(["/a", "/b"]),
    st.none() | st.integers(0, 3),
)
_BAD_ROWS = st.builds(BadRow, st.integers(1, 99), st.just("not JSON"))


@settings(deadline=None)
@given(st.lists(st.one_of(_LOG_ROWS, _BAD_ROWS), max_size=20))
def test_every_row_is_asked_or_bad(rows: list[LogRow | BadRow]) -> None:
    merged = merge(rows)

    assert merged.rows == len(rows) == sum(query.asked for query in merged.queries) + len(merged.bad)
    for query in merged.queries:
        assert query.text == query.variants[0]
        assert len(set(query.variants)) == len(query.variants) <= query.asked


@settings(deadline=None)
@given(st.lists(_LOG_ROWS, max_size=20))
def test_questions_have_ids_of_their_own(rows: list[LogRow]) -> None:
    questions = to_questions(merge(rows))
    assert len({question.id for question in questions}) == len(questions)


@settings(deadline=None)
@given(st.lists(_LOG_ROWS, min_size=1, max_size=8))
def test_merging_what_was_merged_changes_nothing(rows: list[LogRow]) -> None:
    texts = [query.text for query in merge(rows).queries]
    assert [query.text for query in merge(_rows(*texts)).queries] == texts


def test_questions_are_drafts_from_the_log() -> None:
    question = to_questions(merge(_rows("Reset?", "reset", "Reset?")))[0]

    assert (question.text, question.origin, question.style, question.asked) == ("Reset?", "log", "log", 2 + 1)
    assert question.id == stable_id("reset", "log")
    assert (question.chunk_id, question.document_id, question.cluster) == (None, None, question.id)


@pytest.mark.parametrize("name", ["ray_eval-dataset-v1.jsonl", "ray_eval-dataset-v2-alpha.jsonl"])
def test_real_questions_lose_nothing_to_scrubbing(name: str) -> None:
    path = SHARED_LOGS / name
    if not path.exists():
        pytest.skip(f"{path} is missing: the shared evaluation data are not next to this checkout")

    merged = merge(read_log(read_rows(path)))

    assert merged.scrubbed == {}
    # One row of version 2 is the word "help".
    assert {row.reason for row in merged.bad} <= {"navigation"} and len(merged.bad) <= 1
