"""reStructuredText to Markdown by way of docutils' document tree."""

import io
import re
import textwrap
from collections.abc import Iterator
from typing import cast

from docutils import ApplicationError, nodes
from docutils.core import publish_doctree  # pyright: ignore[reportUnknownVariableType] -- not typed

from goldgen.corpus.parsed import Parsed, fenced, markdown_table, without_blobs

_LONGEST_LINE = 10_000
"""docutils drops a page with a longer one, and takes time that grows with the square of its length."""
_SETTINGS: dict[str, object] = {
    "_disable_config": True,  # a docutils.conf in the working directory is not ours
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "halt_level": 6,
    "line_length_limit": _LONGEST_LINE,
    # Reports of errors are kept in the tree: they hold the text of what docutils does not know.
    "report_level": 2,
    "doctitle_xform": False,  # a lone section stays a section, so that headings keep their depth
    "docinfo_xform": False,
}
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?(?P<name>[\w:+.-]+?)::[ \t]*(?P<argument>.*)")
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s.*)?")
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "prompt", "doctest", "testcode"})
_NO_TEXT = frozenset(
    {
        "toctree",
        "contents",
        "index",
        "include",
        "literalinclude",
        "raw",
        "image",
        "figure",
        "highlight",
        "meta",
    }
)
_SEVERE = 4
_ROLE = re.compile(r":[\w:+.-]+:`(?P<text>[^`]*)`")
_TARGET = re.compile(r"\s*<[^<>]*>$")


def parse_rst(text: str) -> Parsed:
    """Convert a page; no file is included and nothing raw or executed.

    Directives and roles that docutils does not know (Sphinx has many) give their content. What docutils
    cannot parse at all, or has a line that is too long for it, stays as it stands.
    """
    if _has_long_line(text):
        text = without_blobs(text)
        if _has_long_line(text):
            return Parsed(text)
    try:
        document = _doctree(text)
        fields = document.children[0] if document.children else None
        metadata: dict[str, str] = {}
        if isinstance(fields, nodes.field_list):
            metadata = {_inline(name): _inline(body) for name, body in (field.children for field in fields)}
            document.remove(fields)
        converted = "\n\n".join(_Writer(level=0).blocks(document))
    except (ApplicationError, ValueError, TypeError, AttributeError, LookupError):
        return Parsed(text)
    title = document.next_node(nodes.title)
    return Parsed(converted, _inline(title) if title is not None else "", metadata)


def _has_long_line(text: str) -> bool:
    return max(map(len, text.split("\n"))) > _LONGEST_LINE


def _doctree(text: str) -> nodes.document:
    settings = {**_SETTINGS, "warning_stream": io.StringIO()}  # nothing is printed
    return cast("nodes.document", publish_doctree(text, settings_overrides=settings))


class _Writer:
    """Writes nodes as Markdown blocks; ``level`` is the depth of headings above them."""

    def __init__(self, level: int) -> None:
        self._level = level

    def blocks(self, parent: nodes.Element) -> Iterator[str]:
        for node in parent.children:
            if isinstance(node, nodes.Text):
                if node.astext().strip():
                    yield node.astext().strip()
            elif isinstance(node, nodes.Element):
                yield from self._block(node)

    def _block(self, node: nodes.Element) -> Iterator[str]:
        if isinstance(node, nodes.section):
            yield from _Writer(self._level + 1).blocks(node)
        elif isinstance(node, nodes.title | nodes.subtitle):
            yield f"{'#' * min(6, max(1, self._level))} {_inline(node)}"
        elif isinstance(node, nodes.system_message):
            yield from self._unknown(node)
        elif isinstance(node, nodes.literal_block | nodes.doctest_block | nodes.math_block):
            classes: list[str] = node["classes"]
            language = next((name for name in classes if name != "code"), "")
            yield fenced(node.astext(), language)
        elif isinstance(node, nodes.bullet_list | nodes.enumerated_list):
            yield from self._list(node)
        elif isinstance(node, nodes.table):
            yield from _table(node)
        elif isinstance(node, nodes.block_quote):
            yield "\n".join(f"> {line}".rstrip() for line in "\n\n".join(self.blocks(node)).split("\n"))
        elif isinstance(node, nodes.Invisible | nodes.image | nodes.raw | nodes.label) or _is_contents(node):
            return
        elif isinstance(node, nodes.TextElement):
            if text := _inline(node):
                yield text
        else:
            yield from self.blocks(node)

    def _list(self, node: nodes.Element) -> Iterator[str]:
        items: list[str] = []
        for number, item in enumerate(node.children, start=1):
            mark = f"{number}. " if isinstance(node, nodes.enumerated_list) else "- "
            if isinstance(item, nodes.Element) and (text := "\n\n".join(self.blocks(item))):
                items.append(mark + textwrap.indent(text, " " * len(mark)).lstrip())
        if items:
            yield "\n".join(items)

    def _unknown(self, message: nodes.Element) -> Iterator[str]:
        """The content of a directive that docutils could not read."""
        source = message.next_node(nodes.literal_block)
        if source is None:
            return
        first, _, rest = source.astext().partition("\n")
        directive = _DIRECTIVE.match(first.strip())
        if directive is None:
            if message["level"] >= _SEVERE:  # a heading that stands where none may be
                yield next(filter(re.compile(r"\w").search, source.astext().split("\n")), "")
            return
        if directive["name"] in _NO_TEXT:
            return
        lines = textwrap.dedent(rest).split("\n")
        while lines and (not lines[0].strip() or _OPTION.fullmatch(lines[0])):
            lines.pop(0)
        body = "\n".join(lines)
        if directive["name"] in _CODE:
            yield fenced(body, directive["argument"].strip())
            return
        if directive["argument"].strip():
            yield _without_roles(directive["argument"].strip())
        if body.strip():
            yield from _Writer(self._level).blocks(_doctree(body))


def _is_contents(node: nodes.Element) -> bool:
    return isinstance(node, nodes.topic) and "contents" in node["classes"]


def _table(table: nodes.Element) -> Iterator[str]:
    title = next((child for child in table.children if isinstance(child, nodes.title)), None)
    if title is not None:
        yield _inline(title)
    rows = [[_inline(entry) for entry in row.findall(nodes.entry)] for row in table.findall(nodes.row)]
    if rows:
        yield markdown_table(rows)


def _inline(node: nodes.Node) -> str:
    """The text of a node, code in backticks."""
    if isinstance(node, nodes.literal):
        return f"`{node.astext()}`"
    if isinstance(node, nodes.problematic):
        return _without_roles(node.astext())
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.image | nodes.system_message | nodes.Invisible):
        return ""
    between = "" if isinstance(node, nodes.TextElement) else " "
    return between.join(map(_inline, node.children))


def _without_roles(text: str) -> str:
    """``:ref:`the page <target>``` reads "the page"."""
    return _ROLE.sub(lambda match: _TARGET.sub("", match["text"]).lstrip("~!"), text)
