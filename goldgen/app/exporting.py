"""The golden set as files that other tools read."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.selecting import selected
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.exchange import write_csv, write_json, write_jsonl, write_lines, write_tsv
from goldgen.store import open_store
from goldgen.types import Chunk
from goldgen.verify import GoldenQuestion

ExportForm = Literal["beir", "trec", "jsonl", "csv", "ragas", "deepeval"]
_CSV_COLUMNS = (
    "question_id", "question", "answer", "origin", "style", "asked", "document", "chunk_id", "grade", "text",
)  # fmt: skip
_BEIR_QRELS = ("query-id", "corpus-id", "score")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    db: Path
    to: Path
    """A file; for ``beir`` and ``trec`` a folder."""
    form: ExportForm
    selection: str = ""
    """Name of the selection to write; empty: all golden questions."""
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Questions of the set = ``questions`` + all ``left_out``, unless a selection was asked for."""

    files: tuple[Path, ...]
    questions: int
    labels: int
    """Pairs of a written question and a chunk that is gold for it."""
    left_out: Mapping[str, int]
    """State (rejected, unanswered, unjudged) to number of questions that are not golden."""
    not_carried: tuple[str, ...]
    """What the form has no place for, a sentence each."""
    marks: tuple[str, ...]
    """What limits the trust in the set."""


@dataclass(frozen=True, slots=True)
class _Export:
    """What is written: the golden questions, and where their chunks are."""

    golden: GoldenSet
    chunks: Mapping[str, Chunk]
    paths: Mapping[str, str]
    """Document id to path."""

    def gold(self, item: GoldenQuestion) -> list[Chunk]:
        return [self.chunks[chunk_id] for chunk_id in item.gold]

    def document(self, chunk: Chunk) -> str:
        return self.paths.get(chunk.document_id, "")


def export(options: ExportOptions) -> ExportReport:
    """Write the golden questions with their labels.

    ``beir`` and ``trec`` hold every chunk and every grade, so that ``goldgen import`` of the folder measures
    the same. The others hold the questions with the texts that answer them. Chunks are written whole, so
    what is written is as confidential as the documents.
    Raises EmptyResultError for a set without golden questions, SettingsError if a file is there already and
    ``overwrite`` is not set, or cannot be written.
    """
    with open_store(options.db, create=False) as store:
        golden = load_golden(store)
        if options.selection:
            golden = selected(store, golden, options.selection)
        paths = {document.id: document.path for document in store.corpus.documents()}
    if not golden.golden:
        raise EmptyResultError(f"{options.db} has no golden question to export; run goldgen verify")
    what = _Export(golden, {chunk.id: chunk for chunk in golden.chunks}, paths)
    writer = _FORMS[options.form]
    files = tuple(options.to / name for name in writer.names) if writer.names else (options.to,)
    _require_free(files, options)
    writer.write(what, files)
    return ExportReport(
        files,
        len(golden.golden),
        sum(len(item.gold) for item in golden.golden),
        dict(Counter(item.state for item in golden.questions if item.state != "golden")),
        _not_carried(golden, options.form),
        golden.marks,
    )


def _require_free(files: Sequence[Path], options: ExportOptions) -> None:
    if len(files) == 1 and options.to.is_dir():
        raise SettingsError(f"{options.to} is a folder; name a file for {options.form}")
    there = next((file for file in files if file.exists()), None)
    if there is not None and not options.overwrite:
        raise SettingsError(f"{there} is there already; name another place, or give --overwrite")


def _not_carried(golden: GoldenSet, form: ExportForm) -> tuple[str, ...]:
    missing: list[str] = []
    if golden.near_misses and form != "jsonl":
        missing.append(f"{len(golden.near_misses)} near misses (only jsonl has them)")
    sets = sum(bool(item.judged.sets) for item in golden.golden)
    if sets and form != "jsonl":
        missing.append(
            f"that the golds of {sets} questions answer only together: each part stands as gold by itself"
        )
    return tuple(missing)


def _beir(what: _Export, files: Sequence[Path]) -> None:
    corpus, queries, qrels, facts = files
    write_jsonl(
        corpus,
        ({"_id": chunk.id, "title": chunk.context, "text": chunk.text} for chunk in what.golden.chunks),
    )
    write_jsonl(queries, (_beir_query(item) for item in what.golden.golden))
    write_tsv(qrels, _BEIR_QRELS, _grades(what))
    write_json(facts, _facts(what.golden))


def _beir_query(item: GoldenQuestion) -> dict[str, object]:
    question = item.question
    # Clusters of the import are those of the set: a log question, and one without document, stands alone.
    document = {} if question.cluster == question.id else {"document_id": question.document_id}
    metadata = {"origin": question.origin, "style": question.style, "answer": question.answer, **document}
    return {"_id": question.id, "text": question.text, "metadata": metadata}


def _trec(what: _Export, files: Sequence[Path]) -> None:
    queries, qrels, collection, facts = files
    for name in (*what.chunks, *(item.question.id for item in what.golden.golden)):
        if len(name.split()) != 1:
            raise SettingsError(
                f"the id {name!r} has white space, by which TREC parts fields; export as beir"
            )
    write_lines(queries, ((item.question.id, item.question.text) for item in what.golden.golden), "\t")
    write_lines(qrels, ((query, 0, chunk, grade) for query, chunk, grade in _grades(what)), " ")
    write_lines(collection, ((chunk.id, chunk.full_text) for chunk in what.golden.chunks), "\t")
    write_json(facts, _facts(what.golden))


def _grades(what: _Export) -> list[tuple[str, str, str]]:
    return [
        (item.question.id, chunk_id, f"{grade:g}")
        for item in what.golden.golden
        for chunk_id, grade in item.judged.grades.items()
    ]


def _facts(golden: GoldenSet) -> dict[str, object]:
    """What a reader of the files has to know of the set."""
    return {
        "fingerprint": golden.fingerprint,
        "gold_from": golden.threshold,
        "marks": golden.marks,
        "models": asdict(golden.models),
    }


def _jsonl(what: _Export, files: Sequence[Path]) -> None:
    facts = _facts(what.golden)
    write_jsonl(files[0], ({**_row(what, item), "set": facts} for item in what.golden.golden))


def _row(what: _Export, item: GoldenQuestion) -> dict[str, object]:
    question = item.question
    ids = {question.id, *item.merged}
    return {
        "id": question.id,
        "question": question.text,
        "answer": question.answer,
        "origin": question.origin,
        "style": question.style,
        "flags": question.flags,
        "asked": question.asked,
        "cluster": question.cluster,
        "gold": [
            {
                "chunk_id": chunk.id,
                "document": what.document(chunk),
                "start": chunk.start,
                "end": chunk.end,
                "context": chunk.context,
                "text": chunk.text,
            }
            for chunk in what.gold(item)
        ],
        "grades": item.judged.grades,
        "evidence_sets": item.judged.sets,
        "near_misses": [
            {
                "id": near_miss.id,
                "edit": near_miss.edit,
                "before": near_miss.before,
                "after": near_miss.after,
                "text": near_miss.full_text,
            }
            for near_miss in what.golden.near_misses
            if near_miss.question_id in ids
        ],
    }


def _csv(what: _Export, files: Sequence[Path]) -> None:
    rows = [
        (
            item.question.id, item.question.text, item.question.answer, item.question.origin,
            item.question.style, item.question.asked, what.document(chunk), chunk.id,
            item.judged.grades[chunk.id], chunk.full_text,
        )
        for item in what.golden.golden
        for chunk in what.gold(item)
    ]  # fmt: skip
    write_csv(files[0], _CSV_COLUMNS, rows)


def _ragas(what: _Export, files: Sequence[Path]) -> None:
    write_jsonl(
        files[0],
        (
            {
                "user_input": item.question.text,
                "reference": item.question.answer or None,
                "reference_contexts": [chunk.full_text for chunk in what.gold(item)],
                "reference_context_ids": list(item.gold),
            }
            for item in what.golden.golden
        ),
    )


def _deepeval(what: _Export, files: Sequence[Path]) -> None:
    write_json(
        files[0],
        [
            {
                "input": item.question.text,
                "expected_output": item.question.answer or None,
                "context": [chunk.full_text for chunk in what.gold(item)],
                "source_file": what.document(what.gold(item)[0]),
            }
            for item in what.golden.golden
        ],
    )


@dataclass(frozen=True, slots=True)
class _Writer:
    write: Callable[[_Export, Sequence[Path]], None]
    names: tuple[str, ...] = ()
    """Of the files in the folder; empty where it is one file."""


_FORMS: Mapping[ExportForm, _Writer] = {
    "beir": _Writer(_beir, ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "set.json")),
    "trec": _Writer(_trec, ("queries.tsv", "qrels.txt", "collection.tsv", "set.json")),
    "jsonl": _Writer(_jsonl),
    "csv": _Writer(_csv),
    "ragas": _Writer(_ragas),
    "deepeval": _Writer(_deepeval),
}
