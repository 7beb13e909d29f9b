from collections import Counter, defaultdict
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from goldgen.app.candidates import promising_first
from goldgen.types import Chunk, Pooled, Question

TEXTS = ("one", "two", "three", "four", "one", "two")
"""Chunks 0 and 4, and 1 and 5, are twins."""
CHUNKS = [Chunk(f"c{n}", f"d{n}", text, 0, len(text)) for n, text in enumerate(TEXTS)]
POOLED = st.lists(
    st.builds(
        Pooled,
        st.sampled_from(["q0", "q1", "q2"]),
        st.sampled_from([chunk.id for chunk in CHUNKS]),
        st.sampled_from(["bm25", "dense", "run"]),
        st.integers(1, 50),
        st.just(50),
    ),
    max_size=30,
    unique_by=lambda item: (item.question_id, item.source, item.chunk_id),
)
LABELLED = st.dictionaries(st.sampled_from(["q0", "q1"]), st.sets(st.sampled_from(["c0", "c2", "c5"])))


def asked(number: int, own: str | None = None) -> Question:
    return Question(f"q{number}", f"question {number}", "synthetic", "fact", own)


QUESTIONS = [asked(0, "c0"), asked(1, "c3"), asked(2)]


@given(POOLED, LABELLED)
def test_candidates_are_the_pool_less_what_is_settled_one_for_all_twins(
    pooled: list[Pooled], labelled: dict[str, set[str]]
) -> None:
    found = promising_first(pooled, QUESTIONS, CHUNKS, labelled)
    text = {chunk.id: chunk.text for chunk in CHUNKS}
    own = {question.id: text.get(question.chunk_id or "") for question in QUESTIONS}
    wanted: dict[str, set[str]] = defaultdict(set)
    for item in pooled:
        settled = {text[chunk_id] for chunk_id in labelled.get(item.question_id, ())}
        if text[item.chunk_id] not in settled | {own[item.question_id]}:
            wanted[item.question_id].add(text[item.chunk_id])
    judged = [(candidate.question.id, candidate.chunk.text) for candidate in found.to_judge]
    assert Counter(judged) == Counter((question, t) for question, texts in wanted.items() for t in texts)
    pairs = {(p.question_id, p.chunk_id) for p in pooled if text[p.chunk_id] != own[p.question_id]}
    assert found.proposed == len(pairs) == found.shared + len(judged)


@given(POOLED)
def test_questions_take_turns_and_each_gives_its_best_first(pooled: list[Pooled]) -> None:
    found = promising_first(pooled, QUESTIONS, CHUNKS, {})
    total = Counter(candidate.question.id for candidate in found.to_judge)
    for end in range(len(found.to_judge) + 1):
        given_so_far = Counter(candidate.question.id for candidate in found.to_judge[:end])
        waiting = [given_so_far[question] for question in total if given_so_far[question] < total[question]]
        assert max(given_so_far.values(), default=0) - min(waiting, default=100) <= 1
    fused: dict[tuple[str, str], float] = defaultdict(float)
    for item in pooled:
        fused[item.question_id, item.chunk_id] += 1 / (60 + item.rank)
    text = {chunk.id: chunk.text for chunk in CHUNKS}
    best: dict[tuple[str, str], float] = defaultdict(float)
    for (question, chunk_id), score in fused.items():
        best[question, text[chunk_id]] = max(score, best[question, text[chunk_id]])
    for question in QUESTIONS:
        own = [c for c in found.to_judge if c.question.id == question.id]
        scores = [best[question.id, candidate.chunk.text] for candidate in own]
        assert all(first >= second - 1e-12 for first, second in pairwise(scores))


def test_agreement_of_searches_goes_before_one_search() -> None:
    pooled = [
        Pooled("q2", "c2", "bm25", 1, 10),
        Pooled("q2", "c3", "bm25", 3, 10),
        Pooled("q2", "c3", "dense", 3, 10),
    ]
    found = promising_first(pooled, QUESTIONS, CHUNKS, {})
    assert [candidate.chunk.id for candidate in found.to_judge] == ["c3", "c2"]


def test_of_twins_the_one_on_the_page_that_the_log_names_is_judged() -> None:
    query = Question("q9", "which", "log", "log", document_id="d4")
    pooled = [
        Pooled("q9", "c0", "bm25", 1, 10),
        Pooled("q9", "c4", "bm25", 2, 10),
        Pooled("q9", "c2", "bm25", 3, 10),
    ]
    found = promising_first(pooled, [query], CHUNKS, {})
    assert [(c.chunk.id, c.named) for c in found.to_judge] == [("c4", True), ("c2", False)]


def test_chunks_that_are_gone_are_no_candidates() -> None:
    found = promising_first([Pooled("q2", "gone", "bm25", 1, 10)], QUESTIONS, CHUNKS, {})
    assert (found.to_judge, found.proposed) == ((), 0)
