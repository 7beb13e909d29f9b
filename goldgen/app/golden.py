"""The golden set as it stands in the store, and what has to be said about it wherever it is used."""

from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.app.labelling import pool_models
from goldgen.app.models import relation
from goldgen.app.proofs import verdicts
from goldgen.models.endpoints import EMBEDDED_GENERATOR, normalised_name
from goldgen.store import Store
from goldgen.text import stable_id
from goldgen.types import GOLD, Chunk, JudgedQuestion, NearMiss
from goldgen.verify import GoldenQuestion, assemble


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

    @property
    def judged(self) -> tuple[JudgedQuestion, ...]:
        return tuple(item.judged for item in self.questions)

    @property
    def golden(self) -> tuple[GoldenQuestion, ...]:
        return tuple(item for item in self.questions if item.state == "golden")

    @property
    def fingerprint(self) -> str:
        """The same for the same labels over the same chunks."""
        labels = [
            f"{item.judged.question_id} {chunk_id} {grade:g}"
            for item in self.questions
            for chunk_id, grade in sorted(item.judged.grades.items())
        ]
        return stable_id(*sorted(labels), *sorted(chunk.id for chunk in self.chunks))


def load_golden(store: Store) -> GoldenSet:
    """Assemble the set from its questions, its effective judgments and its chunks."""
    chunks = tuple(store.corpus.chunks())
    judgments = store.judgments.effective()
    questions = assemble(store.questions.all(), judgments, chunks)
    golden_ids = {i for item in questions if item.state == "golden" for i in (item.question.id, *item.merged)}
    refused = {(j.question_id, j.target_id) for j in judgments if j.grade is not None and j.grade < GOLD}
    near_misses = tuple(
        near_miss
        for near_miss in store.questions.near_misses()
        if near_miss.question_id in golden_ids and (near_miss.question_id, near_miss.id) in refused
    )
    judges = frozenset(judgment.judge for judgment in judgments if judgment.judge_kind == "verifier")
    judging = frozenset(map(normalised_name, judges | pool_models(store)))
    return GoldenSet(questions, near_misses, chunks, _marks(store, questions, judges), judging)


def _marks(store: Store, questions: Sequence[GoldenQuestion], judges: frozenset[str]) -> tuple[str, ...]:
    marks: list[str] = []
    generators = frozenset(item.question.model for item in questions if item.question.model)
    if EMBEDDED_GENERATOR in generators:
        marks.append("demo grade: its questions come from the small embedded generator")
    for judge in sorted(judges):
        related = relation(generators, judge)
        if related != "other":
            marks.append(f"{related}: {judge} judged questions of {', '.join(sorted(generators))}")
    proofs = verdicts(store)
    if not judges:
        marks.append("not verified: run goldgen verify")
    for judge in sorted(judges):
        verdict = proofs.get(judge, "unproven: no verification by it was finished")
        if not verdict.startswith("proven"):
            marks.append(f"verifier {judge} {verdict}")
    return tuple(marks)
