"""What an audit comes to, in plain words that claim no more than was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from goldgen.app.audit_decisions import WRITTEN, Decision, Decisions
from goldgen.app.question_figures import QuestionFigures
from goldgen.app.vocabulary import Vocabulary
from goldgen.evaluation import DAGGER
from goldgen.evaluation.telling import FEWEST
from goldgen.types import Origin

_ALIKE = 0.6
_CLEARLY_APART = 0.8
_NAMED_FEATURES = 2
_NAMED_PAIRS = 3
_MOST_LABELLED = 0.8


@dataclass(frozen=True, slots=True)
class TellingFigures:
    """How well a classifier that sees only how questions are put tells real from written ones."""

    area: float
    """Under the ROC curve, cross-validated: 0.5 if they are alike, 1 if they are always told apart."""
    low: float
    high: float
    weights: Mapping[str, float]
    """Feature to its weight, in standard deviations, the strongest first; positive: more so in real ones."""


@dataclass(frozen=True, slots=True)
class Contrasted:
    """Written questions against those of one other origin."""

    real: Origin
    vocabulary: Vocabulary
    telling: TellingFigures | None
    """None with fewer than ten questions of either."""


def verdict(
    figures: Mapping[Origin, QuestionFigures], against: Sequence[Contrasted], decided: Decisions
) -> str:
    """One paragraph: whether the origins are put alike, whether they decide alike, and what to do."""
    sentences = [sentence for found in against for sentence in _wording(figures, found)]
    if not decided.found:
        why = "; ".join(decided.notes)
        return " ".join([*sentences, f"Whether they decide alike between retrievers is not known: {why}."])
    reals: list[Origin] = list(dict.fromkeys(decision.real for decision in decided.found))
    for origin in reals:
        sentences += _decided([d for d in decided.found if d.real == origin], origin)
    return " ".join([*sentences, _advice(decided.found), _caveat(decided)])


def _wording(figures: Mapping[Origin, QuestionFigures], found: Contrasted) -> list[str]:
    written, real = figures[WRITTEN], figures[found.real]
    sentences = [_told(found, written, real)]
    if real.golden < _MOST_LABELLED * real.n:
        sentences.append(
            f"Only {real.golden} of {real.n} {found.real} questions have gold, most likely the easier ones: "
            "what is measured on them says nothing of the others."
        )
    a, b = written.overlap, real.overlap
    if a and b and (a.low > b.high or b.low > a.high):
        higher = WRITTEN if a.mean > b.mean else found.real
        shares = f"{a.mean:.2f} in {WRITTEN}, {b.mean:.2f} in {found.real} ones"
        sentences.append(
            f"A {higher} question with gold shares more of its words with its gold, weighed by rarity "
            f"({shares}), which flatters search by words there."
        )
    return sentences


def _told(found: Contrasted, written: QuestionFigures, real: QuestionFigures) -> str:
    told = found.telling
    if told is None:
        return (
            f"With {written.n} {WRITTEN} and {real.n} {found.real} questions it cannot be told whether they "
            f"are put alike; {FEWEST} of each are needed."
        )
    area = f"AUC {told.area:.2f}, 95% {told.low:.2f} to {told.high:.2f}"
    if told.low > _ALIKE:
        how = "clearly" if told.low > _CLEARLY_APART else "often"
        marks = ", ".join(
            f"{'more' if weight > 0 else 'less'} of {name}"
            for name, weight in islice(told.weights.items(), _NAMED_FEATURES)
        )
        return (
            f"{WRITTEN.capitalize()} and {found.real} questions are {how} told apart by how they are put "
            f"({area}): {found.real} ones have {marks}."
        )
    if told.high < _CLEARLY_APART:
        return f"{WRITTEN.capitalize()} and {found.real} questions are put much alike ({area})."
    return f"Whether {WRITTEN} and {found.real} questions are put alike cannot be told ({area})."


def _decided(found: Sequence[Decision], real: Origin) -> list[str]:
    favoured = [f"{d.better} over {d.worse}" for d in found if d.contrast.verdict == "both favour b"]
    apart = [d.pair for d in found if d.contrast.verdict == "origins disagree"]
    alike = [d.pair for d in found if d.contrast.verdict == "no difference"]
    unclear = [d.pair for d in found if d.contrast.verdict == "cannot tell"]
    sentences: list[str] = []
    if favoured:
        sentences.append(f"Both {WRITTEN} and {real} questions favour {_listed(favoured)}.")
    if apart:
        sentences.append(f"They disagree on {_listed(apart)}.")
    if alike:
        sentences.append(f"They judge {_listed(alike)} alike.")
    if unclear:
        most = max(d.contrast.unseen for d in found if d.contrast.verdict == "cannot tell")
        pairs = _listed(unclear)
        if len(unclear) > _NAMED_PAIRS:
            share = f"{len(unclear)} of the" if len(unclear) < len(found) else "any of the"
            pairs = f"{share} {len(found)} pairs"
        written, others = found[0].contrast.questions
        sentences.append(
            f"{written} {WRITTEN} and {others} {real} questions cannot tell on {pairs}: origins "
            f"up to {most:.2f} nDCG@10 apart would go unseen."
        )
    return sentences


def _advice(found: Sequence[Decision]) -> str:
    verdicts = {decision.contrast.verdict for decision in found}
    if "origins disagree" in verdicts:
        return "Report the origins apart, and decide by what people asked."
    if "cannot tell" in verdicts:
        return "Report the origins apart until there are more logged queries with gold: goldgen logs add."
    return "One mean over both origins decides these pairs as either would."


def _caveat(decided: Decisions) -> str:
    caveat = (
        "Their golds differ in kind: a synthetic question has its own chunk, a logged one what was found."
    )
    if any(DAGGER in name for name in decided.runs):
        caveat += f" {DAGGER} shares a model with judging or pooling, so that no lead of it is proof."
    return caveat


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
