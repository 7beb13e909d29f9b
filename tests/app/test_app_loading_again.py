"""A second load: it reads only what has changed, and the set is as a first load would have made it."""

import json
import os
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldgen.app.loading import CorpusReport, update_corpus
from goldgen.app.reporting import Silent
from goldgen.corpus import ChunkOptions, Selection
from goldgen.errors import CorpusError, EmptyResultError, SettingsError
from goldgen.store import Store, open_store
from goldgen.tabular import SqlSource

LONG_AGO = 1_700_000_000_000_000_000
FOOTER = "Was this page helpful? Write to the documentation team of Acme."


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "set.duckdb") as opened:
        yield opened


def write(path: Path, text: str, *, time_ns: int = LONG_AGO) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(time_ns, time_ns))
    return path


def load(
    store: Store,
    source: Path | SqlSource,
    chunking: ChunkOptions | None = None,
    selection: Selection | None = None,
    jobs: int = 1,
) -> CorpusReport:
    return update_corpus(store, source, "docs", chunking, Silent(), selection=selection, jobs=jobs)


def texts(store: Store) -> dict[str, str]:
    return {document.path: document.text for document in store.corpus.documents()}


def held(store: Store) -> Sequence[object]:
    """All that loading leaves in a set, but for when files were read."""
    files = sorted((file.path, file.hash, file.cut_by, file.reason) for file in store.corpus.files().values())
    return store.corpus.documents(), store.corpus.chunks(), store.corpus.skipped(), files


def test_a_file_of_the_same_size_and_time_is_not_read(store: Store, tmp_path: Path) -> None:
    page = write(tmp_path / "docs/a.md", "The old text.")
    load(store, tmp_path / "docs")
    write(page, "The new text.")  # no tool does that; it shows whether the file was opened
    assert load(store, tmp_path / "docs").changed == 0
    assert texts(store) == {"a.md": "The old text."}
    write(page, "The new text.", time_ns=LONG_AGO + 1)
    assert load(store, tmp_path / "docs").changed == 1
    assert texts(store) == {"a.md": "The new text."}


def test_a_file_with_another_time_and_the_same_bytes_is_not_parsed(store: Store, tmp_path: Path) -> None:
    page = write(tmp_path / "docs/a.md", "The text.")
    load(store, tmp_path / "docs")
    write(page, "The text.", time_ns=LONG_AGO + 1)
    assert load(store, tmp_path / "docs").changed == 0
    write(page, "Not read.", time_ns=LONG_AGO + 1)  # the later time is known by now
    assert load(store, tmp_path / "docs").changed == 0
    assert texts(store) == {"a.md": "The text."}


def test_a_change_within_the_clock_s_grain_is_seen(store: Store, tmp_path: Path) -> None:
    now = time.time_ns()
    page = write(tmp_path / "docs/a.md", "The old text.", time_ns=now)
    load(store, tmp_path / "docs")
    write(page, "The new text.", time_ns=now)
    assert load(store, tmp_path / "docs").changed == 1
    assert texts(store) == {"a.md": "The new text."}


def test_other_options_cut_again_without_reading(store: Store, tmp_path: Path) -> None:
    page = write(tmp_path / "docs/a.md", "The old text has a sentence. " * 20)
    load(store, tmp_path / "docs")
    assert store.corpus.chunk_count() == 1
    write(page, "The new text has a sentence. " * 20)
    assert load(store, tmp_path / "docs", ChunkOptions(200, 50)).changed == 1
    chunks = store.corpus.chunks()
    assert len(chunks) > 2
    assert all("old" in chunk.text and len(chunk.text) <= 200 for chunk in chunks)
    # What was asked once holds until it is asked otherwise.
    assert load(store, tmp_path / "docs").changed == 0
    assert store.corpus.chunks() == chunks


def test_files_chosen_once_stay_chosen(store: Store, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for name in ("a.md", "b.md", "old/c.md"):
        write(docs / name, f"The text of {name}.")
    load(store, docs)
    report = load(store, docs, selection=Selection(exclude=("old/",)))
    assert (report.documents, report.removed, report.skipped) == (2, 1, {"named by --exclude": 1})
    write(docs / "old/d.md", "Another old text.")
    assert load(store, docs).documents == 2
    assert load(store, docs, selection=Selection()).documents == 4
    with pytest.raises(SettingsError, match="no pattern"):
        load(store, docs, selection=Selection(include=("!",)))


def test_a_footer_that_becomes_one_is_cut_off_everywhere(store: Store, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for number in range(4):
        write(docs / f"one/{number}.md", f"The text of page {number}.\n\n{FOOTER}")
    load(store, docs)
    assert all(FOOTER in chunk.text for chunk in store.corpus.chunks())
    for number in range(2):
        write(docs / f"other/{number}.md", f"Another text {number}.\n\n{FOOTER}")
    report = load(store, docs / "other")  # a part, and yet the whole is cut alike
    assert report.changed == 6
    assert not any(FOOTER in chunk.text for chunk in store.corpus.chunks())
    with open_store(tmp_path / "whole.duckdb") as whole:
        load(whole, docs)
        assert held(whole) == held(store)


def test_a_page_that_is_only_footer_comes_back_with_its_text(store: Store, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for number in range(6):
        write(docs / f"{number}.md", f"The text of page {number}.\n\n{FOOTER}" if number else FOOTER)
    assert load(store, docs).skipped == {"holds no text of its own": 1}
    assert load(store, docs).skipped == {"holds no text of its own": 1}
    for number in range(1, 6):
        write(docs / f"{number}.md", f"The text of page {number}.", time_ns=LONG_AGO + 1)
    assert load(store, docs).skipped == {}
    assert texts(store)["0.md"] == FOOTER


def test_what_is_lost_of_the_files_table_is_read_again(store: Store, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        write(tmp_path / f"docs/{name}", f"The text of {name}.")
    write(tmp_path / "docs/bad.md", "\x00\x01")
    load(store, tmp_path / "docs")
    before = held(store)
    store.corpus.forget_files(["a.md", "bad.md"])  # as in a set of an earlier version, or after a kill
    assert load(store, tmp_path / "docs").changed == 0
    assert held(store) == before
    store.corpus.remove_documents([store.corpus.document_ids()["b.md"]])
    assert load(store, tmp_path / "docs").changed == 1
    assert held(store) == before


def test_several_processes_give_what_one_gives(store: Store, tmp_path: Path) -> None:
    for number in range(60):
        write(tmp_path / f"docs/{number:02}.md", f"# Page {number}\n\nThe text of page {number}.")
    slow = "".join(f"<div><p>Paragraph {number} of <b>many</b>.</p></div>" for number in range(8_000))
    write(tmp_path / "docs/00.html", f"<html><body>{slow}</body></html>")  # takes one process over a second
    load(store, tmp_path / "docs", jobs=2)
    with open_store(tmp_path / "alone.duckdb") as alone:
        load(alone, tmp_path / "docs")
        assert held(alone) == held(store)


def test_a_table_is_read_again_only_if_it_has_changed(store: Store, tmp_path: Path) -> None:
    rows = [{"id": key, "text": f"The old text of {key}.", "doc_id": "p"} for key in ("a", "b", "b")]
    table = write(tmp_path / "docs/chunks.jsonl", "\n".join(map(json.dumps, rows)))
    first = load(store, table)
    assert (first.documents, first.chunks, first.changed) == (1, 2, 1)
    assert first.skipped == {"its id stands on an earlier row": 1}
    changed = table.read_text("utf-8").replace("old", "new")
    write(table, changed)
    again = load(store, table)
    assert (again.chunks, again.changed, again.skipped) == (2, 0, first.skipped)
    write(table, changed, time_ns=LONG_AGO + 1)
    assert load(store, table).changed == 1
    assert texts(store) == {"p": "The new text of a.\n\nThe new text of b."}


def test_a_chunk_that_moves_to_another_document_keeps_its_id(store: Store, tmp_path: Path) -> None:
    table = tmp_path / "docs/chunks.jsonl"
    # More documents than are stored at once, so that the old place and the new one are in different batches.
    names = [f"{number:04}" for number in range(600)]

    def write_rows(place: Mapping[str, str]) -> None:
        rows = [{"id": name, "text": f"The text {name}.", "doc_id": place.get(name, name)} for name in names]
        write(table, "\n".join(map(json.dumps, rows)), time_ns=time.time_ns())

    write_rows({"0001": "0000", "0598": "0599"})
    load(store, table)
    write_rows({"0001": "0599", "0598": "0000"})
    load(store, table)
    owners = {chunk.id: chunk.document_id for chunk in store.corpus.chunks()}
    paths = store.corpus.document_ids()
    assert (owners["0001"], owners["0598"]) == (paths["0599"], paths["0000"])
    assert len(owners) == 600


def test_a_query_keeps_the_set_as_the_database_is(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "wiki.duckdb"
    source = SqlSource.parse(f"duckdb:{path}", "select id, text, page as document_id from chunks order by id")
    with duckdb.connect(str(path)) as database:
        database.execute("create table chunks (id varchar, text varchar, page varchar)")
        database.execute(
            "insert into chunks values ('a', 'One.', 'p'), ('b', 'Two.', 'p'), ('c', 'Three.', 'q')"
        )
    first = update_corpus(store, source, "", None, Silent())
    assert (first.name, first.documents, first.chunks, first.changed) == ("wiki", 2, 3, 2)
    with duckdb.connect(str(path)) as database:
        database.execute("delete from chunks where id = 'c'")
        database.execute("update chunks set text = 'New.' where id = 'b'")
    again = update_corpus(store, source, "", None, Silent())
    assert (again.documents, again.changed, again.removed) == (1, 1, 1)
    assert texts(store) == {"p": "One.\n\nNew."}
    other = path.rename(tmp_path / "copy.duckdb")
    moved = SqlSource.parse(f"duckdb:{other}", source.query)
    with pytest.raises(CorpusError, match=r"or --name 'wiki' if it is the same"):
        update_corpus(store, moved, "", None, Silent())
    assert update_corpus(store, moved, "wiki", None, Silent()).changed == 0


NAMES = st.sampled_from(["a.md", "b.md", "deep/a.md", "deep/c.md", "x.rst", "y.py"])
TEXTS = st.sampled_from(
    ["", "One text.", "Another text.\n\nOf two paragraphs.", f"Text.\n\n{FOOTER}", FOOTER, "\x00"]
)
EDITS = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("delete"), NAMES, st.just("")),
    st.tuples(st.just("touch"), NAMES, st.just("")),
    st.tuples(st.just("load a part"), st.just("deep"), st.just("")),
)


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(EDITS, max_size=4), min_size=1, max_size=3))
def test_after_any_edits_a_set_is_as_if_loaded_for_the_first_time(
    rounds: list[list[tuple[str, str, str]]],
) -> None:
    with TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        for number in range(4):
            write(docs / f"page-{number}.md", f"The text of page {number}.\n\n{FOOTER}")
        clock = LONG_AGO
        with open_store(Path(folder) / "again.duckdb") as again:
            for edits in rounds:
                load(again, docs)
                for what, name, text in edits:
                    clock += 1
                    path = docs / name
                    if what == "write":
                        write(path, text, time_ns=clock)
                    elif what == "delete":
                        path.unlink(missing_ok=True)
                    elif what == "touch" and path.exists():
                        os.utime(path, ns=(clock, clock))
                    elif what == "load a part" and any(path.glob("*.md")):
                        with suppress(EmptyResultError):  # of a part in which no file has a text
                            load(again, path)
            load(again, docs)
            with open_store(Path(folder) / "first.duckdb") as first:
                load(first, docs)
                assert held(again) == held(first)
