"""Which pairs a person is asked to grade, in an order that tells nothing of the verdicts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldgen.store import Store
from goldgen.text import stable_id
from goldgen.types import GOLD, Chunk, Judgment, Question
from goldgen.verify import Passage
from goldgen.verify.agreement import Pair, in_dispute, is_overruled, is_proposed, last_verifier, says_gold
from goldgen.verify.judging import judged_passages
from goldgen.verify.trusted import TrustedFigure, sample_order, trusted_figure

Show = Literal["disputed", "unjudged", "sample", "accepted", "proposed", "all"]
"""proposed: by label completion, and waiting for a person's word. sample: drawn at random from the
accepted, so that the set's error rate becomes known."""

_SEED_KEY = "sample_seed"


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
    def pair(self) -> Pair:
        return self.question.id, self.passage.id

    @property
    def verifier(self) -> Judgment | None:
        """The latest verdict of a verifier, which may be that there is none."""
        return last_verifier(self.verdicts)

    @property
    def verifier_says_gold(self) -> bool:
        """Whether it called the text gold, also where that waits for a person's word."""
        return self.verifier is not None and says_gold(self.verifier)

    @property
    def people(self) -> tuple[Judgment, ...]:
        return tuple(v for v in self.verdicts if v.judge_kind == "human" and v.grade is not None)

    def by(self, person: str) -> Judgment | None:
        return next((verdict for verdict in self.people if verdict.judge == person), None)

    @property
    def is_disputed(self) -> bool:
        """Whether it waits for a person's word on what counts, see ``in_dispute``."""
        return in_dispute(self.verdicts)

    @property
    def is_overruled(self) -> bool:
        """Whether people say otherwise than the verifier."""
        return is_overruled(self.verdicts)

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
        return self.verifier is not None and is_proposed(self.verifier)

    @property
    def waits(self) -> bool:
        """Whether it waits for a person's word: in dispute, proposed or unjudged."""
        return self.is_disputed or self.is_unjudged or (self.is_proposed and not self.people)


@dataclass(frozen=True, slots=True)
class _Text:
    passage: Passage
    path: str


def review_queue(store: Store, show: Show | None, seed: int) -> tuple[ReviewItem, ...]:
    """The pairs to show; None: those in dispute, the proposed and the unjudged, all in one order.

    The order is a shuffle that ``seed`` decides and no verdict. Pairs of one question stand far apart, since
    what is shown after the grade of one would tell of the next.
    """
    items = review_items(store)
    shown = [item for item in items if (item.waits if show is None else _is_shown(item, show))]
    of_question: dict[str, list[ReviewItem]] = defaultdict(list)
    for item in sorted(shown, key=lambda item: _place(seed, *item.pair)):
        of_question[item.question.id].append(item)
    places = [
        ((number + _fraction(seed, question_id)) / len(group), _place(seed, *item.pair), item)
        for question_id, group in of_question.items()
        for number, item in enumerate(group)
    ]
    return tuple(item for *_, item in sorted(places, key=lambda place: place[:2]))


def draw_sample(store: Store, size: int, seed: int) -> tuple[ReviewItem, ...]:
    """``size`` accepted pairs at random: the same for one seed, and a larger sample holds the smaller."""
    accepted = {item.pair: item for item in review_items(store) if item.is_accepted}
    return tuple(accepted[pair] for pair in sample_order(accepted, seed)[:size])


def sample_seed(store: Store) -> int | None:
    """What the set's sample is drawn by; None before the first draw."""
    kept = store.meta.get(_SEED_KEY)
    return None if kept is None else int(kept)


def keep_sample_seed(store: Store, seed: int) -> None:
    """Let the set's sample be drawn by ``seed`` from now on."""
    store.meta.set(_SEED_KEY, str(seed))


def trusted(store: Store, items: Sequence[ReviewItem]) -> TrustedFigure | None:
    """The share of wrong ones among what the set accepts now; None if no draw from it was graded.

    ``items``: all ``review_items`` of the store.
    """
    accepted = {item.pair for item in items if item.is_accepted}
    return trusted_figure(store.judgments.all(), accepted, sample_seed(store) or 0)


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


def _place(seed: int, *ids: str) -> str:
    return stable_id("review", str(seed), *ids)


def _fraction(seed: int, question_id: str) -> float:
    """From 0 to 1, the same for one question and seed."""
    return int(_place(seed, question_id)[:8], 16) / 16**8


def review_items(store: Store) -> list[ReviewItem]:
    """Every pair that was judged, drafted or pooled and whose text is still there."""
    questions = {question.id: question for question in store.questions.all()}
    chunks = {chunk.id: chunk for chunk in store.corpus.chunks()}
    texts = _texts(store, list(questions.values()), chunks)
    verdicts: dict[Pair, list[Judgment]] = defaultdict(list)
    for judgment in store.judgments.all():
        verdicts[judgment.pair].append(judgment)
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
