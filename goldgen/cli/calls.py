"""goldgen calls"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from goldgen.cli import options
from goldgen.cli.console import print_json, printable

if TYPE_CHECKING:
    from goldgen.app.calls import CallList
    from goldgen.store.calls import CallSummary, StoredCall
    from goldgen.types import Usage

app = typer.Typer(invoke_without_command=True)
_KEY_SHOWN = 8
_ERROR_SHOWN = 80
_TEXTS = ("key", "stage", "model", "status", "error")


@app.callback()
def calls(
    context: typer.Context,
    db: options.Db = Path("outputs/goldgen.duckdb"),
    stage: Annotated[str | None, typer.Option(help="Only of this stage: synth, near_miss, verify.")] = None,
    status: Annotated[Literal["ok", "failed"] | None, typer.Option(help="Only these.")] = None,
    model: Annotated[str | None, typer.Option(help="Only to this model.")] = None,
    failure: Annotated[
        str | None, typer.Option(help="Only failed in this way: timeout, refusal, unparsed, …")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Calls listed, the newest first; 0: all.")] = 20,
    as_json: options.Json = False,
) -> None:
    """List the calls to models, the newest first, and what all that match have cost.

    Example: `goldgen calls --status failed`
    """
    context.obj = db
    if context.invoked_subcommand is not None:
        return
    from goldgen.app.calls import list_calls
    from goldgen.store.calls import CallFilter

    found = list_calls(db, CallFilter(stage, model, status, failure), limit)
    if as_json:
        print_json(found)
    else:
        _render_list(found)


@app.command("show")
def show(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="The call's key, or its first digits, 4 at least.")],
    db: Annotated[Path | None, typer.Option("--db", readable=False, help="The golden-set file.")] = None,
    as_json: options.Json = False,
) -> None:
    """Print one call: where it went, its messages as sent, and the reply.

    Example: `goldgen calls show 3f9a01c2`
    """
    from goldgen.app.calls import show_call

    found = show_call(db or context.obj, key)
    if as_json:
        print_json(found)
    else:
        _render_call(found)


def _render_list(found: "CallList") -> None:
    if not found.totals:
        typer.echo("no call matches; without filters `goldgen calls` lists all")
        return
    _echo_table(
        ("key", "stage", "model", "status", "tokens", "USD", "seconds", "attempts", "error"),
        [
            (
                call.key[:_KEY_SHOWN],
                call.stage,
                call.model,
                call.status,
                _tokens(call.usage),
                _price(call.usd),
                f"{call.seconds:.1f}",
                str(call.usage.attempts),
                _error(call),
            )
            for call in found.calls
        ],
    )
    typer.echo("\nall that match")
    _echo_table(
        ("stage", "model", "calls", "failed", "tokens", "USD", "unpriced", "seconds"),
        [
            (
                total.stage,
                total.model,
                str(total.calls),
                str(total.failed),
                _tokens(total.usage),
                _price(None if total.unpriced == total.calls else total.usd),
                str(total.unpriced),
                f"{total.seconds:.1f}",
            )
            for total in found.totals
        ],
    )
    matching = sum(total.calls for total in found.totals)
    more = "; --limit 0 lists all" if len(found.calls) < matching else ""
    typer.echo("\ntokens: in + out, of all attempts; USD: the known prices; unpriced: calls without one")
    typer.echo(f"{len(found.calls)} of {matching} calls{more}; goldgen calls show KEY prints one")


def _echo_table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Aligned columns, a row a line however narrow the terminal; the last may be as long as it likes."""
    shown = [headings, *(tuple(map(printable, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = (
            cell.ljust(width) if heading in _TEXTS else cell.rjust(width)
            for heading, cell, width in zip(headings, row, widths, strict=True)
        )
        typer.echo("  ".join(cells).rstrip())


def _render_call(found: "StoredCall") -> None:
    call = found.call
    parameters = ", ".join(f"{name} {value}" for name, value in call.parameters.items())
    price = _price(call.usd) + ("" if call.usd is None else " USD")
    lines = [
        f"key         {call.key}",
        f"stage       {call.stage}",
        f"model       {call.model}",
        f"endpoint    {call.endpoint}",
        f"prompt      {call.prompt_hash}",
        f"parameters  {parameters or '(none)'}",
        f"ended       {found.ended_at:%Y-%m-%d %H:%M:%S} UTC after {call.seconds:.1f} s",
        f"status      {call.status}, attempts: {call.usage.attempts}",
        f"tokens      {_tokens(call.usage)}",
        f"price       {price}",
    ]
    for message in call.messages:
        lines += ["", f"--- {message.role}", message.content]
    if call.status == "ok":
        lines += ["", "--- reply", _pretty(call.reply)]
    else:
        lines += ["", f"--- failed: {call.failure_kind}", call.failure_message]
    typer.echo(printable("\n".join(lines)))


def _tokens(usage: "Usage") -> str:
    return f"{usage.prompt_tokens} + {usage.completion_tokens}"


def _price(usd: float | None) -> str:
    return "unknown" if usd is None else f"{usd:.6f}"


def _error(call: "CallSummary") -> str:
    if call.status == "ok":
        return ""
    line = " ".join(f"{call.failure_kind}: {call.failure_message}".split())
    return line if len(line) <= _ERROR_SHOWN else line[: _ERROR_SHOWN - 1] + "…"


def _pretty(reply: str) -> str:
    try:
        return json.dumps(json.loads(reply), indent=2, ensure_ascii=False)
    except json.JSONDecodeError:
        return reply
