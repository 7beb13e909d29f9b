"""What an evaluation found, as one value: every table, figure, page and gate is made from it alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from goldgen.evaluation.attack import AttackResult, UnderAttack
from goldgen.evaluation.context_budget import ContextChoice
from goldgen.evaluation.curves import Curve
from goldgen.evaluation.failures import Failure
from goldgen.evaluation.power import QuestionsNeeded
from goldgen.evaluation.similarity import NearMissHit, Similarity
from goldgen.evaluation.slices import Slice
from goldgen.evaluation.table import Table
from goldgen.evaluation.traffic import TrafficMeans
from goldgen.text.leakage import LeakageMeans
from goldgen.types import ControlKind, Replies

_FEWEST_OTHERS = 5
_SIGNIFICANT = 0.05
DAGGER = "†"
"""Marks a retriever that shares a model with judging or pooling."""


@dataclass(frozen=True, slots=True)
class GoldChunk:
    """A chunk that answers, or belongs to a set of chunks that do."""

    chunk_id: str
    document: str
    """Path of its document; "" if the set does not have the chunk any more."""
    grade: float
    quote: str = ""
    """The evidence, verbatim; "" where the grade came without one."""


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """A question with gold, and how each retriever did on it."""

    question_id: str
    text: str
    cluster: str
    traits: Mapping[str, str]
    """What questions are sliced by: origin, style, document, language, evidence, overlap, difficulty."""
    golds: tuple[GoldChunk, ...]
    values: Mapping[str, Mapping[str, float]]
    """Retriever to measure, such as nDCG@10, to its value."""
    first_gold: Mapping[str, int | None]
    """Retriever to the rank of its best gold; None if it never retrieved one."""


@dataclass(frozen=True, slots=True)
class OwnLeftOut:
    """A retriever of the pool by labels without those that it alone contributed."""

    mean: float | None
    """Of the primary measure; None if no question keeps a gold chunk."""
    difference: float | None
    """To its mean by all labels, over the same questions."""
    golds: int
    """Gold chunks left out."""
    questions: int
    """Questions that lose all their gold so, and are in neither mean."""
    overtaken_by: tuple[str, ...] = ()
    """Retrievers that lead it by these labels, and not by all."""


@dataclass(frozen=True, slots=True)
class RetrieverResult:
    """One row of the comparison."""

    name: str
    label: str
    shares_model: bool
    """With judging or pooling; such a retriever is never said to win."""
    means: Mapping[str, float]
    """Measure, such as nDCG@10, to its mean over the questions with gold."""
    interval: tuple[float, float]
    """95% interval of the primary measure's mean (bootstrap over clusters)."""
    by_origin: Mapping[str, float]
    """Mean of the primary measure over the questions of each origin."""
    judged: float
    """Judged@10: share of the first ten that have a verdict."""
    confusion: float | None
    """Share of the written near misses that outrank every gold chunk; None if the set has none."""
    milliseconds: float | None
    """Median time of one query; None for a run from a file."""
    tied_share: float
    duplicates: int
    missing: int
    """Questions without a hit: 0 in every mean."""
    run_id: str
    """Under which the run is kept in the set."""
    curve: Curve
    similarity: Similarity | None
    """None if the scores of the hits say nothing, for there are none but ranks."""
    near_miss_hits: tuple[NearMissHit, ...]
    """Where written near misses came, each in its question's overlay."""
    context: ContextChoice
    without_own: OwnLeftOut | None = None
    """None for a retriever that is no source of the pool."""
    replies: Replies | None = None
    """What a retriever of the user's own answered; None for a built-in one."""
    reservations: str = ""
    """What of a run file was not used, or what a model did with long texts, in words."""
    attacks: tuple[AttackResult, ...] = ()
    """A row for each kind of near miss, written and mined."""
    under_attack: UnderAttack | None = None
    """None for a retriever that cannot be given written near misses, or a set without."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How much ``better`` leads ``worse`` in the primary measure, with its 95% interval."""

    better: str
    worse: str
    mean: float
    low: float
    high: float
    p: float
    """Fisher randomisation over clusters, after Holm's correction over all pairs."""
    few_clusters: bool
    effect: float | None = None
    """The mean by the standard deviation of the differences (d_z); None if that is 0."""
    needed: QuestionsNeeded | None = None
    """How many questions would show a stated difference; None if the spread does not tell."""

    @property
    def is_told_apart(self) -> bool:
        """Whether test and interval both say that the lead is more than chance."""
        return self.p < _SIGNIFICANT and self.low > 0


@dataclass(frozen=True, slots=True)
class ControlResult:
    """How often a verifier rejects one kind of control, which must not be accepted."""

    kind: ControlKind
    judged: int
    rejected: int
    low: float | None
    """Of Wilson's 95% interval; None if none was judged."""
    high: float | None


@dataclass(frozen=True, slots=True)
class VerifierResult:
    """What the controls of its last run proved of one verifier."""

    name: str
    verdict: str
    """proven, unproven or failed."""
    reason: str
    controls: tuple[ControlResult, ...]
    wrong_golds: tuple[float, float] | None
    """The interval of the expected share of wrong golds: an estimate; None where it cannot be made."""


@dataclass(frozen=True, slots=True)
class AgreementResult:
    """How far two judges agree on gold or not."""

    judges: tuple[str, str]
    pairs: int
    kappa: float | None
    """Cohen's, on gold or not; None where it is not defined."""


@dataclass(frozen=True, slots=True)
class SetProof:
    """What speaks for and against the set itself."""

    is_imported: bool
    """It came from elsewhere with its labels, of which goldgen knows nothing more."""
    verifiers: tuple[VerifierResult, ...]
    agreements: tuple[AgreementResult, ...]
    trusted: tuple[int, int] | None
    """Wrong ones of the pairs of a random sample that people read; None without a full sample."""
    trusted_interval: tuple[float, float] | None
    human_verdicts: int
    generated_by: tuple[str, ...]
    judged_by: tuple[str, ...]
    pooled_by: tuple[str, ...]
    overlap: Mapping[str, float]
    """Origin to the mean share of a question's words, by their rarity, that its gold has too, 0 to 1."""
    states: Mapping[str, int]
    """State (golden, rejected, unanswered, unjudged) to number of questions."""
    unjudged_pairs: int
    """Pairs that were asked about and have no verdict."""
    leakage: Mapping[str, LeakageMeans] = field(default_factory=dict[str, LeakageMeans])
    """By origin. Reports from before it was measured have none, and their ``overlap`` knew no rarity."""


@dataclass(frozen=True, slots=True)
class Report:
    """One evaluation of one or more retrievers on one golden set."""

    corpus: str
    created_at: str
    """ISO 8601, UTC."""
    set_fingerprint: str
    """The same for the same labels over the same chunks; only then do two reports compare."""
    corpus_fingerprint: str
    """The same for the same chunks."""
    questions: int
    by_origin: Mapping[str, int]
    """Questions with gold, by origin."""
    excluded: int
    """Questions without gold, in no mean."""
    clusters: int
    near_misses: int
    chunks: int
    language: str | None
    """Whose stems and stop words lexical search used; "plain" for words as they stand, None if it did not."""
    threshold: float
    ceilings: Mapping[str, float]
    """P@k at best: a question with fewer than k golds cannot reach 1."""
    primary: str
    """The measure in which retrievers are told apart."""
    delta: float
    """The difference in it that the questions needed are told for."""
    budget: int
    """Tokens of context for which each retriever's number of results was chosen."""
    retrievers: tuple[RetrieverResult, ...]
    differences: tuple[PairedDifference, ...]
    proof: SetProof
    marks: tuple[str, ...]
    """What limits the trust in this set, a sentence each."""
    sentences: tuple[str, ...]
    """What the comparison means, in words."""
    slices: tuple[Slice, ...]
    """The worst first."""
    outcomes: tuple[QuestionOutcome, ...]
    failures: tuple[Failure, ...]
    texts: Mapping[str, tuple[str, str]]
    """Chunk or near miss named in failures and high scores to its document's path and its text."""
    next_steps: tuple[str, ...]
    """What to do next, the most useful first."""
    traffic: TrafficMeans | None = None
    """Means over the log questions, each weighing what it stands for; None without any."""

    @property
    def weak_slices(self) -> tuple[Slice, ...]:
        """The slices worth a look, the worst first.

        Not those by difficulty, which the same results made, none that hardly leaves another question, and
        none whose interval reaches the mean of the others. Of very many slices a few look weak by chance.
        """
        return tuple(
            found
            for found in self.slices
            if found.trait != "difficulty"
            and self.questions - found.questions >= _FEWEST_OTHERS
            and found.rest is not None
            and found.high < found.rest
        )

    @property
    def by_retriever(self) -> Table:
        """A row a retriever: every mean, the interval of the primary measure, and what else was measured."""
        results = self.retrievers
        return Table(
            {
                "retriever": tuple(result.label for result in results),
                "run": tuple(result.run_id for result in results),
                **{name: tuple(result.means[name] for result in results) for name in results[0].means},
                f"{self.primary} low": tuple(result.interval[0] for result in results),
                f"{self.primary} high": tuple(result.interval[1] for result in results),
                "confusion": tuple(result.confusion for result in results),
                "milliseconds": tuple(result.milliseconds for result in results),
            }
        )

    @property
    def by_question(self) -> Table:
        """A row a retriever and question: its traits, the rank of its first gold, and every measure."""
        rows = [(result.label, item) for result in self.retrievers for item in self.outcomes]
        traits = dict.fromkeys(trait for item in self.outcomes for trait in item.traits)
        return Table(
            {
                "retriever": tuple(label for label, _ in rows),
                "question_id": tuple(item.question_id for _, item in rows),
                "question": tuple(item.text for _, item in rows),
                "cluster": tuple(item.cluster for _, item in rows),
                **{trait: tuple(item.traits.get(trait) for _, item in rows) for trait in traits},
                "golds": tuple(len(item.golds) for _, item in rows),
                "first_gold": tuple(item.first_gold[label] for label, item in rows),
                **{
                    name: tuple(item.values[label][name] for label, item in rows)
                    for name in self.retrievers[0].means
                },
            }
        )
