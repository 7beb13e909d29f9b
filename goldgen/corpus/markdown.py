"""Markdown: front matter to metadata, comments and the marks of site generators out."""

import re
from collections.abc import Mapping, Sequence

from goldgen.corpus.markdown_dialects import plain_markdown
from goldgen.corpus.outline import Fence, outline
from goldgen.corpus.parsed import Parsed

_KEY_LINE = re.compile(r"(?P<key>[A-Za-z_][\w .-]*):(?:\s+(?P<value>.*))?")
_NESTED_LINE = re.compile(r"\s+\S.*|-(?:\s.*)?|\s*#.*|\s*|[}\]],?")
_COMMENT = re.compile(r"^[ \t]*<!--.*?-->[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_MDX_LINE = re.compile(
    r"^(?:import\b[^\n]*?['\"][^'\"\n]+['\"];?|export +(?:const|let|default|function)\b[^\n]*)[ \t]*\n",
    re.MULTILINE,
)


def parse_markdown(text: str, *, mdx: bool = False) -> Parsed:
    """Parse Markdown or MDX. An unclosed ``---``, or one that is a rule, hides no text.

    The title is that of the front matter, else the first heading of level 1.
    """
    metadata, body = _front_matter(text)
    body = _removed_outside_fences(_COMMENT, body)
    if mdx:
        body = _removed_outside_fences(_MDX_LINE, body)
    body = plain_markdown(body, jsx=mdx)
    first = next((heading.title for heading in outline(body).headings if heading.level == 1), "")
    return Parsed(body, metadata.get("title", "") or first, metadata)


def _front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """Metadata and the text after it; only a closed block of ``key: value`` lines is front matter."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    block = lines[1:end]
    is_yaml = all(_KEY_LINE.fullmatch(line) or _NESTED_LINE.fullmatch(line) for line in block)
    if not end or not is_yaml or not any(map(_KEY_LINE.fullmatch, block)):
        return {}, text
    return _metadata(block), "\n".join(lines[end + 1 :])


def _metadata(block: list[str]) -> dict[str, str]:
    """Flat values; the lines nested under a key are joined to one value."""
    nested: dict[str, list[str]] = {}
    key = ""
    for line in block:
        match = _KEY_LINE.fullmatch(line)
        if match:
            key = match["key"]
            value = (match["value"] or "").strip()
            nested[key] = [] if value in ("", "|", ">", "|-", ">-") else [_unquoted(value)]
        elif key and line.strip() and not line.strip().startswith("#"):
            nested[key].append(_unquoted(line.strip().removeprefix("-").strip()))
    return {key: ", ".join(values) for key, values in nested.items()}


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return re.sub(r"\s+#\s.*$", "", value)


def _removed_outside_fences(pattern: re.Pattern[str], text: str) -> str:
    fences = outline(text).fences
    return pattern.sub(lambda match: match[0] if _is_in(match.start(), fences) else "", text)


def _is_in(offset: int, fences: Sequence[Fence]) -> bool:
    return any(fence.start <= offset < fence.end for fence in fences)
