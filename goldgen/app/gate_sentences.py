"""What a gate's checks say, in words that claim no more than the bounds."""

from collections.abc import Mapping

from goldgen.evaluation import Decision, Verdict

_SAID = {"pass": "passes", "fail": "fails", "inconclusive": "is inconclusive"}


def loss_sentence(
    label: str,
    measure: str,
    baseline: str,
    found: Decision,
    *,
    questions: int,
    needed: int | None,
    level: float,
) -> str:
    """A retriever against its baseline; the floor of ``found`` is the margin below zero."""
    against = f"{measure} lost against {baseline}"
    if found.verdict == "pass":
        answer = f"at most {-found.low:.3f} {against}" if found.low < 0 else f"no {against}"
    elif found.verdict == "fail":
        answer = f"at least {-found.high:.3f} {against}"
    elif found.clusters < 2:
        answer = f"one source does not tell how much {measure} is lost against {baseline}"
    else:
        answer = f"whether more than {-found.floor:g} {measure} is lost against {baseline} can't be told"
        if needed:
            answer += f"; about {needed:,} questions are needed to tell a loss of {-found.floor:g}"
    margin = f"margin {abs(found.floor):g}"
    return _sentence(label, found, answer, margin, questions, level, "+.3f")


def floor_sentence(label: str, measure: str, found: Decision, *, questions: int, level: float) -> str:
    """A retriever against a floor."""
    if found.verdict == "pass":
        answer = f"{measure} is at least {found.low:.3f}"
    elif found.verdict == "fail":
        answer = f"{measure} is at most {found.high:.3f}"
    elif found.clusters < 2:
        answer = f"one source does not tell how high {measure} is"
    else:
        answer = f"whether {measure} is at least {found.floor:g} can't be told; more questions would tell"
    return _sentence(label, found, answer, f"floor {found.floor:g}", questions, level, ".3f")


def proof_sentence(verdict: Verdict, verdicts: Mapping[str, str], reasons: Mapping[str, str]) -> str:
    """The set itself: each verifier that judged it, with its verdict, and the reason unless it is proven."""
    if not verdicts:
        people = "people judged it" if verdict == "pass" else "nobody is known to have judged it"
        return f"the set {_SAID[verdict]}: {people}"
    named = [
        f"verifier {name} is {found}" + ("" if found == "proven" else f" ({reasons[name]})")
        for name, found in verdicts.items()
    ]
    return f"the set {_SAID[verdict]}: {'; '.join(named)}"


def many(number: int, what: str) -> str:
    """``1 source``, ``34 sources``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _sentence(
    label: str, found: Decision, answer: str, limit: str, questions: int, level: float, form: str
) -> str:
    def number(value: float) -> str:
        # A loss of nothing has no sign.
        return format(round(value, 3) + 0.0, form)

    bounds = {
        "pass": f"bound {number(found.low)}",
        "fail": f"bound {number(found.high)}",
        "inconclusive": f"bounds {number(found.low)} and {number(found.high)}",
    }
    return (
        f"{label} {_SAID[found.verdict]}: {answer} ({limit}; observed {number(found.mean)}, {level:.0%} "
        f"one-sided {bounds[found.verdict]}, {many(questions, 'question')} from "
        f"{many(found.clusters, 'source')})"
    )
