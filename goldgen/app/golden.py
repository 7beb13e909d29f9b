"""The golden set as it stands in the store, and what has to be said about it wherever it is used."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goldgen.app.imported import ImportedSet, imported_set
from goldgen.app.models import relation
from goldgen.app.pooling import pool_models
from goldgen.app.proofs import verdicts
from goldgen.models.endpoints import EMBEDDED_GENERATOR, joined_models, normalised_name
from goldgen.store import Store
from goldgen.text import stable_id
from goldgen.types import GOLD, Chunk, JudgedQuestion, Judgment, NearMiss, Pooled, Question
from goldgen.verify import GoldenQuestion, as_imported, assemble, undisputed

MAX_GOLD = 10
_MAX_GOLD_KEY = "max_gold"


@dataclass(frozen=True, slots=True)
class SetModels:
    """Which models had a hand in a set, by the names they were called by. People are not among them."""

    generated: tuple[str, ...]
    judged: tuple[str, ...]
    pooled: tuple[str, ...]
    """Of the searches that proposed what was judged."""


@dataclass(frozen=True, slots=True)
class GoldenSet:
    questions: tuple[GoldenQuestion, ...]
    near_misses: tuple[NearMiss, ...]
    """Those judged not to answer their question, of golden questions only."""
    chunks: tuple[Chunk, ...]
    marks: tuple[str, ...]
    """What limits the trust in this set, a sentence each."""
    judging_models: frozenset[str]
    """Models that judged, or that proposed what was judged, by their normalised names."""
    models: SetModels
    ambiguous: tuple[str, ...]
    """Ids of questions with more gold chunks than ``max_gold``."""
    max_gold: int
    drafts: tuple[Question, ...]
    """All questions before merging."""
    verdicts: tuple[Judgment, ...]
    """The one that counts for each pair."""
    pool: tuple[Pooled, ...]
    threshold: float = GOLD
    """The grade from which a chunk is gold."""
    kept_for: Mapping[str, str] = field(default_factory=dict[str, str])
    """Near duplicates: id of a question to that of the one that is kept for it."""

    @property
    def judged(self) -> tuple[JudgedQuestion, ...]:
        return tuple(item.judged for item in self.questions)

    @property
    def golden(self) -> tuple[GoldenQuestion, ...]:
        return tuple(item for item in self.questions if item.state == "golden")

    @property
    def first_ids(self) -> dict[str, str]:
        """The id of each question to the one that the set goes by: the one kept of those that are one."""
        return {i: item.question.id for item in self.questions for i in (item.question.id, *item.merged)}

    @property
    def fingerprint(self) -> str:
        """The same for all that measures rest on: labels, evidence sets, clusters, near misses, chunks."""
        labels = [_label(item) for item in self.questions if item.judged.grades]
        overlays = [stable_id(item.question_id, item.full_text) for item in self.near_misses]
        return stable_id(
            *sorted(labels), "near misses", *sorted(overlays), self.corpus_fingerprint, f"{self.threshold:g}"
        )

    @property
    def corpus_fingerprint(self) -> str:
        """The same for the same chunks: the text counts too, for ids of a user's own say nothing of it."""
        return stable_id(*sorted(stable_id(chunk.id, chunk.full_text) for chunk in self.chunks))


def _label(item: GoldenQuestion) -> str:
    judged = item.judged
    grades = [stable_id(chunk_id, f"{grade:g}") for chunk_id, grade in judged.grades.items()]
    sets = [stable_id(*sorted(chunk_ids)) for chunk_ids in judged.sets]
    return stable_id(
        judged.question_id, item.question.text, judged.cluster, *sorted(grades), "sets", *sorted(sets)
    )


def unanswered_to_depth(questions: Sequence[GoldenQuestion]) -> dict[int, int]:
    """How deep the pool is judged to the number of questions that it does not answer; gaps are left out."""
    depths = Counter(item.pool_depth for item in questions if item.state == "unanswered" and not item.is_gap)
    return dict(sorted(depths.items()))


def load_golden(store: Store) -> GoldenSet:
    """Assemble the set from its questions, its effective judgments, its pool and its chunks."""
    imported = imported_set(store)
    return _assembled(store) if imported is None else _as_it_came(store, imported)


def _as_it_came(store: Store, imported: ImportedSet) -> GoldenSet:
    drafts = tuple(store.questions.all())
    return GoldenSet(
        questions=as_imported(drafts, store.imported.grades(), imported.gold_from),
        near_misses=(),
        chunks=tuple(store.corpus.chunks()),
        marks=imported.marks,
        judging_models=frozenset(),
        models=SetModels((), (), ()),
        ambiguous=(),  # many golds for a question are the rule in such collections
        max_gold=max_gold(store),
        drafts=drafts,
        verdicts=(),
        pool=(),
        threshold=imported.gold_from,
    )


def _assembled(store: Store) -> GoldenSet:
    chunks = tuple(store.corpus.chunks())
    judgments, drafts, pool = store.judgments.effective(), store.questions.all(), store.pool.all()
    kept_for = merged_duplicates(store, drafts, judgments, chunks)
    questions = assemble(drafts, judgments, chunks, pool, kept_for)
    golden_ids = {i for item in questions if item.state == "golden" for i in (item.question.id, *item.merged)}
    refused = {j.pair for j in judgments if j.grade is not None and j.grade < GOLD}
    written = store.questions.near_misses()
    near_misses = tuple(
        near_miss
        for near_miss in written
        if near_miss.question_id in golden_ids and (near_miss.question_id, near_miss.id) in refused
    )
    models = SetModels(
        generated=_names(item.model for item in (*drafts, *written)),
        judged=_names(judgment.judge for judgment in judgments if judgment.judge_kind == "verifier"),
        pooled=_names(pool_models(store)),
    )
    most = max_gold(store)
    too_many = ambiguous(questions, most)
    return GoldenSet(
        questions=questions,
        near_misses=near_misses,
        chunks=chunks,
        marks=(*_marks(store, models), *_ambiguous_mark(too_many, most)),
        judging_models=frozenset(
            normalised_name(part) for name in (*models.judged, *models.pooled) for part in joined_models(name)
        ),
        models=models,
        ambiguous=too_many,
        max_gold=most,
        drafts=tuple(drafts),
        verdicts=tuple(judgments),
        pool=tuple(pool),
        kept_for=kept_for,
    )


def merged_duplicates(
    store: Store, drafts: Sequence[Question], judgments: Sequence[Judgment], chunks: Sequence[Chunk]
) -> dict[str, str]:
    """The near duplicates found so far that people do not object to: id to that of the kept one.

    ``judgments``: the effective ones, all of them.
    """
    found = {item.question_id: item.kept_id for item in store.duplicates.all()}
    return undisputed(drafts, judgments, chunks, found, store.duplicates.parted()) if found else {}


def assembled(
    store: Store, chunks: Sequence[Chunk], judgments: Sequence[Judgment] | None = None
) -> tuple[GoldenQuestion, ...]:
    """The questions of the set by some of its judgments (None: all that count), without its pool."""
    drafts, effective = store.questions.all(), store.judgments.effective()
    kept_for = merged_duplicates(store, drafts, effective, chunks)
    return assemble(drafts, effective if judgments is None else judgments, chunks, kept_for=kept_for)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names) - {""}))


def _ambiguous_mark(questions: Sequence[str], most: int) -> tuple[str, ...]:
    if not questions:
        return ()
    return (f"ambiguous: {len(questions)} questions have more than {most} golds",)


def _marks(store: Store, models: SetModels) -> tuple[str, ...]:
    marks: list[str] = []
    generators = frozenset(models.generated)
    if EMBEDDED_GENERATOR in generators:
        marks.append("demo grade: its questions come from the small embedded generator")
    for judge in models.judged:
        related = relation(generators, judge)
        if related != "other":
            marks.append(f"{related}: {judge} judged questions of {', '.join(sorted(generators))}")
    proofs = verdicts(store)
    if not models.judged:
        marks.append("not verified: run goldgen verify")
    for judge in models.judged:
        verdict = proofs.get(judge, "unproven: no verification by it was finished")
        if not verdict.startswith("proven"):
            marks.append(f"verifier {judge} {verdict}")
    return tuple(marks)


def save_max_gold(store: Store, most: int) -> None:
    """Keep how many gold chunks a question may have before it counts as ambiguous."""
    store.meta.set(_MAX_GOLD_KEY, str(most))


def max_gold(store: Store) -> int:
    """How many gold chunks a question may have before it counts as ambiguous."""
    return int(store.meta.get(_MAX_GOLD_KEY) or MAX_GOLD)


def ambiguous(questions: Sequence[GoldenQuestion], most: int) -> tuple[str, ...]:
    """Ids of the questions with more than ``most`` gold chunks."""
    return tuple(item.question.id for item in questions if len(item.gold) > most)
