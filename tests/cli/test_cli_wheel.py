import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTRY = "import sys; from goldgen.cli.main import main; main()"
PROMPTS = (
    "import goldgen; from goldgen.prompts import PromptLibrary; library = PromptLibrary.packaged(); "
    "print(library.folder); print(len(library.styles())); "
    "print([library.load(name).hash != '' for name in ('question', 'near_miss', 'verify')])"
)


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, capture_output=True, text=True)


@pytest.mark.skipif(
    find_spec("pip") is None or find_spec("hatchling") is None, reason="needs pip and hatchling"
)
def test_an_installed_wheel_holds_all_it_needs(tmp_path: Path) -> None:
    pip("wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path / "wheels"))
    (wheel,) = (tmp_path / "wheels").glob("goldgen-*.whl")
    site = tmp_path / "site"
    pip("install", "--no-deps", "--target", str(site), str(wheel))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = os.environ | {"PYTHONPATH": str(site)}

    def python(code: str, *arguments: str) -> str:
        run = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=elsewhere,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout

    folder, styles, loaded = python(PROMPTS).splitlines()
    assert Path(folder).is_relative_to(site)
    assert int(styles) >= 3
    assert loaded == "[True, True, True]"
    assert "synth" in python(ENTRY, "--help")
    assert (site / "goldgen" / "py.typed").exists()
    assert list((site / "goldgen" / "store" / "migrations").glob("*.sql"))
