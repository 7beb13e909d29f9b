import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.errors import ModelError
from goldgen.models.gguf import QWEN_BYTES, QWEN_FILE, find_gguf, join_parts, packaged_parts

CONTENT = [b"GGUF first", b"", b" second" * 1000]
WHOLE = b"".join(CONTENT)
SHA256 = hashlib.sha256(WHOLE).hexdigest()


def write_parts(folder: Path, content: list[bytes] = CONTENT) -> list[Path]:
    folder.mkdir(exist_ok=True)
    parts = [folder / f"part{index:02}.bin" for index in range(len(content))]
    for part, data in zip(parts, content, strict=True):
        part.write_bytes(data)
    return parts


def cached_repository(cache: Path, *files: str) -> Path:
    """The layout of huggingface_hub's cache, as a download leaves it."""
    repository = cache / "models--someone--model"
    snapshot = repository / "snapshots" / "abc123"
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc123", encoding="utf-8")
    for file in files:
        (snapshot / file).write_bytes(WHOLE)
    return snapshot


@given(content=st.lists(st.binary(max_size=50), max_size=6))
def test_joined_file_is_the_parts_in_order(
    content: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("join")
    whole = b"".join(content)
    target = folder / "cache" / "model.gguf"
    sha256 = hashlib.sha256(whole).hexdigest()
    joined = join_parts(write_parts(folder / "parts", content), target, sha256=sha256, size=len(whole))
    assert joined.read_bytes() == whole
    assert sorted(file.suffix for file in target.parent.iterdir()) in ([".gguf"], [".gguf", ".lock"])


def test_a_wrong_hash_leaves_no_file(tmp_path: Path) -> None:
    target = tmp_path / "cache" / "model.gguf"
    parts = write_parts(tmp_path / "parts", [*CONTENT[:2], CONTENT[2].swapcase()])
    with pytest.raises(ModelError, match="do not join to the published file"):
        join_parts(parts, target, sha256=SHA256, size=len(WHOLE))
    assert [file for file in target.parent.iterdir() if file.suffix != ".lock"] == []


def test_a_whole_file_is_not_joined_again_but_a_short_one_is(tmp_path: Path) -> None:
    target = tmp_path / "model.gguf"
    parts = write_parts(tmp_path / "parts")
    target.write_bytes(WHOLE[:-1])
    join_parts(parts, target, sha256=SHA256, size=len(WHOLE))
    assert target.read_bytes() == WHOLE
    joined_at = target.stat().st_mtime_ns
    assert join_parts([], target, sha256=SHA256, size=len(WHOLE)) == target
    assert target.stat().st_mtime_ns == joined_at


def test_two_processes_join_once(tmp_path: Path) -> None:
    target = tmp_path / "model.gguf"
    parts = write_parts(tmp_path / "parts", [bytes([number]) * 2_000_000 for number in range(20)])
    sha256 = hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()
    code = (
        "import sys; from pathlib import Path; from goldgen.models.gguf import join_parts\n"
        "parts = sorted(Path(sys.argv[1]).iterdir())\n"
        "target = join_parts(parts, Path(sys.argv[2]), sha256=sys.argv[3], size=40_000_000)\n"
        "print(target.stat().st_ino, target.stat().st_size)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "parts"), str(target), sha256]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert said[0] == said[1], "the second process made the file anew"
    assert said[0].split()[1] == "40000000"


def join_endlessly(first: Path, pipe: Path, target: Path) -> None:
    join_parts([first, pipe], target, sha256=SHA256, size=len(WHOLE))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the interrupted part is a named pipe")
def test_a_killed_join_is_neither_taken_for_whole_nor_in_the_way(tmp_path: Path) -> None:
    target = tmp_path / "cache" / "model.gguf"
    parts = write_parts(tmp_path / "parts")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    joining = multiprocessing.get_context("spawn").Process(
        target=join_endlessly, args=(parts[2], pipe, target)
    )
    joining.start()
    partial = target.with_name("model.gguf.partial")
    until = time.monotonic() + 30
    while not partial.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert partial.exists()
    assert joining.pid
    os.kill(joining.pid, signal.SIGKILL)
    joining.join()
    assert not target.exists()
    assert join_parts(parts, target, sha256=SHA256, size=len(WHOLE)).read_bytes() == WHOLE
    assert not partial.exists()


def test_a_disk_too_small_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="GB free"):
        join_parts(write_parts(tmp_path / "parts"), tmp_path / "model.gguf", sha256=SHA256, size=10**18)
    assert not (tmp_path / "model.gguf.partial").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    target = tmp_path / "file" / "model.gguf"
    with pytest.raises(ModelError, match=r"cannot write .*model\.gguf"):
        join_parts([], target, sha256=SHA256, size=1)


def test_parts_are_found_in_order_without_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("parted_model_b", "parted_model_a"):
        folder = tmp_path / package
        (folder / "data").mkdir(parents=True)
        (folder / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
        for file in ("2.bin", "1.bin"):
            (folder / "data" / file).write_bytes(b"x")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = packaged_parts(["parted_model_b", "parted_model_a"])
    assert [f"{part.parent.parent.name[-1]}{part.stem}" for part in found] == ["b1", "b2", "a1", "a2"]
    with pytest.raises(ModelError, match=r"parted_model_c is missing: pip install \"goldgen\[local\]\""):
        packaged_parts(["parted_model_a", "parted_model_c"])


def test_the_default_is_the_joined_file_in_the_cache(tmp_path: Path) -> None:
    with (tmp_path / QWEN_FILE).open("wb") as file:
        file.truncate(QWEN_BYTES)
    assert find_gguf(None, tmp_path, offline=True) == tmp_path / QWEN_FILE


def test_a_path_is_taken_if_it_is_a_gguf_file(tmp_path: Path) -> None:
    model = tmp_path / "model.gguf"
    model.write_bytes(WHOLE)
    assert find_gguf(str(model), tmp_path, offline=True) == model
    model.write_bytes(b"<html>")
    with pytest.raises(ModelError, match="not a GGUF file"):
        find_gguf(str(model), tmp_path, offline=True)
    for missing in (str(tmp_path / "none.gguf"), "./none.gguf", "none.gguf", "folder/none.gguf"):
        with pytest.raises(ModelError, match="no such file"):
            find_gguf(missing, tmp_path, offline=True)


def test_a_cached_repository_needs_no_network(tmp_path: Path) -> None:
    snapshot = cached_repository(tmp_path, "model-q8_0.gguf", "model-Q4_K_M.gguf", "README.md")
    found = [
        find_gguf(given, tmp_path, offline=True, hub_cache=tmp_path)
        for given in ("someone/model", "someone/model:model-q8_0.gguf")
    ]
    assert found == [snapshot / "model-Q4_K_M.gguf", snapshot / "model-q8_0.gguf"]


def test_a_choice_between_files_is_the_users(tmp_path: Path) -> None:
    cached_repository(tmp_path, "a-q8_0.gguf", "b-q8_0.gguf")
    with pytest.raises(ModelError, match=r"name one as someone/model:a-q8_0\.gguf"):
        find_gguf("someone/model", tmp_path, offline=True, hub_cache=tmp_path)


@pytest.mark.parametrize("given", ["someone/other", "someone/other:file.gguf"])
def test_what_is_not_cached_is_said_when_offline(given: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=rf"{given} is not in the Hugging Face cache"):
        find_gguf(given, tmp_path, offline=True, hub_cache=tmp_path)
