from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_bert import WORDS, save_bert

from goldgen.errors import ModelError
from goldgen.models.cross_encoder import CrossEncoderScorer
from goldgen.models.scoring import Lengths, halves
from goldgen.models.weights import FoundWeights

pytest.importorskip("sentence_transformers", reason='needs pip install "goldgen[dense]"')
READS = 256
"""Tokens that the tiny model reads, question and text and three of its own."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> FoundWeights:
    return save_bert(tmp_path_factory.mktemp("cross"), labels=1)


def fitting(text: str) -> list[str]:
    """Its halves, and theirs, until each fits beside a question of one token."""
    return [text] if len(text.split()) <= READS - 12 else [w for half in halves(text) for w in fitting(half)]


def test_scores_are_raw_logits(weights: FoundWeights) -> None:
    import torch
    from sentence_transformers import CrossEncoder

    scores = CrossEncoderScorer(weights, "tiny").score("plan", ["alpha", "price " * 50, "beta"])
    sigmoid = CrossEncoder(weights.path_or_name, activation_fn=torch.nn.Sigmoid())
    saturating = sigmoid.predict([("plan", "alpha"), ("plan", "price " * 50), ("plan", "beta")])
    assert (scores.shape, scores.dtype) == ((3,), np.float64)
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)), saturating, atol=1e-5)
    assert CrossEncoderScorer(weights, "tiny").score("plan", []).shape == (0,)


def test_a_long_text_has_the_score_of_its_best_window_and_is_counted(weights: FoundWeights) -> None:
    scorer = CrossEncoderScorer(weights, "tiny")
    best, *_, worst = sorted(WORDS, key=lambda word: -scorer.score("plan", [f"{word} " * 200])[0])
    ends_well = " ".join([*[worst] * 600, *[best] * 200])
    before = scorer.lengths.texts
    well, badly = scorer.score("plan", [ends_well, f"{worst} " * 800])
    assert well > badly + 1e-3, "what stands at the end is read"
    windows = fitting(ends_well)
    assert well == pytest.approx(scorer.score("plan", windows).max(), abs=1e-4)
    assert scorer.lengths == Lengths(before + 2 + len(set(windows)), 2)
    scorer.score("alpha", [ends_well])
    assert scorer.lengths == Lengths(before + 2 + len(set(windows)), 2), "each text once"


def test_a_text_that_just_fits_is_read_whole(weights: FoundWeights) -> None:
    import torch
    from sentence_transformers import CrossEncoder

    plain = CrossEncoder(weights.path_or_name, activation_fn=torch.nn.Identity())
    scorer = CrossEncoderScorer(weights, "tiny")
    text = " ".join((WORDS * 40)[: READS - 3 - 1 - 8])
    assert scorer.score("plan", [text])[0] == pytest.approx(
        float(plain.predict([("plan", text)])[0]), abs=1e-5
    )
    assert scorer.lengths == Lengths(1, 0)
    scorer.score("plan", [f"{text} alpha"])
    assert scorer.lengths == Lengths(2, 1)


def test_a_question_longer_than_half_is_cut_and_counted(weights: FoundWeights) -> None:
    scorer = CrossEncoderScorer(weights, "tiny")
    scores = scorer.score("plan " * 300, ["alpha", "price " * 400])
    assert np.isfinite(scores).all()
    assert scorer.lengths == Lengths(2, 1, 1)
    np.testing.assert_allclose(scores[0], scorer.score("plan " * 122, ["alpha"])[0], atol=1e-4)


@given(st.text(min_size=2, max_size=3000))
def test_halves_cover_the_text_and_are_shorter(text: str) -> None:
    first, second = halves(text)
    assert text.startswith(first) and text.endswith(second)
    assert len(text) <= len(first) + len(second) and max(len(first), len(second)) < len(text)
    if len(text) >= 800:
        assert len(first) + len(second) - len(text) >= 200


def test_a_logit_that_is_no_number_names_the_pair(tmp_path: Path) -> None:
    scorer = CrossEncoderScorer(save_bert(tmp_path, labels=1, broken=True), "tiny")
    for text in ("alpha\nbeta", "alpha beta " * 200):
        with pytest.raises(
            ModelError, match='tiny gave nan for the question "plan" and the text "alpha beta'
        ):
            scorer.score("plan", [text])


def test_a_plain_encoder_is_refused_for_it_would_get_a_head_of_random_numbers(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"tiny is a BertModel and no cross-encoder: give --reranker-model"):
        CrossEncoderScorer(save_bert(tmp_path), "tiny")


def test_a_cross_encoder_with_several_outputs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="3 numbers a pair"):
        CrossEncoderScorer(save_bert(tmp_path, labels=3), "tiny")
