"""The conditions a question names, and what else of their kind the corpus knows.

A near miss is made by changing a condition (plan, version, date, region, entity) that the question names,
never the answer's value: a twin with another value still answers, falsely, and no retriever could tell.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goldgen.text import fold
from goldgen.types import Chunk, EditKind, Question

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_PATTERNS: dict[EditKind, re.Pattern[str]] = {
    "date": re.compile(
        rf"\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b|\b{_MONTH} \d{{1,2}}(?:, \d{{4}})?\b|\b{_MONTH} \d{{4}}\b"
        r"|\b20\d\d-\d\d(?:-\d\d)?\b|\b(?:19|20)\d\d\b"
    ),
    "region": re.compile(r"\b[a-z]{2}-(?:[a-z]+-)?\d\b|\b(?:EU|US|UK|APAC|EMEA)\b"),
    "version": re.compile(r"\b[vV]\d+(?:\.\d+)*\b|\b\d+\.\d+(?:\.\d+)+\b|\bversion \d+(?:\.\d+)*\b"),
    "plan": re.compile(
        r"\b[A-Z][a-z]+(?= (?:plan|plans|tier|edition|subscription|workspace|workspaces|account|accounts)\b)"
    ),
    "entity": re.compile(
        r"`[^`\n]{2,40}`|--[a-z][\w-]+|\b[A-Z]{2,}-\d+\b|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z]\w*[a-z]\w*[A-Z]\w*\b"
        r"|(?<=[a-z,;] )[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)*\b|\b[A-Z]{3,}\b"
    ),
}
_COMMON = 0.3
_MOST_OTHERS = 6


@dataclass(frozen=True, slots=True)
class Condition:
    """A term that question and chunk share; ``others`` are terms of its kind elsewhere in the corpus."""

    kind: EditKind
    term: str
    others: tuple[str, ...] = ()


class ConditionFinder:
    """Finds conditions; knows which terms the corpus has and which stand nearly everywhere."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = len(chunks)
        self._counts: dict[EditKind, Counter[str]] = defaultdict(Counter)
        for chunk in chunks:
            for kind, term in set(_terms(chunk.full_text)):
                self._counts[kind][term] += 1

    def find(self, question: Question, chunk: Chunk) -> tuple[Condition, ...]:
        """The conditions of ``question`` that stand in ``chunk`` and are no part of the answer."""
        found: list[Condition] = []
        answer = fold(question.answer)
        for kind, term in self._named_in(question.text):
            folded = fold(term)
            common = self._counts[kind][term] > max(3, _COMMON * self._chunks)
            overlaps = folded in answer or answer in folded
            seen = any(fold(other.term) == folded for other in found)
            if mentions(chunk.full_text, term) and not overlaps and not seen and not common:
                others = [
                    other
                    for other, _ in self._counts[kind].most_common(40)
                    if fold(other) != folded
                    and not mentions(question.text, other)
                    and fold(other) not in answer
                ]
                found.append(Condition(kind, term, tuple(others[:_MOST_OTHERS])))
        return tuple(found)

    def _named_in(self, text: str) -> Iterator[tuple[EditKind, str]]:
        """Terms by pattern, then terms that the corpus writes as plans and the question writes alone."""
        yield from _terms(text)
        for plan in self._counts["plan"]:
            if re.search(rf"(?<!\w){re.escape(plan)}(?!\w)", text):
                yield "plan", plan


def same_kind(kind: EditKind, term: str, replacement: str) -> bool:
    """Whether a replacement has the form of its kind; a plan or entity only has to be a short name."""
    if kind in ("plan", "entity"):
        return len(replacement.split()) <= len(term.split()) + 2
    return _PATTERNS[kind].fullmatch(replacement) is not None


def mentions(text: str, term: str) -> bool:
    """Whether ``term`` stands in ``text`` as a word, whatever its case."""
    return _word(term).search(text) is not None


def replaced(text: str, term: str, replacement: str) -> str:
    """``text`` with every mention of ``term`` changed."""
    return _word(term).sub(lambda _: replacement, text)


def _word(term: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(term)}(?![\w-])", re.I)


def _terms(text: str) -> Iterator[tuple[EditKind, str]]:
    for kind, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            yield kind, found.group().strip("`")
