"""Queries that ask nothing, machines, and queries that were asked again in other words."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from goldgen.logs import Cleaning, LogMerge, LogRow, asks_nothing, merge

START = datetime(2024, 5, 6, tzinfo=UTC)


def _at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("reason", "queries"),
    [
        ("navigation", ["login", "Log in", "Sign-in?", "HOME", "home page", "contact us", "Anmelden", "FAQ"]),
        (
            "probe",
            [
                "test",
                "Testing",
                "asdf",
                "asdfasdf",
                "aaaaaa",
                "qwerty",
                "123456",
                "hello world",
                "hahaha",
                "' or 1=1 --",
                "x') OR ('a'='a",
                "1 union select null, null",
                "'; drop table users",
                "1 sleep(5)",
                "<script>alert(1)</script>",
                '"><img src=x onerror=alert(1)>',
                "${jndi:ldap://x}",
                "{{7*7}}",
                "../../../etc/passwd",
                "${7*7}",
                "; cat /etc/hosts",
                "<%= 7*7 %>",
            ],
        ),
        (
            None,
            [
                "how do I log in",
                "login fails after upgrade",
                "home directory",
                "test a webhook",
                "foo is not found",
                "union select in a query",
                "how to use {{ .Values.image }} in helm",
                "drop table users in sqlite",
                "what is onerror=",
                "prevent ' or 1 in a filter",
                "error 1234 on start",
                "help me reset my seat",
                "cat /etc/hosts",
                "where is ../values.yaml",
                "abc analysis",
                "banana",
                "c++",
                "sleep in bash",
            ],
        ),
    ],
)
def test_what_asks_nothing(reason: str | None, queries: list[str]) -> None:
    assert [query for query in queries if asks_nothing(query) != reason] == []


def _people(count: int) -> list[LogRow]:
    chance = random.Random(1)
    return [
        LogRow(
            number + 2, f"question {number % 40}", None, None, _at(number * 11), f"p{chance.randrange(50)}"
        )
        for number in range(count)
    ]


def _machine(name: str, seconds: float, jitter: float, queries: int, count: int = 60) -> list[LogRow]:
    chance = random.Random(2)
    at, rows = 0.0, list[LogRow]()
    for number in range(count):
        at += seconds + chance.uniform(-jitter, jitter)
        which = number % queries if queries else chance.randrange(40)
        rows.append(LogRow(10_000 + number, f"question {which}", None, None, _at(at), name))
    return rows


@pytest.mark.parametrize(
    ("reason", "rows"),
    [
        ("bot: rate", _machine("m", 1, 0.9, 0)),
        ("bot: uniform intervals", _machine("m", 60, 0.5, 0)),
        ("bot: rotation", _machine("m", 60, 50, 7)),
    ],
)
def test_machines_are_told_by_rate_by_clock_and_by_rotation(reason: str, rows: list[LogRow]) -> None:
    people = _people(500)
    mixed = [*people, *rows]
    random.Random(3).shuffle(mixed)

    merged = merge(mixed)

    assert {(row.line, row.reason) for row in merged.bad} == {(row.line, reason) for row in rows}
    assert merged.queries and sum(query.asked for query in merged.queries) == len(people)
    assert merged.rows == len(mixed)
    kept = merge(mixed, cleaning=Cleaning(keep_all=True))
    assert (kept.kept, kept.bad, kept.rows) == ({reason: len(rows)}, (), len(mixed))


def test_a_busy_person_is_no_machine_and_without_users_nobody_is() -> None:
    assert merge(_machine("p", 60, 50, 0)).bad == ()
    nameless = [LogRow(row.line, row.query, None, None, row.time) for row in _machine("m", 1, 0, 7)]
    assert merge(nameless).bad == ()


def _asked(*rows: tuple[str, float, str, bool | None]) -> LogMerge:
    return merge(
        [
            LogRow(number, query, None, None, _at(seconds), user, clicked=clicked)
            for number, (query, seconds, user, clicked) in enumerate(rows, start=2)
        ]
    )


def _rewrites(merged: LogMerge) -> dict[str, tuple[int, tuple[str, ...]]]:
    return {query.text: (query.rewritten, query.rewritten_to) for query in merged.queries if query.rewritten}


def test_a_query_asked_again_in_other_words_after_no_click_failed() -> None:
    merged = _asked(
        ("export csv broken", 0, "a", False),
        ("empty csv export", 60, "a", True),
        ("export csv broken", 10, "b", False),
        ("empty csv export", 400, "b", True),  # too late
        ("pasword reset", 0, "c", False),
        ("password reset", 20, "c", True),
        ("seats", 0, "d", False),
        ("webhook retries", 30, "d", True),  # another question
        ("roles of a team", 0, "e", True),  # found
        ("team roles list", 30, "e", True),
        ("mail to jane@example.com", 0, "g", False),
        ("seats of bob@example.com", 30, "g", True),  # an address in both says nothing
        ("sso setup", 0, "f", None),  # the log does not say
        ("sso okta setup", 30, "f", True),
    )

    assert _rewrites(merged) == {
        "export csv broken": (1, ("empty csv export",)),
        "pasword reset": (1, ("password reset",)),
    }
    assert {query.text: query.unclicked for query in merged.queries if query.unclicked} == {
        "export csv broken": 2,
        "pasword reset": 1,
        "seats": 1,
        "mail to <EMAIL>": 1,
    }


def test_without_users_or_times_nothing_is_called_rewritten() -> None:
    rows = [LogRow(2, "export csv", clicked=False), LogRow(3, "csv export fails", clicked=True)]
    assert _rewrites(merge(rows)) == {}
    named = [LogRow(row.line, row.query, user="a", clicked=row.clicked) for row in rows]
    assert _rewrites(merge(named)) == {}


def test_only_the_languages_asked_for_are_kept_and_unclear_ones() -> None:
    languages = {"wie geht das": "de", "how does it work": "en", "kubectl": "not clear"}
    rows = [LogRow(number, text) for number, text in enumerate(languages, start=2)]

    merged = merge(rows, cleaning=Cleaning(frozenset({"en"})), language_of=languages.__getitem__)

    assert [query.text for query in merged.queries] == ["how does it work", "kubectl"]
    assert [(row.line, row.reason) for row in merged.bad] == [(2, "language de")]


def test_feedback_is_counted() -> None:
    liked = [True, True, False, None]
    merged = merge([LogRow(number, "seats", liked=value) for number, value in enumerate(liked)])
    assert (merged.queries[0].liked, merged.queries[0].disliked) == (2, 1)


def test_nothing_of_a_user_is_kept() -> None:
    rows = [LogRow(2, "seats", user="jane.doe", time=START, clicked=False)]
    assert "jane.doe" not in repr(rows) and "jane.doe" not in repr(merge(rows))


@pytest.mark.timeout(5)
@pytest.mark.parametrize("part", ["a", "' ", "';#--", "../", "test ", "ha", "/etc/passwd", "${", "' or a"])
def test_hostile_repetition_ends_soon(part: str) -> None:
    asks_nothing(part * (2_000 // len(part)))
