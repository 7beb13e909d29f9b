"""AsciiDoc to Markdown: sections, lists, code and tables; includes are not followed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from goldgen.corpus.asciidoc_inline import inline
from goldgen.corpus.asciidoc_table import TABLE_MARK, table
from goldgen.corpus.parsed import Parsed, fenced, not_markup

_SECTION = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+(?P=marks))?[ \t]*")
_ATTRIBUTE = re.compile(r":(?P<off>!?)(?P<name>\w[\w-]*)(?P<off_after>!?):(?:[ \t]+(?P<value>.*))?")
_BLOCK_ATTRIBUTES = re.compile(r"\[(?P<list>(?:[^\[\]]|\[[^\]]*\])*)\][ \t]*")
_BLOCK_TITLE = re.compile(r"\.(?P<title>[^\s.].*)")
_DELIMITER = re.compile(r"-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|`{3,}.*")
_CODE_MARKS = "-.`"
_UNSEEN_MARKS = "/+"
"""Comments, and what is passed on to HTML as it stands."""
_DIRECTIVE = re.compile(r"(?:include|image|video|audio|toc|ifdef|ifndef|ifeval|endif)::\S*\[.*\][ \t]*")
_RULE = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}")
_ITEM = re.compile(r"[ \t]*(?P<mark>\*{1,5}|-|\.{1,5}|\d+\.|<(?:\d+|\.)>)[ \t]+(?P<text>\S.*)")
_TERM = re.compile(r"[ \t]*(?P<term>\S.*?)(?:::{1,3}|;;)(?:[ \t]+(?P<text>.*))?")
_CODE_STYLES = ("source", "listing", "literal")
_AUTHOR_OR_REVISION = re.compile(r"[^\W\d_][^<>]*<[^<>\s]+>.*|v?\d+(?:\.\d+)*\b.*\d{4}.*|v\d[\w.]*,?.*")


@dataclass(slots=True)
class _Reader:
    """The lines that are left, and the attributes defined so far."""

    lines: Sequence[str]
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    at: int = 0

    def peek(self) -> str | None:
        return self.lines[self.at] if self.at < len(self.lines) else None

    def until(self, mark: str) -> list[str]:
        """The lines up to the next one that is ``mark``; all if there is none."""
        start = self.at
        end = next(
            (i for i in range(start, len(self.lines)) if self.lines[i].rstrip() == mark), len(self.lines)
        )
        self.at = end + 1
        return list(self.lines[start:end])

    def inline(self, text: str) -> str:
        return inline(text, self.attributes)

    def inner(self, lines: Sequence[str]) -> "_Reader":
        return _Reader(lines, self.attributes)


@dataclass(frozen=True, slots=True)
class _Style:
    """What stands in brackets above a block: ``[source,python]``."""

    name: str = ""
    language: str = ""
    text: str = ""


def parse_asciidoc(text: str) -> Parsed:
    """Convert a document; attributes of its header are metadata, the title is its ``=`` line.

    Of conditions (``ifdef``) both branches are kept. What is left open at the end loses no text.
    """
    reader = _Reader([line.rstrip() for line in text.split("\n")])
    title = _header(reader)
    metadata = {name: reader.inline(value) for name, value in reader.attributes.items()}
    heading = [f"# {title}"] if title else []
    return Parsed("\n\n".join([*heading, *_blocks(reader)]), title, metadata)


def _header(reader: _Reader) -> str:
    """Read the title, the author, the revision and the attributes; the title is returned."""
    title = ""
    while (line := reader.peek()) is not None:
        reader.at += 1
        if (match := _SECTION.fullmatch(line)) and len(match["marks"]) == 1 and not title:
            title = match["title"]
        elif _set_attribute(reader, line) or _is_comment(line) or _DIRECTIVE.fullmatch(line):
            pass
        elif (line or title) and not (title and _AUTHOR_OR_REVISION.fullmatch(line)):
            reader.at -= 1
            break
    return reader.inline(title)


def _is_comment(line: str) -> bool:
    return line.startswith("//") and not line.startswith("////")


def _set_attribute(reader: _Reader, line: str) -> bool:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        return False
    if match["off"] or match["off_after"]:
        reader.attributes.pop(match["name"], None)
        return True
    value = match["value"] or ""
    while value.endswith(" \\") and (following := reader.peek()) is not None:
        reader.at += 1
        value = f"{value[:-2]} {following.strip()}"
    reader.attributes[match["name"]] = value
    return True


def _blocks(reader: _Reader) -> Iterator[str]:
    style = _Style()
    while (line := reader.peek()) is not None:
        reader.at += 1
        if not line.strip() or _RULE.fullmatch(line) or _DIRECTIVE.fullmatch(line):
            continue
        if _is_comment(line) or _set_attribute(reader, line):
            continue
        if match := _BLOCK_ATTRIBUTES.fullmatch(line):
            style = _style(match["list"]) if not match["list"].startswith("[") else style
            continue
        yield from _block(reader, line, style)
        style = _Style()


def _style(listed: str) -> _Style:
    parts = [part.strip().strip('"') for part in listed.split(",")]
    name = re.split(r"[#.%]", parts[0])[0].lower()
    language = parts[1] if len(parts) > 1 and "=" not in parts[1] else ""
    return _Style(name or ("source" if language else ""), language, listed)


def _block(reader: _Reader, line: str, style: _Style) -> Iterator[str]:
    if match := _BLOCK_TITLE.fullmatch(line):
        yield reader.inline(match["title"])
        # The title stands between the attributes and their block.
        following = reader.peek()
        if following and not _BLOCK_ATTRIBUTES.fullmatch(following):
            reader.at += 1
            yield from _block(reader, following, style)
    elif match := _SECTION.fullmatch(line):
        yield f"{'#' * len(match['marks'])} {reader.inline(match['title']).strip()}"
    elif TABLE_MARK.fullmatch(line):
        yield from table(reader.until(line), line[0], style.text, reader.inline)
    elif _DELIMITER.fullmatch(line):
        yield from _delimited(reader, line, style)
    elif style.name in _CODE_STYLES:
        yield fenced("\n".join([line, *_paragraph(reader)]), style.language)
    elif _ITEM.fullmatch(line) or _TERM.fullmatch(line):
        yield from _list(reader, line)
    elif line[0] in " \t":
        code = [line, *_paragraph(reader)]
        margin = min(len(one) - len(one.lstrip()) for one in code)
        yield fenced("\n".join(one[margin:] for one in code))
    else:
        yield from _text(reader, [line, *_paragraph(reader)], style)


def _paragraph(reader: _Reader) -> Iterator[str]:
    """The lines to the next empty one, or to a line that begins a block."""
    while (line := reader.peek()) and line != "+":
        if TABLE_MARK.fullmatch(line) or _DELIMITER.fullmatch(line) or _DIRECTIVE.fullmatch(line):
            return
        reader.at += 1
        if not _is_comment(line):
            yield line


def _text(reader: _Reader, lines: Sequence[str], style: _Style) -> Iterator[str]:
    text = not_markup(reader.inline("\n".join(lines)))
    if style.name in ("quote", "verse"):
        yield "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    elif style.name in ("note", "tip", "important", "warning", "caution"):
        yield f"{style.name.upper()}: {text}"
    elif text.strip():
        yield text


def _delimited(reader: _Reader, mark: str, style: _Style) -> Iterator[str]:
    closing = re.sub(r"(`+).*", r"\1", mark)
    content = reader.until(closing)
    is_open_code = mark == "--" and style.name in _CODE_STYLES
    if mark[0] in _UNSEEN_MARKS and style.name not in ("stem", "latexmath", "asciimath"):
        return
    if is_open_code or (mark[0] in _CODE_MARKS and mark != "--") or mark[0] == "+":
        code = [line for line in content if not _DIRECTIVE.fullmatch(line)]
        if any(map(str.strip, code)):
            yield fenced("\n".join(code), mark.strip("`").strip() if mark[0] == "`" else style.language)
        return
    blocks = list(_blocks(reader.inner(content)))
    if mark[0] == "_":
        yield "\n".join(f"> {line}".rstrip() for line in "\n\n".join(blocks).split("\n"))
    elif style.name in ("note", "tip", "important", "warning", "caution") and blocks:
        yield f"{style.name.upper()}: {blocks[0]}" if blocks[0][0] not in "#`|" else blocks[0]
        yield from blocks[1:]
    else:
        yield from blocks


def _list(reader: _Reader, line: str) -> Iterator[str]:
    """A list with its nested lists, and the blocks that ``+`` hangs on to its items."""
    items: list[str] = []
    marks: list[str] = []
    numbers: dict[int, int] = {}
    while True:
        depth, mark, text = _item(line, marks)
        numbers = {deep: number for deep, number in numbers.items() if deep <= depth}
        numbers[depth] = numbers.get(depth, 0) + 1
        shown = f"{numbers[depth]}. " if mark[0] in ".<0123456789" else "- "
        indent = "   " * depth if mark else ""
        lines = ([text] if text else []) + list(_item_lines(reader))
        parts = [reader.inline("\n".join(lines)), *_hung_on(reader)]
        body = "\n\n".join(part for part in parts if part)
        items.append(indent + shown + body.replace("\n", "\n" + indent + " " * len(shown)))
        at = reader.at
        while (following := reader.peek()) is not None and not following.strip():
            reader.at += 1
        if following is None or not (_ITEM.fullmatch(following) or _TERM.fullmatch(following)):
            reader.at = at
            break
        reader.at += 1
        line = following
    yield re.sub(r"(?m)^[ ]+$", "", "\n".join(items))


def _item(line: str, marks: list[str]) -> tuple[int, str, str]:
    """Depth, mark and text of an item; ``marks`` are those of the lists that are open."""
    match = _ITEM.fullmatch(line)
    if match:
        mark, text = re.sub(r"\d+", "1", match["mark"]), match["text"]
        text = re.sub(r"^\[(?P<box>[ x*])\][ \t]+", "", text)
    else:
        term = _TERM.fullmatch(line)
        mark = "::"
        text = f"{term['term']}: {term['text'] or ''}".rstrip() if term else line
    if mark in marks:
        del marks[marks.index(mark) + 1 :]
    else:
        marks.append(mark)
    return len(marks) - 1, mark, text


def _item_lines(reader: _Reader) -> Iterator[str]:
    at = reader.at
    while (line := reader.peek()) is not None and not line.strip():
        reader.at += 1
    # Text below a term belongs to it even after an empty line, if it is indented.
    if line is None or (reader.at > at and line[:1] not in (" ", "\t")) or _ITEM.fullmatch(line):
        reader.at = at
        return
    for line in _paragraph_of_item(reader):
        yield line.strip()


def _paragraph_of_item(reader: _Reader) -> Iterator[str]:
    while (line := reader.peek()) and line != "+":
        begins_other = _ITEM.fullmatch(line) or _TERM.fullmatch(line) or _BLOCK_ATTRIBUTES.fullmatch(line)
        if begins_other or _DELIMITER.fullmatch(line) or TABLE_MARK.fullmatch(line):
            return
        reader.at += 1
        if not _is_comment(line) and not _DIRECTIVE.fullmatch(line):
            yield line


def _hung_on(reader: _Reader) -> Iterator[str]:
    while reader.peek() == "+":
        reader.at += 1
        style = _Style()
        while (line := reader.peek()) and (match := _BLOCK_ATTRIBUTES.fullmatch(line)):
            style = _style(match["list"])
            reader.at += 1
        if line:
            reader.at += 1
            if not _DIRECTIVE.fullmatch(line):
                yield from _block(reader, line, style)
