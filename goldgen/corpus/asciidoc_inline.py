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
_MOST_FILLED = 100_000
"""Characters by which a text may grow at once: values that hold each other several times grow without end."""
# What stands between two marks has a most, so that one that is never closed costs no look at the whole text.
_MACROS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"(?:image|icon):[^\s\[\]]{1,1000}\[(?P<alt>[^\],=]{0,1000})(?:[,=][^\]]{0,1000})?\]"),
        r"\g<alt>",
    ),
    (
        re.compile(
            r"\[\[[^\[\]]*\]\]|(?:anchor|indexterm2?|bibitem):[\w-]{0,200}\[[^\]]{0,1000}\]|\(\(\([^()]*\)\)\)"
        ),
        "",
    ),
    (re.compile(r"\(\((?P<term>[^()]+)\)\)"), r"\g<term>"),
    (re.compile(r"<<[^<>,]*,\s*(?P<text>[^<>]+)>>"), r"\g<text>"),
    (re.compile(r"<<#?(?P<target>[^<>,]+)>>"), r"\g<target>"),
    (re.compile(r"(?:link|xref|mailto):(?P<target>[^\s\[\]]{1,1000})\[\]"), r"\g<target>"),
    (
        re.compile(
            r"(?:link|xref|mailto):[^\s\[\]]{1,1000}\[(?P<text>[^\]]{1,1000}?)(?:\^|,\s*\w+=[^\]]{0,200})?\]"
        ),
        r"\g<text>",
    ),
    (re.compile(r"(?P<url>(?:https?|ftp|irc)://[^\s\[\]<>]{1,1000})\[\]"), r"\g<url>"),
    (
        re.compile(
            r"(?:https?|ftp|irc)://[^\s\[\]<>]{1,1000}\[(?P<text>[^\]]{1,1000}?)(?:\^|,\s*\w+=[^\]]{0,200})?\]"
        ),
        r"\g<text>",
    ),
    (re.compile(r"menu:(?P<menu>[^\[\]]{1,200})\[(?P<items>[^\]]{0,1000})\]"), r"\g<menu> > \g<items>"),
    (re.compile(r"(?:kbd|btn):\[(?P<keys>[^\]]{0,200})\]"), r"\g<keys>"),
    (re.compile(r"footnote:[\w-]{0,200}\[(?P<note>[^\]]{0,2000})\]"), r" (\g<note>)"),
    (re.compile(r"(?:pass|stem|latexmath|asciimath):[\w,]{0,200}\[(?P<text>[^\]]{0,2000})\]"), r"\g<text>"),
    (re.compile(r"\[[.#%][\w.#%-]*\](?P<mark>##?)(?P<text>[^#\n]+)(?P=mark)"), r"\g<text>"),
    (re.compile(r"(?<!\w)\+{3}(?P<text>.{1,1000}?)\+{3}(?!\w)"), r"\g<text>"),
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
        if filled == text or len(filled) > len(text) + _MOST_FILLED:
            break
        text = filled
    for pattern, replacement in _MACROS:
        text = pattern.sub(replacement, text)
    return text.replace(r"\{", "{")


def _value(match: re.Match[str], attributes: Mapping[str, str]) -> str:
    name = match["name"]
    return attributes.get(name, _BUILT_IN.get(name, match[0]))
