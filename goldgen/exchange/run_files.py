"""Runs of retrievers in files: TREC's format, or a table with a hit a row."""

import gzip
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import BinaryIO, cast

from goldgen.errors import RetrieverError, TableError
from goldgen.exchange.lines import Opened, fields_of_lines
from goldgen.tabular import SUFFIXES, BadRow, Format, Row, pick_column, read_rows, read_rows_from
from goldgen.text import fold
from goldgen.types import Hit, Question, Ranking, ranked

QUESTION_COLUMNS = ("question_id", "query_id", "qid", "query-id", "question", "query")
"""Ids first; a column of texts is looked up by the text of the question."""
CHUNK_COLUMNS = (
    "chunk_id",
    "doc_id",
    "docid",
    "corpus-id",
    "corpus_id",
    "document_id",
    "chunk",
    "document",
    "id",
)
SCORE_COLUMNS = ("score", "sim")
RANK_COLUMNS = ("rank",)
_ZIPPED: Mapping[str, Format] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_TREC = "qid Q0 docid rank score tag"


@dataclass(frozen=True, slots=True)
class RunFile:
    """What one retriever found, as a file tells it. ``name`` is the file's."""

    name: str
    rankings: Mapping[str, Ranking]
    """Question, as the file names it, to its hits: score descending, ties by chunk id descending."""
    rejected: tuple[BadRow, ...] = ()
    """Rows that hold no hit, with their lines and why."""
    duplicates: int = 0
    """Hits dropped because their chunk stood at a better rank already."""
    unknown_questions: int = 0
    """Questions that the set does not have; see ``known_part``."""
    unknown_hits: int = 0
    """Hits on chunks that the set does not have, of questions that it has."""

    @property
    def reservations(self) -> str:
        """What of the file was not used, in words; empty if all was."""
        counts = (
            (len(self.rejected), "rows rejected"),
            (self.duplicates, "duplicates"),
            (self.unknown_questions, "questions that the set does not have"),
            (self.unknown_hits, "hits on chunks that the set does not have"),
        )
        said = [f"{count:,} {what}" for count, what in counts if count]
        if self.rejected:
            said.append(f"first at line {self.rejected[0].line}: {self.rejected[0].reason}")
        return ", ".join(said)


def read_run(path: Path) -> RunFile:
    """Read a run, whose format is told by the suffix, also with ``.gz`` behind it.

    CSV, TSV, JSONL and Parquet have a hit a row, with columns for question (id or text), chunk and score
    or, for want of a score, rank. Any other file is TREC's ``qid Q0 docid rank score tag``, where as in
    trec_eval the rank is not looked at. Rows that hold no hit are kept in ``rejected``.

    Raises TableError if the file cannot be read or holds no hit, RetrieverError for a score that is NaN
    (in JSON and Parquet also one that is null, for so NaN is written there).
    """
    found, rejected = list[tuple[str, Hit]](), list[BadRow]()
    for item in _hits(path):
        if isinstance(item, BadRow):
            rejected.append(item)
        else:
            found.append(item)
    if not found:
        why = f"; line {rejected[0].line}: {rejected[0].reason}" if rejected else ""
        raise TableError(f"{path}: holds no hit of a run{why}; name another file or correct this one")
    by_question: dict[str, list[Hit]] = {}
    for question, hit in found:
        by_question.setdefault(question, []).append(hit)
    rankings = {question: ranked(hits) for question, hits in by_question.items()}
    kept = sum(map(len, rankings.values()))
    return RunFile(path.name, rankings, tuple(rejected), len(found) - kept)


def for_set(run: RunFile, questions: Sequence[Question], chunk_ids: Collection[str]) -> RunFile:
    """The rankings by the ids of a set's questions; what the set does not know is counted.

    Hits on chunks that it does not have keep their rank. The file may name a question by its id or by its
    text, which may be that of several questions. Of two names of one question the first counts.
    """
    known = {question.id for question in questions}
    worded: defaultdict[str, list[str]] = defaultdict(list)
    for question in questions:
        worded[fold(question.text)].append(question.id)
    rankings: dict[str, Ranking] = {}
    unknown: Counter[str] = Counter()
    for name, ranking in run.rankings.items():
        question_ids = [name] if name in known else worded.get(fold(name), [])
        if not question_ids:
            unknown["questions"] += 1
            continue
        unknown["hits"] += sum(hit.chunk_id not in chunk_ids for hit in ranking)
        for question_id in question_ids:
            rankings.setdefault(question_id, ranking)
    return RunFile(run.name, rankings, run.rejected, run.duplicates, unknown["questions"], unknown["hits"])


def known_part(run: RunFile, questions: Sequence[Question], chunk_ids: Collection[str]) -> RunFile:
    """The same without the hits on chunks that the set does not have: what can be judged."""
    found = for_set(run, questions, chunk_ids)
    known = {
        question_id: tuple(hit for hit in ranking if hit.chunk_id in chunk_ids)
        for question_id, ranking in found.rankings.items()
    }
    return replace(found, rankings=known)


def _hits(path: Path) -> Iterator[tuple[str, Hit] | BadRow]:
    zipped = path.suffix.lower() == ".gz"
    suffix = (path.with_suffix("") if zipped else path).suffix.lower()
    if suffix in SUFFIXES and not zipped:
        yield from _table_hits(read_rows(path), path)
        return
    if suffix in SUFFIXES and suffix not in _ZIPPED:
        raise TableError(f"{path}: Parquet is compressed in itself; unpack the file and give it without .gz")
    with _opened(path, zipped) as stream:
        if suffix in _ZIPPED:
            rows = read_rows_from(cast(BinaryIO, stream), _ZIPPED[suffix], str(path))
            yield from _table_hits(rows, path)
        else:
            yield from _trec_hits(stream, path)


@contextmanager
def _opened(path: Path, zipped: bool) -> Generator[Opened]:
    try:
        with gzip.open(path) if zipped else path.open("rb") as stream:
            yield stream
    except (OSError, EOFError, zlib.error, UnicodeError) as error:
        raise TableError(f"{path}: cannot be read as a run ({error}); check the path and the file") from error


def _trec_hits(stream: Opened, path: Path) -> Iterator[tuple[str, Hit] | BadRow]:
    for line in fields_of_lines(stream, _TREC):
        if isinstance(line, BadRow):
            yield line
        else:
            number, (question, _, chunk, _, score, _) = line
            yield _hit(path, number, question, chunk, score)


def _table_hits(rows: Iterable[Row | BadRow], path: Path) -> Iterator[tuple[str, Hit] | BadRow]:
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        columns = list(row.values)
        question, chunk = pick_column(columns, QUESTION_COLUMNS), pick_column(columns, CHUNK_COLUMNS)
        score, rank = pick_column(columns, SCORE_COLUMNS), pick_column(columns, RANK_COLUMNS)
        if question is None or chunk is None or (score is None and rank is None):
            yield BadRow(row.line, f"no {_missing(question, chunk)}, only {', '.join(columns) or 'nothing'}")
            continue
        names = _name(row.values[question]), _name(row.values[chunk])
        found = _hit(path, row.line, *names, row.values[score or rank or ""])
        yield found if score is not None else _by_rank(found)


def _missing(question: str | None, chunk: str | None) -> str:
    if question is None:
        return f"column of questions ({', '.join(QUESTION_COLUMNS)})"
    if chunk is None:
        return f"column of chunks ({', '.join(CHUNK_COLUMNS)})"
    return "column score or rank"


def _name(value: object) -> str:
    return value.strip() if isinstance(value, str) else "" if value is None else str(value)


def _hit(path: Path, line: int, question: str, chunk: str, score: object) -> tuple[str, Hit] | BadRow:
    if not question or not chunk:
        return BadRow(line, "no question" if not question else "no chunk")
    try:
        number = float(score) if isinstance(score, str) else _number(score)
    except ValueError:
        return BadRow(line, f"the score is no number: {str(score)[:40]!r}")
    if isnan(number):
        raise RetrieverError(
            f"{path}, line {line}: question {question!r}, chunk {chunk!r} has the score NaN; "
            "correct the retriever that wrote it"
        )
    return question, Hit(chunk, number)


def _number(value: object) -> float:
    """A score as a library gave it: a number of some kind, or None for NaN."""
    return float("nan") if value is None else float(str(value))


def _by_rank(item: tuple[str, Hit] | BadRow) -> tuple[str, Hit] | BadRow:
    """The hit of a row without a score: the better its rank, the higher it scores."""
    if isinstance(item, BadRow):
        return item
    question, hit = item
    return question, Hit(hit.chunk_id, -hit.score)
