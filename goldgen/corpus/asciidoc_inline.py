"""The marks inside of a line of AsciiDoc that are not those of Markdown."""

import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"(?<!\\)\{(?P<name>\w[\w-]*)\}")
_BUILT_IN = {
    "nbsp": " ",
    "empty": "",
    "blank": "",
    "sp": " ",
    "zwsp": "",
    "wj": "",
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "startsb": "[",
    "endsb": "]",
    "vbar": "|",
    "caret": "^",
    "asterisk": "*",
    "tilde": "~",
    "plus": "+",
    "backslash": "\\",
    "backtick": "`",
    "apos": "'",
    "quot": '"',
    "lsquo": "‘",
    "rsquo": "’",
    "ldquo": "“",
    "rdquo": "”",
    "deg": "°",
    "cpp": "C++",
    "pp": "++",
}
_MOST_DEEP = 8
_MACROS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?:image|icon):[^\s\[\]]+\[(?P<alt>[^\],=]*)[^\]]*\]"), r"\g<alt>"),
    (re.compile(r"\[\[[^\[\]]*\]\]|(?:anchor|indexterm2?|bibitem):[\w-]*\[[^\]]*\]|\(\(\([^()]*\)\)\)"), ""),
    (re.compile(r"\(\((?P<term>[^()]+)\)\)"), r"\g<term>"),
    (re.compile(r"<<[^<>,]*,\s*(?P<text>[^<>]+)>>"), r"\g<text>"),
    (re.compile(r"<<#?(?P<target>[^<>,]+)>>"), r"\g<target>"),
    (re.compile(r"(?:link|xref|mailto):(?P<target>[^\s\[\]]+)\[\]"), r"\g<target>"),
    (re.compile(r"(?:link|xref|mailto):[^\s\[\]]+\[(?P<text>[^\]]+?)(?:\^|,\s*\w+=[^\]]*)?\]"), r"\g<text>"),
    (re.compile(r"(?P<url>(?:https?|ftp|irc)://[^\s\[\]<>]+)\[\]"), r"\g<url>"),
    (
        re.compile(r"(?:https?|ftp|irc)://[^\s\[\]<>]+\[(?P<text>[^\]]+?)(?:\^|,\s*\w+=[^\]]*)?\]"),
        r"\g<text>",
    ),
    (re.compile(r"menu:(?P<menu>[^\[\]]+)\[(?P<items>[^\]]*)\]"), r"\g<menu> > \g<items>"),
    (re.compile(r"(?:kbd|btn):\[(?P<keys>[^\]]*)\]"), r"\g<keys>"),
    (re.compile(r"footnote:[\w-]*\[(?P<note>[^\]]*)\]"), r" (\g<note>)"),
    (re.compile(r"(?:pass|stem|latexmath|asciimath):[\w,]*\[(?P<text>[^\]]*)\]"), r"\g<text>"),
    (re.compile(r"\[[.#%][\w.#%-]*\](?P<mark>##?)(?P<text>[^#\n]+)(?P=mark)"), r"\g<text>"),
    (re.compile(r"(?<!\w)\+{3}(?P<text>.+?)\+{3}(?!\w)"), r"\g<text>"),
    (re.compile(r"`\+(?P<text>[^`\n]+?)\+`"), r"`\g<text>`"),
    (re.compile(r"(?P<quote>[\"'])`(?P<text>[^`\n]+)`(?P=quote)"), r"\g<quote>\g<text>\g<quote>"),
    (re.compile(r"(?m)[ \t]\+$"), ""),
)


def inline(text: str, attributes: Mapping[str, str]) -> str:
    """Plain words for links, references, keys and notes; references to attributes are filled in.

    Marks that Markdown has too, and references to attributes that the document does not define, stay.
    """
    for _ in range(_MOST_DEEP):  # values may hold references; one to itself ends here
        filled = _REFERENCE.sub(lambda match: _value(match, attributes), text)
        if filled == text:
            break
        text = filled
    for pattern, replacement in _MACROS:
        text = pattern.sub(replacement, text)
    return text.replace(r"\{", "{")


def _value(match: re.Match[str], attributes: Mapping[str, str]) -> str:
    name = match["name"]
    return attributes.get(name, _BUILT_IN.get(name, match[0]))
