"""The form of questions by rules, in English and German, and that nothing is guessed elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.text.forms import Form, form_of, surface_of, word_count


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("retention time", "keywords"),
        ("prometheus mit passwort schützen", "keywords"),
        ("error out of order sample", "keywords"),
        ("histogram vs summary", "comparison"),
        ("counter or gauge", "comparison"),
        ("What is the difference between a counter and a gauge?", "comparison"),
        ("Unterschied zwischen Counter und Gauge", "comparison"),
        ("Soll ich Histogramm oder Summary nehmen?", "comparison"),
        ("hi, some of our alerts stopped working, what changed?", "conversational"),
        ("Guten Tag, wie stelle ich die Zeitzone um?", "conversational"),
        ("we have graphite already, why would we switch to prometheus", "conversational"),
        ("i want to turn our log lines into metrics", "goal"),
        ("Is there a way to drop a metric?", "goal"),
        ("Ich möchte die Aufbewahrung ändern", "goal"),
        ("Kann man Metriken löschen?", "goal"),
        ("target is down but the service runs fine", "symptom"),
        ("my dashboard does not load", "symptom"),
        ("Warum geht mein Alert nicht mehr?", "symptom"),
        ("die Uhrzeit ist falsch", "symptom"),
        ("numbers on the dashboard are from yesterday", "symptom"),
        ("how do i reload the configuration", "how"),
        ("Why does Prometheus pull?", "how"),
        ("disk full, how do i shrink the tsdb", "how"),
        ("Wie lädt man die Konfiguration neu?", "how"),
        ("how long does prometheus keep data", "fact"),
        ("Wie lange werden Metriken gespeichert?", "fact"),
        ("Which port does the server listen on?", "fact"),
        ("Is TLS supported?", "fact"),
        ("Müssen Labels eindeutig sein?", "fact"),
        ("", None),
        ("???", None),
        ("如何重新加载配置", None),
        ("Как изменить срок хранения", None),
        ("보존 기간 변경", None),
    ],
)
def test_forms(text: str, form: Form | None) -> None:
    assert form_of(text) == form


def test_case_quotation_marks_and_space_do_not_matter() -> None:
    assert form_of("  I DON’T see any data in  my dashboard ") == form_of(
        "i don't see any data in my dashboard"
    )
    assert form_of("I don't see any data in my dashboard") == "symptom"


@given(st.text(max_size=200))
def test_any_text_has_a_surface(text: str) -> None:
    seen = surface_of(text)
    assert seen.words >= 0 and seen.characters == len(text)
    if form_of(text) == "keywords":
        assert seen.way == "keywords" and not seen.question_mark


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("Which port?", "question word"),
        ("welche Ports", "question word"),
        ("show me the ports", "imperative"),
        ("nenne die Ports", "imperative"),
        ("open ports list", "keywords"),
        ("the port is closed", "sentence"),
        ("设置端口", "other"),
    ],
)
def test_ways(text: str, way: str) -> None:
    assert surface_of(text).way == way


def test_surface() -> None:
    shouted, quiet = surface_of("WHERE is my data?"), surface_of("where is it")
    assert (shouted.question_mark, shouted.lower_case, shouted.first_person) == (True, False, True)
    assert (quiet.question_mark, quiet.lower_case, quiet.first_person) == (False, True, False)
    assert not surface_of("42").lower_case
    assert surface_of("端口是什么？").question_mark


def test_words_are_counted_in_every_script() -> None:
    assert word_count("max_retries of --flag , - x") == 4
    assert word_count("Größe ändern") == 2
    assert word_count("срок хранения") == 2
    assert word_count("保留时间") == 4
