"""goldgen verify"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.agreement import trusted_line
from goldgen.cli.console import TerminalReporter, calls_line, counted, print_json, print_plan, run
from goldgen.cli.labels import label_lines, shares
from goldgen.errors import BudgetError

if TYPE_CHECKING:
    from goldgen.app.labelling import LabelReport
    from goldgen.app.verify import VerifyReport
    from goldgen.verify import KindResult, ThresholdRow, VerifierProof

EXIT_FAILED = 3
EXIT_UNPROVEN = 4
_TRUST = "Trust"
_LABELS = "Labels"


def verify(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    controls: Annotated[
        int, typer.Option(min=0, help="Control pairs of each hard kind, for a chat model as verifier.")
    ] = 40,
    floor: Annotated[
        float, typer.Option(min=0.5, max=0.999, help="Specificity that the verifier must show.")
    ] = 0.9,
    seed: Annotated[int, typer.Option(help="Of the controls.")] = 0,
    votes: Annotated[
        int,
        typer.Option(min=1, help="Ask a chat model so often about each pair; odd.", rich_help_panel=_TRUST),
    ] = 1,
    target_precision: Annotated[
        float | None,
        typer.Option(
            min=0.5,
            max=0.999,
            help="Share of the accepted that the embedded verifier must have right, by the 95% bound.",
            rich_help_panel=_TRUST,
        ),
    ] = None,
    require_proven: Annotated[
        bool,
        typer.Option("--require-proven", help="Exit with 4 if it is unproven.", rich_help_panel=_TRUST),
    ] = False,
    complete: Annotated[
        int | None,
        typer.Option(
            min=0,
            show_default="10; 0 for the embedded verifier",
            help="Judge the first K results of each retriever for every draft; 0: only its own chunk.",
            metavar="K",
            rich_help_panel=_LABELS,
        ),
    ] = None,
    max_gold: Annotated[
        int,
        typer.Option(
            min=1, help="A question with more gold chunks is flagged as ambiguous.", rich_help_panel=_LABELS
        ),
    ] = 10,
    pool_run: Annotated[
        list[Path] | None,
        typer.Option(
            readable=False,
            help="Rankings of your own retriever, whose first results are judged too; may be repeated.",
            rich_help_panel=_LABELS,
        ),
    ] = None,
    prompts: options.Prompts = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    verifier_model: options.VerifierModel = None,
    verifier_base_url: options.VerifierBaseUrl = None,
    judge_with_llm: options.JudgeWithLlm = None,
    embedding_model: options.EmbeddingModel = None,
    embedding_base_url: options.EmbeddingBaseUrl = None,
    allow_same_model: options.AllowSameModel = None,
    offline: options.Offline = None,
    timeout: options.Timeout = None,
    concurrency: options.Concurrency = None,
    output_mode: options.OutputMode = None,
    dry_run: options.DryRun = False,
    max_usd: options.MaxUsd = None,
    max_calls: options.MaxCalls = None,
    verifier_price: options.VerifierPrice = None,
    as_json: options.Json = False,
) -> None:
    """Judge every draft by another model than its generator, and measure that model by controls.

    Example: `goldgen verify --verifier-model gpt-6.1-terra`

    Exit code 3: the verifier failed its controls; 4: it is unproven, with --require-proven.
    """
    from goldgen.app import verify as app
    from goldgen.cli.settings import model_settings

    models = model_settings(
        {
            "model": model,
            "base_url": base_url,
            "verifier_model": verifier_model,
            "verifier_base_url": verifier_base_url,
            "judge_with_llm": judge_with_llm,
            "embedding_model": embedding_model,
            "embedding_base_url": embedding_base_url,
            "allow_same_model": allow_same_model,
            "offline": offline,
            "timeout": timeout,
            "concurrency": concurrency,
            "output_mode": output_mode,
            "max_usd": max_usd,
            "max_calls": max_calls,
            "verifier_price": verifier_price,
        }
    )
    job = app.VerifyOptions(
        db,
        controls,
        floor,
        seed,
        prompts,
        models,
        votes=votes,
        target_precision=target_precision,
        complete=complete,
        max_gold=max_gold,
        pool_runs=tuple(pool_run or ()),
    )
    if dry_run:
        print_plan(run(app.plan_verify(job, TerminalReporter())), as_json=as_json)
        return
    report = run(app.verify(job, TerminalReporter()))
    if as_json:
        print_json(report)
    else:
        _render(report)
    if report.proof.verdict == "failed":
        raise typer.Exit(EXIT_FAILED)
    if report.labels.stopped:
        raise BudgetError(report.labels.stopped)
    if require_proven and report.proof.verdict == "unproven":
        raise typer.Exit(EXIT_UNPROVEN)


def _render(report: "VerifyReport") -> None:
    from goldgen.app.counting import CallCounts

    if report.trusted is not None:
        typer.echo(f"trusted     wrong golds: {trusted_line(report.trusted)}")
    _drafts(report)
    _labels(report.labels)
    _thresholds(report)
    _proof(report.proof)
    if report.calls != CallCounts():
        typer.echo(calls_line(report.calls, report.verifier))
    if report.relation != "other":
        typer.echo(f"mark        the verifier is of the {report.relation} as the generator")
    if report.disputed:
        typer.echo("next        goldgen review --show disputed")
    else:
        typer.echo("next        goldgen logs add FILE, or goldgen eval")


def _drafts(report: "VerifyReport") -> None:
    typer.echo(f"drafts      {report.accepted} of {report.drafts} accepted by {report.verifier}")
    if report.rejected:
        typer.echo(f"rejected    {counted(report.rejected)}")
    if report.unjudged:
        typer.echo(f"unjudged    {counted(report.unjudged)}; the next verify tries them again")
    if report.votes > 1:
        typer.echo(f"votes       {report.votes} a pair; {report.disputed} pairs of the set are disputed")
    merged = f"; {report.merged} more are worded alike" if report.merged else ""
    typer.echo(f"questions   {report.questions} verified in the set{merged}")
    unjudged = f"; {report.near_misses_unjudged} unjudged" if report.near_misses_unjudged else ""
    typer.echo(
        f"near misses {report.near_misses_kept} of {report.near_misses} do not answer, as they should"
        f"{unjudged}; eval uses those of golden questions"
    )


def _labels(found: "LabelReport") -> None:
    """What judging candidates brought, and what may be wrong with it."""
    for line in label_lines(found):
        typer.echo(line)
    if found.ambiguous:
        typer.echo(f"ambiguous   {len(found.ambiguous)} questions have over {found.max_gold} golds")
    if found.stopped:
        typer.echo(f"stopped     {found.stopped}")


def _thresholds(report: "VerifyReport") -> None:
    """The threshold of a judge with scores, and what others would do."""
    found = report.calibration
    if found is None:
        return
    basis = f"{found.controls} controls" if found.controls else "too few controls: a fallback"
    aim = (
        f", for a precision of at least {found.target_precision:g} by the 95% bound"
        if found.target_precision
        else ""
    )
    typer.echo(
        f"threshold   {found.threshold:.3f} from {basis}{aim}; {found.kept:.0%} of the drafts reach it; "
        "the others are lost, good or not"
    )
    if report.thresholds:
        typer.echo(
            "              threshold  kept  specificity  est. precision  at least (95%)  vouched golds kept"
        )
    for row in report.thresholds:
        typer.echo(_threshold_line(row, chosen=row.threshold == found.threshold))


def _threshold_line(row: "ThresholdRow", *, chosen: bool) -> str:
    recall = "" if row.recall is None else f"{row.recall:.2f}"
    line = (
        f"  {'chosen' if chosen else '':<10}  {row.threshold:>9.3f}  {row.kept:>4}  {row.specificity:>11.2f}"
    )
    return f"{line}  {row.precision:>14.2f}  {row.precision_at_least:>14.2f}  {recall:>18}".rstrip()


def _proof(proof: "VerifierProof") -> None:
    """The verdict with its controls, and the estimate with what it assumes."""
    typer.echo(f"verifier    {proof.verdict.upper()}: {proof.reason}")
    for kind in proof.kinds:
        typer.echo(_kind_line(kind))
    if proof.wrong_golds is not None:
        typer.echo(f"wrong golds estimated {shares(proof.wrong_golds)}, where")
        typer.echo(f"            {'; '.join(proof.assumptions)}")
    if proof.strict is not None:
        shown = "may complete labels" if proof.strict.is_shown else "may not complete labels"
        typer.echo(f"strict      {shown}: {proof.strict.reason}")


def _kind_line(kind: "KindResult") -> str:
    if kind.specificity is None:
        return f"  {kind.kind:<15} no control judged, {kind.unjudged} unjudged"
    found = kind.specificity
    unjudged = f"; {kind.unjudged} unjudged" if kind.unjudged else ""
    return (
        f"  {kind.kind:<15} rejects {kind.rejected} of {kind.judged}: "
        f"specificity {found.estimate:.2f} (95% {found.low:.2f} to {found.high:.2f}){unjudged}"
    )
