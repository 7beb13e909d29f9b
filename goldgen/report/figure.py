"""A figure with what it shows in words and numbers, and its forms: for a page, as a file of SVG, as PNG."""

import re
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from goldgen.report.canvas import drawing
from goldgen.report.format import clean
from goldgen.report.style import LIGHT
from goldgen.report.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG_DPI = 200
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif"
_NAMES = {colour: name for name, colour in LIGHT.items()}
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_REFERENCE = re.compile(r"#([\w-]+)")
_FONT = re.compile(r"font: (?:(?P<weight>\w+) )?(?P<size>[\d.]+px)[^;]*")


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """One figure of a report."""

    name: str
    """Unlike all others of its report, fit for the name of a file."""
    title: str
    alt: str
    """What it shows, for who does not see it."""
    table: Table
    """Its numbers."""
    drawing: "Figure"
    note: str = ""
    """How to read it."""


def svg(figure: ReportFigure) -> str:
    """A file of its own, in light colours, with text as text."""
    root = _tree(figure)
    title, alt = ElementTree.Element("title"), ElementTree.Element("desc")
    title.text, alt.text = figure.title, figure.alt
    root[:0] = [title, alt]
    root.attrib |= {"xmlns": "http://www.w3.org/2000/svg", "font-family": _FONTS}
    return clean(
        f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
    )


def page_svg(figure: ReportFigure) -> str:
    """For a page: its colours are those of the page's style sheet, its font is the page's."""
    root = _tree(figure)
    del root.attrib["width"], root.attrib["height"]
    root.set("aria-label", figure.alt)
    for element in root.iter():
        if style := element.get("style"):
            element.set("style", _COLOUR.sub(_variable, style))
    return ElementTree.tostring(root, encoding="unicode")


def png(figure: ReportFigure) -> bytes:
    """An image in light colours, 1,000 pixels wide."""
    with drawing():
        buffer = BytesIO()
        figure.drawing.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return buffer.getvalue()


def _tree(figure: ReportFigure) -> ElementTree.Element:
    """What matplotlib writes, without name spaces, metadata, own fonts, and ids that nothing refers to."""
    with drawing():
        buffer = BytesIO()
        figure.drawing.savefig(buffer, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(buffer.getvalue())
    for element in root.iter():
        element.tag = _local(element.tag)
        element.attrib = {_local(name): value for name, value in element.attrib.items()}
        if element.tag != "text":
            element.text = None
        element.tail = None
    for parent in root.iter():
        for child in [child for child in parent if child.tag in ("metadata", "style")]:
            parent.remove(child)
    _keep_own_ids(root, figure.name)
    _inherit_fonts(root)
    root.attrib |= {"role": "img", "stroke-linejoin": "round"}
    return root


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _keep_own_ids(root: ElementTree.Element, name: str) -> None:
    """Two figures on one page must not share an id."""
    used = {
        match
        for element in root.iter()
        for attribute, value in element.attrib.items()
        if attribute in ("href", "clip-path", "style")
        for match in _REFERENCE.findall(value)
    }
    for element in root.iter():
        if (own := element.get("id")) is not None:
            del element.attrib["id"]
            if own in used:
                element.set("id", f"{name}-{own}")
        if (target := element.get("href")) is not None:
            element.set("href", f"#{name}-{target[1:]}")
        if (path := element.get("clip-path")) is not None:
            element.set("clip-path", path.replace("#", f"#{name}-"))


def _inherit_fonts(root: ElementTree.Element) -> None:
    for element in root.iter("text"):
        element.set("style", _FONT.sub(_size_and_weight, element.get("style", "")))


def _size_and_weight(font: re.Match[str]) -> str:
    weight = f"; font-weight: {font['weight']}" if font["weight"] else ""
    return f"font-size: {font['size']}{weight}"


def _variable(colour: re.Match[str]) -> str:
    name = _NAMES.get(colour[0])
    return f"var(--{name})" if name else colour[0]
