"""PDF files made by real producers: sensible text, or the reason why there is none."""

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import font_manager
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Table

from goldgen.corpus.bidi import logical_order
from goldgen.corpus.outline import outline
from goldgen.corpus.parsed import Parsed, Unread
from goldgen.corpus.pdf import parse_pdf

LEFT = (
    "A customer may return goods within thirty days of delivery. The refund is paid to the card that was "
    "used for the purchase, and it takes five working days. A fee of three euros is kept where the label "
    "was lost by the customer."
)
RIGHT = (
    "Business customers have sixty days. They send the form that stands on the portal, and the account "
    "manager approves every refund above one thousand euros by hand, mostly on the same day."
)


def drawn(*pages: list[tuple[float, float, float, str]], font: str = "Helvetica") -> bytes:
    """Pages of texts at x, y in a size."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    for page in pages:
        for x, y, size, text in page:
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def parsed(raw: bytes) -> Parsed:
    found = parse_pdf(raw)
    assert isinstance(found, Parsed), found
    return found


def reason(raw: bytes) -> str:
    found = parse_pdf(raw)
    assert isinstance(found, Unread)
    return found.reason


def lines_of(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def test_columns_that_the_file_writes_row_by_row_are_not_fused() -> None:
    left, right = lines_of(LEFT, 42), lines_of(RIGHT, 42)
    rows = [(50.0, 700 - 13.0 * n, 10.0, line) for n, line in enumerate(left)]
    rows += [(320.0, 700 - 13.0 * n, 10.0, line) for n, line in enumerate(right)]
    rows.sort(key=lambda row: -row[1])
    title = (50.0, 760.0, 18.0, "Refunds and the deadlines that hold for them in all countries")
    assert parsed(drawn([title, *rows])).text.split("\n\n") == [
        f"# {title[3]}",
        "\n".join(left),
        "\n".join(right),
    ]


def test_a_page_of_paragraphs_and_a_table_by_reportlab() -> None:
    target = io.BytesIO()
    styles = getSampleStyleSheet()
    frames = [Frame(50, 50, 240, 700), Frame(310, 50, 240, 700)]
    document = BaseDocTemplate(target, title="Handbook", pageTemplates=[PageTemplate(frames=frames)])
    story: list[Flowable] = [
        Paragraph("Deadlines", styles["Heading1"]),
        *(Paragraph(f"{number}. {LEFT}", styles["BodyText"]) for number in range(14)),
        Paragraph("Plans", styles["Heading1"]),
        Table([["Plan", "Days", "Remark"], ["Free", "14", "A fee is kept"], ["Pro", "30", ""]]),
    ]
    document.build(story)
    found = parsed(target.getvalue())
    assert [heading.title for heading in outline(found.text).headings] == ["Deadlines", "Plans"]
    flat = " ".join(found.text.split())
    assert all(f"{number}. {LEFT}" in flat for number in range(14))
    assert (
        "| Plan | Days | Remark |\n| --- | --- | --- |\n| Free | 14 | A fee is kept |\n| Pro | 30 |  |"
        in found.text
    )
    assert found.metadata["title"] == "Handbook"


def test_code_keeps_its_indents() -> None:
    code = ["def refund(days):", "    if days > 30:", "        return None", "    return days"]
    page = [(72.0, 700 - 12.0 * n, 10.0, line) for n, line in enumerate(code)]
    assert parsed(drawn(page, font="Courier")).text == "```\n" + "\n".join(code) + "\n```"


def test_running_headers_and_page_numbers_are_left_out() -> None:
    pages = [
        [
            (50.0, 810.0, 9.0, "Acme handbook, chapter 3"),
            (50.0, 700.0, 10.0, f"Page number {number} says something of its own about refunds."),
            (50.0, 684.0, 10.0, "It is followed by a sentence which all pages share with each other."),
            (300.0, 30.0, 9.0, f"Page {number} of 4"),
        ]
        for number in (1, 2, 3, 4)
    ]
    text = parsed(drawn(*pages)).text
    assert "Acme" not in text
    assert "of 4" not in text
    assert text.count("which all pages share") == 4


def test_words_broken_at_a_line_end_are_whole() -> None:
    page = [
        (50.0, 700.0, 10.0, "The payment of a well-known plan is re-"),
        (50.0, 688.0, 10.0, "funded within a month, as for every well-"),
        (50.0, 676.0, 10.0, "known plan, and a paragraph goes on to the next"),
    ]
    text = parsed(drawn(page, [(50.0, 750.0, 10.0, "page without a break.")])).text
    assert "is refunded within" in text
    assert "every well-known plan" in text
    assert "\n\n" not in text


def test_text_that_runs_from_the_right_comes_in_reading_order() -> None:
    file = font_manager.findfont("DejaVu Sans")
    pdfmetrics.registerFont(TTFont("DejaVuTest", file))
    hebrew = "ההחזר משולם תוך 30 ימים, לפי הסכם (PDF) של החברה."
    arabic_shown = "\ufef2\ufe91\ufead\ufecb"  # the last letter first, each in the form it has in the word
    visual = "." + "הרבחה לש (PDF) םכסה יפל ,םימי 30 ךות םלושמ רזחהה"
    raw = drawn([(200, 700, 12, visual), (200, 650, 12, arabic_shown)], font="DejaVuTest")
    assert parsed(raw).text.split() == [*hebrew.split(), "عربي"]


@given(st.lists(st.sampled_from([*"אבגד", *"abc", *"123", " ", ".", "("]), max_size=20))
@settings(max_examples=60)
def test_no_letter_is_lost_by_turning(visual: list[str]) -> None:
    turned = [letter for letter in logical_order(visual) if letter not in "()"]
    assert sorted(turned) == sorted(letter for letter in visual if letter not in "()")


def scan(*, stamp: str = "", text_page: bool = False) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    canvas.drawImage(ImageReader(Image.new("L", (60, 80), 200)), 0, 0, *A4)
    if stamp:
        canvas.drawString(20, 20, stamp)
    canvas.showPage()
    if text_page:
        canvas.drawString(50, 700, "This page has a text of its own.")
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def test_a_scan_is_named_as_such() -> None:
    assert reason(scan()).startswith("a scan")
    assert reason(scan(stamp="Scanned with AcmeScan")).startswith("a scan")


def test_scanned_pages_among_others_are_named_in_the_metadata() -> None:
    found = parsed(scan(text_page=True))
    assert found.text == "This page has a text of its own."
    assert found.metadata["pages without text"] == "1"


def test_an_encrypted_file_is_named_as_such() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, encrypt="secret")
    canvas.drawString(50, 700, "Not to be read.")
    canvas.save()
    assert reason(target.getvalue()).startswith("encrypted")


@pytest.mark.parametrize("raw", [b"%PDF-1.7\n", b"no PDF at all", drawn([(50, 700, 10, "x")])[:300]])
def test_a_damaged_file_is_named_as_such(raw: bytes) -> None:
    assert "damaged" in reason(raw)


def test_an_empty_page_holds_no_text() -> None:
    assert reason(drawn([])) == "holds no text"


def test_a_page_printed_sideways_is_read_along_its_lines() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    canvas.rotate(90)
    canvas.drawString(100, -200, "The first line of a page that is turned.")
    canvas.drawString(100, -215, "The second line of it.")
    canvas.save()
    text = parsed(target.getvalue()).text
    assert text == "The first line of a page that is turned.\nThe second line of it."


FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("name", ["chromium.pdf", "libreoffice.pdf"])
def test_files_of_other_producers(name: str) -> None:
    """One handbook, printed by Chromium and by LibreOffice: two columns, a table, Hebrew and Arabic."""
    found = parsed((FILES / name).read_bytes())
    headings = [heading.title for heading in outline(found.text).headings]
    assert headings == ["Deadlines", "Plans"]
    flat = " ".join(found.text.split())
    assert LEFT in flat
    assert RIGHT in flat
    assert flat.index(LEFT) < flat.index(RIGHT)
    assert "| Plan | Days | Remark |" in found.text
    assert "| Pro | 30 | No fee. |" in found.text
    assert "ההחזר משולם תוך שלושים ימים, לפי סעיף 12" in found.text
    assert "يُدفع المبلغ خلال ثلاثين يومًا وفق المادة 12 من العقد" in found.text
