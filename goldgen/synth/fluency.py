"""Whether an edited text still reads as one that somebody wrote."""

import re

from goldgen.text.sentences import sentences

_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.M)
_EMPTY_FENCE = re.compile(r"^ {0,3}(```|~~~)[^\n]*\n\s*\1", re.M)
_HEADING = re.compile(r"^(#{1,6}) ", re.M)
_DANGLING = re.compile(
    r"(?:It|Its|This|These|Those|That|They|Their|Such|He|She|Then|Thus|Therefore|However|Otherwise|Also"
    r"|Instead|Similarly|Furthermore|Moreover|In (?:this|that|such) |For (?:this|that|example)|We then"
    r"|By (?:doing )?(?:this|that|these|so)|As a result"
    r"|(?:Some|Most|Much|Many|All|Both|Each|None|One|Several) of (?:its|their|these|this|them|the)"
    r"|Hence|Consequently|Because of (?:this|that)"
    r"|Dies\w*|Er|Sie|Es|Dann|Daher|Jedoch|Auch|Außerdem|Cela|Ceux|Ceci|Il|Ils|Elles?|Esto|Ese|Isto|Esse|Isso)\b|\("
)
"""How a sentence begins that leans on the one before."""
_EMPTY_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])[ \t]*$", re.M)
_NUMBERED = re.compile(r"^( *)(\d+)[.)] ", re.M)
_ROW = re.compile(r"^ *\|.*$", re.M)
_BARE_INTRODUCTION = re.compile(r"[:\uff1a][*_]*\s*(?=\Z|^#{1,6} )", re.M)
_PAIRS = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"), ("\uff08", "\uff09"), ("\u300c", "\u300d"))
_ARTICLE_BEFORE = r"\b(an?)\s+[`\"'*_]*{}(?![\w-])"
_SPELT_WITH_A_VOWEL = frozenset("AEFHILMNORSX")
"""Capitals whose names begin with a vowel: an SSL key, a PDF."""
_UNSPACED_DANGLING = re.compile(r"(?:これ|それ|その|この|这|该|它|因此|但是)")


def removal_problem(before: str, after: str) -> str:
    """Why ``after``, ``before`` without some of its sentences, does not read well; empty if it does."""
    if len(_FENCE.findall(after)) % 2 > len(_FENCE.findall(before)) % 2 or _EMPTY_FENCE.search(after):
        return "the removal breaks a block of code"
    if _bare_headings(after) > _bare_headings(before):
        return "the removal leaves a heading without text"
    if len(_EMPTY_ITEM.findall(after)) > len(_EMPTY_ITEM.findall(before)):
        return "the removal leaves an empty list item"
    if _gaps(after) > _gaps(before):
        return "the removal leaves a gap in a numbered list"
    rows = set(_ROW.findall(before))
    if len(rows) > len(set(_ROW.findall(after))):
        return "the removal breaks a table"
    if _is_balanced(before) and not _is_balanced(after):
        return "the removal leaves a bracket or quotation mark without its other"
    removed = _removed(before, after)
    if any(_introduces(text) for text, _ in removed):
        return "the removal leaves a list or example without its introduction"
    if _bare_introductions(after) > _bare_introductions(before):
        return "the removal leaves an introduction without what it introduces"
    if any(_DANGLING.match(following) or _UNSPACED_DANGLING.match(following) for _, following in removed):
        return "the removal leaves a sentence that leans on what is gone"
    return ""


def swap_problem(after: str, replacement: str) -> str:
    """Why a text with ``replacement`` put in does not read well; empty if it does."""
    pattern = _ARTICLE_BEFORE.format(re.escape(replacement))
    wanted = "an" if _begins_with_vowel(replacement) else "a"
    if any(found[1].lower() != wanted for found in re.finditer(pattern, after, re.I)):
        return "the article before the new name does not fit"
    return ""


def _begins_with_vowel(name: str) -> bool:
    """As it is spoken, as far as its letters tell."""
    if name[:1].isupper() and not name[1:2].islower():
        return name[0] in _SPELT_WITH_A_VOWEL
    folded = name.lower()
    return folded[:1] in set("aeiou8") and not folded.startswith(("uni", "us", "eu", "one", "once"))


def _gaps(text: str) -> int:
    """Numbered items that do not follow the number before them at their depth; 1 begins a list anew."""
    last: dict[str, int] = {}
    gaps = 0
    for indent, digits in _NUMBERED.findall(text):
        number = int(digits)
        gaps += indent in last and number not in (1, last[indent], last[indent] + 1)
        gaps += indent not in last and number > 1
        last[indent] = number
    return gaps


def _is_balanced(text: str) -> bool:
    return text.count('"') % 2 == 0 and all(text.count(a) == text.count(b) for a, b in _PAIRS)


def _introduces(sentence: str) -> bool:
    return sentence.rstrip("*_ \n").endswith((":", "\uff1a"))


def _bare_introductions(text: str) -> int:
    """Sentences that announce something, at the end of the text or before a heading."""
    return len(_BARE_INTRODUCTION.findall(text))


def _removed(before: str, after: str) -> list[tuple[str, str]]:
    """Each sentence that is gone, and the one that followed it in the same paragraph and is still there."""
    spans = sentences(before)
    texts = [before[start:end] for start, end in spans]
    found: list[tuple[str, str]] = []
    for place, text in enumerate(texts):
        if text in after:
            continue
        following = ""
        if place + 1 < len(texts) and texts[place + 1] in after:
            gap = before[spans[place][1] : spans[place + 1][0]]
            following = texts[place + 1].lstrip("*_ ") if "\n\n" not in gap else ""
        found.append((text, following))
    return found


def _bare_headings(text: str) -> int:
    """Headings with nothing before the next one of their level or above, or before the end."""
    found = list(_HEADING.finditer(text))
    bare = 0
    for place, heading in enumerate(found):
        line_end = text.find("\n", heading.end())
        body_start = len(text) if line_end < 0 else line_end
        following = found[place + 1] if place + 1 < len(found) else None
        body = text[body_start : following.start() if following else len(text)]
        deeper = following is not None and len(following[1]) > len(heading[1])
        bare += not body.strip() and not deeper
    return bare
