"""Whether two questions are one: by their words, and by how little the words that differ change them.

Made to say no when in doubt: questions that are taken for one share their labels.
"""

from collections import Counter
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Literal

from goldgen.text.question_meaning import Meaning, Term, stem
from goldgen.text.question_words import CAN, HOW, LANGUAGES, WHAT

FoundBy = Literal["words", "embedding"]
_LEAST_COSINE = 0.75
"""Of questions with the same words: below, one order or one small word makes another question of them."""
_MOST_CHANGE = 0.2
"""(1 - cosine) times the words compared: what one word for another may move a question. Measured: words of
one meaning move it by 0.04 to 0.16, names and things of one kind by 0.3 and more. The longer the question,
the less one word moves it; a cosine alone does not see that."""
MOST_OTHER_WORDS = 3
"""Of one question that have no equal in the other."""
_TURNED = 4
"""Letters at the end that words have in common which are each other's reverse: import, export."""
_COMPARING = ("differ", "unterschied", "compar", "vergleich", "vs", "versus")


def can_be_one(first: Meaning, second: Meaning) -> bool:
    """Whether they ask for the same: who, when, how; whether one can, must, should."""
    if first.language != second.language or not _same_kind(first, second):
        return False
    asking = first.asking | second.asking
    if asking == frozenset({HOW}):
        return True
    if not asking or "who" in asking:
        return first.modals == second.modals
    return first.modals - {CAN} == second.modals - {CAN}


def _same_kind(first: Meaning, second: Meaning) -> bool:
    if first.kind == second.kind:
        return first.asking == second.asking
    # Search words ask what or how.
    asked = first.asking | second.asking
    return {first.kind, second.kind} == {"words", "asks"} and len(asked) == 1 and asked <= {HOW, WHAT}


def found_alike(
    first: Meaning, second: Meaning, cosine: float, common: Set[str] = frozenset(), *, clear: bool = True
) -> FoundBy | None:
    """How the two are one question; None if they are not.

    They are by their words, if these are the same in the same order; and by the embedding, if a few words of
    each have words of the same meaning in the other, which is told from how little they move the question. A
    word without any such narrows the question, and makes another of it.
    ``common``: words so frequent among the questions that one without them asks the same. ``clear``: the
    language of a text is known by more than the other's.
    """
    if not can_be_one(first, second) or cosine < _LEAST_COSINE:
        return None
    ours, theirs = _unmatched(first, second), _unmatched(second, first)
    if not (ours and theirs):
        ours, theirs = (_telling(terms, common, first.language) for terms in (ours, theirs))
    if not _same_order(first, second):
        return None
    if not ours and not theirs:
        return "words"
    compared = min(len(first.terms), len(second.terms))
    others = max(len(ours), len(theirs))
    if not (clear and ours and theirs) or others > min(MOST_OTHER_WORDS, compared / 2):
        return None
    if any(term.fixed for term in (*ours, *theirs)):
        return None
    if any(_is_opposite(a.text, b.text, first.language) for a in ours for b in theirs):
        return None
    return "embedding" if (1 - cosine) * compared <= _MOST_CHANGE else None


def _unmatched(first: Meaning, second: Meaning) -> list[Term]:
    left = Counter(term.text for term in second.terms)
    found: list[Term] = []
    for term in first.terms:
        if left[term.text]:
            left[term.text] -= 1
        else:
            found.append(term)
    return found


def _telling(terms: Sequence[Term], common: Set[str], language: str) -> list[Term]:
    known = LANGUAGES.get(language)
    fixed = known.fixed if known else frozenset[str]()
    return [t for t in terms if t.text not in common or t.text in fixed or not t.text.isalpha()]


def _same_order(first: Meaning, second: Meaning) -> bool:
    shared = Counter(t.text for t in first.terms) & Counter(t.text for t in second.terms)
    orders = [_in_order(item, shared) for item in (first, second)]
    if orders[0] == orders[1]:
        return True
    if first.language == "de" and all(map(_nouns, (first, second))):
        # Verbs move: "Wie lade ich X neu?" is "Wie kann ich X neu laden?".
        nouns = Counter(_nouns(first)) & Counter(_nouns(second))
        return _in_order(first, nouns) == _in_order(second, nouns)
    if all(any(t.text.startswith(_COMPARING) for t in item.terms) for item in (first, second)):
        return True
    # "install X" and "X install": too few words for one to do something to the other.
    return "words" in (first.kind, second.kind) and shared.total() <= 2


def _in_order(item: Meaning, shared: Counter[str]) -> list[str]:
    left = Counter(shared)
    kept: list[str] = []
    for term in item.terms:
        if left[term.text]:
            left[term.text] -= 1
            kept.append(term.text)
    return kept


def _nouns(item: Meaning) -> list[str]:
    listed = LANGUAGES[item.language].fixed
    return [term.text for term in item.terms if term.fixed and term.text not in listed]


def _is_opposite(first: str, second: str, language: str) -> bool:
    if any(first in group and second in group for group in _opposites(language)):
        return True
    shorter, longer = sorted((first, second), key=len)
    turned = len(shorter) >= _TURNED and longer[-_TURNED:] == shorter[-_TURNED:] and longer[0] != shorter[0]
    return turned or longer.endswith(shorter)


@lru_cache(maxsize=len(LANGUAGES))
def _opposites(language: str) -> tuple[frozenset[str], ...]:
    """As terms stand in a ``Meaning``: without endings."""
    known = LANGUAGES[language]
    return tuple(frozenset(stem(word, known.endings) for word in group) for group in known.opposites)
