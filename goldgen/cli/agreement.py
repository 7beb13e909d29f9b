"""goldgen agreement"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import print_json, printable

if TYPE_CHECKING:
    from goldgen.app.agreement import AgreementReport, DisputedPair
    from goldgen.verify.agreement import AgainstPeople, Agreement, JudgeName, Kappa
    from goldgen.verify.estimates import Interval
    from goldgen.verify.trusted import TrustedFigure


def agreement(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    limit: Annotated[int, typer.Option(min=0, help="Pairs in dispute, or overruled, to list; 0: all.")] = 20,
    as_json: options.Json = False,
) -> None:
    """Tell how far people and verifiers agree beyond chance, and on which pairs they do not.

    Example: `goldgen agreement --limit 5`
    """
    from goldgen.app import agreement as app

    found = app.agreement(db, limit)
    if as_json:
        print_json(found)
    else:
        _render(found)


def _render(found: "AgreementReport") -> None:
    if not found.agreements:
        names = ", ".join(_name(judge) for judge in found.judges) or "nobody"
        _say(f"judges      no two have graded the same pair ({names} graded); run goldgen review")
    for pair in found.agreements:
        _render_agreement(pair)
    for verifier in found.verifiers:
        _render_against(verifier)
    _say(f"wrong golds {trusted_line(found.trusted)}")
    if found.unblinded:
        _say(f"left out    {found.unblinded} verdicts that were given again after the reveal")
    if found.overruled:
        _say(f"overruled   {found.overruled} pairs: people say otherwise than the verifier, and that stands")
        _list(found.overruled_pairs, found.overruled)
    if found.disputed:
        _say(f"in dispute  {found.disputed} pairs: people differ, or a verifier's votes or answers do")
        _list(found.disputes, found.disputed)
        _say("next        goldgen review --show disputed; --again shows those that you graded yourself")


def _list(pairs: "Sequence[DisputedPair]", number: int) -> None:
    for pair in pairs:
        grades = ", ".join(f"{_name(judge)} {grade}" for judge, grade in pair.grades)
        _say(f"  {grades}: {' '.join(pair.question.split())}  [{pair.target_id}]")
    if len(pairs) < number:
        _say(f"  and {number - len(pairs)} more; --limit 0 lists all")


def trusted_line(figure: "TrustedFigure | None") -> str:
    """The error rate of the accepted pairs as a person found it, in words."""
    if figure is None:
        return "not known from people; goldgen review --sample 50 reads a random sample of the accepted"
    if figure.share is None:
        return figure.withheld
    outdated = f"; {figure.outdated} more are no longer accepted" if figure.outdated else ""
    unblinded = f"; {figure.unblinded} graded again after the reveal left out" if figure.unblinded else ""
    return (
        f"{figure.wrong} of {figure.pairs} sampled accepted pairs, {_interval(figure.share)}, "
        f"read by {printable(', '.join(figure.people))}; covers {figure.pairs} of {figure.accepted} accepted"
        f"{unblinded}{outdated}"
    )


def _render_agreement(pair: "Agreement") -> None:
    _say(f"agreement   {_name(pair.first)} and {_name(pair.second)}, {pair.pairs} pairs that both graded")
    _say(f"  the same on gold   {_interval(pair.same_on_gold)}; the same grade {_interval(pair.same_grade)}")
    _say(f"  kappa on gold      {_kappa(pair.kappa)}")
    _say(f"  kappa on grades    linear {_kappa(pair.linear)}; quadratic {_kappa(pair.quadratic)}")
    if pair.coarse:
        names = " and ".join(_name(judge) for judge in pair.coarse)
        _say(f"                     {names} gave no grade between 0 and 3, so weights mean little here")
    width = max(len(str(cell)) for row in pair.confusion for cell in row) + 2
    width = max(width, 4)
    header = "".join(str(grade).rjust(width) for grade in range(len(pair.confusion)))
    _say(f"  grades: {_name(pair.first)} down, {_name(pair.second)} across")
    _say(f"     {header}")
    for grade, row in enumerate(pair.confusion):
        _say(f"  {grade:>3}{''.join(str(cell).rjust(width) for cell in row)}")


def _render_against(found: "AgainstPeople") -> None:
    accepted = found.right_accepted + found.wrong_accepted
    rejected = found.right_rejected + found.wrong_rejected
    _say(
        f"verifier    {found.verifier} against people: {found.right_accepted} of {accepted} accepted pairs "
        f"are gold, {found.wrong_rejected} of {rejected} rejected ones are too"
    )
    if not accepted or not rejected:
        side = "accepted" if accepted else "rejected"
        _say(f"  sensitivity and specificity not known: people graded only pairs that it {side}")
        return
    for name, share in (("sensitivity", found.sensitivity), ("specificity", found.specificity)):
        shown = _interval(share) if share else "not known: no such pair was graded by people"
        _say(f"  {name}        {shown}")
    _say("  for pairs picked as those were that people graded")


def _name(judge: "JudgeName") -> str:
    return f"{judge.name} ({judge.kind})"


def _interval(share: "Interval") -> str:
    return f"{share.estimate:.0%} (95% {share.low:.0%} to {share.high:.0%})"


def _kappa(found: "Kappa | None") -> str:
    if found is None:
        return "undefined, as both say the same of every pair"
    if found.interval is None:
        return f"{found.estimate:.2f} (no interval: too few questions, or kappa does not vary)"
    low, high = found.interval
    return f"{found.estimate:.2f} (95% {low:.2f} to {high:.2f})"


def _say(line: str) -> None:
    typer.echo(printable(line))
