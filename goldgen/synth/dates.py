"""Which dates of a text can be changed so that it tells of another time."""

import re

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_YEARS_APART = 2
"""A year and the next are easily one: of a season, a fiscal year, a report on the year before."""
_OPEN = (
    r"from|to|between|since|until|till|by|before|after|through|throughout|during|starting|beginning|ending"
    r"|earlier than|later than"
)
_BOUND = r"\s*(?:to|until|through|and|-|\u2013|\u2014|/)\s*(?:\w+ )?\d"


def keeps_order(text: str, before: str, after: str) -> bool:
    """Whether a year in place of another stands to all other years of ``text`` as that one did.

    One of a series, such as the heads of a table, has no other in its place.
    """
    if not (_YEAR.fullmatch(before) and _YEAR.fullmatch(after)):
        return True
    others = set(_YEAR.findall(text)) - {before}
    return all((before < other) == (after < other) and abs(int(before) - int(other)) > 1 for other in others)


def years_apart(one: str, other: str) -> int:
    """How far two years are apart; 0 for what is no year."""
    return abs(int(one) - int(other)) if _YEAR.fullmatch(one) and _YEAR.fullmatch(other) else 0


def is_other_time(before: str, after: str) -> bool:
    """Whether the two are far enough apart to be taken for two times."""
    distance = years_apart(before, after)
    return distance == 0 or distance >= _YEARS_APART


def date_is_whole(text: str, date: str) -> bool:
    """Whether each mention of ``date`` stands for one time.

    What holds since 2005 holds since 2004 or in 2006, too; a bound of "from 2000 to 2005" is no condition;
    and May 2009 in "31 May 2009" would leave a day that its month may not have.
    """
    word = re.escape(date)
    open_ended = rf"\b(?:{_OPEN})\s+(?:the\s+)?(?:year\s+|end of\s+)?{word}\b"
    of_a_range = (
        rf"\bbetween\b[^.\n]{{1,30}}?\band {word}\b|\d\s*(?:-|\u2013|\u2014|/)\s*{word}\b"
        rf"|\b{word}{_BOUND}|\b{word}[-\u2013]\d"
    )
    longer = rf"\b\d{{1,2}} {word}\b|\b{word},? \d{{4}}\b" if not _YEAR.fullmatch(date) else r"(?!)"
    return not re.search(f"{open_ended}|{of_a_range}|{longer}", text, re.I)
