"""Which pairs a person is asked to grade, in an order that tells nothing of the verdicts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldgen.app.labelling import PROPOSED
from goldgen.store import Store
from goldgen.text import stable_id
from goldgen.types import GOLD, Chunk, Judgment, Question
from goldgen.verify import Passage
from goldgen.verify.agreement import Pair
from goldgen.verify.judging import judged_passages

Show = Literal["disputed", "unjudged", "sample", "accepted", "proposed", "all"]
"""proposed: by label completion, and waiting for a person's word. sample: drawn at random from the
accepted, so that the set's error rate becomes known."""

_CONTRADICTION = "different answers"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A question and a text to grade for it; ``verdicts`` are not to be shown before it is graded."""

    question: Question
    passage: Passage
    path: str
    """Of the document that the text stands in, or comes from."""
    verdicts: tuple[Judgment, ...] = ()
    """All so far, the earlier first; one of each judge."""

    @property
    def verifier(self) -> Judgment | None:
        """The latest verdict of a verifier, which may be that there is none."""
        return next((v for v in reversed(self.verdicts) if v.judge_kind == "verifier"), None)

    @property
    def verifier_says_gold(self) -> bool:
        """Whether it called the text gold, also where that waits for a person's word."""
        return self.verifier is not None and (self.verifier.grade == GOLD or self.is_proposed)

    @property
    def people(self) -> tuple[Judgment, ...]:
        return tuple(v for v in self.verdicts if v.judge_kind == "human" and v.grade is not None)

    def by(self, person: str) -> Judgment | None:
        return next((verdict for verdict in self.people if verdict.judge == person), None)

    def after(self, person: str) -> tuple[Judgment, ...]:
        """The verdicts of people who graded it after ``person`` did."""
        names = [verdict.judge for verdict in self.people]
        return self.people[names.index(person) + 1 :] if person in names else ()

    @property
    def is_disputed(self) -> bool:
        """Whether judges, or the votes of one, differ on what counts: gold or not.

        What a person said settles votes and answers that differ.
        """
        machine, golds = self.verifier, {verdict.grade == GOLD for verdict in self.people}
        if machine is not None and machine.grade is not None and golds:
            golds.add(self.verifier_says_gold)
        if golds:
            return len(golds) > 1
        return machine is not None and (machine.is_disputed or _CONTRADICTION in machine.reason)

    @property
    def is_unjudged(self) -> bool:
        return not self.people and (self.verifier is None or self.verifier.grade is None)

    @property
    def is_accepted(self) -> bool:
        """Whether the verifier made it gold, which a near miss cannot be."""
        graded_gold = self.verifier is not None and self.verifier.grade == GOLD
        return graded_gold and not self.passage.must_not_answer

    @property
    def is_proposed(self) -> bool:
        """Whether label completion would make it gold, if its judge were proven strict enough."""
        return self.verifier is not None and self.verifier.reason.startswith(PROPOSED)


@dataclass(frozen=True, slots=True)
class _Text:
    passage: Passage
    path: str


def review_queue(store: Store, show: Show | None, seed: int) -> tuple[ReviewItem, ...]:
    """The pairs to show; None: those in dispute, the proposed, and then the unjudged.

    Pairs of one question stand together; otherwise the order is a shuffle that ``seed`` decides.
    """
    items = _items(store)
    if show is None:
        return (
            *_shuffled((item for item in items if item.is_disputed), seed),
            *_shuffled((item for item in items if item.is_proposed and not item.people), seed),
            *_shuffled((item for item in items if item.is_unjudged), seed),
        )
    return _shuffled((item for item in items if _is_shown(item, show)), seed)


def draw_sample(store: Store, size: int, seed: int) -> tuple[ReviewItem, ...]:
    """``size`` accepted pairs at random: the same for one seed, and a larger sample holds the smaller."""
    accepted = [item for item in _items(store) if item.is_accepted]
    return tuple(sorted(accepted, key=lambda item: _place(seed, item.question.id, item.passage.id))[:size])


def _is_shown(item: ReviewItem, show: Show) -> bool:
    match show:
        case "disputed":
            return item.is_disputed
        case "unjudged":
            return item.is_unjudged
        case "accepted" | "sample":
            return item.is_accepted
        case "proposed":
            return item.is_proposed
        case "all":
            return True


def _shuffled(items: Iterable[ReviewItem], seed: int) -> tuple[ReviewItem, ...]:
    def place(item: ReviewItem) -> tuple[str, str]:
        return _place(seed, item.question.id), _place(seed, item.question.id, item.passage.id)

    return tuple(sorted(items, key=place))


def _place(seed: int, *ids: str) -> str:
    return stable_id("review", str(seed), *ids)


def _items(store: Store) -> list[ReviewItem]:
    """Every pair that was judged, drafted or pooled and whose text is still there."""
    questions = {question.id: question for question in store.questions.all()}
    chunks = {chunk.id: chunk for chunk in store.corpus.chunks()}
    texts = _texts(store, list(questions.values()), chunks)
    verdicts: dict[Pair, list[Judgment]] = defaultdict(list)
    for judgment in store.judgments.all():
        verdicts[judgment.question_id, judgment.target_id].append(judgment)
    drafted = ((q.id, passage.id) for q in questions.values() for passage in judged_passages(q, chunks))
    known = dict.fromkeys((*verdicts, *drafted))
    judged = {(question, texts[target].passage.full_text) for question, target in known if target in texts}
    for pooled in store.pool.all():
        text = texts.get(pooled.chunk_id)
        # A twin has the labels of the one that is judged, and needs no reading of its own.
        if text is not None and (pooled.question_id, text.passage.full_text) not in judged:
            judged.add((pooled.question_id, text.passage.full_text))
            known[pooled.question_id, pooled.chunk_id] = None
    return [
        ReviewItem(questions[pair[0]], text.passage, text.path, tuple(verdicts.get(pair, ())))
        for pair in known
        if pair[0] in questions and (text := texts.get(pair[1])) is not None
    ]


def _texts(store: Store, questions: Sequence[Question], chunks: Mapping[str, Chunk]) -> dict[str, _Text]:
    """By target: chunks, near misses, and the evidence sets of the questions with their parts."""
    paths = {document.id: document.path for document in store.corpus.documents()}
    path = {chunk.id: paths[chunk.document_id] for chunk in chunks.values()}
    texts = {chunk.id: _Text(Passage.of_chunk(chunk), path[chunk.id]) for chunk in chunks.values()}
    for near_miss in store.questions.near_misses():
        texts[near_miss.id] = _Text(Passage.of_overlay(near_miss), path.get(near_miss.chunk_id, ""))
    for question in questions:
        of_set = ", ".join(dict.fromkeys(path.get(chunk_id, "") for chunk_id in question.evidence_chunks))
        for passage in judged_passages(question, chunks):
            texts.setdefault(passage.id, _Text(passage, of_set))
    return texts
