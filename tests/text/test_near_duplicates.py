from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from goldgen.text.near_duplicates import Likeness, NearDuplicates
from goldgen.types import Vectors

GERMAN = ("wie", "was", "welche", "wann", "wo", "wer", "kann", "können", "muss", "darf")
ENGLISH = ("how", "what", "which", "when", "where", "who", "why", "can", "should", "does", "is", "must")


def language_of(text: str) -> str:
    first = text.split()[0].lower()
    return "de" if first in GERMAN else "en" if first in ENGLISH else "fr" if first == "comment" else "?"


SAME = [
    ("How do I install Prometheus?", "How can I install Prometheus?"),
    ("How do I install Prometheus?", "prometheus installation"),
    ("How do I install Prometheus?", "I want to install Prometheus."),
    ("What is a gauge?", "I want to understand what a gauge is."),
    ("What is a gauge?", "What does gauge mean?"),
    ("reload config without restart", "How do I reload the config without a restart?"),
    ("What is the retention time?", "retention time"),
    ("How can I protect myself?", "What can I do to protect myself?"),
    (
        "How do I push manifests to the `dev` branch?",
        "Hey there! I need to push manifests to the `dev` branch. Can you tell me how to do that?",
    ),
    (
        "What is the difference between counters and gauges?",
        "What are the differences between gauges and counters?",
    ),
    ("Can I see which queries were run?", "Could I see which queries were run?"),
    ("What’s the default port?", "What is the default port?"),
    ("Wie lade ich die Konfiguration neu?", "Wie kann ich die Konfiguration neu laden?"),
    ("Wie lange werden Daten gespeichert?", "Wie lange werden die Daten gespeichert?"),
    ("Wo finde ich Infos?", "Wo kann ich Infos finden?"),
    ("如何安装 Prometheus？", "请问怎么安装 Prometheus?"),
    ("什么是指标?", "指标是什么?"),
]
OTHER = {
    "number": ("How do I keep 30 days of data?", "How do I keep 90 days of data?"),
    "version": ("How do I upgrade to v2.1?", "How do I upgrade to v2.2?"),
    "missing number": ("How do I upgrade to version 3?", "How do I upgrade to a version?"),
    "operator": ("What happens if up == 0?", "What happens if up != 0?"),
    "negation": ("Which data is deleted?", "Which data is not deleted?"),
    "contraction": ("Why does the scrape fail?", "Why doesn't the scrape fail?"),
    "without": ("How do I reload with a restart?", "How do I reload without a restart?"),
    "who and when": ("Who deletes a workspace?", "When is a workspace deleted?"),
    "why and when": ("Why do exports run at night?", "When do exports run at night?"),
    "how and how long": ("How do exports run?", "How long do exports run?"),
    "how and how many": ("How many exports run at night?", "How do exports run at night?"),
    "can and must": ("Can children wear masks?", "Must children wear masks?"),
    "can and should": ("Can I share a token?", "Should I share a token?"),
    "may and how": ("Can I delete a workspace?", "How do I delete a workspace?"),
    "name": ("How many seats does Basic have?", "How many seats does Pro have?"),
    "code": ("How do I set `a.b`?", "How do I set `a.c`?"),
    "signs of a name": ("How do I use the C++ client?", "How do I use the C client?"),
    "direction of versions": ("How do I migrate from v1 to v2?", "How do I migrate from v2 to v1?"),
    "direction of names": ("How do I copy MySQL to Redis?", "How do I copy Redis to MySQL?"),
    "swapped nouns": ("Does the dog bite the man?", "Does the man bite the dog?"),
    "passive": ("Is the dog bitten by the man?", "Does the dog bite the man?"),
    "opposites": ("How do I enable alerts on a host?", "How do I disable alerts on a host?"),
    "import and export": ("How do I import rows into the table?", "How do I export rows into the table?"),
    "first and last": ("When was the first release?", "When was the last release?"),
    "create and delete": ("How do I create a team of users?", "How do I delete a team of users?"),
    "units": ("How much is it per month and seat?", "How much is it per year and seat?"),
    "narrowed": ("Can the virus spread?", "Can the virus spread through food?"),
    "narrowed to children": ("Can one get vaccinated?", "Can children get vaccinated?"),
    "narrowed by a phrase": ("How do I reset my password?", "How do I reset my password on mobile?"),
    "only": ("Who can read reports?", "Who can only read reports?"),
    "tense": ("Who is the maintainer?", "Who was the maintainer?"),
    "trouble": ("How do I install it on Linux?", "I can't install it on Linux, what now?"),
    "German negation": ("Welche Daten werden gelöscht?", "Welche Daten werden nicht gelöscht?"),
    "German question words": ("Wann laufen Exporte?", "Wo laufen Exporte?"),
    "German names": ("Wie viele Plätze hat Basic?", "Wie viele Plätze hat Pro?"),
    "German opposites": ("Wie aktiviere ich Alarme im Dienst?", "Wie deaktiviere ich Alarme im Dienst?"),
    "German direction": ("Wie komme ich von Basic zu Pro?", "Wie komme ich von Pro zu Basic?"),
    "German modals": ("Darf ich Daten löschen?", "Muss ich Daten löschen?"),
    "German narrowing": ("Wie lange gelten Tokens?", "Wie lange gelten Tokens für Gäste?"),
    "Chinese question words": ("如何安装 Prometheus?", "为什么安装 Prometheus?"),
    "Chinese negation": ("数据保留多久?", "数据不保留多久?"),
    "Chinese number": ("如何保留 30 天?", "如何保留 90 天?"),
    "languages": ("What is a Prometheus server?", "Was ist ein Prometheus server?"),
    "a language without lists": ("Comment activer le cache?", "Comment vider le cache?"),
}


def found_by(first: str, second: str, cosine: float) -> str | None:
    return NearDuplicates([first, second], language_of).found_by(0, 1, cosine)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_question_in_nearly_the_same_words(first: str, second: str) -> None:
    assert found_by(first, second, 0.9) == found_by(second, first, 0.9) == "words"
    assert found_by(first, second, 0.7) is None, "what the embedding takes for another question is another"


@pytest.mark.parametrize("kind", OTHER)
def test_another_question_however_near_its_vector(kind: str) -> None:
    first, second = OTHER[kind]
    assert found_by(first, second, 0.995) is found_by(second, first, 0.995) is None


@pytest.mark.parametrize(
    ("first", "second", "cosine", "alike"),
    [
        ("How do I start the server?", "How do I launch the server?", 0.918, True),
        ("Where can I see the build logs?", "Where can I find the build logs?", 0.982, True),
        ("Who can delete a workspace?", "Who can remove a workspace?", 0.933, True),
        ("how do i query mysql for rows?", "how do i query redis for rows?", 0.9, False),
        ("How do I change my password?", "How do I reset my password?", 0.874, False),
        ("How long is data kept in staging?", "How long is data kept in production?", 0.761, False),
        (
            "How do I change the retention time of metrics?",
            "How do I modify the retention time of metrics?",
            0.98,
            True,
        ),
        (
            "Can I export the report as a slide from the dashboard?",
            "Can I export the report as a sheet from the dashboard?",
            0.93,
            False,
        ),
    ],
)
def test_another_word_for_the_same_moves_a_question_little(
    first: str, second: str, cosine: float, alike: bool
) -> None:
    assert (found_by(first, second, cosine) == "embedding") is alike


def test_a_word_that_most_questions_have_narrows_nothing() -> None:
    asked = [f"How do I {verb} {noun} of prometheus?" for verb in ("see", "set") for noun in "abcdefghijk"]
    pair = ["What is the retention time?", "What is the retention time of prometheus?"]
    assert NearDuplicates([*pair, *asked], language_of).found_by(0, 1, 0.95) == "words"
    assert NearDuplicates([*pair, *asked[:5]], language_of).found_by(0, 1, 0.95) is None


def test_only_questions_that_words_allow_to_be_one_need_vectors() -> None:
    texts = ["What is a gauge?", "Who pays for seats?", "gauge", "What is a gauge of v2?", "How many seats?"]
    assert NearDuplicates(texts, language_of).possible == (0, 2)
    assert NearDuplicates([], language_of).possible == ()


def test_many_questions_that_share_a_word_are_all_compared_by_vectors() -> None:
    texts = [f"What does gauge x{name} show?" for name in "abcdefghijklmnopqrstu"]
    others = [f"Who paints y{number}?" for number in range(9)] + [f"Why z{number}?" for number in range(60)]
    assert NearDuplicates([*texts, *others], language_of).possible == tuple(range(len(texts)))


QUESTIONS = (
    "What is a gauge?",
    "gauge",
    "What does gauge mean?",
    "How do I install the agent?",
    "How can I install the agent?",
    "agent install",
    "How do I install the agent on Linux?",
    "How do I start the server?",
    "How do I launch the server?",
    "Who runs the server?",
)
UNIT = np.random.default_rng(3).normal(size=(len(QUESTIONS), 8))
# All near one another, so that the words decide.
VECTORS = dict[str, "NDArray[np.float64]"](zip(QUESTIONS, UNIT * 0.02 + 1, strict=True))


def vectors_of(texts: list[str]) -> Vectors:
    rows = np.array([VECTORS[text] for text in texts], dtype=np.float32).reshape(len(texts), 8)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def stars(texts: list[str]) -> list[Likeness]:
    search = NearDuplicates(texts, language_of)
    return list(search.stars(vectors_of([texts[at] for at in search.possible])))


@given(st.lists(st.sampled_from(QUESTIONS), unique=True))
def test_groups_are_stars_around_the_first(texts: list[str]) -> None:
    search, found = NearDuplicates(texts, language_of), stars(texts)
    others, kept = [item.other for item in found], {item.kept for item in found}
    assert len(others) == len(set(others)) and kept.isdisjoint(others)
    for item in found:
        assert item.kept < item.other
        cosine = float(np.prod([vectors_of([texts[i]])[0] for i in (item.kept, item.other)], axis=0).sum())
        assert item.similarity == pytest.approx(cosine, abs=1e-5)
        assert search.found_by(item.kept, item.other, cosine) == item.found_by
    alone = [at for at in range(len(texts)) if at not in others]
    assert all(search.found_by(a, b, 0.999) is None for a, b in combinations(alone, 2))


@given(st.permutations(QUESTIONS))
def test_the_same_questions_are_alike_in_any_order(texts: list[str]) -> None:
    def alike(items: list[str]) -> set[frozenset[str]]:
        search = NearDuplicates(items, language_of)
        pairs = combinations(range(len(items)), 2)
        return {frozenset((items[a], items[b])) for a, b in pairs if search.found_by(a, b, 0.99)}

    assert alike(texts) == alike(list(QUESTIONS)) != set()


def test_who_may_not_join_goes_to_the_next_group_or_stays_alone() -> None:
    texts = ["What is a gauge?", "gauge", "What does gauge mean?"]
    search = NearDuplicates(texts, language_of)
    vectors = vectors_of(texts)
    assert [(item.kept, item.other) for item in search.stars(vectors)] == [(0, 1), (0, 2)]
    found = search.stars(vectors, lambda group, other: not (1 in group and other == 2))
    assert [(item.kept, item.other) for item in found] == [(0, 1)]
    found = search.stars(vectors, lambda group, other: group[0] != 0)
    assert [(item.kept, item.other) for item in found] == [(1, 2)]


def test_groups_are_found_over_the_edge_of_a_block() -> None:
    count = 520
    asked = [f"What is thing {number}?" for number in range(count)]
    texts = [*asked, *(f"thing {number}" for number in range(count))]
    search = NearDuplicates(texts, language_of)
    rows = np.tile(np.eye(count, dtype=np.float32), (2, 1))
    assert [(item.kept, item.other) for item in search.stars(rows)] == [(n, n + count) for n in range(count)]
