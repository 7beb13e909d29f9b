"""Files that are damaged, or made to harm: sensible text or a reason, in a bounded time and memory."""

import io
import json
import os
import re
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from goldgen.corpus import read_corpus
from goldgen.corpus.chunk import ChunkOptions
from goldgen.corpus.docx import parse_docx
from goldgen.corpus.formats import PARSERS
from goldgen.corpus.html import parse_html
from goldgen.corpus.load import load
from goldgen.corpus.parsed import Parsed, Unread, without_blobs
from goldgen.corpus.pdf import parse_pdf
from goldgen.corpus.rst import parse_rst
from goldgen.corpus.walk import walk
from goldgen.types import Document, SkippedFile

FILES = Path(__file__).parent / "files"
SECONDS = 5.0
"""Far more than these take, and far less than what grows with the square of a text would."""


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".md", "{{% " * 20_000),
        (".md", "<!--\n" * 20_000),
        (".md", '<img alt="' * 20_000),
        (".md", "<pre>\n" * 20_000),
        (".md", "<table>\n" * 5_000),
        (".md", "<script>" * 20_000),
        (".md", "<script>a</script>" + "<style>" * 20_000 + "</script>"),
        (".md", "{% highlight x %}\n" * 5_000),
        (".md", "{% " * 20_000),
        (".txt", "data:image/svg+xml,<svg " * 20_000),
        (".rst", "*a " * 20_000),
        (".adoc", "link:a[" * 10_000),
        (".adoc", "menu:" * 20_000),
        (".adoc", "image:a[" * 20_000),
        (".adoc", f":a: {'{a}' * 10}\n\n{{a}} text"),
        (".html", "<table>" + "".join(f"<tr><td>E{n}<td>Meaning" for n in range(2_000))),
        (".html", "<body>" + "<li>item <p>para <td>cell" * 1_000),
        (".ipynb", '{"cells": [{"cell_type": "heading", "level": 1000000000, "source": "Head"}]}'),
    ],
)
def test_marks_that_are_never_closed_take_linear_time(suffix: str, text: str) -> None:
    begin = time.process_time()
    assert isinstance(PARSERS[suffix](text.encode()), Parsed | Unread)
    without_blobs(text)
    assert time.process_time() - begin < SECONDS


def test_declarations_that_are_none_lose_no_text() -> None:
    assert "text one" in parse_html("<![x[ a ]]><p>text one").text
    assert "text two" in parse_html("<p>text two</p><![[[").text


def test_a_page_without_end_tags_has_its_rows_and_paragraphs_side_by_side() -> None:
    page = "<table><tr><th>Code<th>Text<tr><td>E1<td>One<tr><td>E2<td>Two</table><p>first<p>second"
    assert (
        parse_html(page).text
        == "| Code | Text |\n| --- | --- |\n| E1 | One |\n| E2 | Two |\n\nfirst\n\nsecond"
    )
    nested = "<ul><li>a<ul><li>b<li>c</ul><li>d</ul><table><tr><td><p>in<p>cell<td>next</table>"
    assert parse_html(nested).text == "- a\n  - b\n  - c\n- d\n\n| in cell | next |\n| --- | --- |"


def test_a_long_line_of_rst_is_kept_as_it_stands() -> None:
    line = "One *word and more. " * 600
    assert parse_rst(f"Title\n=====\n\n{line}").text == f"Title\n=====\n\n{line}"
    assert parse_rst(f"Title\n=====\n\n.. {'A1' * 9_000}\n\n*Text* below.").text == "# Title\n\nText below."


def changed(raw: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for part in source.infolist():
            made.writestr(part.filename, change(part.filename, source.read(part)))
    return target.getvalue()


def with_flag(raw: bytes, offset: int, value: int) -> bytes:
    """The same archive with a byte of each entry of its directory set."""
    entries = [match.start() for match in re.finditer(b"PK\x01\x02", raw)]
    target = bytearray(raw)
    for entry in entries:
        target[entry + offset] = value
    return bytes(target)


def test_word_files_that_are_bombs_or_damaged_say_so() -> None:
    raw = (FILES / "pandoc.docx").read_bytes()

    def bomb(name: str, content: bytes) -> bytes:
        piece = b"<w:p><w:r><w:t>more and more</w:t></w:r></w:p>" * 1000
        return (
            content.replace(b"<w:body>", b"<w:body>" + piece * 450)
            if name.endswith("document.xml")
            else content
        )

    def in_no_encoding(name: str, content: bytes) -> bytes:
        return content.replace(b"UTF-8", b"UTX-8") if name.endswith("document.xml") else content

    reasons = [
        parse_docx(changed(raw, bomb)),
        parse_docx(changed(raw, in_no_encoding)),
        parse_docx(with_flag(raw, 8, 1)),
        parse_docx(with_flag(raw, 10, 99)),
    ]
    damaged = "not a DOCX that can be opened; it may be damaged"
    assert reasons == [
        Unread("its text unpacks to more than 20 MB; split it"),
        Unread(damaged),
        Unread("encrypted; save a copy without its password"),
        Unread(damaged),
    ]


def test_a_pdf_with_letters_of_a_size_below_nothing_is_read() -> None:
    page = b"BT /F1 -12 Tf -1 0 0 -1 72 700 Tm (Refunds take thirty days.) Tj ET"
    raw = (
        b"%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>endobj\n4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n"
        b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF"
    ) % (len(page), page)
    found = parse_pdf(raw)
    assert isinstance(found, Parsed)
    assert found.text == "Refunds take thirty days."


def test_half_a_letter_in_json_becomes_a_sign_that_can_be_stored(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "Half \ud83d of it"}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {"title": "T\udc00"}}), "utf-8")
    (document,) = load(tmp_path, "docs")
    assert isinstance(document, Document)
    assert (document.text, document.title) == ("Half □ of it", "T□")


def test_folders_that_are_nested_beyond_reason_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.", "utf-8")
    (tmp_path / Path(*["d"] * 300)).mkdir(parents=True)
    fine, deep = walk(tmp_path)
    assert fine.relative == "a.md"
    assert deep.skip == "a folder below more than 100 others is not read"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_utf_8_is_written_out(tmp_path: Path) -> None:
    for name in (b"caf\xe9.md", b"caf\xe8.md", b"caf\xc3\xa9.md"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("Text.", "utf-8")
    assert [entry.relative for entry in walk(tmp_path)] == ["caf\\xe8.md", "caf\\xe9.md", "café.md"]


def test_a_table_wider_than_the_limit_is_no_blob() -> None:
    row = "|" + "|".join(f"value{number}" for number in range(400)) + "|"
    assert without_blobs(row) == row
    assert without_blobs("a=b;" * 1000) == "[data]"


def test_names_of_all_kinds_are_read_and_counted(tmp_path: Path) -> None:
    names = [
        "new\nline.md",
        "tab\t.md",
        "rtl\u202eabc.md",
        "%s.md",
        "-rf.md",
        "~.md",
        " space .md",
        "👩‍👩‍👧.md",
    ]
    for name in names:
        (tmp_path / name).write_text(f"Text of {name!a}.", "utf-8")
    os.mkfifo(tmp_path / "pipe.md")
    found = list(read_corpus(tmp_path, "docs", tmp_path, ChunkOptions()))
    assert [item for item in found if isinstance(item, SkippedFile)] == [
        SkippedFile("pipe.md", "neither a file nor a folder")
    ]
    assert len(found) == len(names) + 1
