"""The conditions a question names, and what else of their kind the corpus knows.

A near miss is made by changing a condition (plan, version, date, region, entity) that the question names,
never the answer's value: a twin with another value still answers, falsely, and no retriever could tell.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from goldgen.text import fold
from goldgen.types import Chunk, EditKind, Question

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_WITHIN_SENTENCE = r"(?<=[a-z,;(] )"
"""A capital here is a name's; at a sentence's start it may be any word's."""
_PATTERNS: dict[EditKind, re.Pattern[str]] = {
    "date": re.compile(
        rf"\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b|\b{_MONTH} \d{{1,2}}(?:, \d{{4}})?\b|\b{_MONTH} \d{{4}}\b"
        r"|\b20\d\d-\d\d(?:-\d\d)?\b|\b(?:19|20)\d\d\b"
    ),
    "region": re.compile(r"\b[a-z]{2}-(?:[a-z]+-)?\d\b|\b(?:EU|US|UK|APAC|EMEA)\b"),
    "version": re.compile(r"\b[vV]\d+(?:\.\d+)*\b|\b\d+\.\d+(?:\.\d+)+\b|\bversion \d+(?:\.\d+)*\b"),
    "plan": re.compile(
        rf"{_WITHIN_SENTENCE}[A-Z][a-z]+"
        r"(?= (?:plan|plans|tier|edition|subscription|workspace|workspaces|account|accounts)\b)"
    ),
    "entity": re.compile(
        r"`[^`\n]{2,40}`|--[a-z][\w-]+|\b[A-Z]{2,}-\d+\b|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z]\w*[a-z]\w*[A-Z]\w*\b"
        rf"|{_WITHIN_SENTENCE}[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)*\b|\b[A-Z]{{3,}}\b"
    ),
}
_HEADING = re.compile(r"^#{1,6} .*$", re.M)
_BEFORE = re.compile(r"[\w-]+(?=\W{0,3}\Z)")
_AFTER = re.compile(r"\W{0,3}([\w-]+)")
_COMMON = 0.3
_FEWEST_SHARED = 2
"""Words beside a name that another must have beside it, too, to be of its kind."""
_TELLING = 0.02
"""Words that stand beside a larger share of all terms, such as "the", tell nothing of a term's kind."""
_FEW_TERMS = 3
_SWAPS_A_TERM = 4
_NO_NAME = re.compile(rf"{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Swap:
    """A change of a condition: ``before`` stands in question and chunk, ``after`` elsewhere."""

    kind: EditKind
    before: str
    after: str


class ConditionFinder:
    """Finds conditions and what could stand in their place; knows which terms stand nearly everywhere."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = len(chunks)
        self._texts = {" ".join(chunk.text.split()) for chunk in chunks}
        self._counts: dict[EditKind, Counter[str]] = defaultdict(Counter)
        self._beside: dict[str, set[str]] = defaultdict(set)
        for chunk in chunks:
            # Headings are written in capitals that make no name.
            prose = _HEADING.sub("", chunk.text)
            places = list(_places(prose))
            for _, term, before, after in places:
                self._beside[term] |= {f"{before} _", f"_ {after}"}
            named: set[tuple[EditKind, str]] = {(kind, term) for kind, term, _, _ in places}
            for kind, term in named:
                self._counts[kind][term] += 1
        self._terms_beside = Counter(word for words in self._beside.values() for word in words)

    def has_text(self, text: str) -> bool:
        """Whether a chunk says just this, whatever its white space."""
        return " ".join(text.split()) in self._texts

    def swaps(self, question: Question, chunk: Chunk) -> tuple[Swap, ...]:
        """Changes of a condition of ``question`` that stands in ``chunk`` and is no part of the answer.

        What comes in its place is a term of the same kind and form, the most alike first, that neither
        question nor answer has. A name gives way only to one that stands between the same words elsewhere.
        """
        found: list[Swap] = []
        answer = fold(question.answer)
        for kind, term in dict.fromkeys(self._named_in(question.text)):
            folded = fold(term)
            common = self._counts[kind][term] > max(3, _COMMON * self._chunks)
            taken = any(fold(swap.before) == folded for swap in found)
            in_answer = folded in answer or answer in folded
            if common or taken or in_answer or not mentions(chunk.full_text, term):
                continue
            others = [other for other in self._others(kind, term) if not mentions(question.text, other)]
            free = [other for other in others if fold(other) not in answer]
            found.extend(Swap(kind, term, other) for other in free[:_SWAPS_A_TERM])
        return tuple(found)

    def _named_in(self, text: str) -> Iterator[tuple[EditKind, str]]:
        """Terms by pattern, and plans of the corpus that the question names without the word "plan"."""
        for plan in self._counts["plan"]:
            if re.search(rf"(?<!\w){re.escape(plan)}(?!\w)", text):
                yield "plan", plan
        yield from _terms(text)

    def _others(self, kind: EditKind, term: str) -> list[str]:
        beside = self._beside[term]
        # Settings and flags are told by their form; names are of all kinds.
        is_name = kind == "entity" and term[:1].isupper()
        most = max(_FEW_TERMS, _TELLING * len(self._beside))
        telling = {word for word in beside if self._terms_beside[word] <= most}
        found: dict[str, float] = {}
        for other in self._counts[kind]:
            shared = len(self._beside[other] & beside)
            if is_name and _NO_NAME.fullmatch(other):
                continue
            if is_name and len(telling & self._beside[other]) < _FEWEST_SHARED:
                continue
            if fold(other) != fold(term) and _form(other) == _form(term):
                found[other] = shared / sqrt(len(beside) * len(self._beside[other]) or 1)
        return sorted(
            found,
            key=lambda other: (_years(term, other), -found[other], -self._counts[kind][other], other),
        )


def keeps_order(text: str, before: str, after: str) -> bool:
    """Whether a year in place of another stands to all other years of ``text`` as that one did.

    One of a series, such as the heads of a table, has no other in its place.
    """
    if not (_YEAR.fullmatch(before) and _YEAR.fullmatch(after)):
        return True
    others = set(_YEAR.findall(text)) - {before}
    return all((before < other) == (after < other) and abs(int(before) - int(other)) > 1 for other in others)


def _years(one: str, other: str) -> int:
    """How far two years are apart; 0 for what is no year."""
    return abs(int(one) - int(other)) if _YEAR.fullmatch(one) and _YEAR.fullmatch(other) else 0


def named_terms(text: str) -> set[str]:
    """The names of things that stand in ``text``: products, settings, commands, errors."""
    return {term for kind, term in _terms(text) if kind == "entity"}


def mentions(text: str, term: str) -> bool:
    """Whether ``term`` stands in ``text`` as a word, whatever its case."""
    return _word(term).search(text) is not None


def replaced(text: str, term: str, replacement: str) -> str:
    """``text`` with every mention of ``term`` changed."""
    return _word(term).sub(lambda _: replacement, text)


def _word(term: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(term)}(?![\w-])", re.I)


def _form(term: str) -> str:
    """The term with its letters and digits blurred: v2 is like v1 and not like 2.13.0, a flag like a flag."""
    return re.sub(r"\d+", "0", re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", term)))


def _places(text: str) -> Iterator[tuple[EditKind, str, str, str]]:
    """Each term with the words before and after it."""
    for kind, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            before = _BEFORE.search(text, max(0, found.start() - 30), found.start())
            after = _AFTER.match(text, found.end())
            words = (before.group() if before else "", after[1] if after else "")
            yield kind, found.group().strip("`"), fold(words[0]), fold(words[1])


def _terms(text: str) -> Iterator[tuple[EditKind, str]]:
    for kind, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            yield kind, found.group().strip("`")
