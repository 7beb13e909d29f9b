"""What site generators and authors add to Markdown, as plain Markdown: only what a reader sees stays.

Known are the notes, tabs and snippets of MkDocs, Docusaurus, GitHub and MyST, the shortcodes of Hugo, the
tags of Jekyll, and HTML between the lines. Code is left as it stands.
"""

import re
from collections.abc import Callable, Iterator

from goldgen.corpus.outline import outline
from goldgen.corpus.parsed import between, fenced

_NOTE = re.compile(
    r'(?P<indent> *)(?:!!!|\?\?\?\+?) *(?P<kind>[\w-]+)(?: +inline(?: end)?)?(?: +"(?P<title>[^"]*)")? *'
)
_TAB = re.compile(r'(?P<indent> *)===[!+]? +"(?P<title>[^"]+)" *')
_COLONS = re.compile(
    r" *:{3,} *(?P<kind>[\w-]+)?(?:\{[^}]*\}|\[(?P<label>[^\]]*)\]| +(?P<title>[^{\n]*?))?(?: *\{[^}]*\})? *"
)
_GITHUB_NOTE = re.compile(r"(?P<quote>\s*> *)\[!(?P<kind>\w+)\] *")
_MYST = re.compile(r"(?P<indent> *)(?P<mark>`{3,}|~{3,}|:{3,})\{(?P<name>[\w:-]+)\} *(?P<argument>.*)")
_MYST_OPTION = re.compile(r" *:[\w-]+:.*")
_MYST_CODE = ("code", "code-block", "code-cell", "sourcecode", "prompt", "literalinclude")
_MYST_UNSEEN = ("toctree", "contents", "image", "figure", "include", "literalinclude", "eval-rst", "mermaid")
_UNSEEN_LINE = re.compile(
    r'\s*(?:\[TOC\]|\[\[_?TOC_?\]\]|-+8<-+(?: +".*")?|\{:[^}]*\}|\{% *(?:include|toc)\b.*%\}) *', re.I
)
_JEKYLL_CODE = (
    re.compile(r"^[ \t]*\{% *highlight +(?P<language>\S+)[^\n]*?%\}\n", re.M),
    re.compile(r"\n[ \t]*\{% *endhighlight *%\}[ \t]*$", re.M),
)
_HTML_CODE = (re.compile(r"^[ \t]*<pre\b[^<>]*>", re.M), re.compile(r"</pre>[ \t]*$", re.M))
_HTML_TABLE = (re.compile(r"^[ \t]*<table\b", re.M), re.compile(r"</table>[ \t]*$", re.M))
_UNSEEN = (
    *(
        (re.compile(rf"<{tag}\b[^<>]*>", re.I), re.compile(rf"</{tag}>", re.I))
        for tag in ("script", "style", "iframe", "svg")
    ),
    (re.compile(r"\{\{[<%]"), re.compile(r"[>%]\}\}")),
)
"""Where what no reader sees begins and ends: elements, and the shortcodes of Hugo."""
_CODE_IN_LINE = re.compile(r"(?P<mark>(?<!`)`+(?!`))(?:[^`]|(?!(?P=mark)(?!`))`)+?(?P=mark)(?!`)")
_BLOCK_TAGS = (
    "center|details|div|dl|dt|dd|fieldset|figure|figcaption|main|article|p|section|summary|picture"
    "|ul|ol|video"
)
_INLINE_TAGS = (
    "a|abbr|audio|b|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|source|span|strike|strong|sub|sup"
    "|tt|u|var|wbr"
)
_VALUE = r"""\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+)"""
_ATTRIBUTES = rf"(?:\s+(?:[\w:-]+{_VALUE}|open|hidden|controls|reversed))*\s*/?"
_ROLE = re.compile(r"\{(?:ref|doc|term|abbr|numref|py:\w+|any|download)\}`(?P<text>[^`<]+?)(?: *<[^`>]*>)?`")
_TAGS = (
    (re.compile(r"<img\b[^<>]{0,4000}?\balt=[\"'](?P<alt>[^\"']+)[\"'][^<>]*>", re.I), r"\g<alt>"),
    (re.compile(r"(?<=\w)<sup>(?=[-+−]?\d)", re.I), "^"),
    (re.compile(r"</li>\s*<li\b[^<>]*>", re.I), "; "),
    (re.compile(r"<(?:hr|img|input)\b[^<>]*>|</?li\b[^<>]*>", re.I), ""),
    (re.compile(r"<br */?>(?=[^\n|]*\|)", re.I), " "),
    (re.compile(r"<br */?>[ \t]*\n?", re.I), "\n"),
    (re.compile(rf"^[ \t]*</?(?:{_BLOCK_TAGS}){_ATTRIBUTES}>[ \t]*\n", re.I | re.M), "\n"),
    (re.compile(rf"</?(?:{_BLOCK_TAGS}|{_INLINE_TAGS}){_ATTRIBUTES}>", re.I), ""),
    (re.compile(r"\{%[^\n]{0,500}?%\}"), ""),
    (re.compile(r"^(?P<heading>#{1,6} .*?)[ \t]*\{[#.:][^}\n]*\}[ \t]*$", re.M), r"\g<heading>"),
)
_JSX = re.compile(r"^[ \t]*</?[A-Z][\w.]*(?:\s[^<>]*)?/?>[ \t]*\n?", re.M)
_JSX_LABEL = re.compile(
    r"^[ \t]*<[A-Z][\w.]*\s[^<>]*?\b(?:label|title)=[\"'](?P<label>[^\"']+)[\"'][^<>]*>", re.M
)


def plain_markdown(text: str, *, jsx: bool = False) -> str:
    """The text without marks that only a site generator understands; ``jsx`` for the components of MDX."""
    plain = _outside_code("\n".join(_lines(text.split("\n"))), _with_fences)
    plain = _outside_code(plain, lambda part: _without_tags(part, jsx=jsx))
    # What was taken out leaves empty lines behind.
    return text if plain == text else _outside_code(plain, lambda part: re.sub(r"\n{3,}", "\n\n", part))


def _lines(lines: list[str]) -> Iterator[str]:
    """Notes, tabs and directives: their titles as text, what is indented below them moved out."""
    code_until = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        mark = re.match(r"\s*(?:> *)*(`{3,}|~{3,})", line)
        if code_until:
            code_until = (
                ""
                if mark and line.strip("> \t").strip(code_until[0]) == "" and mark[1].startswith(code_until)
                else code_until
            )
            yield line
        elif (myst := _MYST.fullmatch(line)) is not None:
            body, at = _myst_body(lines, at, myst["mark"])
            yield from _myst(myst, body)
        elif mark:
            code_until = mark[1]
            yield line
        elif (found := _NOTE.fullmatch(line) or _TAB.fullmatch(line)) is not None:
            body, at = _indented(lines, at, len(found["indent"]) + 4)
            yield from [
                "",
                found["indent"] + _heading_of(found),
                "",
                *_lines([found["indent"] + one for one in body]),
                "",
            ]
        elif (found := _GITHUB_NOTE.fullmatch(line)) is not None:
            yield f"{found['quote']}{found['kind'].upper()}:"
        elif (found := _COLONS.fullmatch(line)) is not None:
            yield from ["", _heading_of(found), ""] if found["kind"] else [""]
        elif not _UNSEEN_LINE.fullmatch(line):
            yield line


def _heading_of(found: re.Match[str]) -> str:
    parts = found.groupdict()
    title = parts.get("title") or parts.get("label") or ""
    kind = (parts.get("kind") or "").upper()
    return f"{kind}: {title}" if kind and title else title or f"{kind}:"


def _indented(lines: list[str], at: int, width: int) -> tuple[list[str], int]:
    end = at
    for index in range(at, len(lines)):
        if lines[index].strip():
            if not lines[index].startswith(" " * width):
                break
            end = index + 1
    return [line[width:] for line in lines[at:end]], end


def _myst_body(lines: list[str], at: int, mark: str) -> tuple[list[str], int]:
    end = next((i for i in range(at, len(lines)) if lines[i].strip() == mark), len(lines))
    body = lines[at:end]
    while body and (_MYST_OPTION.fullmatch(body[0]) or body[0].strip() == "---"):
        body = body[1:]
    return body, end + 1


def _myst(found: re.Match[str], body: list[str]) -> Iterator[str]:
    name, argument = found["name"], found["argument"].strip()
    if name in _MYST_CODE:
        yield from fenced("\n".join(body), argument).split("\n") if any(body) else ()
    elif name not in _MYST_UNSEEN:
        yield from ["", *([f"{name.upper()}: {argument}".rstrip()]), "", *_lines(body), ""]


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts: list[str] = []
    at = 0
    for fence in outline(text).fences:
        parts += [change(text[at : fence.start]), text[fence.start : fence.end]]
        at = fence.end
    return "".join([*parts, change(text[at:])])


def _with_fences(text: str) -> str:
    text = between(text, *_JEKYLL_CODE, lambda first, last: fenced(_within(first, last), first["language"]))
    text = between(text, *_HTML_CODE, lambda first, last: fenced(_unescaped(_within(first, last))))
    return between(text, *_HTML_TABLE, lambda first, last: _table(first.string[first.start() : last.end()]))


def _nothing(_first: re.Match[str], _last: re.Match[str]) -> str:
    return ""


def _within(first: re.Match[str], last: re.Match[str]) -> str:
    return first.string[first.end() : last.start()]


def _table(page: str) -> str:
    from goldgen.corpus.html import parse_html

    return parse_html(page).text


def _unescaped(code: str) -> str:
    from html import unescape

    return unescape(re.sub(r"</?[a-zA-Z][^<>]*>", "", code))


def _without_tags(text: str, *, jsx: bool) -> str:
    if not re.search(r"[<{]", text):
        return text
    kept: list[str] = []

    def aside(code: re.Match[str]) -> str:
        kept.append(code[0])
        return f"\x00{len(kept) - 1}\x00"

    text = _CODE_IN_LINE.sub(aside, _ROLE.sub(r"\g<text>", text.replace("\x00", "")))
    if jsx:
        text = _JSX.sub("", _JSX_LABEL.sub(lambda match: f"{match['label']}\n", text))
    for opening, closing in _UNSEEN:
        text = between(text, opening, closing, _nothing)
    for pattern, replacement in _TAGS:
        text = pattern.sub(replacement, text)
    return re.sub("\x00(\\d+)\x00", lambda match: kept[int(match[1])], text)
