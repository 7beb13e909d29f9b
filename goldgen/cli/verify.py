"""goldgen verify"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, calls_line, counted, print_json, print_plan, run

if TYPE_CHECKING:
    from goldgen.app.verify import VerifyReport

EXIT_FAILED = 3


def verify(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    controls: Annotated[
        int, typer.Option(min=0, help="Control pairs of each hard kind, for a chat model as verifier.")
    ] = 40,
    floor: Annotated[
        float, typer.Option(min=0.5, max=0.999, help="Specificity that the verifier must show.")
    ] = 0.9,
    seed: Annotated[int, typer.Option(help="Of the controls.")] = 0,
    prompts: options.Prompts = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    verifier_model: options.VerifierModel = None,
    verifier_base_url: options.VerifierBaseUrl = None,
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

    Exit code 3: the verifier failed its controls.
    """
    from goldgen.app import verify as app
    from goldgen.cli.settings import model_settings

    models = model_settings(
        {
            "model": model,
            "base_url": base_url,
            "verifier_model": verifier_model,
            "verifier_base_url": verifier_base_url,
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
    job = app.VerifyOptions(db, controls, floor, seed, prompts, models)
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


def _render(report: "VerifyReport") -> None:
    from goldgen.app.counting import CallCounts

    typer.echo(f"drafts      {report.accepted} of {report.drafts} accepted by {report.verifier}")
    if report.rejected:
        typer.echo(f"rejected    {counted(report.rejected)}")
    if report.unjudged:
        typer.echo(f"unjudged    {counted(report.unjudged)}; the next verify tries them again")
    merged = f"; {report.merged} more are worded alike" if report.merged else ""
    typer.echo(f"questions   {report.questions} verified in the set{merged}")
    typer.echo(
        f"near misses {report.near_misses_kept} of {report.near_misses} do not answer, as they should; "
        "eval uses those of golden questions"
    )
    if report.near_misses_unjudged:
        typer.echo(f"            {report.near_misses_unjudged} near misses unjudged")
    if report.log_pairs:
        unjudged = f"; unjudged: {counted(report.log_pairs_unjudged)}" if report.log_pairs_unjudged else ""
        typer.echo(f"log queries {report.log_pairs} pairs tried{unjudged}")
    if report.calibration is not None:
        found = report.calibration
        basis = f"{found.controls} controls" if found.controls else "too few controls: a fallback"
        typer.echo(
            f"threshold   {found.threshold:.3f} from {basis}; {found.kept:.0%} of the drafts reach it, "
            f"so up to {1 - found.kept:.0%} of the good ones are lost"
        )
    proof = report.proof
    typer.echo(f"verifier    {proof.verdict.upper()}: {proof.reason}")
    for kind in proof.kinds:
        if kind.specificity is None:
            typer.echo(f"  {kind.kind:<15} no control judged, {kind.unjudged} unjudged")
            continue
        interval = kind.specificity
        typer.echo(
            f"  {kind.kind:<15} rejects {kind.rejected} of {kind.judged}: "
            f"specificity {interval.estimate:.2f} (95% {interval.low:.2f} to {interval.high:.2f})"
        )
    if proof.wrong_golds is not None:
        wrong = proof.wrong_golds
        typer.echo(
            f"wrong golds estimated {wrong.estimate:.0%} ({wrong.low:.0%} to {wrong.high:.0%}), "
            "by the worst hard kind and full sensitivity"
        )
    if report.calls != CallCounts():
        typer.echo(calls_line(report.calls, report.verifier))
    if report.relation != "other":
        typer.echo(f"mark        the verifier is of the {report.relation} as the generator")
    typer.echo("next        goldgen logs add FILE, or goldgen eval")
