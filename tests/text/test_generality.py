from hypothesis import given
from hypothesis import strategies as st

from goldgen.text.generality import Generality

SETTINGS = [f"Cluster {n} has settings of its own, and they are kept on disk {n}." for n in range(40)]
SHARING = "A shared album closes after thirty days without a visit."
CORPUS = [*SETTINGS, SHARING, *(f"Page {n} tells of pumps, valves and motor {n}." for n in range(60))]
GENERAL = Generality(CORPUS)


def test_a_question_whose_words_stand_in_many_texts_is_too_general() -> None:
    assert GENERAL.alike("How do I change the settings of my cluster?", SETTINGS[7]) == 40
    assert GENERAL.is_too_general("How do I change the settings of my cluster?", SETTINGS[7])


def test_one_word_that_few_texts_have_is_enough() -> None:
    assert GENERAL.alike("When does a shared album close?", SHARING) == 1
    assert not GENERAL.is_too_general("When does a shared album close?", SHARING)


def test_a_question_in_many_words_of_its_own_says_enough() -> None:
    question = "my friends cannot upload pictures of the holiday to cluster settings"
    assert GENERAL.alike(question, SETTINGS[7]) == 40
    assert not GENERAL.is_too_general(question, SETTINGS[7])


def test_a_question_that_shares_nothing_fits_all_texts() -> None:
    assert GENERAL.alike("How do I get started?", SHARING) == len(CORPUS)
    assert GENERAL.is_too_general("How do I get started?", SHARING)


def test_in_a_small_corpus_nothing_is_too_general() -> None:
    assert not Generality(SETTINGS[:20]).is_too_general("How do I get started?", SETTINGS[0])
    assert Generality(SETTINGS[:21]).is_too_general("How do I get started?", SETTINGS[0])


@given(st.lists(st.text("ab cd", max_size=12), min_size=1, max_size=8), st.text("ab cd", max_size=12))
def test_a_text_is_among_those_that_a_question_about_it_fits(texts: list[str], question: str) -> None:
    general = Generality(texts)
    assert all(1 <= general.alike(question, text) <= len(texts) for text in texts)
