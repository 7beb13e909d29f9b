"""Which names of a corpus are of one kind, and which mentions of a name can be changed."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

_LINK = re.compile(r"(, )|,? (?:and|or|und|oder|et|ou|y|o|e) (?:the |die |der |das |les? |la )?|/")
_PERSON = re.compile(r"\b(?:he|she|his|her|him|hers|himself|herself)\b", re.I)


class ListedNames:
    """Names that stand in one list, such as "with Basic, Pro or Team", are of one kind.

    Words around a name do not tell that: "the University of" stands before cities as well as people.
    """

    def __init__(self) -> None:
        self._beside: dict[str, Counter[str]] = defaultdict(Counter)

    def read(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        """Learn from the names at ``spans`` of ``text``, in their order.

        Commas alone make no list: in "Paris, France" one lies in the other.
        """
        run: list[str] = []
        is_list = False
        for (start, end), (following, after) in pairwise(spans):
            run = run or [text[start:end].strip("`")]
            link = _LINK.fullmatch(text, end, following)
            if link is not None:
                run.append(text[following:after].strip("`"))
                is_list = is_list or link[1] is None
            if link is None or (following, after) == spans[-1]:
                self._note(run if is_list else [])
                run, is_list = [], False

    def _note(self, run: Sequence[str]) -> None:
        for name in set(run):
            self._beside[name].update(set(run) - {name})

    def together(self, name: str, other: str) -> int:
        """In how many lists both stand; 0 also if one alone looks like a plural."""
        return self._beside[name][other] if name.endswith("s") == other.endswith("s") else 0


def name_stands_alone(text: str, name: str) -> bool:
    """Whether a name can be changed: no mention is part of a longer name, and it is nobody's.

    "the Warsaw Uprising" and "the University of Warsaw" are names of their own, and people have a gender
    and a life that would not fit another.
    """
    word = re.escape(name)
    longer = rf"(?<=[a-z,;] )[A-Z]\w*[ -]{word}\b|\b[A-Z]\w+ (?:of|for|de|von) (?:the )?{word}\b"
    goes_on = rf"\b{word}(?:['\u2019]s)?[ -][A-Z]|\b{word}[-/&]\w"
    return not re.search(rf"{longer}|{goes_on}", text) and not _PERSON.search(text)
