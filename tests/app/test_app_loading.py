import json
import shutil
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from goldgen.app.loading import CorpusReport, load_corpus
from goldgen.app.reporting import Silent
from goldgen.corpus import ChunkOptions
from goldgen.errors import CorpusError, EmptyResultError
from goldgen.store import Store, open_store
from goldgen.types import Chunk

PAGES = {
    "index.md": "# Start\n\nThe first page says where to find everything else in these pages.\n",
    "guides/exports.md": "# Exports\n\nExports run at night and are sent to the owner by mail.\n",
    "guides/größe.md": "# Size\n\nA page may have as many rows as the plan allows, and no more.\n",
}


def write_pages(root: Path, pages: dict[str, str] = PAGES) -> Path:
    for name, text in pages.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        yield opened


def load(store: Store, path: Path) -> tuple[tuple[Chunk, ...], CorpusReport]:
    return load_corpus(store, path, "", ChunkOptions(), Silent())


def ids(store: Store) -> dict[str, str]:
    return {document.path: document.id for document in store.corpus.documents()}


def test_everything_walked_is_loaded_or_skipped(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    (docs / "empty.md").write_text("", encoding="utf-8")
    (docs / "scan.pdf").write_bytes(b"%PDF-1.7")
    chunks, report = load(store, docs)
    assert (report.name, report.documents, report.removed) == ("docs", 3, 0)
    assert sum(report.skipped.values()) == 2
    assert report.chunks == len(chunks) == store.corpus.chunk_count()
    texts = {document.id: document.text for document in store.corpus.documents()}
    assert all(texts[c.document_id][c.start : c.end] == c.text for c in chunks)


def test_the_same_tree_elsewhere_has_the_same_ids(tmp_path: Path) -> None:
    found: list[tuple[dict[str, str], set[str]]] = []
    for place in ("one", "two/deep"):
        docs = write_pages(tmp_path / place / "docs")
        with open_store(tmp_path / place / "set.duckdb") as store:
            chunks, _ = load(store, docs)
            found.append((ids(store), {chunk.id for chunk in chunks}))
    assert found[0] == found[1]


def test_a_moved_tree_is_the_same_corpus(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "old" / "docs")
    load(store, docs)
    before = ids(store)
    (tmp_path / "new").mkdir()
    moved = shutil.move(docs, tmp_path / "new" / "docs")
    (docs.parent).rmdir()
    _, report = load(store, Path(moved))
    assert ids(store) == before
    assert report.removed == 0


def test_a_part_of_the_tree_has_the_ids_that_it_has_in_the_whole(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    load(store, docs)
    before = ids(store)
    chunks, report = load(store, docs / "guides")
    assert (report.documents, report.removed) == (2, 0)
    assert {chunk.document_id for chunk in chunks} == {
        before["guides/exports.md"],
        before["guides/größe.md"],
    }
    only, _ = load(store, docs / "index.md")
    assert {chunk.document_id for chunk in only} == {before["index.md"]}
    assert ids(store) == before


@pytest.mark.parametrize("other", ["other", "docs-2", "."])
def test_another_corpus_is_refused_in_one_line(store: Store, tmp_path: Path, other: str) -> None:
    load(store, write_pages(tmp_path / "docs"))
    before = ids(store)
    write_pages(tmp_path / other, {"x.md": "# X\n\nA page of quite another corpus, with its own words.\n"})
    with pytest.raises(CorpusError, match=r"give --db another file") as refused:
        load(store, tmp_path / other)
    assert "\n" not in str(refused.value)
    assert "'docs'" in str(refused.value)
    assert ids(store) == before


def test_vanished_documents_go_and_changed_ones_are_replaced(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    load(store, docs)
    before = ids(store)
    (docs / "index.md").unlink()
    (docs / "guides/exports.md").write_text("# Exports\n\nNow they run at noon, and are kept.\n", "utf-8")
    chunks, report = load(store, docs)
    assert report.removed == 1
    assert set(ids(store)) == {"guides/exports.md", "guides/größe.md"}
    assert ids(store)["guides/exports.md"] == before["guides/exports.md"]
    stored = store.corpus.chunks()
    assert sorted(chunk.id for chunk in stored) == sorted(chunk.id for chunk in chunks)
    assert not any("at night" in chunk.text for chunk in stored)
    assert any("at noon" in chunk.text for chunk in stored)


def test_loading_twice_changes_nothing(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    chunks, first = load(store, docs)
    assert first.changed == 3
    assert load(store, docs) == (chunks, replace(first, changed=0))


def test_a_set_of_files_takes_no_table_and_one_of_a_table_no_files(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    table = docs / "chunks.jsonl"
    table.write_text(json.dumps({"id": "mine", "text": "A chunk as it was cut."}), encoding="utf-8")
    load(store, docs)
    before = ids(store)
    with pytest.raises(CorpusError, match=r"made of files, and not of a table of chunks; give --db another"):
        load(store, table)
    assert ids(store) == before
    with open_store(tmp_path / "other.duckdb") as other:
        load(other, table)
        with pytest.raises(CorpusError, match=r"made of a table of chunks, and not of files"):
            load(other, docs)


def test_what_a_part_skips_stands_beside_what_the_rest_skipped(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    for folder in (docs, docs / "guides"):
        (folder / "program.py").write_text("print()", encoding="utf-8")
    load(store, docs)
    (docs / "guides/program.py").unlink()
    (docs / "guides/empty.md").write_text("", encoding="utf-8")
    _, report = load(store, docs / "guides")
    assert (report.inside, report.documents, sum(report.skipped.values())) == ("guides", 2, 1)
    assert [item.path for item in store.corpus.skipped()] == ["guides/empty.md", "program.py"]


def test_a_part_loses_what_has_vanished_from_it(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    load(store, docs)
    (docs / "guides/exports.md").unlink()
    (docs / "index.md").unlink()
    assert load(store, docs / "guides")[1].removed == 1
    assert set(ids(store)) == {"index.md", "guides/größe.md"}


def test_a_missing_path_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no such file or folder: .*nowhere"):
        load(store, tmp_path / "nowhere")


def test_a_folder_without_text_is_an_error_with_the_reasons(store: Store, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(EmptyResultError, match=r"nothing to read in .*empty: it is empty"):
        load(store, empty)
    (empty / "program.py").write_text("print()", encoding="utf-8")
    with pytest.raises(EmptyResultError, match=r"1 files of kind \.py are not read"):
        load(store, empty)


def test_a_folder_named_by_mistake_does_not_become_the_corpus(store: Store, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(EmptyResultError):
        load(store, tmp_path / "empty")
    assert load(store, write_pages(tmp_path / "docs"))[1].name == "docs"


def test_a_folder_that_is_suddenly_empty_takes_no_document_with_it(store: Store, tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "docs")
    load(store, docs)
    before = ids(store)
    shutil.rmtree(docs)
    docs.mkdir()
    with pytest.raises(EmptyResultError):
        load(store, docs)
    assert ids(store) == before


def test_a_table_of_chunks_keeps_its_ids(store: Store, tmp_path: Path) -> None:
    table = tmp_path / "chunks.jsonl"
    rows = [
        {"id": f"mine-{number}", "text": f"The text of chunk {number}, as it was cut."} for number in range(3)
    ]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    chunks, report = load(store, table)
    assert [chunk.id for chunk in chunks] == ["mine-0", "mine-1", "mine-2"]
    assert report.chunks == 3
