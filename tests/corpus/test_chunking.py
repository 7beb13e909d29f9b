"""Chunks: exact slices with the context to be read alone."""

import re
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from goldgen.corpus.boilerplate import boilerplate
from goldgen.corpus.chunk import SMALL, ChunkOptions, chunk
from goldgen.corpus.load import load
from goldgen.errors import SettingsError
from goldgen.types import Chunk, Document

OPTIONS = ChunkOptions()
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "docs"


def page(text: str, title: str = "", path: str = "a.md") -> Document:
    return Document("d", path, text, title)


def check(document: Document, chunks: tuple[Chunk, ...], options: ChunkOptions) -> None:
    before = 0
    for position, piece in enumerate(chunks):
        assert document.text[piece.start : piece.end] == piece.text
        assert piece.text.strip()
        assert len(piece.text) <= options.size
        assert piece.start >= before
        assert piece.position == position
        before = piece.end
    assert len({piece.id for piece in chunks}) == len(chunks)


def fence_marks(text: str) -> int:
    return len(re.findall(r"^```", text, re.MULTILINE))


def without_marks(text: str) -> str:
    """The text without the marks of fences and white space around it."""
    return re.sub(r"```(?:python)?|~~~(?: yaml)?", "", text).strip()


PROSE = "The refund is paid within thirty days of the return. " * 12


def test_a_short_document_is_one_chunk_and_white_space_is_none() -> None:
    text = "# FAQ\n\n" + "word " * 40
    (only,) = chunk(page(text), OPTIONS)
    assert only.text == text.strip()
    assert only.full_text == only.text
    assert chunk(page(" \n\n \t"), OPTIONS) == ()


def test_context_is_the_path_of_headings_above() -> None:
    text = (
        f"# Refunds\n\n{PROSE}\n\n## Plans\n\n{PROSE}\n\n### Pro\n\n{PROSE}\n\n{PROSE}\n\n## Other\n\n{PROSE}"
    )
    contexts = [(piece.context, piece.text.split("\n")[0][:10]) for piece in chunk(page(text), OPTIONS)]
    assert contexts == [
        ("", "# Refunds"),
        ("Refunds", "## Plans"),
        ("Refunds > Plans", "### Pro"),
        ("Refunds > Plans > Pro", "The refund"),
        ("Refunds", "## Other"),
    ]


def test_the_title_leads_the_path_once() -> None:
    assert chunk(page(PROSE, "Refunds"), OPTIONS)[0].context == "Refunds"
    assert chunk(page(f"# refunds\n\n{PROSE}", "Refunds"), OPTIONS)[0].context == ""
    assert chunk(page(f"## Plans\n\n{PROSE}", "Refunds"), OPTIONS)[0].context == "Refunds"


def test_comments_in_code_are_no_headings_and_fences_are_balanced() -> None:
    code = "".join(f"# comment {number}\nvalue_{number} = {number}\n\n" for number in range(120))
    text = (
        f"# Title\n\n{PROSE}\n\n## Code\n\nRun this:\n\n```python\n{code}```\n\nDone.\n\n## After\n\n{PROSE}"
    )
    chunks = chunk(page(text), OPTIONS)
    check(page(text), chunks, OPTIONS)
    assert len(chunks) > 5
    assert not any("comment" in piece.context for piece in chunks)
    assert all(fence_marks(piece.full_text) % 2 == 0 for piece in chunks)
    shown = "\n".join(piece.text for piece in chunks)
    assert all(f"value_{number} = {number}\n" in shown + "\n" for number in range(120))
    last = next(piece for piece in chunks if "value_119" in piece.text)
    assert last.context == "Title > Code\n\n```python"


def test_each_part_of_a_long_table_has_its_header() -> None:
    rows = "".join(f"| plan {number} | {number} days of refund for this plan |\n" for number in range(80))
    text = f"# Plans\n\n| Plan | Days |\n|---|---|\n{rows}\nAfter the table."
    chunks = chunk(page(text), OPTIONS)
    assert len(chunks) > 3
    assert all("| Plan | Days |\n|---|---|" in piece.full_text for piece in chunks if "| plan" in piece.text)
    assert all(line in text.split("\n") for piece in chunks for line in piece.text.split("\n"))


def test_chinese_is_cut_at_the_ends_of_sentences() -> None:
    text = "退款在三十天内处理。您可以在账户中申请吗？当然可以！" * 1400
    for path in ("a.md", "a.txt"):
        document = page(text, path=path)
        chunks = chunk(document, OPTIONS)
        check(document, chunks, OPTIONS)
        assert sum(len(piece.text) for piece in chunks) == len(text)
        assert {piece.text[-1] for piece in chunks} <= set("。？！")


def test_ids_repeat_and_twins_differ() -> None:
    text = "\n\n".join([PROSE] * 3)
    first, again = chunk(page(text), OPTIONS), chunk(page(text), OPTIONS)
    assert [piece.id for piece in first] == [piece.id for piece in again]
    assert len({piece.text for piece in first}) == 1
    assert len({piece.id for piece in first}) == 3
    shifted = chunk(page(f"New.\n\n{'x' * 900}\n\n{PROSE}"), OPTIONS)
    assert shifted[-1].id == first[0].id


def test_headings_go_with_what_they_introduce() -> None:
    code = "\n".join("some: value of the listing" for _ in range(43))
    text = f"# A\n\n## B\n\n{PROSE}\n\n{PROSE}\n\n### C\n\n```\n{code}\n```\n\n## See also\n\n- x"
    chunks = chunk(page(text), OPTIONS)
    check(page(text), chunks, OPTIONS)
    assert all(re.search(r"^[^#\n]", piece.text, re.MULTILINE) for piece in chunks)
    assert chunks[-1].text.endswith("## See also\n\n- x")
    assert len(chunks[-1].text) >= SMALL


def test_a_document_of_headings_is_still_one_chunk() -> None:
    (only,) = chunk(page("# A\n\n## B\n\n# C"), OPTIONS)
    assert only.text == "# A\n\n## B\n\n# C"


def test_plain_text_has_no_headings() -> None:
    text = f"# comment\n\n{PROSE}\n\n{PROSE}"
    assert {piece.context for piece in chunk(page(text, path="a.txt"), OPTIONS)} == {""}


def test_footers_of_many_pages_are_cut_off() -> None:
    footer = "Need help? Write to support@acme.example or ask in the forum."
    pages = [
        Document(
            str(number), f"{number}.md", f"# Page {number}\n\nText {number}.\n\n---\n\n## Help\n\n{footer}"
        )
        for number in range(20)
    ]
    footers = boilerplate(pages)
    assert len(footers) == 1
    for number, document in enumerate(pages):
        (only,) = chunk(document, OPTIONS, footers)
        assert only.text == f"# Page {number}\n\nText {number}."
    assert chunk(page(footer), OPTIONS, footers) == ()
    inside = page(f"{footer}\n\nThe footer is not at the end here.")
    assert chunk(inside, OPTIONS, footers)[0].text == inside.text


def test_what_few_pages_share_is_no_footer() -> None:
    footer = "Need help? Write to support@acme.example or ask in the forum."
    four = [page(f"Text {number}.\n\n{footer}") for number in range(4)]
    many = [page(f"Text {number}.") for number in range(30)]
    assert boilerplate(four) == frozenset()
    assert boilerplate([*four, page(f"One.\n\n{footer}"), *many]) == frozenset()
    assert boilerplate([page(f"Text {number}.\n\nSee below.") for number in range(9)]) == frozenset()


def test_impossible_sizes_are_refused() -> None:
    for size, minimum in ((100, 200), (0, 0), (10, 0)):
        with pytest.raises(SettingsError, match="impossible"):
            ChunkOptions(size, minimum)


BLOCKS = st.sampled_from(
    [
        "# Heading\n",
        "## Other heading\n",
        "Setext\n---\n",
        "```python\n# comment\nx = 1\n\ny = 2\n```\n",
        "```\n",
        "~~~ yaml\nkey: value\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        "- item\n  - nested\n",
        "退款在三十天内处理。您可以申请吗？\n",
        "Family 👩‍👩‍👧‍👦 e\u0301 🇩🇪 words and words.\n",
        "\n",
        "A sentence about refunds. And another one, which is longer.\n",
    ]
)


@given(st.lists(BLOCKS, max_size=30).map("".join), st.integers(40, 400), st.booleans())
def test_slices_are_exact_whatever_the_text(text: str, size: int, plain: bool) -> None:
    options = ChunkOptions(size, size // 4)
    document = page(text, "Title", "a.txt" if plain else "a.md")
    chunks = chunk(document, options)
    check(document, chunks, options)
    assert chunks or not without_marks(text)
    borders = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    assert {offset for piece in chunks for offset in (piece.start, piece.end)} <= borders
    if not plain:
        covered = {index for piece in chunks for index in range(piece.start, piece.end)}
        missing = "".join(" " if index in covered else letter for index, letter in enumerate(text))
        # Only headings and fence marks may be left to the context.
        rest = re.sub(r"#+ (?:Other h|H)eading|Setext\n---", "", missing)
        assert without_marks(rest) == ""


@pytest.mark.parametrize("name", ["prometheus", "argo-cd"])
def test_real_documentation(name: str) -> None:
    root = DATA / name
    if not root.is_dir():
        pytest.skip(f"{root} is missing: the shared evaluation data are not on this machine")
    documents = [item for item in load(root, name) if isinstance(item, Document)]
    chunks = [piece for document in documents for piece in chunk(document, OPTIONS)]
    for document in documents:
        check(document, chunk(document, OPTIONS), OPTIONS)
    assert len(chunks) > 1000
    assert sum(len(piece.text) < SMALL for piece in chunks) < 0.01 * len(chunks)
    odd = [piece for piece in chunks if len(re.findall(r"^\s*```", piece.full_text, re.MULTILINE)) % 2]
    assert len(odd) < 0.005 * len(chunks)
