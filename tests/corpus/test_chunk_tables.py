"""A team's own chunks, and the one entrance to all kinds of corpora."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

from goldgen.corpus import ChunkOptions, LoadedDocument, read_corpus
from goldgen.corpus.table import load_table
from goldgen.errors import CorpusError, TableError
from goldgen.types import Chunk, Document, SkippedFile

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "beir" / "anthropic_docs_rag"


def jsonl(folder: Path, *rows: Mapping[str, object]) -> Path:
    path = folder / "chunks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def read(path: Path) -> tuple[dict[str, Document], dict[str, Chunk], list[SkippedFile]]:
    items = list(load_table(path, "docs"))
    loaded = [item for item in items if not isinstance(item, SkippedFile)]
    chunks = {chunk.id: chunk for _, parts in loaded for chunk in parts}
    skipped = [item for item in items if isinstance(item, SkippedFile)]
    return {document.path: document for document, _ in loaded}, chunks, skipped


def test_chunks_of_one_document_are_slices_of_its_text(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path,
        {"_id": "a-1", "text": "First\r\npart.", "doc_id": "a.md", "title": "A", "context": "A > One"},
        {"_id": "b-1", "text": "Gebu\u0308hr", "doc_id": "b.md", "title": ""},
        {"_id": "a-2", "text": "Second part.", "doc_id": "a.md", "title": "A"},
    )
    documents, chunks, skipped = read(path)
    assert documents["a.md"].text == "First\npart.\n\nSecond part."
    assert documents["a.md"].title == "A"
    assert chunks["b-1"].text == "Geb\u00fchr"
    assert [chunks[name].context for name in ("a-1", "a-2", "b-1")] == ["A > One", "A", ""]
    assert [chunks[name].position for name in ("a-1", "a-2", "b-1")] == [0, 1, 0]
    by_id = {document.id: document for document in documents.values()}
    assert all(by_id[c.document_id].text[c.start : c.end] == c.text for c in chunks.values())
    assert skipped == []


def test_bad_rows_are_named_by_line(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path,
        {"id": 7, "text": "kept"},
        {"id": "7", "text": "second of its id"},
        {"id": "x", "text": "  "},
        {"text": "no id"},
        {"id": "y"},
    )
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "cut')
    documents, chunks, skipped = read(path)
    assert list(documents) == list(chunks) == ["7"]
    assert [item.path for item in skipped] == [f"chunks.jsonl:{line}" for line in (2, 3, 4, 5, 6)]
    assert skipped[0].reason == "its id stands on an earlier row: '7' on 1"
    assert [item.reason for item in skipped[1:4]] == ["has no text", "has no id", "has no text"]


def test_other_names_and_nested_metadata(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path,
        {"chunk_id": "c", "page_content": "text", "metadata": {"source": "guide.md", "title": "Guide"}},
    )
    documents, chunks, _ = read(path)
    assert list(documents) == ["guide.md"]
    assert chunks["c"].context == "Guide"


def test_csv_and_parquet_give_the_same_chunks(tmp_path: Path) -> None:
    csv = tmp_path / "chunks.csv"
    csv.write_text('Id;Content;Document_ID\n1;"Two\nlines";a\n2;More;a\n', "utf-8-sig")
    parquet = tmp_path / "chunks.parquet"
    with duckdb.connect(":memory:") as connection:
        rows = "(1, 'Two' || chr(10) || 'lines', 'a'), (2, 'More', 'a')"
        connection.execute(f"copy (from (values {rows}) t(id, body, doc_id)) to '{parquet}' (format parquet)")
    assert read(csv)[:2] == read(parquet)[:2]
    assert list(read(csv)[1]) == ["1", "2"]


def test_a_table_without_the_columns_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no text column among id, words"):
        list(load_table(jsonl(tmp_path, {"id": "a", "words": "x"}), "docs"))
    with pytest.raises(CorpusError, match="no id column"):
        list(load_table(jsonl(tmp_path, {"text": "x"}), "docs"))
    with pytest.raises(TableError, match="no such file"):
        list(load_table(tmp_path / "absent.csv", "docs"))


def test_read_corpus_reads_folder_file_and_table(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide/a.md").write_text("# A\n\nText of a.", "utf-8")
    (tmp_path / "b.txt").write_text("Text of b.", "utf-8")
    (tmp_path / "c.exe").write_bytes(b"MZ")
    table = jsonl(tmp_path, {"id": "own", "text": "Own chunk."})
    options = ChunkOptions()

    def ids(path: Path) -> list[str]:
        items = read_corpus(path, "docs", tmp_path, options)
        return [chunk.id for item in items if isinstance(item, LoadedDocument) for chunk in item.chunks]

    everything = list(read_corpus(tmp_path, "docs", tmp_path, options))
    assert [item.path for item in everything if isinstance(item, SkippedFile)] == ["c.exe", "chunks.jsonl"]
    assert ids(tmp_path) == [*ids(tmp_path / "b.txt"), *ids(tmp_path / "guide")]
    assert ids(tmp_path / "guide") == ids(tmp_path / "guide/a.md")
    assert ids(table) == ["own"]
    with pytest.raises(CorpusError, match="not read"):
        ids(tmp_path / "c.exe")


def test_a_page_that_is_only_footer_is_skipped(tmp_path: Path) -> None:
    footer = "Need help? Write to support@acme.example or ask in the forum."
    for number in range(6):
        (tmp_path / f"{number}.md").write_text(f"Text {number}.\n\n{footer}" if number else footer, "utf-8")
    items = list(read_corpus(tmp_path, "docs", tmp_path, ChunkOptions()))
    assert items[0] == SkippedFile("0.md", "holds no text of its own")
    texts = [chunk.text for item in items[1:] if isinstance(item, LoadedDocument) for chunk in item.chunks]
    assert texts == [f"Text {number}." for number in range(1, 6)]


def test_a_beir_corpus_is_a_table_of_chunks() -> None:
    path = DATA / "corpus.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is missing: the shared evaluation data are not on this machine")
    documents, chunks, skipped = read(path)
    assert len(chunks) == len(documents) == 232
    assert skipped == []


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit for files")
def test_rows_for_which_there_is_no_room_are_an_error_in_one_line(tmp_path: Path) -> None:
    import resource

    rows: list[dict[str, object]] = [{"id": number, "text": "words " * 200_000} for number in range(5)]
    path = jsonl(tmp_path, *rows)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(CorpusError, match="make room there, or set TMPDIR"):
            list(load_table(path, "docs"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
