"""goldgen doctor"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldgen.cli import options
from goldgen.cli.console import TerminalReporter, print_json, printable, run

if TYPE_CHECKING:
    from goldgen.app.doctor import DoctorReport

_SHOWN = {"ok": "ok", "warning": "warn", "failed": "FAIL"}
_STATE_WIDTH = 6


def doctor(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    load: Annotated[
        bool, typer.Option("--load", help="Start the embedded generator, if a run would use it, and time it.")
    ] = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    verifier_model: options.VerifierModel = None,
    verifier_base_url: options.VerifierBaseUrl = None,
    embedding_model: options.EmbeddingModel = None,
    embedding_base_url: options.EmbeddingBaseUrl = None,
    reranker_model: options.RerankerModel = None,
    reranker_base_url: options.RerankerBaseUrl = None,
    gguf: options.Gguf = None,
    allow_same_model: options.AllowSameModel = None,
    offline: options.Offline = None,
    timeout: options.Timeout = None,
    concurrency: options.Concurrency = None,
    output_mode: options.OutputMode = None,
    max_usd: options.MaxUsd = None,
    max_calls: options.MaxCalls = None,
    price: options.Price = None,
    verifier_price: options.VerifierPrice = None,
    as_json: options.Json = False,
) -> None:
    """Check endpoints, keys, models and the golden set, and tell what to do where something does not work.

    Example: `goldgen doctor --base-url http://127.0.0.1:11434/v1 --model qwen3:8b`

    Each chat endpoint is asked one tiny fixed question. Exit code 1: a check failed.
    """
    from goldgen.app import doctor as app
    from goldgen.cli.settings import model_settings

    models = model_settings(
        {
            "model": model,
            "base_url": base_url,
            "verifier_model": verifier_model,
            "verifier_base_url": verifier_base_url,
            "embedding_model": embedding_model,
            "embedding_base_url": embedding_base_url,
            "reranker_model": reranker_model,
            "reranker_base_url": reranker_base_url,
            "gguf": gguf,
            "allow_same_model": allow_same_model,
            "offline": offline,
            "timeout": timeout,
            "concurrency": concurrency,
            "output_mode": output_mode,
            "max_usd": max_usd,
            "max_calls": max_calls,
            "price": price,
            "verifier_price": verifier_price,
        }
    )
    report = run(app.doctor(app.DoctorOptions(db, models, load), TerminalReporter()))
    if as_json:
        print_json(report)
    else:
        _render(report)
    if not report.works:
        raise typer.Exit(1)


def _render(report: "DoctorReport") -> None:
    width = max(len(check.name) for check in report.checks) + 2
    for check in report.checks:
        typer.echo(printable(f"{_SHOWN[check.state]:<{_STATE_WIDTH}}{check.name:<{width}}{check.found}"))
        if check.advice:
            typer.echo(printable(" " * (_STATE_WIDTH + width) + check.advice))
    typer.echo(f"\n{printable(report.conclusion)}")
