"""A set of an earlier version of goldgen: what has changed since is read and cut anew."""

import os
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from goldgen.app.loading import update_corpus
from goldgen.app.reporting import Silent
from goldgen.corpus import ChunkOptions, readers
from goldgen.store import Store, open_store

LONG_AGO = 1_700_000_000_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    for name in ("one/a.md", "one/b.md", "two/c.md"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The text of {name}.", encoding="utf-8")
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
    with open_store(tmp_path / "set.duckdb") as opened:
        load(opened, tmp_path / "docs")
        files = opened.corpus.files().values()
        opened.corpus.put_files([replace(file, read_by="earlier", cut_by="earlier.1") for file in files])
        yield opened


def load(store: Store, path: Path, chunking: ChunkOptions | None = None) -> None:
    update_corpus(store, path, "docs", chunking, Silent())


def test_a_new_version_cuts_the_whole_anew_and_reads_what_is_named(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path / "docs/two")
    found = store.corpus.files()
    assert len({file.cut_by for file in found.values()}) == 1
    assert "earlier.1" not in {file.cut_by for file in found.values()}
    # Texts of the other part are still those of the earlier version, which the next load must know.
    assert {path: file.read_by == readers() for path, file in found.items()} == {
        "one/a.md": False,
        "one/b.md": False,
        "two/c.md": True,
    }
    load(store, tmp_path / "docs")
    assert {file.read_by for file in store.corpus.files().values()} == {readers()}


def test_other_options_do_not_make_an_earlier_text_one_of_today(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path / "docs/two", ChunkOptions(40, 10))
    load(store, tmp_path / "docs/one", ChunkOptions(30, 10))
    assert {file.read_by for file in store.corpus.files().values()} == {readers()}
