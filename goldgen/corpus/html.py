"""HTML to Markdown: the content of a page without the menus, banners and footers around it."""

import re
from collections.abc import Iterator

from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from goldgen.corpus.html_tree import page_of
from goldgen.corpus.parsed import Parsed, fenced, markdown_table, not_markup

_DROPPED = re.compile(
    "script|style|noscript|template|svg|iframe|object|canvas|button|input|select|textarea|dialog|nav|footer|head|title"
)
_FRAME = ("header", "aside")
"""Dropped around the content; inside of it they hold its title and its notes."""
_ROLES = {"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "complementary"}
_BANNER = re.compile(r"(?:cookie|consent|gdpr|onetrust|breadcrumb|skip-?(?:link|nav|to))", re.IGNORECASE)
_MENU = re.compile(
    r"(?:(?:site|page|main|global|top|left|right|side|bottom|docs?|bd|wy|md|primary|secondary|mobile)[-_]*)*"
    r"(?:nav|navbar|navigation|navmenu|menu|sidebar|sidenav|footer|topbar|pagination|pager|toc|toctree-wrapper"
    r"|table-?of-?contents|related|language-?(?:list|menu|switcher|selector)|social|share)"
    r"(?:[-_]+(?:links?|menu|list|bar|items?|container|wrapper|buttons?))*",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"(?:headerlink|anchor-?link|hash-link|linenos?|linenodiv|gutter|copy-?(?:btn|button)|sr-only)"
)
_CONTENT = ("html", "body", "main", "article")
_BLOCKS = re.compile(
    "address|article|aside|blockquote|body|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form"
    "|h[1-6r]|header|html|li|main|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_MOST_SPANNED = 100
_LANGUAGE = re.compile(r"(?:language|lang|highlight)-([\w+#-]+)")


def parse_html(html: str) -> Parsed:
    """Convert the main content of a page; the title is its first ``h1``, else the ``title`` element.

    Raises RecursionError for a page nested some hundreds of elements deep.
    """
    soup = page_of(html)
    title_tag = soup.title
    title = _collapsed(title_tag.get_text()) if title_tag else ""
    for tag in soup.find_all(_is_frame):
        tag.extract()
    main = soup.find("main") or soup.select_one("[role=main]")
    content = main if main and main.get_text(strip=True) else soup
    first = content.find("h1")
    text = "\n\n".join(_blocks(content))
    return Parsed(text, (_inline(first) if first else "") or title)


def _is_frame(tag: Tag) -> bool:
    """Whether an element stands around the content: a menu, a banner, a footer, or a control in it."""
    if tag.name in _CONTENT or tag.parent is None:
        return False
    role = _attribute(tag, "role")
    if _DROPPED.fullmatch(tag.name) or role in _ROLES or (tag.has_attr("hidden") and role != "tabpanel"):
        return True
    if tag.name in _FRAME:
        return tag.find_parent(["main", "article"]) is None
    classes = _attribute(tag, "class").split()
    if any(map(_UNSEEN.fullmatch, classes)):
        return True
    # A section on cookies or menus may well have an id of that name, made from its heading.
    is_section = tag.name == "section" or "section" in classes
    names = classes if is_section else [*classes, *_attribute(tag, "id").split()]
    if not any(_BANNER.match(name) or _MENU.fullmatch(name) for name in names):
        return False
    return tag.find_parent(["main", "article"]) is None and tag.find([*_CONTENT, "h1"]) is None


def _attribute(tag: Tag, name: str) -> str:
    value = tag.get(name, "")
    return value if isinstance(value, str) else " ".join(value or ())


def _blocks(tag: Tag) -> Iterator[str]:
    """The Markdown blocks of an element; text between block elements makes paragraphs."""
    inline: list[str] = []
    for child in tag.children:
        if isinstance(child, Tag) and (_is_block(child) or child.find(_is_block)):
            yield from _paragraph("".join(inline))
            inline.clear()
            yield from _block(child)
        else:
            inline.append(_raw_inline(child))
    yield from _paragraph("".join(inline))


def _is_block(tag: Tag) -> bool:
    return _BLOCKS.fullmatch(tag.name) is not None


def _block(tag: Tag) -> Iterator[str]:
    if tag.name in _HEADINGS:
        title = _inline(tag)
        if title:
            yield f"{_HEADINGS[tag.name]} {title}"
    elif tag.name == "pre":
        yield from _code(tag)
    elif tag.name in ("ul", "ol"):
        yield from _list(tag)
    elif tag.name == "table" and tag.find(["table", "pre", "ul", "ol", *_HEADINGS]) is None:
        yield from _table(tag)
    elif tag.name == "blockquote":
        quoted = "\n\n".join(_blocks(tag))
        if quoted:
            yield "\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))
    else:
        yield from _blocks(tag)


def _paragraph(raw: str) -> Iterator[str]:
    lines = [_collapsed(line) for line in raw.split("\n")]
    text = "\n".join(line for line in lines if line)
    if text:
        yield not_markup(text)


def _code(tag: Tag) -> Iterator[str]:
    for line_break in tag.find_all("br"):
        line_break.replace_with("\n")
    code = tag.get_text().strip("\n").rstrip()
    if not code:
        return
    # Some generators name the language on the code element, others on one around the block.
    owners = [tag, *tag.find_all("code"), *list(tag.parents)[:2]]
    found = (_LANGUAGE.search(_attribute(owner, "class")) for owner in owners)
    language = next((match[1] for match in found if match), "")
    yield fenced(code, language)


def _list(tag: Tag) -> Iterator[str]:
    items: list[str] = []
    for number, item in enumerate(tag.find_all("li", recursive=False), start=1):
        mark = f"{number}. " if tag.name == "ol" else "- "
        # Nested lists follow their item closely; other blocks of an item keep a blank line.
        text = re.sub(r"\n\n(?=(?:- |\d+\. ))", "\n", "\n\n".join(_blocks(item)))
        if text:
            items.append(mark + text.replace("\n", "\n" + " " * len(mark)))
    if items:
        yield re.sub(r"(?m)^[ ]+$", "", "\n".join(items))


def _table(tag: Tag) -> Iterator[str]:
    caption = tag.find("caption")
    if caption:
        yield from _paragraph(_raw_inline(caption))
    rows = [row for row in _grid(tag) if any(row)]
    if rows:
        yield markdown_table(rows)


def _grid(table: Tag) -> list[list[str]]:
    """The cells of each row; one that spans rows stands in each, one that spans columns in the first."""
    rows: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    """Column to the rows that a cell above still reaches into, and its text."""
    for row in table.find_all("tr"):
        texts: list[str] = []
        for cell in row.find_all(["th", "td"]):
            _take_from_above(texts, below)
            text = _collapsed(_raw_inline(cell))
            height, width = _span(cell, "rowspan"), _span(cell, "colspan")
            for column in range(len(texts), len(texts) + width):
                below[column] = (height - 1, text)
            texts += [text, *[""] * (width - 1)]
        _take_from_above(texts, below)
        rows.append(texts)
    return rows


def _take_from_above(texts: list[str], below: dict[int, tuple[int, str]]) -> None:
    while (left := below.get(len(texts), (0, "")))[0] > 0:
        below[len(texts)] = (left[0] - 1, left[1])
        texts.append(left[1])


def _span(cell: Tag, name: str) -> int:
    value = _attribute(cell, name)
    return min(max(int(value), 1), _MOST_SPANNED) if value.isascii() and value.isdigit() else 1


def _inline(tag: Tag) -> str:
    return _collapsed(_raw_inline(tag)).rstrip("¶#").strip()


def _raw_inline(node: PageElement) -> str:
    """Text with ``\\n`` only where the page breaks the line."""
    if isinstance(node, PreformattedString):  # comments and declarations
        return ""
    if isinstance(node, NavigableString):
        return re.sub(r"\s+", " ", str(node))
    if not isinstance(node, Tag):
        return ""
    if node.name == "br":
        return "\n"
    inner = "".join(map(_raw_inline, node.children))
    if node.name == "sup" and re.fullmatch(r"[-+−]?\d+", inner.strip()):
        return f"^{inner.strip()}"
    if node.name in ("code", "kbd", "samp", "tt") and inner.strip() and "`" not in inner:
        return f"`{inner.strip()}`"
    return f" {inner} " if _is_block(node) else inner


def _collapsed(text: str) -> str:
    return " ".join(text.split())
