"""Markdown: front matter to metadata, comments and the marks of site generators out."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from goldgen.corpus.front_matter import front_matter
from goldgen.corpus.markdown_dialects import plain_markdown
from goldgen.corpus.outline import Fence, outline
from goldgen.corpus.parsed import Parsed, between

_COMMENT = (re.compile(r"^[ \t]*<!--", re.MULTILINE), re.compile(r"-->[ \t]*(?:\n|\Z)"))
_MDX_LINE = re.compile(
    r"^(?:import\b[^\n]*?['\"][^'\"\n]+['\"];?|export +(?:const|let|default|function)\b[^\n]*)[ \t]*\n",
    re.MULTILINE,
)


def parse_markdown(text: str, *, mdx: bool = False) -> Parsed:
    """Parse Markdown or MDX. An unclosed ``---``, or one that is a rule, hides no text.

    The title is that of the front matter, else the first heading of level 1.
    """
    metadata, body = front_matter(text)
    body = _without_comments(body)
    if mdx:
        body = _without_mdx_lines(body)
    body = plain_markdown(body, jsx=mdx)
    first = next((heading.title for heading in outline(body).headings if heading.level == 1), "")
    return Parsed(body, metadata.get("title", "") or first, metadata)


def _without_comments(text: str) -> str:
    fences = outline(text).fences

    def kept(first: re.Match[str], last: re.Match[str]) -> str:
        return text[first.start() : last.end()] if _is_in(first.start(), fences) else ""

    return between(text, *_COMMENT, kept)


def _without_mdx_lines(text: str) -> str:
    fences = outline(text).fences
    return _MDX_LINE.sub(lambda match: match[0] if _is_in(match.start(), fences) else "", text)


def _is_in(offset: int, fences: Sequence[Fence]) -> bool:
    after = bisect_right(fences, offset, key=lambda fence: fence.start)
    return after > 0 and offset < fences[after - 1].end
