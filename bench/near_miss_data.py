"""Collections with known answers as goldgen's documents, chunks and questions."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from judging_data import DATA, relevant_passages, rows

from goldgen.text.sentences import sentences
from goldgen.types import Chunk, Document, Question


def known_answers(name: str) -> tuple[list[tuple[Document, list[Chunk]]], list[Question]]:
    """The passages of each title as one document, and the questions that one passage answers."""
    documents = _documents(name)
    chunks = {chunk.id: chunk for _, found in documents for chunk in found}
    relevant = relevant_passages(DATA / name)
    questions: list[Question] = []
    for row in rows(DATA / name / "queries.jsonl"):
        golds = relevant[row["_id"]]
        if len(golds) == 1 and (question := _question(row, chunks[golds[0]])):
            questions.append(question)
    return documents, questions


def _documents(name: str) -> list[tuple[Document, list[Chunk]]]:
    of_title: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows(DATA / name / "corpus.jsonl"):
        of_title[row["title"]].append(row)
    found: list[tuple[Document, list[Chunk]]] = []
    for title, passages in of_title.items():
        chunks: list[Chunk] = []
        start = 0
        for place, row in enumerate(passages):
            end = start + len(row["text"])
            chunks.append(Chunk(row["_id"], title, row["text"], start, end, position=place))
            start = end + 2
        found.append((Document(title, f"{title}.md", "\n\n".join(c.text for c in chunks)), chunks))
    return found


def _question(row: Mapping[str, Any], chunk: Chunk) -> Question | None:
    """The question with the sentences that hold its answer for a quote; None if code does not find it."""
    data = row["metadata"]
    references = data.get("references", ())
    if len(references) > 1:
        return None
    answer = (references[0]["content"] if references else data["answers"][0]["text"]).strip()
    start = chunk.text.find(answer)
    held = [(a, b) for a, b in sentences(chunk.text) if a < start + len(answer) and start < b]
    if start < 0 or not held:
        return None
    quote = chunk.text[held[0][0] : held[-1][1]]
    return Question(
        row["_id"], row["text"].strip(), "synthetic", "fact", chunk.id, chunk.document_id, answer, quote
    )
