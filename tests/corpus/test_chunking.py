"""Chunks: exact slices with the context to be read alone."""

import re
from pathlib import Path

import pytest

from goldgen.corpus.boilerplate import SharedText, boilerplate
from goldgen.corpus.chunk import ChunkOptions, chunk
from goldgen.corpus.load import load
from goldgen.errors import SettingsError
from goldgen.types import Chunk, Document

OPTIONS = ChunkOptions()
SMALL = 80
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
    assert len(chunks) == 5
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


def test_footers_and_menus_of_many_pages_are_cut_off() -> None:
    footer = "Need help? Write to support@acme.example or ask in the forum."
    pages = [
        Document(
            str(number), f"{number}.md", f"# Page {number}\n\nText {number}.\n\n---\n\n## Help\n\n{footer}"
        )
        for number in range(20)
    ]
    footers = boilerplate(pages)
    assert len(footers.ends) == 1
    for number, document in enumerate(pages):
        (only,) = chunk(document, OPTIONS, footers)
        assert only.text == f"# Page {number}\n\nText {number}."
    assert chunk(page(footer), OPTIONS, footers) == ()
    inside = page(f"Something else.\n\n{footer}\n\nThe footer is not at the end here.")
    assert chunk(inside, OPTIONS, footers)[0].text == inside.text
    above = page(f"{footer}\n\nIt stands above the text here, as a menu does.")
    (below,) = chunk(above, OPTIONS, footers)
    assert (
        below.text == above.text[below.start : below.end] == "It stands above the text here, as a menu does."
    )


def test_what_few_pages_share_is_no_footer() -> None:
    footer = "Need help? Write to support@acme.example or ask in the forum."
    four = [page(f"Text {number}.\n\n{footer}") for number in range(4)]
    many = [page(f"Text {number}.") for number in range(30)]
    assert boilerplate(four) == SharedText()
    assert boilerplate([*four, page(f"One.\n\n{footer}"), *many]) == SharedText()
    assert boilerplate([page(f"Text {number}.\n\nSee below.") for number in range(9)]) == SharedText()


def test_impossible_sizes_are_refused() -> None:
    for size, minimum in ((100, 200), (0, 0), (10, 0)):
        with pytest.raises(SettingsError, match="impossible"):
            ChunkOptions(size, minimum)
    for size, overlap in ((100, 51), (100, -1)):
        with pytest.raises(SettingsError, match=f"overlap of {overlap}"):
            ChunkOptions.of_size(size, overlap)


def test_a_heading_is_never_parted_from_what_it_introduces() -> None:
    full = "A sentence of the section about refunds. " * 29  # fits alone, and not with its headings
    text = f"# Guide\n\n## Refunds\n\n{full}\n\n### Empty\n\n### Last\n\n{full}\n\n## See also"
    chunks = chunk(page(text), OPTIONS)
    check(page(text), chunks, OPTIONS)
    assert chunks[0].text.startswith("# Guide\n\n## Refunds\n\nA sentence")
    assert any("### Empty\n\n### Last\n\nA sentence" in piece.text for piece in chunks)
    assert chunks[-1].text.endswith("refunds. \n\n## See also")
    assert "".join(piece.text for piece in chunks).count("#") == text.count("#")


def test_a_fence_that_fits_is_whole_though_its_heading_has_no_room() -> None:
    code = "```yaml\n" + "key: value of the listing\n" * 45 + "```"
    text = f"# Guide\n\n{PROSE}\n\n## An example of it, in full\n\n{code}\n\n## After\n\n{PROSE}"
    chunks = chunk(page(text), OPTIONS)
    check(page(text), chunks, OPTIONS)
    assert [piece.context for piece in chunks if code in piece.text] == ["Guide > An example of it, in full"]


def test_an_oversized_fence_says_in_its_context_what_it_is() -> None:
    code = "".join(f"# step {number}\nrun --number {number}\n" for number in range(100))
    for opening, end in (("```bash", "```"), ("~~~", "~~~"), ("```bash", "")):
        text = f"# A\n\nRun this:\n\n{opening}\n{code}{end}"
        chunks = chunk(page(text), OPTIONS)
        check(page(text), chunks, OPTIONS)
        assert chunks[0].text == "# A\n\nRun this:"
        note = "Part of a block of code" + (" (bash)" if "bash" in opening else "")
        assert {piece.context for piece in chunks[1:]} == {f"A\n\n{note}"}
        assert "\n".join(piece.text for piece in chunks[1:]) == code.strip()


def test_an_unclosed_fence_loses_nothing_but_its_mark() -> None:
    (only,) = chunk(page("# Title\n```"), OPTIONS)
    assert only.text == "# Title"
    heading, code = chunk(page("# A\n\n# B\n```\n# comment"), OPTIONS)
    assert (heading.text, code.text) == ("# A", "# comment")
    assert code.context == "B\n\nPart of a block of code"


def test_a_short_last_part_is_joined() -> None:
    paragraph = "The refund is paid within thirty days of the return. " * 7
    text = f"# A\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n\nThe end."
    sizes = [len(piece.text) for piece in chunk(page(text), OPTIONS)]
    assert len(sizes) == 1
    longer = [len(piece.text) for piece in chunk(page(text + "\n\n" + "It is late. " * 20), OPTIONS)]
    assert len(longer) == 2
    assert min(longer) > 300


def test_a_paragraph_of_wrapped_lines_is_cut_at_sentences() -> None:
    sentence = "The refund is paid\nwithin thirty days of the return\nof the goods in question."
    chunks = chunk(page(" ".join([sentence] * 30)), ChunkOptions.of_size(400))
    assert len(chunks) > 5
    assert all(piece.text.endswith("in question.") for piece in chunks)


@pytest.mark.parametrize("name", ["prometheus", "argo-cd"])
def test_real_documentation(name: str) -> None:
    root = DATA / name
    if not root.is_dir():
        pytest.skip(f"{root} is missing: the shared evaluation data are not on this machine")
    documents = [item for item in load(root, name) if isinstance(item, Document)]
    chunks = [piece for document in documents for piece in chunk(document, OPTIONS)]
    for document in documents:
        check(document, chunk(document, OPTIONS), OPTIONS)
    assert len(chunks) > 900
    assert sum(len(piece.text) < SMALL for piece in chunks) < 0.01 * len(chunks)
    odd = [piece for piece in chunks if len(re.findall(r"^\s*```", piece.full_text, re.MULTILINE)) % 2]
    assert len(odd) < 0.005 * len(chunks)
