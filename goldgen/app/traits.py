"""What the questions of a set are sliced by, and how many words they share with their gold."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from goldgen.app.golden import GoldenSet
from goldgen.retrieve import detected_language
from goldgen.text.words import shared_stems
from goldgen.types import Chunk, JudgedQuestion, Question

_MIDDLE_OVERLAP = 0.5
_HIGH_OVERLAP = 0.75
# Languages without a list of function words, by their script; kana first, for they stand beside Han signs.
_SCRIPTS = {
    "ja": regex.compile(r"[\p{Hiragana}\p{Katakana}]"),
    "zh": regex.compile(r"\p{Han}"),
    "ko": regex.compile(r"\p{Hangul}"),
    "th": regex.compile(r"\p{Thai}"),
}


def traits(golden: GoldenSet, documents: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Question id to trait to value, of every question with gold. ``documents``: id to path.

    origin and style as the question has them;
    document: path of the document that its gold stands in, or "several documents";
    language: ISO 639-1 code of the question's own or, where it is too short to tell, of its gold; or "not
    clear";
    evidence: "one chunk"; "one of several chunks" where one alone answers; "a set of chunks" where none does;
    overlap, the largest share of its words that a gold chunk has: "low" below 0.5, "high" from 0.75, else
    "middle".
    """
    return {
        item.question.id: {
            "origin": item.question.origin,
            "style": item.question.style,
            "document": _document(item.golds, documents),
            "language": _language(item.question.text, item.golds),
            "evidence": _evidence(item),
            "overlap": _level(item.overlap),
        }
        for item in _with_gold(golden)
    }


def leakage(golden: GoldenSet) -> dict[str, float]:
    """Origin to the mean share of a question's words that its gold has too, of the questions with gold."""
    shares: dict[str, list[float]] = defaultdict(list)
    for item in _with_gold(golden):
        shares[item.question.origin].append(item.overlap)
    return {origin: sum(found) / len(found) for origin, found in sorted(shares.items())}


def difficulty(values: Mapping[str, float]) -> str:
    """How many retrievers find a question, by the Success@10 of each: 1 with gold in its first 10, else 0."""
    found = [value > 0 for value in values.values()]
    if not any(found):
        return "none of the retrievers has it"
    return "all" if all(found) else "some"


@dataclass(frozen=True, slots=True)
class _Item:
    question: Question
    judged: JudgedQuestion
    golds: Sequence[Chunk]

    @property
    def overlap(self) -> float:
        return max(shared_stems(self.question.text, chunk.full_text) for chunk in self.golds)


def _with_gold(golden: GoldenSet) -> Iterator[_Item]:
    by_id = {chunk.id: chunk for chunk in golden.chunks}
    for item in golden.questions:
        golds = [by_id[i] for i, grade in item.judged.grades.items() if grade >= golden.threshold]
        if golds:
            yield _Item(item.question, item.judged, golds)


def _document(golds: Sequence[Chunk], documents: Mapping[str, str]) -> str:
    found = {chunk.document_id for chunk in golds}
    return documents[found.pop()] if len(found) == 1 else "several documents"


def _language(question: str, golds: Sequence[Chunk]) -> str:
    """By its function words, as a corpus is told; by the script where it has none that are listed."""
    by_script = (code for code, script in _SCRIPTS.items() if script.search(question))
    own = detected_language([question]) or next(by_script, None)
    return own or detected_language([chunk.full_text for chunk in golds]) or "not clear"


def _evidence(item: _Item) -> str:
    in_sets = {chunk_id for chunk_ids in item.judged.sets for chunk_id in chunk_ids}
    alone = [chunk for chunk in item.golds if chunk.id not in in_sets]
    if not alone:
        return "a set of chunks"
    return "one chunk" if len(item.golds) == 1 else "one of several chunks"


def _level(overlap: float) -> str:
    if overlap < _MIDDLE_OVERLAP:
        return "low"
    return "high" if overlap >= _HIGH_OVERLAP else "middle"
