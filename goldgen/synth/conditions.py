"""The conditions a question names, and what else of their kind the corpus knows.

A near miss is made by changing a condition (plan, version, date, region, entity) that the question names,
never the answer's value: a twin with another value still answers, falsely, and no retriever could tell.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from goldgen.synth.dates import is_other_time, years_apart
from goldgen.synth.names import ListedNames
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
_FEWEST_LISTS = 2
"""Lists that have two names of one kind; one is enough if a telling word stands beside both."""
_TELLING = 0.02
"""Words that stand beside a larger share of all terms, such as "the", tell nothing of a term's kind."""
_FEW_TERMS = 3
_SWAPS_A_TERM = 4
_CODE = re.compile(r"([A-Z]{2,}-)\d+")
_NO_NAME = re.compile(rf"{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day")


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
        self._listed = ListedNames()
        for chunk in chunks:
            # Headings are written in capitals that make no name.
            prose = _HEADING.sub("", chunk.text)
            places = list(_places(prose))
            for _, term, before, after in places:
                self._beside[term] |= {f"{before} _", f"_ {after}"}
            self._listed.read(prose, [found.span() for found in _PATTERNS["entity"].finditer(prose)])
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
        is_name = is_a_name(kind, term)
        most = max(_FEW_TERMS, _TELLING * len(self._beside))
        telling = {word for word in beside if self._terms_beside[word] <= most}
        found: dict[str, float] = {}
        for other in self._counts[kind]:
            shared = len(self._beside[other] & beside)
            if is_name and _NO_NAME.fullmatch(other):
                continue
            if is_name and not self._are_of_a_kind(term, other, telling):
                continue
            if not is_other_time(term, other):
                continue
            if fold(other) != fold(term) and _form(other) == _form(term):
                found[other] = shared / sqrt(len(beside) * len(self._beside[other]) or 1)
        return sorted(
            found,
            key=lambda other: (years_apart(term, other), -found[other], -self._counts[kind][other], other),
        )

    def _are_of_a_kind(self, name: str, other: str, telling: set[str]) -> bool:
        together = self._listed.together(name, other)
        return together >= _FEWEST_LISTS or (together > 0 and bool(telling & self._beside[other]))


def is_a_name(kind: EditKind, term: str) -> bool:
    """Whether ``term`` is told by its capitals alone, as France, EU and Grafana are."""
    return kind in ("entity", "region") and term[:1].isupper() and not term[-1].isdigit()


def named_terms(text: str) -> set[str]:
    """The names of things that stand in ``text``: products, settings, commands, errors."""
    return {term for kind, term in _terms(text) if kind == "entity"}


def mentions(text: str, term: str) -> bool:
    """Whether ``term`` stands in ``text`` as a word, whatever its case."""
    return re.search(_word(term), text, re.I) is not None


def replaced(text: str, term: str, replacement: str) -> str:
    """``text`` with every mention of ``term`` changed that is written so; "state" is no "State"."""
    return re.sub(_word(term), lambda _: replacement, text)


def _word(term: str) -> str:
    return rf"(?<![\w-]){re.escape(term)}(?![\w-])"


def _form(term: str) -> str:
    """The term with its letters and digits blurred: v2 is like v1 and not like 2.13.0, a flag like a flag.

    Letters before a number stay: ERR-7 is like ERR-9 and not like MPEG-2; so does what tells a year.
    """
    if code := _CODE.fullmatch(term):
        return code[1]
    digits = re.sub(r"\d{3,}", "000", term)
    return re.sub(r"(?<!\d)\d{1,2}(?!\d)", "0", re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", digits)))


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
