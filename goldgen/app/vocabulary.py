"""How far two sets of questions use the same words."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from goldgen.retrieve.languages import STOP_WORDS
from goldgen.text.words import STEM, telling_words, words

_DRAWS = 50
_FUNCTION_WORDS = STOP_WORDS["en"] | STOP_WORDS["de"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Telling words of written and of real questions, by their beginnings, so that forms of one word agree.

    Shares depend on how much there is of either: ``at_equal_size`` draws as many questions of each.
    """

    real_known: float
    """Share of the real questions' different words that written ones use too."""
    real_known_by_use: float
    """The same, each word counted as often as it is used."""
    written_known: float
    """Share of the written questions' different words that real ones use too."""
    at_equal_size: tuple[float, float]
    """``real_known`` and ``written_known`` with as many questions of both: the mean of 50 draws."""
    questions_drawn: int
    type_token: tuple[float, float]
    """Different words by all words, written and real: the mean of 50 draws of as many words of both."""
    words_drawn: int
    only_real: tuple[str, ...]
    """Words of real questions that no written one has, the most used first."""


def vocabulary(written: Sequence[str], real: Sequence[str], *, shown: int = 10, seed: int = 0) -> Vocabulary:
    """Compare the words of written and of real questions. The same seed gives the same draws."""
    w, r = [_stems(text) for text in written], [_stems(text) for text in real]
    whole = _known(r, w), _known(w, r)
    fewest = min(len(w), len(r))
    drawn = random.Random(seed)
    equal = [(drawn.sample(w, fewest), drawn.sample(r, fewest)) for _ in range(_DRAWS)]
    tokens = [word for text in written for word in words(text)], [x for text in real for x in words(text)]
    size = min(map(len, tokens))
    used = Counter(stem for stems in r for stem in stems)
    in_written = {stem for stems in w for stem in stems}
    return Vocabulary(
        real_known=whole[0],
        real_known_by_use=_share(
            sum(count for stem, count in used.items() if stem in in_written), used.total()
        ),
        written_known=whole[1],
        at_equal_size=(fmean(_known(b, a) for a, b in equal), fmean(_known(a, b) for a, b in equal)),
        questions_drawn=fewest,
        type_token=(_type_token(tokens[0], size, drawn), _type_token(tokens[1], size, drawn)),
        words_drawn=size,
        only_real=_only(real, in_written, shown),
    )


def _telling(text: str) -> set[str]:
    return telling_words(text) - _FUNCTION_WORDS


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:STEM] for word in _telling(text))


def _known(questions: Sequence[frozenset[str]], by: Sequence[frozenset[str]]) -> float:
    used, known = frozenset[str]().union(*questions), frozenset[str]().union(*by)
    return _share(len(used & known), len(used))


def _type_token(tokens: Sequence[str], size: int, drawn: random.Random) -> float:
    return fmean(_share(len(set(drawn.sample(tokens, size))), size) for _ in range(_DRAWS))


def _only(real: Sequence[str], in_written: set[str], shown: int) -> tuple[str, ...]:
    counts = Counter(word for text in real for word in _telling(text) if word[:STEM] not in in_written)
    return tuple(word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:shown])


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
