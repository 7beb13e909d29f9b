from collections import Counter
from math import log

import numpy as np
import pytest
from tiny_bert import save_bert

from goldgen.models.encoders import NO_WORDS, LateInteractionScorer, best_cosines
from goldgen.models.idf import IdfLateInteractionScorer
from goldgen.models.scoring import Lengths

pytest.importorskip("sentence_transformers", reason='needs pip install "goldgen[dense]"')
CORPUS = ["plan price", "plan limit", "plan price region", "plan plan"]


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> LateInteractionScorer:
    return LateInteractionScorer(save_bert(tmp_path_factory.mktemp("bert")), "tiny")


def test_a_word_counts_by_how_rare_it_is_in_the_corpus(late: LateInteractionScorer) -> None:
    question, text = "plan price alpha", "limit price gamma"
    frequencies = Counter(word for chunk in CORPUS for word in set(chunk.split()))
    idf = np.array([log(1 + (4 - frequencies[w] + 0.5) / (frequencies[w] + 0.5)) for w in question.split()])
    asked = late.token_vectors([question])[0][0].astype(np.float32)
    cosines = best_cosines(asked, late.token_vectors([text])[0][0])
    found = IdfLateInteractionScorer(late, CORPUS).score(question, [text, ""])
    assert found.tolist() == pytest.approx([cosines @ idf / idf.sum(), NO_WORDS], abs=1e-5)


def test_words_that_are_equally_rare_count_alike(late: LateInteractionScorer) -> None:
    texts = ["beta price", "gamma delta plan", "limit"]
    even = IdfLateInteractionScorer(late, [])
    np.testing.assert_allclose(even.score("alpha plan", texts), late.score("alpha plan", texts), atol=1e-6)


def test_of_many_texts_some_from_everywhere_are_counted(late: LateInteractionScorer) -> None:
    few = IdfLateInteractionScorer(late, ["plan price", "limit", "plan region"])
    many = ["plan price", "alpha", "limit", "beta", "plan region", "gamma"]
    texts = ["price limit", "region limit", "alpha beta"]
    question = "plan price alpha region"
    found = IdfLateInteractionScorer(late, many, most=3).score(question, texts)
    np.testing.assert_allclose(found, few.score(question, texts), atol=1e-6)
    # One more than can be counted: still no more than every other one.
    assert IdfLateInteractionScorer(late, many, most=5).score(question, texts) == pytest.approx(found)
    whole = IdfLateInteractionScorer(late, many, most=6).score(question, texts)
    assert not np.allclose(found, whole, atol=1e-4)


def test_long_texts_and_questions_are_read_whole_and_texts_counted(late: LateInteractionScorer) -> None:
    idf = IdfLateInteractionScorer(late, CORPUS)
    before = idf.lengths
    scores = idf.score("plan price " * 200, ["alpha beta " * 300 + "plan price", "alpha delta"])
    assert np.isfinite(scores).all()
    assert idf.lengths == Lengths(before.texts + 2, before.longer + 1)
    assert idf.name == "tiny"
