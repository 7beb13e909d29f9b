"""How far judges agree beyond chance, where they do not, and what people's verdicts say of verifiers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from goldgen.types import GOLD, Judgment
from goldgen.types.judging import JudgeKind
from goldgen.verify.estimates import Interval, wilson
from goldgen.verify.evidence import CONTRADICTION

GRADES = GOLD + 1
_RESAMPLES = 2000
_SEED = 0
_FEWEST_CLUSTERS = 10
"""Questions below which resampling them says nothing."""
_ORDER = ({"human", "verifier"}, {"human"}, {"verifier"})
"""Which pairs of judges come first."""
_GRADE = np.arange(GRADES, dtype=np.float64)
_DISTANCE = np.abs(_GRADE[:, None] - _GRADE[None, :])
_DIFFERS = np.array([[0.0, 1.0], [1.0, 0.0]])

PROPOSED = "proposed gold"
"""How the reason of a verdict begins that waits for a person, since the judge was not shown to be strict."""
UNBLINDED = "graded again after the reveal"
"""How the reason of a person's verdict begins that was given once they knew what the verifier had said."""

Pair = tuple[str, str]
"""Ids of a question and of what was judged for it."""
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True, order=True)
class JudgeName:
    """A judge; a person and a model may have one name."""

    kind: JudgeKind
    name: str


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance: 1 is perfect, 0 what chance gives, below 0 is worse."""

    estimate: float
    interval: tuple[float, float] | None
    """95%; None where resampling the questions cannot tell it: under 10 of them, or kappa does not vary, as
    without any disagreement."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges on the pairs that both graded."""

    first: JudgeName
    second: JudgeName
    pairs: int
    confusion: tuple[tuple[int, ...], ...]
    """Shape (4, 4): ``confusion[i][j]`` pairs have grade i from the first and j from the second."""
    same_grade: Interval
    same_on_gold: Interval
    """Share of pairs that both call gold, or neither; Wilson's interval."""
    kappa: Kappa | None
    """On gold or not (Cohen 1960); None: undefined, for both judges say the same of every pair."""
    linear: Kappa | None
    """On grades, weighted by their distance (Cohen 1968)."""
    quadratic: Kappa | None
    """On grades, weighted by its square (Cohen 1968)."""
    coarse: tuple[JudgeName, ...]
    """Judges that gave no grade between 0 and 3: weighted kappa then means little."""


@dataclass(frozen=True, slots=True)
class AgainstPeople:
    """A verifier held against people's verdicts on the same pairs. Counts are pairs."""

    verifier: str
    right_accepted: int
    wrong_accepted: int
    right_rejected: int
    wrong_rejected: int
    sensitivity: Interval | None
    """Share of people's golds that it accepts; None if people graded only pairs that it accepted, or only
    such as it rejected, for then the figure says how pairs were picked and nothing of the verifier."""
    specificity: Interval | None
    """Share of the pairs that people do not call gold that it rejects; None likewise."""


def says_gold(judgment: Judgment) -> bool:
    """Whether the judge calls it gold, also where a verifier's word waits for a person."""
    return judgment.grade == GOLD or is_proposed(judgment)


def is_proposed(judgment: Judgment) -> bool:
    """Whether label completion would make it gold, if its judge were shown to be strict enough."""
    return judgment.judge_kind == "verifier" and judgment.reason.startswith(PROPOSED)


def is_unblinded(judgment: Judgment) -> bool:
    """Whether the person knew the verifier's word. It counts for the set, and for no figure of people."""
    return judgment.judge_kind == "human" and judgment.reason.startswith(UNBLINDED)


def last_verifier(verdicts: Sequence[Judgment]) -> Judgment | None:
    """The latest verdict of a verifier on a pair, which may be that there is none."""
    return next((v for v in reversed(verdicts) if v.judge_kind == "verifier"), None)


def in_dispute(verdicts: Sequence[Judgment]) -> bool:
    """Whether a pair waits for a person's word on what counts, gold or not.

    One person settles what a verifier's votes or answers left open; people who differ must agree first.
    ``verdicts``: all on the pair, the earlier first; one of each judge.
    """
    if people := _people_say(verdicts):
        return len(people) > 1
    machine = last_verifier(verdicts)
    return machine is not None and (machine.is_disputed or CONTRADICTION in machine.reason)


def is_overruled(verdicts: Sequence[Judgment]) -> bool:
    """Whether people, who agree, contradict the latest verifier; ``verdicts`` as for ``in_dispute``."""
    machine, people = last_verifier(verdicts), _people_say(verdicts)
    return machine is not None and machine.grade is not None and people == {not says_gold(machine)}


def _people_say(verdicts: Sequence[Judgment]) -> set[bool]:
    return {says_gold(v) for v in verdicts if v.judge_kind == "human" and v.grade is not None}


def agreements(judgments: Sequence[Judgment]) -> tuple[Agreement, ...]:
    """Every two judges with common pairs: a person and a verifier first, then two people, two verifiers.

    What a verifier proposes as gold counts as its grade 3; unblinded verdicts are left out.
    """
    graded: dict[JudgeName, dict[Pair, int]] = defaultdict(dict)
    for judgment in judgments:
        if judgment.grade is not None and not is_unblinded(judgment):
            grade = GOLD if says_gold(judgment) else judgment.grade
            name = JudgeName(judgment.judge_kind, judgment.judge)
            graded[name][judgment.pair] = grade
    found = [
        _agreement(first, second, graded[first], graded[second])
        for first, second in combinations(sorted(graded), 2)
        if graded[first].keys() & graded[second].keys()
    ]
    return tuple(sorted(found, key=lambda a: (_ORDER.index({a.first.kind, a.second.kind}), -a.pairs)))


def against_people(judgments: Sequence[Judgment]) -> tuple[AgainstPeople, ...]:
    """Each verifier with graded pairs in common with people; of several people the last one counts.

    Pairs that were drawn from the accepted are left out: all of them are accepted, whatever the verifier is
    worth. So are unblinded verdicts. ``judgments``: all of them, a judge's later ones after its earlier.
    """
    drawn = {judgment.pair for judgment in judgments if judgment.sampled}
    by_people: dict[Pair, bool] = {}
    by_verifier: dict[str, dict[Pair, bool]] = defaultdict(dict)
    for judgment in judgments:
        pair = judgment.pair
        if judgment.grade is not None and pair not in drawn and not is_unblinded(judgment):
            said = by_people if judgment.judge_kind == "human" else by_verifier[judgment.judge]
            said[pair] = says_gold(judgment)
    return tuple(
        _against(name, [(accepted, by_people[pair]) for pair, accepted in said.items() if pair in by_people])
        for name, said in sorted(by_verifier.items())
        if said.keys() & by_people.keys()
    )


def _agreement(
    first: JudgeName, second: JudgeName, ours: Mapping[Pair, int], theirs: Mapping[Pair, int]
) -> Agreement:
    common = sorted(ours.keys() & theirs.keys())
    questions = {question: place for place, question in enumerate(dict.fromkeys(q for q, _ in common))}
    tables = np.zeros((len(questions), GRADES, GRADES))
    for pair in common:
        tables[questions[pair[0]], ours[pair], theirs[pair]] += 1
    table = tables.sum(axis=0)
    gold_tables = _on_gold(tables)
    return Agreement(
        first=first,
        second=second,
        pairs=len(common),
        confusion=tuple(tuple(int(cell) for cell in row) for row in table),
        same_grade=wilson(int(np.trace(table)), len(common)),
        same_on_gold=wilson(int(np.trace(gold_tables.sum(axis=0))), len(common)),
        kappa=_estimated(gold_tables, _DIFFERS),
        linear=_estimated(tables, _DISTANCE),
        quadratic=_estimated(tables, _DISTANCE**2),
        coarse=tuple(
            judge
            for judge, grades in ((first, ours), (second, theirs))
            if not {grades[pair] for pair in common} & set(range(1, GOLD))
        ),
    )


def _on_gold(tables: Counts) -> Counts:
    """Tables of grades, shape (..., 4, 4), as tables of not gold and gold, shape (..., 2, 2)."""
    groups = np.array([[1.0] * GOLD + [0.0], [0.0] * GOLD + [1.0]])
    return groups @ tables @ groups.T


def _estimated(tables: Counts, weights: Counts) -> Kappa | None:
    """Kappa of the pooled tables; its interval is the percentile bootstrap (Efron 1979) over questions.

    Pairs of one question stand or fall together, so whole questions, one table each, are drawn again.
    ``tables``: shape (questions, k, k).
    """
    estimate = float(_kappa(tables.sum(axis=0), weights))
    if np.isnan(estimate):
        return None
    number = len(tables)
    if number < _FEWEST_CLUSTERS:
        return Kappa(estimate, None)
    drawn = np.random.default_rng(_SEED).multinomial(number, [1 / number] * number, size=_RESAMPLES)
    resampled = _kappa(np.tensordot(drawn.astype(np.float64), tables, axes=1), weights)
    # Where a draw left out all that was gold, kappa is undefined; a few such say nothing of the rest.
    defined = resampled[~np.isnan(resampled)]
    low, high = np.quantile(defined, [0.025, 0.975])
    return Kappa(estimate, (float(low), float(high)) if low < high else None)


def _kappa(counts: Counts, weights: Counts) -> Counts:
    """Weighted kappa, 1 - sum(weights * observed) / sum(weights * expected); NaN where it is undefined.

    ``counts``: shape (..., k, k), a contingency table of two judges; ``weights``: shape (k, k), how much
    each disagreement counts, zero on the diagonal. With weight 1 off the diagonal it is Cohen's kappa.
    Sources: Cohen, "A coefficient of agreement for nominal scales" (1960); Cohen, "Weighted kappa: nominal
    scale agreement with provision for scaled disagreement or partial credit" (1968).
    """
    total = counts.sum(axis=(-2, -1))
    expected = counts.sum(axis=-1)[..., :, None] * counts.sum(axis=-2)[..., None, :]
    by_chance = (weights * expected).sum(axis=(-2, -1))
    observed = (weights * counts).sum(axis=(-2, -1)) * total
    ratio = np.full(np.shape(by_chance), np.nan)
    np.divide(observed, by_chance, out=ratio, where=by_chance > 0)
    return 1.0 - ratio


def _against(verifier: str, said: Sequence[tuple[bool, bool]]) -> AgainstPeople:
    """``said``: for each pair, whether the verifier and whether people call it gold."""
    right_accepted = said.count((True, True))
    wrong_accepted = said.count((True, False))
    right_rejected = said.count((False, False))
    wrong_rejected = said.count((False, True))
    golds, others = right_accepted + wrong_rejected, right_rejected + wrong_accepted
    both_sides = len({accepted for accepted, _ in said}) == 2
    return AgainstPeople(
        verifier=verifier,
        right_accepted=right_accepted,
        wrong_accepted=wrong_accepted,
        right_rejected=right_rejected,
        wrong_rejected=wrong_rejected,
        sensitivity=wilson(right_accepted, golds) if both_sides and golds else None,
        specificity=wilson(right_rejected, others) if both_sides and others else None,
    )
