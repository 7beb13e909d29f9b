"""What the questions of a set are sliced by."""

from collections.abc import Mapping, Sequence

import regex

from goldgen.app.golden import GoldenSet
from goldgen.app.languages import UNCLEAR, language_of
from goldgen.app.leakage import WithGold, corpus_meter, overlap, overlap_level, with_gold
from goldgen.retrieve import detected_language
from goldgen.types import Chunk, JudgedQuestion

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
    overlap, the largest share of its words, by their rarity, that a gold chunk has: "low" below 0.5, "high"
    from 0.75, else "middle".
    """
    items = with_gold(golden)
    meter = corpus_meter(golden.chunks if items else ())
    judged = {item.question.id: item.judged for item in golden.questions}
    return {
        item.question.id: {
            "origin": item.question.origin,
            "style": item.question.style,
            "document": _document(item.golds, documents),
            "language": _language(item.question.text, item.golds),
            "evidence": _evidence(item, judged[item.question.id]),
            "overlap": overlap_level(overlap(item, meter)),
        }
        for item in items
    }


def difficulty(values: Mapping[str, float]) -> str:
    """How many retrievers find a question, by the Success@10 of each: 1 with gold in its first 10, else 0."""
    found = [value > 0 for value in values.values()]
    if not any(found):
        return "none of the retrievers has it"
    return "all" if all(found) else "some"


def _document(golds: Sequence[Chunk], documents: Mapping[str, str]) -> str:
    found = {chunk.document_id for chunk in golds}
    return documents[found.pop()] if len(found) == 1 else "several documents"


def _language(question: str, golds: Sequence[Chunk]) -> str:
    """By its function words, as a corpus is told; by its script; or as its gold."""
    own = detected_language([question]) or next((c for c, s in _SCRIPTS.items() if s.search(question)), None)
    found = own or language_of(question)
    return language_of("\n".join(chunk.full_text for chunk in golds)) if found == UNCLEAR else found


def _evidence(item: WithGold, judged: JudgedQuestion) -> str:
    in_sets = {chunk_id for chunk_ids in judged.sets for chunk_id in chunk_ids}
    alone = [chunk for chunk in item.golds if chunk.id not in in_sets]
    if not alone:
        return "a set of chunks"
    return "one chunk" if len(item.golds) == 1 else "one of several chunks"
