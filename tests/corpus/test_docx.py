"""Word documents: what stands in them now, without what was deleted, with their tables."""

import copy
import io
from pathlib import Path

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from goldgen.corpus.docx import parse_docx
from goldgen.corpus.parsed import Parsed, Unread

FILES = Path(__file__).parent / "files"
NS = nsdecls("w")
CHANGE = f'{NS} w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"'


def saved(document: object) -> bytes:
    target = io.BytesIO()
    document.save(target)  # type: ignore[attr-defined] -- python-docx names its class only in a submodule
    return target.getvalue()


def parsed(raw: bytes) -> Parsed:
    found = parse_docx(raw)
    assert isinstance(found, Parsed), found
    return found


def reason(raw: bytes) -> str:
    found = parse_docx(raw)
    assert isinstance(found, Unread)
    return found.reason


def test_deleted_text_is_out_and_inserted_and_moved_text_is_in() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Goods may be returned within ")
    for change in (
        f"<w:del {CHANGE}><w:r><w:delText>sixty </w:delText></w:r></w:del>",
        f'<w:ins {CHANGE}><w:r><w:t xml:space="preserve">thirty </w:t></w:r></w:ins>',
        f'<w:moveFrom {CHANGE}><w:r><w:t xml:space="preserve">gone </w:t></w:r></w:moveFrom>',
        f'<w:moveTo {CHANGE}><w:r><w:t xml:space="preserve">whole </w:t></w:r></w:moveTo>',
    ):
        paragraph._p.append(parse_xml(change))  # pyright: ignore[reportPrivateUsage] -- no public way
    paragraph.add_run("days.")
    assert parsed(saved(document)).text == "Goods may be returned within thirty whole days."


def test_a_document_of_nothing_but_a_table_has_its_rows() -> None:
    document = docx.Document()
    table = document.add_table(0, 2)
    for plan, days in (("Plan", "Days"), ("Free|trial", "14"), ("Pro", "30")):
        row = table.add_row()
        row.cells[0].text, row.cells[1].text = plan, days
    deleted = copy.deepcopy(table.rows[2]._tr)  # pyright: ignore[reportPrivateUsage] -- no public way
    deleted.insert(0, parse_xml(f"<w:trPr {NS}><w:del {CHANGE}/></w:trPr>"))
    table._tbl.append(deleted)  # pyright: ignore[reportPrivateUsage] -- no public way
    expected = "| Plan | Days |\n| --- | --- |\n| Free\\|trial | 14 |\n| Pro | 30 |"
    assert parsed(saved(document)).text == expected


def test_headings_lists_and_properties() -> None:
    document = docx.Document()
    document.core_properties.title = "Handbook & more"
    document.core_properties.author = "Acme"
    document.add_heading("Rules", 2)
    document.add_paragraph("first", style="List Bullet")
    document.add_paragraph("second", style="List Bullet")
    document.sections[0].footer.paragraphs[0].text = "Confidential"
    found = parsed(saved(document))
    assert found.text == "## Rules\n\n- first\n- second"
    assert found.title == "Handbook & more"
    assert found.metadata == {"title": "Handbook & more", "author": "Acme"}


def test_a_document_by_pandoc() -> None:
    found = parsed((FILES / "pandoc.docx").read_bytes())
    assert found.title == "Refund handbook"
    blocks = found.text.split("\n\n")
    assert "A customer may return goods within thirty days of delivery.[1] See the plans." in blocks
    assert (
        "| Plan | Days | Fee |\n| --- | --- | --- |\n| Free | 14 | 3 euros |\n| Pro | 30 | none |" in blocks
    )
    assert "1. First step\n   - nested item\n2. Second step" in blocks
    assert "> A quotation." in blocks
    assert "```\n# not a heading\ndef refund():\n    return 30\n```" in blocks
    assert "Line with `code`, bold and math x^2+y=3." in blocks
    assert blocks[-1] == "1. The day of delivery counts."


def test_a_document_by_libreoffice_with_tracked_changes() -> None:
    text = parsed((FILES / "libreoffice.docx").read_bytes()).text
    assert "Goods may be returned within thirty days of delivery." in text.split("\n\n")
    assert "sixty " not in text.split("Business customers")[0]
    assert "| Pro | 30 | No fee. |" in text
    assert "## Plans" in text.split("\n\n")


def test_what_cannot_be_opened_says_why() -> None:
    assert reason(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 100).startswith("encrypted")
    assert "damaged" in reason(b"PK")
    whole = saved(docx.Document())
    assert "damaged" in reason(whole[: len(whole) // 2])
    assert reason(whole) == "holds no text"
