"""Whether an edited text still reads as one that somebody wrote."""

import re

from goldgen.text.sentences import sentences

_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.M)
_EMPTY_FENCE = re.compile(r"^ {0,3}(```|~~~)[^\n]*\n\s*\1", re.M)
_HEADING = re.compile(r"^(#{1,6}) ", re.M)
_DANGLING = re.compile(
    r"(?:It|Its|This|These|Those|That|They|Their|Such|He|She|Then|Thus|Therefore|However|Otherwise|Also"
    r"|Instead|Similarly|Furthermore|Moreover|In (?:this|that|such) |For (?:this|that|example)|We then"
    r"|Dies\w*|Er|Sie|Es|Dann|Daher|Jedoch|Auch|Außerdem|Cela|Ceux|Ceci|Il|Ils|Elles?|Esto|Ese|Isto|Esse|Isso)\b"
)
"""How a sentence begins that leans on the one before."""
_UNSPACED_DANGLING = re.compile(r"(?:これ|それ|その|この|这|该|它|因此|但是)")


def removal_problem(before: str, after: str) -> str:
    """Why ``after``, ``before`` without some of its sentences, does not read well; empty if it does."""
    if len(_FENCE.findall(after)) % 2 > len(_FENCE.findall(before)) % 2 or _EMPTY_FENCE.search(after):
        return "the removal breaks a block of code"
    if _bare_headings(after) > _bare_headings(before):
        return "the removal leaves a heading without text"
    removed = _removed(before, after)
    if any(text.rstrip().endswith((":", "\uff1a")) for text, _ in removed):
        return "the removal leaves a list or example without its introduction"
    if any(_DANGLING.match(following) or _UNSPACED_DANGLING.match(following) for _, following in removed):
        return "the removal leaves a sentence that leans on what is gone"
    return ""


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
