"""The report of an evaluation on the terminal."""

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from goldgen.cli.console import one_line
from goldgen.evaluation import DAGGER, AttackResult, Report, RetrieverResult, TrafficMeans

_HEADLINE = ("P@5", "R@5", "RR@10", "AP@10", "nDCG@10")
_CUTOFFS = (1, 3, 5, 10)
_TITLES = {"P": "P", "R": "R", "RR": "MRR", "AP": "MAP", "nDCG": "nDCG"}
_WEAKEST = 3
_STEPS = 3


def render(report: Report) -> None:
    """Print the tables of a report, then what they mean."""
    console = Console(highlight=False)
    console.print(_comparison(report))
    console.print(_by_cutoff(report))
    console.print(_by_origin(report))
    if report.traffic:
        console.print(_by_traffic(report, report.traffic))
    console.print(_scores(report))
    if any(result.attacks for result in report.retrievers):
        console.print(_attacks(report))
    _say(
        f"{report.questions} questions from {report.clusters} sources, {report.excluded} more without gold "
        f"left out; {report.near_misses} near misses; {report.chunks} chunks; "
        f"gold from grade {report.threshold:g}{_lexical(report.language)}"
    )
    for result in report.retrievers:
        if result.duplicates or result.tied_share:
            _say(f"{result.label}: {result.tied_share:.1%} of ranks tied, {result.duplicates} duplicates")
        _further(result)
        if result.missing:
            _say(f"{result.label}: {result.missing} of {report.questions} questions have no hit and count 0")
        if result.reservations:
            _say(f"{result.label}: {result.reservations}")
        _replies(result)
        own = result.without_own
        if own is not None and own.golds:
            lost = f"; {own.questions} questions lose all their gold so" if own.questions else ""
            _say(f"{result.label}: {own.golds} golds that only it proposed{lost}")
    for origin, means in report.proof.leakage.items():
        _say(f"{origin} question: on average {means.in_words}")
    for mark in report.marks:
        _say(f"mark: {mark}")
    typer.echo()
    for sentence in report.sentences:
        _say(sentence)
    _weakest(report)
    for place, step in enumerate(report.next_steps[:_STEPS], start=1):
        typer.echo(f"{'next' if place == 1 else '    '} {place}. {one_line(step)}")


def _say(line: str) -> None:
    typer.echo(one_line(line))


def _weakest(report: Report) -> None:
    for found in report.weak_slices[:_WEAKEST]:
        rest = "" if found.rest is None else f", {found.rest:.3f} elsewhere"
        _say(
            f"weak: {found.retriever} on {found.trait} {found.value}, {found.mean:.3f} {report.primary} "
            f"({found.low:.2f}-{found.high:.2f}, {found.questions} questions){rest}"
        )
    lost = {failure.question_id for failure in report.failures}
    won = {failure.question_id for failure in report.failures if failure.won_by}
    if lost:
        what = "1 question has" if len(lost) == 1 else f"{len(lost)} questions have"
        another = f" ({len(won)} in that of another)" if len(report.retrievers) > 1 else ""
        _say(
            f"lost: {what} no gold in the first ten of a retriever{another}: goldgen report, or "
            f"goldgen why {report.failures[0].question_id}"
        )


def _further(result: RetrieverResult) -> None:
    """The measures that were asked for and stand in no table."""
    asked = {measure: mean for measure, mean in result.means.items() if not _is_tabled(measure)}
    if asked:
        _say(f"{result.label}: {', '.join(f'{m} {v:.3f}' for m, v in asked.items())}")


def _is_tabled(measure: str) -> bool:
    name, _, k = measure.partition("@")
    return (name in _TITLES and int(k) in _CUTOFFS) or measure in ("Success@10", "Judged@10")


def _lexical(language: str | None) -> str:
    if language is None:
        return ""
    found = "words as they stand" if language == "plain" else f"stems without stop words ({language})"
    return f"; bm25 searches {found}"


def _replies(result: RetrieverResult) -> None:
    """What was odd about the answers of a retriever of the user's own."""
    found = result.replies
    if found is None:
        return
    _say(f"{result.label}: confused is n/a, since goldgen cannot put near misses into its index")
    for count, what in (
        (found.unknown, f"of {found.hits} hits name no chunk of the set; they keep their rank"),
        (found.repeated, "hits left out that stand further up already"),
    ):
        if count:
            _say(f"{result.label}: {count} {what}")


def _table(title: str, *headings: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for heading in headings:
        is_text = heading in ("retriever", "measure")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=not is_text)
    return table


def _name(result: RetrieverResult) -> str:
    return one_line(f"{result.label}{DAGGER}" if result.shares_model else result.label)


def _comparison(report: Report) -> Table:
    table = _table("retrievers", "retriever", *_headline_titles(), "judged", "confused", "ms")
    for result in report.retrievers:
        confused = "n/a" if result.confusion is None else f"{result.confusion:.0%}"
        means = (f"{result.means[measure]:.3f}" for measure in _HEADLINE)
        table.add_row(
            _name(result), *means, f"{result.judged:.0%}", confused, _one_decimal(result.milliseconds)
        )
    table.caption = (
        "judged: share of the first ten with a verdict; confused: near misses above every gold; "
        "ms: median of a query"
    )
    return table


def _headline_titles() -> list[str]:
    return [_TITLES[name] + "@" + k for name, k in (measure.split("@") for measure in _HEADLINE)]


def _by_cutoff(report: Report) -> Table:
    table = _table("by K", "retriever", "measure", *(f"K={k}" for k in _CUTOFFS))
    for result in report.retrievers:
        for name, title in _TITLES.items():
            label = _name(result) if name == "P" else ""
            table.add_row(label, f"{title}@K", *(f"{result.means[f'{name}@{k}']:.3f}" for k in _CUTOFFS))
        table.add_section()
    table.add_row("at best", "P@K", *(f"{report.ceilings[f'P@{k}']:.3f}" for k in _CUTOFFS))
    return table


def _by_origin(report: Report) -> Table:
    origins = list(report.by_origin.items())
    headings = (f"{origin} (n={count})" for origin, count in origins)
    pooled = any(result.without_own for result in report.retrievers)
    own = ("without own",) if pooled else ()
    table = _table("nDCG@10 with its 95% interval, and by origin", "retriever", "all", "95%", *own, *headings)
    for result in report.retrievers:
        low, high = result.interval
        means = [f"{result.by_origin[origin]:.3f}" for origin, _ in origins]
        left_out = [_without_own(result)] if pooled else []
        headline = f"{result.means['nDCG@10']:.3f}"
        table.add_row(_name(result), headline, f"{low:.2f}-{high:.2f}", *left_out, *means)
    if pooled:
        table.caption = (
            "without own: labels that only this retriever proposed left out; "
            "over the questions that keep a gold"
        )
    return table


def _by_traffic(report: Report, traffic: TrafficMeans) -> Table:
    table = _table("log questions, each weighing what it stands for", "retriever", *_headline_titles(), "95%")
    for result in report.retrievers:
        means = traffic.means[result.label]
        low, high = traffic.intervals[result.label]
        table.add_row(_name(result), *(f"{means[name]:.3f}" for name in _HEADLINE), f"{low:.2f}-{high:.2f}")
    table.caption = (
        f"{traffic.questions} log questions with gold, {traffic.share:.0%} of the traffic; worth "
        f"{traffic.effective:.0f} that weigh alike; the interval is that of {report.primary}"
    )
    return table


def _scores(report: Report) -> Table:
    """What the scores tell, and how many results fit."""
    table = _table(
        "scores and context", "retriever", "gold above near miss", "above others", "K", "tokens", "R@K"
    )
    for result in report.retrievers:
        found, context = result.similarity, result.context
        near, other = (found.auc_near_miss, found.auc_other) if found else (None, None)
        table.add_row(
            _name(result),
            "n/a" if near is None else f"{near:.0%}",
            "n/a" if other is None else f"{other:.0%}",
            str(context.k),
            f"{context.tokens:.0f}",
            f"{context.recall:.3f}",
        )
    table.caption = (
        "above: how often a gold chunk scores higher, drawn from all questions (50% is chance; n/a without "
        "such hits, and for scores that compare within one question only); near misses "
        "are the written ones and what is judged on topic or answering in part; "
        f"K: the fewest results within 0.005 of the recall that {report.budget:,} tokens can hold, 50 at most"
    )
    return table


def _attacks(report: Report) -> Table:
    """What near misses do, by their kind."""
    first = next(result for result in report.retrievers if result.attacks)
    kinds = list(dict.fromkeys(row.kind for result in report.retrievers for row in result.attacks))
    counts = {row.kind: row.count for row in first.attacks}
    headings = (f"{kind.replace('_', ' ')} (n={counts.get(kind, 0)})" for kind in kinds)
    table = _table(
        "near misses above every gold, and their margin", "retriever", *headings, "nDCG@10 attacked"
    )
    for result in report.retrievers:
        rows = {row.kind: row for row in result.attacks}
        table.add_row(_name(result), *(_attack(rows.get(kind)) for kind in kinds), _attacked(result))
    table.caption = (
        "a share with its 95% interval, and the median lead of gold in standard deviations of the first ten "
        "scores; mined: chunks that a judge says do not answer; attacked: with all written near misses of a "
        "question in the index, and without, over the questions that have some"
    )
    return table


def _attack(row: AttackResult | None) -> str:
    if row is None:
        return "n/a"
    margin = "" if row.margin is None else f" {row.margin:+.1f}"
    between = "" if row.low is None else f" ({row.low:.0%}-{row.high:.0%})"
    return f"{row.rate:.0%}{between}{margin}"


def _attacked(result: RetrieverResult) -> str:
    found = result.under_attack
    if found is None:
        return "n/a"
    return f"{found.after['nDCG@10']:.3f} of {found.before['nDCG@10']:.3f}"


def _one_decimal(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1f}"


def _without_own(result: RetrieverResult) -> str:
    own = result.without_own
    if own is None:
        return ""
    if own.mean is None or own.difference is None:
        return "no gold left"
    return f"{own.mean:.3f} ({round(own.difference, 3) + 0.0:+.3f})"
