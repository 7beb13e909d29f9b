"""What an outside retriever answers, checked and put in order."""

import re
from collections.abc import Collection, Iterable, Mapping, MappingView, Sequence, Set, Sized
from itertools import islice, pairwise
from math import isfinite, nan
from numbers import Integral
from typing import SupportsFloat, cast
from uuid import UUID

from goldgen.errors import RetrieverError
from goldgen.types import Hit, Ranking, Replies, ranked

SHAPES = 'a list, best first, of ids, of (id, score) pairs, or of {"id": …, "score": …}'

_ENDLESS = 10_000
"""Hits after which what is lazy is taken to have no end, unless four times as many as asked for are more."""
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


class ReplyReader:
    """Turns answers into rankings and counts what is odd about them."""

    def __init__(self, name: str, chunk_ids: Collection[str]) -> None:
        self._name = name
        self._known = frozenset(chunk_ids)
        self.replies = Replies()

    def ranking(self, answer: object, question: str, k: int, hidden: frozenset[str]) -> Ranking:
        """The best ``k`` of the answer. Raises RetrieverError for an answer that cannot be ranked."""
        found = self._found(answer, question, k + len(hidden))
        entries = [self._entry(entry, question) for entry in found]
        scored = sum(score is not None for _, score in entries)
        if scored not in {0, len(entries)}:
            raise self._wrong(
                question, f"gave only {scored} of {len(entries)} hits a score; score all or none"
            )
        hits = [
            Hit(name, 1 / rank if score is None else score) for rank, (name, score) in enumerate(entries, 1)
        ]
        self._check_scores(hits, question)
        first = {hit.chunk_id: hit for hit in reversed(hits)}
        repeated = len(hits) - len(first)
        ranking = ranked(hit for hit in first.values() if hit.chunk_id not in hidden)[: max(k, 0)]
        unknown = sum(hit.chunk_id not in self._known for hit in ranking)
        seen = self.replies
        self.replies = Replies(
            seen.questions + 1,
            seen.empty + (not ranking),
            seen.hits + len(ranking),
            seen.unknown + unknown,
            seen.repeated + repeated,
            seen.scored + bool(scored),
        )
        return ranking

    def _found(self, answer: object, question: str, asked: int) -> list[object]:
        """The hits of an answer as they came; what is lazy asks the user's index only now."""
        if isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Iterable):
            raise self._wrong(question, f"answered with {_kind(cast(object, answer))}; return {SHAPES}")
        # The keys of a dict are a set too, but one with an order.
        if isinstance(answer, Set) and not isinstance(answer, Sequence | MappingView):
            kind = type(cast(object, answer)).__name__
            raise self._wrong(question, f"answered with a {kind}, which has no order; return {SHAPES}")
        hits = cast(Iterable[object], answer)
        if isinstance(hits, Sized):
            return list(hits)
        bound = max(_ENDLESS, 4 * asked)
        found = list(islice(hits, bound + 1))
        if len(found) > bound:
            raise self._wrong(
                question, f"gave more than {bound:,} hits where {asked:,} were asked for; return at most k"
            )
        return found

    def _entry(self, entry: object, question: str) -> tuple[str, float | None]:
        chunk_id, score = _fields(entry)
        if isinstance(chunk_id, bool) or not isinstance(chunk_id, str | Integral | UUID):
            raise self._wrong(question, f"answered with a hit that is {_kind(entry)}; return {SHAPES}")
        name = str(chunk_id)
        if _HALF_A_CHARACTER.search(name):
            raise self._wrong(
                question,
                f"gave the id {shown(name)}, which holds half a character (a lone surrogate); "
                "return the ids as the set has them",
            )
        return name, None if score is None else self._number(score, name, question)

    def _number(self, score: object, chunk_id: str, question: str) -> float:
        try:
            # Numbers of numpy, of a database or of a tensor have no common type, but all have __float__.
            value = float(cast(SupportsFloat, score)) if hasattr(score, "__float__") else nan
        except (ArithmeticError, RuntimeError, TypeError, ValueError):
            value = nan
        if not isfinite(value):
            raise self._wrong(
                question, f"gave {chunk_id!r} the score {shown(score)}; a score is a finite number"
            )
        return value

    def _check_scores(self, hits: list[Hit], question: str) -> None:
        for above, below in pairwise(hits):
            if below.score > above.score:
                raise self._wrong(
                    question,
                    f"ranks {above.chunk_id!r} with {above.score:g} above {below.chunk_id!r} with "
                    f"{below.score:g}; "
                    "return the best first with the highest score (a distance with its sign turned)",
                )

    def _wrong(self, question: str, what: str) -> RetrieverError:
        return RetrieverError(f"retriever {self._name}, asked {question!r}, {what}")


def _fields(entry: object) -> tuple[object, object]:
    """The id and the score of one hit; None where it has none."""
    if isinstance(entry, Mapping):
        named = cast(Mapping[object, object], entry)
        return named.get("id"), named.get("score")
    if isinstance(entry, Sequence) and not isinstance(entry, str | bytes):
        values = cast(Sequence[object], entry)
        return (values[0], values[1]) if len(values) == 2 else (None, None)
    return entry, None


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}: {shown(value)}"


def shown(value: object) -> str:
    """The start of its ``repr`` in one line; "too long to show" where it has none."""
    try:
        return " ".join(f"{value!r:.80}".split())
    except (RecursionError, ValueError):
        # Lists in lists in lists, or an integer of thousands of digits.
        return "too long to show"
