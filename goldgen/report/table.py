"""Tables as values, for HTML and Markdown alike. A cell keeps its number in full beside its text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goldgen.evaluation.report import DAGGER, Report, RetrieverResult
from goldgen.report.format import number


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    value: float | None = None
    """The number that ``text`` rounds; None for words."""
    retriever: str = ""
    """Label of the retriever whose number it is."""
    measure: str = ""
    """What was measured, such as nDCG@10."""
    key: bool = False
    """Whether it names the retriever and so shows its colour and marker."""
    note: str = ""
    """Smaller, below the text."""
    path: bool = False
    """Whether the text is a path, which reads from left to right in any script."""


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    numeric: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @classmethod
    def of(
        cls,
        caption: str,
        words: Sequence[str],
        numbers: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        note: str = "",
    ) -> "Table":
        """A table whose first columns hold words and whose others hold numbers."""
        columns = (*(Column(title, numeric=False) for title in words), *map(Column, numbers))
        return cls(caption, columns, tuple(tuple(row) for row in rows), note)


def measured(retriever: str, measure: str, value: float | None, text: str = "", note: str = "") -> Cell:
    """A number of one retriever, with three decimals unless ``text`` says it otherwise."""
    return Cell(text or number(value), value, retriever, measure, note=note)


def count(value: int, measure: str = "") -> Cell:
    return Cell(f"{value:,}", value, measure=measure)


def named(retriever: str, text: str = "", note: str = "") -> Cell:
    """The cell that names a retriever, with its dagger in ``text``."""
    return Cell(text or retriever, retriever=retriever, key=True, note=note)


def marked(result: RetrieverResult) -> str:
    """Its label, with a dagger if it shares a model with judging or pooling."""
    return f"{result.label} {DAGGER}" if result.shares_model else result.label


def marks(report: Report) -> dict[str, str]:
    """Label to label with its dagger."""
    return {result.label: marked(result) for result in report.retrievers}
