"""Reading in several processes, and values that wait on the disk."""

import os
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

from goldgen.corpus import ChunkOptions, SharedText, chunk, in_processes, read_changed, walk
from goldgen.corpus.spool import Spool
from goldgen.errors import CorpusError
from goldgen.types import Document


def end_at_seventy(number: int, main: int) -> int:
    if number == 70 and os.getpid() != main:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_files_read_and_cut_by_others_are_those_read_here(tmp_path: Path) -> None:
    for number in range(40):
        page = tmp_path / f"{number}.md"
        page.write_text(f"---\nkind: x\n---\n# {number}\n\nText of {number}.", "utf-8")
        os.utime(page, (1_700_000_000, 1_700_000_000))  # what is younger has no time to go by
    entries = walk(tmp_path)
    read = partial(read_changed, known_hash="", name="docs")
    here = [read(entry) for entry in entries]
    by_others = in_processes(read, entries, 2, lambda entry: entry.relative, alone_seconds=0)
    assert list(by_others) == here
    documents = [item.content for item in here if isinstance(item.content, Document)]
    assert len(documents) == 40
    cut = partial(chunk, options=ChunkOptions(100, 20), shared=SharedText())
    assert list(in_processes(cut, documents, 1, lambda item: item.path)) == list(map(cut, documents))


def test_a_process_that_is_ended_is_told_with_what_it_worked_on() -> None:
    work = partial(end_at_seventy, main=os.getpid())
    with pytest.raises(CorpusError, match=r"one of \d+ to \d+ or .*--jobs 1") as told:
        list(in_processes(work, range(100), 2, str, alone_seconds=0))
    assert "\n" not in str(told.value)
    assert list(in_processes(work, range(100), 1, str)) == list(range(100))


def test_a_spool_gives_what_it_took_as_often_as_asked() -> None:
    with Spool[tuple[int, str]]() as spool:
        assert list(spool) == []
        for number in range(1000):
            spool.add((number, "Größe"))
        assert len(spool) == 1000
        assert list(spool) == list(spool) == [(number, "Größe") for number in range(1000)]


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit for files")
def test_a_full_disk_is_told_of_the_folder_that_is_full() -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(CorpusError, match="set TMPDIR") as told, Spool[str]() as spool:
            spool.add("x" * 5_000)
            spool.add("x" * 5_000)
            list(spool)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert tempfile.gettempdir() in str(told.value)
