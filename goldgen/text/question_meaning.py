"""What a question asks for and about, as far as words tell."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from goldgen.text.question_words import (
    CHINESE_ASKING,
    CHINESE_FILLERS,
    CHINESE_MODALS,
    HOW,
    LANGUAGES,
    QuestionWords,
)

Kind = Literal["asks", "yes or no", "statement", "words"]
_SHORTEST_STEM = 3
_GOAL = "\ue000"
_TOKEN = regex.compile(
    r"(?P<word>[\p{L}\p{M}\p{N}\ue000]+(?:[._'/@][\p{L}\p{M}\p{N}]+)*(?:\+\+|\#|\+)?)"
    r"|(?P<symbol>(?<!\w)-(?=\p{N})|[<>=!~]=|[=!]~|[<>=%€$£^])"
)
_CODE = regex.compile(r"`[^`]+`")
_SENTENCE_END = regex.compile(r"[.?!:]\s*$")
_HAN = regex.compile(r"\p{Han}+")
_NOT_ASCII_QUOTES = str.maketrans("\u2018\u2019\u02bc", "'''")


@dataclass(frozen=True, slots=True)
class Term:
    """A word with a topic, without its ending."""

    text: str
    fixed: bool
    """Nothing stands in for it: a name, a number, code, a negation, a direction."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question taken apart."""

    language: str
    """Whose words were known: "en", "de", "zh"; empty for none."""
    kind: Kind
    asking: frozenset[str]
    modals: frozenset[str]
    terms: tuple[Term, ...]
    """In reading order; a word that nothing is fixed about counts once."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(term.text for term in self.terms)


def meaning(text: str, language: str) -> Meaning:
    """``language``: ISO 639-1, or anything else where it is not known. Without words of the language at hand
    every word is fixed."""
    plain = unicodedata.normalize("NFKC", text).translate(_NOT_ASCII_QUOTES)
    if language == "zh":
        return _chinese(plain)
    known = LANGUAGES.get(language)
    if known is None:
        terms = tuple(Term(found.group().lower(), True) for found in _TOKEN.finditer(plain))
        return Meaning("", "statement", frozenset(), frozenset(), terms)
    return _Reading(known, language, plain).meaning()


class _Reading:
    """One text, read with the words of one language."""

    def __init__(self, known: QuestionWords, language: str, text: str) -> None:
        self._known = known
        self._language = language
        self._asking: set[str] = set()
        self._modals: set[str] = set()
        self._terms: list[Term] = []
        self._has_pronoun = self._has_goal = False
        self._text = known.goals.sub(f" {_GOAL} ", known.frames.sub(" ", text))

    def meaning(self) -> Meaning:
        code = [found.span() for found in _CODE.finditer(self._text)]
        tokens = list(_TOKEN.finditer(self._text))
        words = [found.group().lower() for found in tokens]
        at = 0
        while at < len(words):
            pair = " ".join(words[at : at + 2])
            inside = any(start <= tokens[at].start() < end for start, end in code)
            if not inside and self._takes(pair):
                at += 2
                continue
            if inside or not (self._takes(words[at]) or self._has_no_topic(words[at])):
                self._add(tokens[at], words[at], inside=inside)
            at += 1
        opens = bool(words) and (words[0] in self._known.openers or words[0] in self._known.modals)
        opens = opens or words[:1] in (["was"], ["were"], ["did"], ["will"], ["wurde"], ["wurden"])
        if self._has_goal and not self._asking:
            self._asking.add(HOW)
        kind: Kind = "words"
        if self._asking:
            kind = "asks"
        elif opens:
            kind = "yes or no"
        elif self._has_pronoun:
            kind = "statement"
        return Meaning(
            self._language, kind, frozenset(self._asking), frozenset(self._modals), _once(self._terms)
        )

    def _takes(self, word: str) -> bool:
        """Whether it is a question word or a modal verb."""
        if word in self._known.asking:
            self._asking.add(self._known.asking[word])
        elif word in self._known.modals:
            self._modals.add(self._known.modals[word])
        elif word == _GOAL:
            self._has_goal = True
        else:
            return False
        return True

    def _has_no_topic(self, word: str) -> bool:
        known = self._known
        if word in known.fixed:
            return False
        if word in known.pronouns or word in known.openers:
            self._has_pronoun = True
            return not word.endswith("n't")
        return word in known.fillers

    def _add(self, token: "regex.Match[str]", word: str, *, inside: bool) -> None:
        known, written, bare = self._known, token.group(), word.removesuffix("'s")
        if word in ("not", "cannot") or word.endswith("n't"):
            base = word.removesuffix("n't").removesuffix("not")
            modal = {"ca": "can", "can": "can"}.get(base, base)
            if modal in known.modals:
                self._modals.add(known.modals[modal])
            self._terms.append(Term("not", True))
            return
        is_name = inside or not bare.isalpha() or any(map(str.isupper, written[1:]))
        if not is_name and written[0].isupper():
            before = self._text[: token.start()].rstrip(" \"'(`*_")
            is_name = bool(before) and not _SENTENCE_END.search(before)
        fixed = is_name or word in known.fixed
        root = bare if word in known.fixed or not bare.isalpha() else stem(bare, known.endings)
        self._terms.append(Term(root, fixed))


def stem(word: str, endings: Sequence[str]) -> str:
    """The word without an ending of inflection, and without what that leaves behind: "running" is "run"."""
    for ending in endings:
        root = word.removesuffix(ending)
        if root == word or len(root) < _SHORTEST_STEM or (ending == "s" and root[-1] in "siu"):
            continue
        if ending.startswith("ation") and len(root) < 2 * _SHORTEST_STEM:
            continue
        if ending in ("ied", "ies"):
            return f"{root}y"
        if root[-1] == root[-2] and root[-1] not in "aeiouls":
            return root[:-1]
        return root.removesuffix("e")
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


def _once(terms: Sequence[Term]) -> tuple[Term, ...]:
    seen: set[str] = set()
    kept: list[Term] = []
    for term in terms:
        if term.fixed or term.text not in seen:
            kept.append(term)
        seen.add(term.text)
    return tuple(kept)


def _chinese(text: str) -> Meaning:
    """Pairs of characters, all fixed: without a dictionary it is not known where words end."""
    asking, modals = set[str](), set[str]()
    lowered = text.lower()
    for listed, kinds in ((CHINESE_ASKING, asking), (CHINESE_MODALS, modals)):
        for word in sorted(listed, key=len, reverse=True):
            if word in lowered:
                kinds.add(listed[word])
                lowered = lowered.replace(word, " ")
    for word in CHINESE_FILLERS:
        lowered = lowered.replace(word, " ")
    terms: list[Term] = []
    for found in _TOKEN.finditer(_HAN.sub(lambda run: f" {run.group()} ", lowered)):
        run = found.group()
        if _HAN.fullmatch(run):
            terms.extend(Term(run[i : i + 2], True) for i in range(max(len(run) - 1, 1)))
        else:
            terms.append(Term(run, True))
    kind: Kind = "asks" if asking else "statement"
    return Meaning("zh", kind, frozenset(asking), frozenset(modals), tuple(terms))
