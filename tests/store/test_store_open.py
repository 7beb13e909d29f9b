"""Opening a golden set: by whom, at which version, and what is said when it cannot be."""

import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from goldgen.errors import StoreError
from goldgen.store import open_store

HOLD_OPEN = """
import sys
from pathlib import Path
from goldgen.store import open_store
with open_store(Path(sys.argv[1]), read_only=sys.argv[2] == "True"):
    print("open", flush=True)
    sys.stdin.read(1)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A golden set with one fact in it, closed."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        store.meta.set("corpus", "docs")
    return path


@contextmanager
def another_process(path: Path, *, read_only: bool = False) -> Generator["subprocess.Popen[str]"]:
    """A second process that has the set open until the block ends or it is told to go."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_OPEN, str(path), str(read_only)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout and process.stdin
        assert process.stdout.readline() == "open\n"
        yield process
        process.stdin.close()


def refusal(path: Path, *, read_only: bool = False, wait_seconds: float = 0) -> str:
    """The message of the StoreError that opening raises; it must be one line."""
    with pytest.raises(StoreError) as caught:
        open_store(path, read_only=read_only, wait_seconds=wait_seconds)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_makes_the_folder_and_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "set.duckdb"
    with open_store(path) as store:
        assert store.path == path
    assert path.is_file()


def test_close_leaves_one_complete_file_and_may_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    store = open_store(path)
    store.meta.set("corpus", "docs")
    assert path.with_name("set.duckdb.wal").exists()
    store.close()
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["set.duckdb"]
    copy = shutil.copy(path, tmp_path / "copy.duckdb")
    with open_store(Path(copy), read_only=True) as reopened:
        assert reopened.meta.get("corpus") == "docs"


def test_reading_changes_nothing_and_refuses_to_write(path: Path) -> None:
    before = path.read_bytes()
    with open_store(path, read_only=True) as store:
        assert store.meta.get("corpus") == "docs"
        with pytest.raises(StoreError, match=r"set\.duckdb is open for reading only"):
            store.meta.set("corpus", "other")
    assert path.read_bytes() == before


def test_two_readers_at_once(path: Path) -> None:
    with another_process(path, read_only=True), open_store(path, read_only=True, wait_seconds=0) as store:
        assert store.meta.get("corpus") == "docs"


@pytest.mark.parametrize(("holder_reads", "read_only"), [(False, False), (False, True), (True, False)])
def test_a_locked_set_names_the_file_and_the_process(path: Path, holder_reads: bool, read_only: bool) -> None:
    with another_process(path, read_only=holder_reads) as process:
        message = refusal(path, read_only=read_only)
    assert str(path) in message
    assert f"process {process.pid} " in message


def test_waits_for_a_lock_no_longer_than_told(path: Path) -> None:
    with another_process(path):
        start = time.monotonic()
        assert "waited 0.5 s" in refusal(path, wait_seconds=0.5)
        assert 0.5 <= time.monotonic() - start < 3


def test_gets_the_set_when_the_other_process_ends_in_time(path: Path) -> None:
    with another_process(path) as process:
        assert process.stdin
        process.stdin.close()
        with open_store(path, wait_seconds=60) as store:
            assert store.meta.get("corpus") == "docs"


def test_open_twice_in_one_process_says_so(path: Path) -> None:
    with open_store(path):
        assert "already open in this process" in refusal(path, read_only=True)


def test_a_missing_set_is_not_made_by_reading(tmp_path: Path) -> None:
    path = tmp_path / "none" / "set.duckdb"
    message = refusal(path, read_only=True)
    assert message.startswith(f"no golden set at {path}; make one with")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_a_set(tmp_path: Path) -> None:
    assert f"{tmp_path} is a folder" in refusal(tmp_path)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    assert "File exists" in refusal(tmp_path / "notes.txt" / "set.duckdb")


def test_no_permission_to_read(path: Path) -> None:
    path.chmod(0)
    path.parent.chmod(0)
    am_root = os.geteuid() == 0
    if am_root:  # root may read everything, so be nobody for a moment
        os.seteuid(65534)
    try:
        assert "Permission denied" in refusal(path, read_only=True)
        assert "Permission denied" in refusal(path)
    finally:
        if am_root:
            os.seteuid(0)
        path.parent.chmod(0o700)


def make_text(path: Path) -> None:
    path.write_bytes(b"question,answer\n" * 2000)


def make_sqlite(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("create table t (a)")
    database.commit()
    database.close()


@pytest.mark.parametrize("make", [make_text, make_sqlite])
@pytest.mark.parametrize("read_only", [True, False])
def test_another_kind_of_file_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], read_only: bool
) -> None:
    path = tmp_path / "set.duckdb"
    make(path)
    before = path.read_bytes()
    assert f"{path} is not a golden set" in refusal(path, read_only=read_only)
    assert path.read_bytes() == before


def test_an_empty_file_is_as_good_as_none(tmp_path: Path) -> None:
    path, link = tmp_path / "set.duckdb", tmp_path / "link.duckdb"
    path.touch()
    link.symlink_to(path)
    with open_store(link) as store:
        store.meta.set("corpus", "docs")
    assert link.is_symlink()
    with open_store(path, read_only=True) as store:
        assert store.meta.get("corpus") == "docs"


@pytest.mark.parametrize("read_only", [True, False])
def test_an_empty_file_is_not_read(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "set.duckdb"
    path.touch()
    with pytest.raises(StoreError) as caught:
        open_store(path, read_only=read_only, create=False)
    assert str(caught.value).startswith(f"{path} is not a golden set, for it is empty; make one with")
    assert path.read_bytes() == b""


def test_an_emptied_set_with_a_log_of_what_was_written_is_left_alone(tmp_path: Path) -> None:
    path, log = tmp_path / "set.duckdb", tmp_path / "set.duckdb.wal"
    path.touch()
    log.write_bytes(b"what was committed")
    assert f"{path} is not a golden set" in refusal(path)
    assert (path.read_bytes(), log.read_bytes()) == (b"", b"what was committed")


@pytest.mark.parametrize("read_only", [True, False])
def test_somebody_elses_duckdb_file_is_refused_and_left_alone(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "sales.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("create table sales (id integer)")
    before = path.read_bytes()
    assert "not a golden set (it has the table 'sales')" in refusal(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_a_newer_duckdb_is_refused_and_left_alone(path: Path, read_only: bool) -> None:
    content = bytearray(path.read_bytes())
    content[12:20] = struct.pack("<Q", 5000)  # the storage version in the main header
    content[:8] = struct.pack("<Q", header_checksum(content[8:4096]))
    path.write_bytes(content)
    message = refusal(path, read_only=read_only)
    assert f"written by a newer DuckDB than {duckdb.__version__}" in message
    assert "pip install -U duckdb" in message
    assert path.read_bytes() == content


def header_checksum(block: bytearray) -> int:
    """DuckDB's checksum of a block: https://github.com/duckdb/duckdb/blob/main/src/common/checksum.cpp."""
    result = 5381
    for (word,) in struct.iter_unpack("<Q", block):
        result ^= word * 0xBF58476D1CE4E5B9 & (2**64 - 1)
    return result


def test_files_can_be_opened_by_the_oldest_supported_duckdb(path: Path) -> None:
    (storage_version,) = struct.unpack("<Q", path.read_bytes()[12:20])
    assert storage_version == 67  # that of DuckDB 1.4


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("offset", [40, 4096, 12288])
def test_a_damaged_file_is_refused_and_left_alone(path: Path, offset: int, read_only: bool) -> None:
    content = bytearray(path.read_bytes())
    content[offset : offset + 64] = bytes(255 - byte for byte in content[offset : offset + 64])
    path.write_bytes(content)
    message = refusal(path, read_only=read_only)
    assert message.startswith(f"cannot open golden set {path}: ")
    assert "restore a copy" in message
    assert path.read_bytes() == content


def test_a_torn_file_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:6000])
    assert f"cannot open golden set {path}: Could not read enough bytes" in refusal(path)


def test_a_name_that_duckdb_takes_for_something_else_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "md:team"):
        with open_store(Path(name)) as store:
            store.meta.set("corpus", name)
        with open_store(Path(name), read_only=True) as store:
            assert store.meta.get("corpus") == name
        assert (tmp_path / name).is_file()
