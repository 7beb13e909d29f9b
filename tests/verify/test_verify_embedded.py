import asyncio
from dataclasses import replace
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_helpers import WordScorer, chunk, control, question

from goldgen.app.judges import Verifier, open_answer_scorer
from goldgen.app.models import ModelSettings, relation
from goldgen.types import Control, Question
from goldgen.verify import AnswerModel, AnswerScorer, EmbeddedJudge, Passage, calibrate
from goldgen.verify.calibration import FALLBACK_THRESHOLD, FEWEST
from goldgen.verify.signals import Blend

PAGE = chunk(
    "c",
    "Guests may look. Owners may change all of it. On Basic, data is kept for 30 days. Then it goes.",
    start=50,
)
EVIDENCE = "On Basic, data is kept for 30 days."
ASKED = question(of=PAGE, answer="30 days", quote=EVIDENCE)
SCORER = AnswerScorer(WordScorer())


def test_the_best_window_has_its_place_and_score() -> None:
    best = SCORER.best_window("data on Basic", Passage.of_chunk(PAGE))
    assert best is not None
    assert EVIDENCE in PAGE.text[best.start : best.end]
    assert 0.5 < best.score < 1
    assert SCORER.best_window("data", Passage("n", " \n ", "")) is None


def test_the_probability_is_that_of_the_weighted_signals() -> None:
    """Three windows with none, two thirds and all of three words, of which two are telling."""
    text = "Guests may look. They ask. On Basic it is so. Data is there."
    read = SCORER.read("data on Basic", Passage("n", text, ""))
    assert read is not None
    spans, signals = read
    assert [text[start:end][:6] for start, end in spans] == ["Guests", "They a", "On Bas"]
    assert signals.words == pytest.approx([0, 1 / 2, 1])
    assert signals.late_interaction == pytest.approx([0, 2 / 3, 1])
    assert signals.passage_words == pytest.approx(1)
    found = AnswerModel.packaged().weights
    odds = found.late_interaction + found.words + found.passage_words + found.intercept
    odds += found.mean_late_interaction * 5 / 9 + found.mean_words / 2
    best = SCORER.best_window("data on Basic", Passage("n", text, ""))
    assert best is not None and best.score == pytest.approx(1 / (1 + exp(-odds)))


def test_the_weights_point_the_way_that_their_signals_do() -> None:
    found = AnswerModel.packaged()
    assert min(found.weights.late_interaction, found.weights.words, found.weights.passage_words) > 0
    assert found.weights.mean_late_interaction < 0
    assert found.token_direction.shape == (384,)


def test_the_context_is_read_with_the_window_and_is_no_evidence() -> None:
    """Two of three words stand in the window, the third above it; of the two telling ones, one does."""
    passage = Passage("n", EVIDENCE, "Retention")
    read = SCORER.read("Retention on Basic", passage)
    assert read is not None
    spans, signals = read
    assert spans == [(0, len(EVIDENCE))]
    assert signals.late_interaction == pytest.approx([(2 / 3 + 1) / 2])
    assert signals.words == pytest.approx([1 / 2])
    assert signals.passage_words == pytest.approx(1)


def test_gold_has_the_window_as_its_evidence() -> None:
    found = asyncio.run(EmbeddedJudge(SCORER, 0.5).judge(ASKED, Passage.of_chunk(PAGE)))
    assert (found.grade, found.judge, found.target_id) == (3, "word-scorer", "c")
    assert found.start is not None and found.end is not None
    assert PAGE.text[found.start - 50 : found.end - 50] == found.quote
    assert EVIDENCE in found.quote
    assert found.score is not None and found.score >= 0.5


@pytest.mark.parametrize(
    ("asked", "threshold"),
    [
        (ASKED, 0.9999),
        (replace(ASKED, quote="Data is kept for ever.", answer="for ever"), 0.0),
        (replace(ASKED, answer="90 days"), 0.0),
        (replace(ASKED, quote="Guests may look.", answer="look"), 0.0),
    ],
)
def test_not_gold_below_the_threshold_or_without_the_generators_evidence(
    asked: Question, threshold: float
) -> None:
    found = asyncio.run(EmbeddedJudge(SCORER, threshold).judge(asked, Passage.of_chunk(PAGE)))
    assert found.grade == 0
    assert found.reason


def test_a_pair_without_evidence_of_the_generator_is_judged_by_its_score() -> None:
    log = question(text="data on Basic")
    assert asyncio.run(EmbeddedJudge(SCORER, 0.9).judge(log, Passage.of_chunk(PAGE))).grade == 3
    assert asyncio.run(EmbeddedJudge(SCORER, 0.9).judge(log, Passage("n", "Nothing here.", ""))).grade == 0
    assert asyncio.run(EmbeddedJudge(SCORER, 0.0).judge(log, Passage("n", " ", ""))).grade == 0


def scored(scores: list[float], document: str = "d") -> list[Control]:
    return [
        control(n, kind, score=score, document=document)
        for kind in ("answer_deleted", "same_document")
        for n, score in enumerate(scores)
    ]


def test_the_threshold_lies_just_above_the_score_that_further_controls_do_not_exceed() -> None:
    """Of 21 scores from 0.00 to 0.20, the ceil(21 * 0.9) = 19th is 0.18, the ceil(21 * 0.99) = 21st 0.20."""
    found = calibrate(scored([n / 100 for n in range(21)]), [0.05, 0.175, 0.2, 0.3], 0.9)
    assert found.threshold == pytest.approx(0.18)
    assert found.threshold > 0.18
    assert found.strict_threshold == pytest.approx(0.2)
    assert found.strict_threshold > 0.2
    assert found.controls == 42
    assert found.kept == 0.5


def test_the_harder_kind_sets_the_threshold() -> None:
    low = [control(n, "answer_deleted", score=0.1) for n in range(FEWEST)]
    high = [control(n, "same_document", score=0.6) for n in range(FEWEST)]
    assert calibrate([*low, *high], [], 0.9).threshold == pytest.approx(0.6)


def test_only_scored_hard_controls_count() -> None:
    ignored = [control(n, "easy", score=9.0) for n in range(50)]
    ignored += [control(n + 100, score=None) for n in range(50)]
    assert calibrate([*scored([0.5] * 20), *ignored], [0.6], 0.9).threshold == pytest.approx(0.5)


@pytest.mark.parametrize(
    "few",
    [
        [],
        scored([0.5] * (FEWEST - 1)),
        [control(n, "same_document", score=0.5) for n in range(10 * FEWEST)],
    ],
)
def test_with_too_few_controls_of_a_kind_the_fallback_is_used_and_said(few: list[Control]) -> None:
    found = calibrate(few, [0.0, 1.0], 0.9)
    assert (found.threshold, found.controls, found.kept) == (FALLBACK_THRESHOLD, 0, 0.5)
    assert found.strict_threshold >= found.threshold


def test_deleted_answers_suffice_where_no_document_has_another_chunk() -> None:
    found = calibrate([control(n, score=0.5) for n in range(FEWEST)], [], 0.9)
    assert found.threshold == pytest.approx(0.5)


def test_a_corpus_of_one_document_is_judged_by_the_fallback_and_not_by_nothing() -> None:
    found = calibrate(scored([0.5] * FEWEST), [], 0.9)
    assert found.by_document == {"d": FALLBACK_THRESHOLD}


def test_without_controls_nothing_that_a_search_proposes_is_accepted() -> None:
    assert calibrate([], [], 0.9).strict_threshold > 1


def test_a_document_has_no_part_in_its_own_threshold() -> None:
    """What tests the judge did not set it."""
    others = scored([n / 100 for n in range(30)], "a") + scored([n / 200 for n in range(30)], "b")
    low = calibrate([*others, *scored([0.0] * 30, "c")], [], 0.9)
    high = calibrate([*others, *scored([0.9] * 30, "c")], [], 0.9)
    assert low.by_document["c"] == high.by_document["c"] == calibrate(others, [], 0.9).threshold
    assert low.by_document["a"] < high.by_document["a"]
    assert set(low.by_document) == {"a", "b", "c"}


def test_a_document_of_its_own_is_judged_by_its_threshold() -> None:
    judge = EmbeddedJudge(SCORER, 0.0, {"d": 2.0})
    elsewhere = replace(PAGE, document_id="e")
    assert asyncio.run(judge.judge(ASKED, Passage.of_chunk(PAGE))).grade == 0
    moved = replace(ASKED, document_id="e")
    assert asyncio.run(judge.judge(moved, Passage.of_chunk(elsewhere))).grade == 3


@given(st.lists(st.floats(0, 1), min_size=20, max_size=60), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_at_least_the_share_asked_for_is_rejected(scores: list[float], share: float) -> None:
    found = calibrate(scored(scores), scores, share)
    rejected = sum(score < found.threshold for score in scores)
    assert rejected >= share * len(scores)
    assert found.strict_threshold >= found.threshold
    assert found.kept == pytest.approx(1 - rejected / len(scores))


def test_a_threshold_beyond_every_score_judges_nothing() -> None:
    """It stands where the controls are too few to set one: that is no rejection."""
    strict = calibrate([], [], 0.9).strict_threshold
    log = question(text="data on Basic")
    found = asyncio.run(EmbeddedJudge(SCORER, strict).judge(log, Passage.of_chunk(PAGE)))
    assert found.grade is None and found.reason.startswith("no threshold is strict enough: too few controls")


def test_the_window_of_an_evidence_set_lies_in_the_text_of_one_chunk() -> None:
    first = chunk("a", "Guests may look.", context="Basic keeps data for 30 days")
    second = chunk("b", "It is kept for a month.", context="Data of Basic")
    best = SCORER.best_window("data of Basic kept", Passage.of_set([first, second]))
    text = Passage.of_set([first, second]).text
    assert best is not None
    assert text[best.start : best.end] == second.text
    alone, both = (
        SCORER.read("data of Basic kept", passage)
        for passage in (Passage.of_chunk(second), Passage.of_set([first, second]))
    )
    assert alone is not None and both is not None
    assert alone[1].late_interaction[0] == both[1].late_interaction[1], "each is read under its own context"


@given(st.lists(st.sampled_from(["Guests may look.", "# Data\n\nOn Basic. For days.", "No"]), min_size=2))
def test_no_window_crosses_from_one_chunk_to_another(texts: list[str]) -> None:
    chunks = [chunk(str(n), text, context="Basic data") for n, text in enumerate(texts)]
    passage = Passage.of_set(chunks)
    best = SCORER.best_window("data on Basic", passage)
    assert best is not None
    assert any(start <= best.start < best.end <= end for start, end in passage.quotable)


class Sure:
    """A second opinion that is the same on every pair."""

    name = "qwen-tiny"
    digest = "prompt-1"

    def __init__(self, odds: float) -> None:
        self._odds = odds

    def log_odds(self, question: str, text: str) -> float:
        return self._odds


class TestSecondOpinion:
    @given(st.floats(0, 1), st.floats(-40, 40), st.floats(0.1, 20))
    def test_more_of_either_never_lowers_the_probability(self, own: float, odds: float, more: float) -> None:
        blend = Blend()
        found = blend.probability(own, odds)
        assert 0 < found < 1
        assert blend.probability(own, odds + more) >= found
        assert blend.probability(min(own + more / 40, 1), odds) >= found

    def test_it_moves_the_probability_and_leaves_the_window(self) -> None:
        passage = Passage("p", "Exports run at night. Seats cost 3 euros each.", "")
        plain = AnswerScorer(WordScorer())
        alone = plain.best_window("How much do seats cost?", passage)
        doubted = replace(plain, second=Sure(-9.0)).best_window("How much do seats cost?", passage)
        assert alone and doubted
        assert (doubted.start, doubted.end) == (alone.start, alone.end)
        assert doubted.score < alone.score

    def test_its_name_and_prompt_belong_to_the_judge(self) -> None:
        scorer = replace(AnswerScorer(WordScorer()), second=Sure(0.0))
        assert scorer.name == "word-scorer + qwen-tiny"
        assert scorer.digest == f"{scorer.model.digest} + prompt-1"
        asked = Verifier(scorer.name, 1, scorer=scorer).asked
        assert asked == {"weights": scorer.digest}
        assert relation(frozenset({"Qwen-tiny.gguf"}), scorer.name) == "same model"
        assert relation(frozenset({"qwen3-8b"}), scorer.name) == "same family"
        assert relation(frozenset({"gpt-6"}), scorer.name) == "other"


@pytest.mark.model
def test_the_packaged_judge_weighs_tokens_as_it_learned_to() -> None:
    pytest.importorskip("sentence_transformers", reason='needs pip install "goldgen[dense]"')
    from goldgen.models.encoders import open_late_interaction

    question, texts = "How long is data kept on the Basic plan?", [PAGE.text]
    learned = open_answer_scorer(ModelSettings(offline=True)).scorer.score(question, texts)
    assert abs(learned[0] - open_late_interaction(True).score(question, texts)[0]) > 0.005
