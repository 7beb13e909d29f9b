import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.logs import resolve_page

PATHS = (
    "index.md",
    "getting-started.md",
    "operator-manual/index.md",
    "operator-manual/upgrading/2.13-3.0.md",
    "operator-manual/upgrading/overview.md",
    "user-guide/README.md",
    "user-guide/overview.md",
    "user-guide/größe ändern.md",
    "reference/api.md",
    "reference/api.rst",
    "reference/100%25.md",
)


@pytest.mark.parametrize(
    ("page", "path"),
    [
        ("getting-started.md", "getting-started.md"),
        ("getting-started", "getting-started.md"),
        ("/getting-started/", "getting-started.md"),
        ("./Getting-Started.html", "getting-started.md"),
        ("https://docs.example.com/en/stable/getting-started.html#first?x=1", "getting-started.md"),
        ("//docs.example.com/getting-started?utm=a/b", "getting-started.md"),
        ("docs.example.com/getting-started", "getting-started.md"),
        ("https://docs.example.com/operator-manual/", "operator-manual/index.md"),
        ("https://docs.example.com/operator-manual/index.html", "operator-manual/index.md"),
        ("/user-guide", "user-guide/README.md"),
        ("https://docs.example.com/", "index.md"),
        ("/index.html", "index.md"),
        ("/stable/operator-manual/upgrading/2.13-3.0/", "operator-manual/upgrading/2.13-3.0.md"),
        ("user-guide/overview", "user-guide/overview.md"),
        ("upgrading/overview", "operator-manual/upgrading/overview.md"),
        ("/docs/user-guide/gr%C3%B6%C3%9Fe%20%C3%A4ndern", "user-guide/größe ändern.md"),
        (unicodedata.normalize("NFD", "user-guide/größe ändern"), "user-guide/größe ändern.md"),
        ("user-guide\\overview.md", "user-guide/overview.md"),
        ("reference/api.rst", "reference/api.rst"),
        ("reference/100%25.md", "reference/100%25.md"),
        # More than one fits, or none
        ("overview", None),
        ("reference/api", None),
        ("https://docs.example.com/reference/api.html", None),
        ("https://blog.example.com/2024/overview.html", None),
        ("nowhere", None),
        ("https://docs.example.com/en/latest/", None),
        ("guide", None),
        ("", "index.md"),
        ("http://[broken", "index.md"),
    ],
)
def test_a_page_is_the_path_that_it_names(page: str, path: str | None) -> None:
    assert resolve_page(page, PATHS) == path


def test_the_longest_shared_ending_wins_where_both_roots_differ() -> None:
    paths = ["docs/operator-manual/upgrading.md", "docs/user-guide/upgrading.md"]

    assert resolve_page("https://x.example/en/user-guide/upgrading/", paths) == paths[1]
    assert resolve_page("https://x.example/en/other/upgrading/", paths) is None


def test_a_page_at_the_root_comes_before_its_namesakes() -> None:
    assert resolve_page("/faq", ["a/faq.md", "faq.md", "b/faq.md"]) == "faq.md"


def test_without_paths_nothing_fits() -> None:
    assert resolve_page("/faq", []) is None


_NAMES = st.text("abcö 1.-%#?", min_size=1, max_size=5).filter(lambda name: name.strip(". ") != "")
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map(lambda names: "/".join(names) + ".md")


@given(st.lists(_PATHS, min_size=1, max_size=6, unique_by=str.casefold), st.data())
def test_every_path_is_found_by_its_own_name_and_its_url(paths: list[str], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(paths))

    assert resolve_page(path, paths) == path
    assert resolve_page(f"https://docs.example.com/{quote(path)}#part", paths) == path
