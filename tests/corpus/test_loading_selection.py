"""Which files of a folder are read: patterns in and out, what git ignores, links."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from goldgen.corpus.selection import Selection
from goldgen.corpus.walk import walk
from goldgen.errors import SettingsError


def tree(root: Path, *names: str, ignores: Mapping[str, str] | None = None) -> Path:
    """Files by name, and .gitignore files by the folder that they stand in."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, "utf-8")
    for folder, lines in (ignores or {}).items():
        (root / folder / ".gitignore").write_text(lines, "utf-8")
    return root


def read(root: Path, selection: Selection | None = None, inside: Path | None = None) -> list[str]:
    return [entry.relative for entry in walk(root, inside, selection) if not entry.skip]


def reasons(root: Path, selection: Selection | None = None) -> dict[str, str]:
    return {entry.relative: entry.skip for entry in walk(root, None, selection) if entry.skip}


def test_patterns_choose_files_and_each_other_entry_says_why_not(tmp_path: Path) -> None:
    root = tree(tmp_path, "a.md", "b.txt", "guides/c.md", "guides/old/d.md", "drafts/e.md", "drafts/f.md")
    chosen = Selection(include=("*.md",), exclude=("drafts/", "old"))
    assert read(root, chosen) == ["a.md", "guides/c.md"]
    assert reasons(root, chosen) == {
        "b.txt": "not named by --include",
        "drafts": "named by --exclude",
        "guides/old": "named by --exclude",
    }
    assert read(root, Selection(include=("/guides/",))) == ["guides/c.md", "guides/old/d.md"]
    assert read(root, Selection(include=("*.md", "!e.md"), exclude=("guides/**",))) == ["a.md", "drafts/f.md"]


def test_a_part_has_the_files_that_it_has_in_the_whole(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        "a.md",
        "guides/c.md",
        "guides/c.txt",
        "guides/old/d.md",
        ignores={"": "old/", "guides": "c.txt"},
    )
    whole = read(root)
    assert whole == ["a.md", "guides/c.md"]
    assert read(root, inside=root / "guides") == whole[1:]
    assert read(root, inside=root / "guides/c.txt") == ["guides/c.txt"]  # named itself


def test_gitignore_files_hold_for_their_folder_and_the_deepest_decides(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        "keep.md",
        "x.log.md",
        "build/a.md",
        "sub/x.log.md",
        "sub/build.md",
        "sub/deep/own.md",
        "other/own.md",
        # The last of these is no pattern.
        ignores={"": "*.log.md\nbuild/\n\\\n", "sub": "!x.log.md\nown.md\n"},
    )
    assert read(root) == ["keep.md", "other/own.md", "sub/build.md", "sub/x.log.md"]
    ignored = {path for path, reason in reasons(root).items() if reason == "ignored by .gitignore"}
    assert ignored == {"build", "sub/deep/own.md", "x.log.md"}
    assert len(read(root, Selection(gitignore=False))) == 7


def test_a_repository_ignores_for_the_folders_in_it_but_not_one_that_is_named(tmp_path: Path) -> None:
    outside = tree(
        tmp_path,
        "repo/docs/a.md",
        "repo/docs/tmp/b.md",
        "repo/site/c.md",
        ignores={"": "*", "repo": "tmp\nsite/"},
    )
    repository = outside / "repo"
    assert read(repository / "docs") == ["a.md", "tmp/b.md"]  # no repository yet
    (repository / ".git").mkdir()
    assert read(repository / "docs") == ["a.md"]
    assert read(repository / "site") == ["c.md"]
    assert read(repository) == ["docs/a.md"]


def test_a_link_shows_what_is_ignored_where_it_stands(tmp_path: Path) -> None:
    root = tree(tmp_path, "a.md", "build/v2/b.md", ignores={"": "build/"})
    (root / "current").symlink_to("build/v2")
    (root / "later").symlink_to("build/v2")
    (root / "same.md").symlink_to("a.md")
    assert read(root) == ["a.md", "current/b.md"]
    assert reasons(root)["later"] == reasons(root)["same.md"] == "a link to what is read elsewhere"


def test_a_folder_that_was_read_through_a_link_is_not_read_through_another(tmp_path: Path) -> None:
    tree(tmp_path, "out/sub/x.md", "out/y.md", "root/a.md")
    (tmp_path / "root/first").symlink_to(tmp_path / "out/sub")
    (tmp_path / "root/second").symlink_to(tmp_path / "out")
    assert read(tmp_path / "root") == ["a.md", "first/x.md", "second/y.md"]
    assert reasons(tmp_path / "root") == {"second/sub": "a link to what is read elsewhere"}


@pytest.mark.parametrize("pattern", ["!", "\\"])
def test_what_is_no_pattern_is_named(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(SettingsError, match=r"--exclude .* is no pattern"):
        walk(tmp_path, None, Selection(exclude=(pattern,)))


NAMES = st.sampled_from(["a", "b", "ab", "a.md", "b.md", "a.b"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PATTERNS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "!", "/"]),
    st.sampled_from(["", "", "**/", "a/"]),
    st.sampled_from(["a", "b", "*.md", "a*", "?", "[ab]", "a.b", "**", "*"]),
    st.sampled_from(["", "", "/", "/**"]),
)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@example(paths=["a/a"], top=["a", "!a/**"], deep=[])
@example(paths=["a/ab/a"], top=["a*", "!a"], deep=[])
@given(
    paths=st.lists(PATHS, min_size=1, max_size=8),
    top=st.lists(PATTERNS, max_size=3),
    deep=st.lists(PATTERNS, max_size=2),
)
def test_git_itself_would_ignore_the_same(paths: list[str], top: list[str], deep: list[str]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for name in paths:
            if not any(parent.is_file() for parent in (root / name).parents) and not (root / name).exists():
                tree(root, name)
        (root / ".gitignore").write_text("\n".join(top), "utf-8")
        if (root / "a").is_dir():
            (root / "a/.gitignore").write_text("\n".join(deep), "utf-8")
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        listed = subprocess.run(
            ["git", "-C", folder, "ls-files", "--others", "--exclude-standard"],
            check=True,
            capture_output=True,
            text=True,
        )
        seen = {name for name in listed.stdout.splitlines() if not name.endswith(".gitignore")}
        assert set(read(root)) == seen
