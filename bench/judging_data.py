"""Questions with a text that answers and two that do not, from public data that people labelled.

The data stay where they are, in a folder ``shared/data`` beside the checkout.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from goldgen.text.quotes import find_quote, states, without_answer
from goldgen.text.sentences import sentences
from goldgen.text.words import shared_stems
from goldgen.types import Embedder, Question, Vectors
from goldgen.verify import Passage

Kind = Literal["gold", "neighbour", "answer_deleted"]
NEGATIVES: tuple[Kind, ...] = ("neighbour", "answer_deleted")
SETS = ("xquad_en", "xquad_de", "covidqa_deepset", "chunking_evaluation", "anthropic_docs_rag")
TRAINED_ON = ("covidqa_deepset", "chunking_evaluation", "anthropic_docs_rag", "pubmedqa_l")
"""Their licences (Apache-2.0, MIT) allow weights that ship; that of xquad (CC-BY-SA) does not."""
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "beir"
CUT = 900
"""Characters at most of a passage cut from a long paper, between sentences."""
_DEEPEST_NEIGHBOUR = 20


@dataclass(frozen=True, slots=True)
class Trio:
    """A question with its answer and quote, and the three texts that a judge should tell apart."""

    question: Question
    gold: Passage
    neighbour: Passage
    deleted: Passage | None
    """None where the data do not tell which words of the passage answer."""

    @property
    def pairs(self) -> Mapping[Kind, Passage]:
        found: dict[Kind, Passage] = {"gold": self.gold, "neighbour": self.neighbour}
        if self.deleted is not None:
            found["answer_deleted"] = self.deleted
        return found


@dataclass(frozen=True, slots=True)
class _Source:
    passages: Mapping[str, Passage]
    asked: Sequence[tuple[Question, frozenset[str]]]
    """With all passages that people call relevant; ``question.chunk_id`` holds the answer."""


def require_data() -> None:
    """Ends the program with a message if the data are not there."""
    if not DATA.is_dir():
        raise SystemExit(
            f"no data in {DATA}; this measurement needs the folder shared/data beside the checkout"
        )


def load_trios(name: str, count: int, seed: int, embedder: Embedder, cache: Path) -> list[Trio]:
    """Up to ``count`` questions of a set in random order; says how many were not usable, and why.

    neighbour: the passage nearest to the question by dense search that nobody calls relevant and that does
    not state the answer, among the nearest 20. answer_deleted: the answering passage without the sentences
    that state the answer. Vectors are kept in the folder ``cache``.
    """
    source = _source(name)
    ids = list(source.passages)
    vectors = _vectors(cache / f"{name}.npy", [source.passages[key].text for key in ids], embedder)
    asked = random.Random(seed).sample(source.asked, len(source.asked))[: 2 * count]
    asked_vectors = embedder.encode([question.text for question, _ in asked], query=True)
    trios: list[Trio] = []
    dropped: Counter[str] = Counter()
    for (question, relevant), vector in zip(asked, asked_vectors, strict=True):
        if len(trios) == count:
            break
        gold = source.passages[question.chunk_id or ""]
        left = without_answer(gold.text, question.answer, question.quote) if question.quote else None
        if question.quote and find_quote(gold.text, question.quote) is None:
            dropped["its quote is not found again"] += 1
            continue
        if question.quote and left is None:
            dropped["nothing is left without the answer"] += 1
            continue
        near = np.argsort(-(vectors @ vector))[:_DEEPEST_NEIGHBOUR]
        wrong = (source.passages[ids[at]] for at in near if ids[at] not in relevant)
        neighbour = next((passage for passage in wrong if not states(passage.text, question.answer)), None)
        if neighbour is None:
            dropped["every near passage states the answer"] += 1
            continue
        deleted = replace(gold, id=f"{gold.id}-deleted", text=left, document_id=None) if left else None
        trios.append(Trio(question, gold, neighbour, deleted))
    print(f"{name}: {len(trios)} questions of {len(source.asked)}; not usable on the way: {dict(dropped)}")
    return trios


def left_out_path(work: Path, name: str) -> Path:
    """Where bench/train_judge.py leaves the judge that was trained on all collections but ``name``."""
    return work / f"judge-without-{name}.json"


def _source(name: str) -> _Source:
    if name == "chunking_evaluation":
        return _chunking_evaluation()
    if name == "pubmedqa_l":
        return _abstracts()
    return _anthropic_docs() if name == "anthropic_docs_rag" else _with_spans(name)


def likeliest_sentence(question: Question, passage: Passage) -> str:
    """What a generator that wrote the question from ``passage`` would quote: the most words in common."""
    spans = [passage.text[start:end] for start, end in sentences(passage.text)]
    return max(spans, key=lambda text: shared_stems(question.text, text), default="")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def relevant_passages(folder: Path) -> dict[str, list[str]]:
    """Question to the passages that its qrels call relevant."""
    found: dict[str, list[str]] = defaultdict(list)
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as file:
        for line in list(file)[1:]:
            question, passage, grade = line.split("\t")
            if int(grade) > 0:
                found[question].append(passage)
    return found


def _vectors(path: Path, texts: Sequence[str], embedder: Embedder) -> Vectors:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, embedder.encode(texts, query=False))
    return np.load(path)


def _with_spans(name: str) -> _Source:
    """Sets whose questions have the offset of their answer: paragraphs as they are, papers cut."""
    folder = DATA / name
    passages: dict[str, Passage] = {}
    of_document: dict[str, list[Passage]] = defaultdict(list)
    texts: dict[str, str] = {}
    for row in rows(folder / "corpus.jsonl"):
        document, text = row["_id"], row["text"]
        texts[document] = text
        spans = _cut(text) if name == "covidqa_deepset" else [(0, len(text))]
        for start, end in spans:
            passage = Passage(f"{document}:{start}", text[start:end], "", document, start)
            passages[passage.id] = passage
            of_document[document].append(passage)
    relevant = relevant_passages(folder)
    asked: list[tuple[Question, frozenset[str]]] = []
    for row in rows(folder / "queries.jsonl"):
        (document,) = relevant[row["_id"]]
        answer = row["metadata"]["answers"][0]
        start, wording = _place(texts[document], answer["text"], answer["start"])
        holding = [p for p in of_document[document] if _holds(p, start, start + len(wording))]
        if start >= 0 and holding:
            quote = _sentences_of(holding[0], start, start + len(wording))
            question = _question(row, holding[0], wording, quote)
            asked.append((question, frozenset({holding[0].id})))
    return _Source(passages, asked)


def _chunking_evaluation() -> _Source:
    """Questions with one reference, which stands in one passage."""
    folder = DATA / "chunking_evaluation"
    passages = {
        row["_id"]: Passage(row["_id"], row["text"], "", row["title"], row["metadata"]["start"])
        for row in rows(folder / "corpus.jsonl")
    }
    relevant = relevant_passages(folder)
    asked: list[tuple[Question, frozenset[str]]] = []
    for row in rows(folder / "queries.jsonl"):
        references = row["metadata"]["references"]
        gold = relevant[row["_id"]]
        if len(references) == len(gold) == 1:
            wording = references[0]["content"]
            asked.append((_question(row, passages[gold[0]], wording, wording), frozenset(gold)))
    return _Source(passages, asked)


def _anthropic_docs() -> _Source:
    """Questions with a written answer and several golds: of these the one with most of the answer's words.

    Nobody says which sentences answer, so there is no quote.
    """
    folder = DATA / "anthropic_docs_rag"
    found = {
        row["_id"]: Passage(row["_id"], row["text"], "", row["_id"].partition("#")[0])
        for row in rows(folder / "corpus.jsonl")
    }
    relevant = relevant_passages(folder)
    asked: list[tuple[Question, frozenset[str]]] = []
    for row in rows(folder / "queries.jsonl"):
        answer = row["metadata"]["answer"]
        golds = [found[key] for key in relevant[row["_id"]]]
        gold = max(golds, key=lambda passage: shared_stems(answer, passage.text))
        asked.append((_question(row, gold, answer, ""), frozenset(passage.id for passage in golds)))
    return _Source(found, asked)


def _abstracts() -> _Source:
    """Questions about one abstract each, with yes or no for an answer, which stands nowhere."""
    folder = DATA / "pubmedqa_l"
    found = {
        row["_id"]: Passage(row["_id"], row["text"], "", row["_id"]) for row in rows(folder / "corpus.jsonl")
    }
    relevant = relevant_passages(folder)
    asked = [
        (_question(row, found[relevant[row["_id"]][0]], "", ""), frozenset(relevant[row["_id"]]))
        for row in rows(folder / "queries.jsonl")
    ]
    return _Source(found, asked)


def _question(row: Mapping[str, Any], gold: Passage, answer: str, quote: str) -> Question:
    return Question(
        row["_id"], row["text"].strip(), "manual", "fact", gold.id, gold.document_id, answer.strip(), quote
    )


def _cut(text: str) -> list[tuple[int, int]]:
    """Spans of whole sentences, each as long as ``CUT`` allows; a longer sentence stands alone."""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(text):
        if spans and end - spans[-1][0] <= CUT:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _place(text: str, answer: str, start: int) -> tuple[int, str]:
    """Where the answer stands, without the white space around it; some offsets of the data are wrong."""
    wording = answer.strip()
    if text.startswith(wording, start):
        return start, wording
    at = text.find(wording)
    return (at, wording) if text.count(wording) == 1 else (-1, wording)


def _holds(passage: Passage, start: int, end: int) -> bool:
    return passage.start <= start and end <= passage.start + len(passage.text)


def _sentences_of(passage: Passage, start: int, end: int) -> str:
    """The sentences that hold the span, as goldgen's generator quotes whole sentences."""
    here = [
        (a, b) for a, b in sentences(passage.text) if passage.start + a < end and start < passage.start + b
    ]
    return passage.text[here[0][0] : here[-1][1]] if here else ""
