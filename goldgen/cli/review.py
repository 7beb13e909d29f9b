"""goldgen review"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from goldgen.cli import options
from goldgen.cli.agreement import trusted_line
from goldgen.cli.console import print_json, printable
from goldgen.cli.keys import Keys, keys_of_user
from goldgen.cli.people import Name, person

if TYPE_CHECKING:
    from goldgen.app.review import Review, ReviewReport, ReviewSession
    from goldgen.app.review_queue import ReviewItem
    from goldgen.types import Judgment

EXIT_STOPPED = 130
_WIDEST = 100
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_KEYS = "0-3 grade · s skip · u undo · n note · q quit · ? help"
_HELP = """\
How far does the text answer the question?
  3  fully: whoever reads it needs no other text
  2  in part: a condition or a part of the question is left open
  1  on topic, without an answer
  0  not at all
  s  skip: no verdict
  u  undo: take the last verdict back, as often as you like; one given again is marked, as it is not blind
  n  note: a line that is stored with your next verdict
  q  quit: every verdict is stored already
What the verifier said is shown once you have graded."""


def review(
    db: options.Db = Path("outputs/goldgen.duckdb"),
    # The same names as goldgen.app.review_queue.Show, whose module would make --help slow.
    show: Annotated[
        Literal["disputed", "unjudged", "sample", "accepted", "proposed", "all"] | None,
        typer.Option(help="Which pairs; by default the disputed, the proposed and the unjudged."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Accepted pairs to draw at random: they tell the share of wrong golds."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the order, and of the first sample; later ones go on with it.")
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Also what you graded before; the new grade counts, but not as blind."),
    ] = False,
    name: Name = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="In this terminal, which is the only way so far.")
    ] = True,
    as_json: options.Json = False,
) -> None:
    """Grade pairs of a question and a text by one key, before you see what the verifier said of them.

    Example: `goldgen review --sample 50`

    Your verdicts override the verifier's. Each is stored at once.
    """
    from goldgen.app.review import ReviewOptions, open_review

    job = ReviewOptions(db, person(name), show, sample, seed, again)
    console = Console(stderr=as_json, highlight=False)
    stopped = False
    with open_review(job) as opened:
        try:
            _converse(opened, keys_of_user(), console)
        except KeyboardInterrupt:
            stopped = True
        report = opened.report()
    if as_json:
        print_json(report)
    else:
        _render(report)
    if stopped:
        raise typer.Exit(EXIT_STOPPED)


def _converse(review: "Review", keys: Keys, console: Console) -> None:
    """Show items and obey keys until the items or the keys end."""
    note, shown = "", None
    while (item := review.session.current) is not None:
        if item is not shown:
            _show(review.session, item, console)
            shown = item
        match keys.next():
            case "0" | "1" | "2" | "3" as grade:
                review.grade(int(grade), note)
                note = ""
                _reveal(review.session, console)
                match keys.next():
                    case "u":
                        review.undo()
                        shown = None
                        _say("taken back; what you grade it now counts, but is marked as known", console)
                    case "q" | "":
                        return
                    case _:
                        pass
            case "s":
                review.skip()
            case "u":
                if not review.undo():
                    _say("there is nothing to undo", console)
            case "n":
                console.print("note: ", end="")
                note = keys.line()
                _say("noted, for your next grade" if note else "no note", console)
            case "q" | "":
                return
            case "?":
                _say(_HELP, console)
            case "\n" | " ":
                pass
            case _:
                _say(_KEYS, console)


def _show(session: "ReviewSession", item: "ReviewItem", console: Console) -> None:
    """The item without a word that depends on a verdict."""
    width = min(console.width, _WIDEST)
    place = f"{len(session.done) + 1} of {len(session.items)} "
    console.print()
    console.print(Text(place + "─" * (width - len(place)), style="dim"))
    console.print(_line("question", item.question.text), style="bold", width=width)
    console.print(_line("document", f"{item.path}, {item.passage.id[:12]}"), style="dim", width=width)
    if item.passage.context:
        console.print(Text(printable(item.passage.context), style="bold cyan"), width=width)
    console.print()
    console.print(_readable(item, ""), width=width)
    console.print()
    console.print(Text(_KEYS, style="dim"))


def _reveal(session: "ReviewSession", console: Console) -> None:
    """What was said of the item that was just graded."""
    if session.last is None:
        return
    item, verdict = session.last
    width = min(console.width, _WIDEST)
    yours = f"you graded {verdict.grade}" if verdict else "you skipped it"
    machine = item.verifier
    console.print(Text(f"── {yours} ", style="dim"))
    if machine is not None and machine.quote and console.is_terminal:
        console.print(_readable(item, machine.quote), width=width)
    for line in _said(item, machine):
        console.print(line, width=width)
    for other in item.people:
        console.print(_line(other.judge, f"{other.grade}  {other.reason}".rstrip()), width=width)
    console.print(Text("any key: next · u undo · q quit", style="dim"))


def _said(item: "ReviewItem", machine: "Judgment | None") -> list[Text]:
    """The verifier's verdict and the generator's evidence, a line each."""
    lines = [_line("verifier", "has not judged it")]
    if machine is not None:
        grade = "no verdict" if machine.grade is None else f"grade {machine.grade}"
        votes = ", ".join("-" if vote is None else str(vote) for vote in machine.votes)
        lines = [_line("verifier", f"{machine.judge}: {grade}" + (f" (votes {votes})" if votes else ""))]
        named = (("reason", machine.reason), ("answer", machine.answer), ("evidence", machine.quote))
        lines.extend(_line(name, text) for name, text in named if text)
    if item.question.answer and item.question.model:
        lines.append(_line("generator", item.question.answer))
    return lines


def _readable(item: "ReviewItem", evidence: str) -> Text:
    """The passage's text with its headings bold and ``evidence``, where it is found, marked."""
    from goldgen.text.quotes import find_quote

    text = item.passage.text
    start, end = (find_quote(text, evidence) if evidence else None) or (0, 0)
    shown = Text()
    for part, style in ((text[:start], ""), (text[start:end], "reverse"), (text[end:], "")):
        shown.append(printable(part), style=style)
    for heading in _HEADING.finditer(shown.plain):
        shown.stylize("bold", *heading.span())
    return shown


def _line(label: str, text: str) -> Text:
    return Text(f"{printable(label):<11} {printable(' '.join(text.split()))}")


def _say(text: str, console: Console) -> None:
    console.print(Text(text))


def _render(report: "ReviewReport") -> None:
    graded = ", ".join(f"{count} grade {grade}" for grade, count in report.grades.items() if count)
    pairs = sum(report.grades.values())
    by = f"{pairs} pairs by {report.reviewer}" + (f": {graded}" if graded else "")
    lines = [f"reviewed    {by}; {report.skipped} skipped, {report.left} left"]
    if not (pairs or report.skipped or report.left):
        lines = [f"reviewed    nothing: no pair ({report.show}) is left for {report.reviewer}"]
    if report.trusted is not None:
        lines.append(f"wrong golds {trusted_line(report.trusted)}")
    lines.append(f"next        {report.next_step}")
    for line in lines:
        typer.echo(printable(line))
