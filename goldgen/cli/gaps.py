"""goldgen gaps"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import one_line, print_json

if TYPE_CHECKING:
    from goldgen.app.gaps import Gap, GapsReport

_SHOWN = 20
_VARIANTS_SHOWN = 3


def gaps(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    n: Annotated[
        int | None,
        typer.Option(
            "--n", min=1, help="Questions to list, at most; by default 20 on the terminal, else all."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write them to a .csv (safe for spreadsheets), .jsonl or .md.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List what users ask and the documents do not say, most asked first, with the nearest chunks.

    Example: `goldgen gaps -o gaps.csv`

    Only what was judged to depth 50, by a judge with grades, is called a gap: `goldgen logs add --depth 50`.
    """
    from goldgen.app import gaps as app

    report = app.gaps(app.GapsOptions(db, n))
    if output is not None:
        from goldgen.app.gap_files import write_gaps

        write_gaps(report, output)
    if as_json:
        print_json(report)
        return
    _render(report, n or _SHOWN)
    if output is not None:
        typer.echo(one_line(f"wrote       {output}, {len(report.gaps):,} questions"))


def _render(report: "GapsReport", shown: int) -> None:
    from goldgen.app.gaps import KINDS

    missing = sum(report.kinds.values())
    typer.echo(
        f"asked       {report.asked:,} questions of users: {report.answered:,} answered, {missing:,} without "
        f"an answer, {report.unjudged:,} not judged yet"
    )
    if report.rejected:
        typer.echo(f"            {report.rejected:,} rejected: the chunk that was named does not answer")
    for kind, count in report.kinds.items():
        of_traffic = report.traffic_of[kind] / report.traffic if report.traffic else 0.0
        typer.echo(f"            {count:,} {kind}, {of_traffic:.0%} of the traffic: {KINDS[kind]}")
    if not missing:
        typer.echo("next        goldgen logs add more queries, or --depth 50")
    before = ""
    for gap in report.gaps[:shown]:
        if gap.kind != before:
            typer.echo(f"\n{gap.kind}")
        before = gap.kind
        _render_gap(gap)
    if shown < missing:
        typer.echo(f"\nand {missing - min(shown, len(report.gaps)):,} more; --n, -o FILE or --json has them")


def _render_gap(gap: "Gap") -> None:
    from goldgen.app.gap_files import near_words

    _say(f"  {gap.asked:>5,}x  {' '.join(gap.question.split())}")
    facts = [f"last {gap.last_seen:%Y-%m-%d}"] if gap.last_seen else []
    facts += [f"{gap.rewritten:,} asked again in other words"] if gap.rewritten else []
    facts += [f"{gap.unclicked:,} without a click"] if gap.unclicked else []
    facts += [f"asked in {gap.foreign}, unlike the documents"] if gap.foreign else []
    facts += [f"judged to depth {gap.pool_depth}"]
    if gap.variants:
        more = len(gap.variants) - _VARIANTS_SHOWN
        facts += [
            f"also: {' | '.join(gap.variants[:_VARIANTS_SHOWN])}{f' and {more} more' if more > 0 else ''}"
        ]
    _say(f"          {'; '.join(facts)}")
    if gap.nearest:
        _say(f"          near: {near_words(gap)}")


def _say(line: str) -> None:
    typer.echo(one_line(line))
