"""A small golden set in a real file, and a scorer that counts words."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from goldgen.app.judges import Verifier
from goldgen.store import Store
from goldgen.text.words import words
from goldgen.types import Chunk, Document, Judgment, NearMiss, Question, Scores
from goldgen.verify import AnswerScorer

FACTS = {
    "exports.md": "Exports run at night. They are sent to the owner by mail.",
    "seats.md": "The Basic plan has 5 seats. More seats cost 3 euros each.",
}


class WordScorer:
    """Implements ``PairScorer``: the share of the question's words that a text has."""

    name = "word-scorer"

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        wanted = set(words(question))
        return np.array([len(wanted & set(words(text))) / len(wanted) for text in texts], dtype=np.float64)


def word_verifier() -> Verifier:
    """The embedded judge on words that are the same."""
    return Verifier(WordScorer.name, 1, scorer=AnswerScorer(WordScorer()))


def fill(store: Store) -> None:
    """Two documents of one chunk each, two drafts and a near miss for the first."""
    for path, text in FACTS.items():
        key = path.removesuffix(".md")
        chunk = Chunk(f"chunk-{key}", f"doc-{key}", text, 0, len(text))
        store.corpus.replace_document(Document(f"doc-{key}", path, text), [chunk])
    store.questions.add(
        [draft("exports", "When do exports run?"), draft("seats", "How many seats has Basic?")]
    )
    twin = FACTS["seats.md"].replace("Basic", "Pro")
    near_miss = NearMiss("near", "q-seats", "chunk-seats", twin, "", "plan", "Basic", "Pro")
    store.questions.add_near_misses([near_miss])


def write_log(folder: Path, *rows: str, name: str = "log.csv", header: str = "query,page") -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def draft(key: str, text: str) -> Question:
    return Question(f"q-{key}", text, "synthetic", "fact", f"chunk-{key}", f"doc-{key}", model="gpt-writer")


def verdict(question: str, target: str, grade: int | None, judge: str = "claude-judge") -> Judgment:
    return Judgment(f"q-{question}", target, judge, grade=grade)


def human(question: str, target: str, grade: int) -> Judgment:
    return Judgment(f"q-{question}", target, "ann", judge_kind="human", grade=grade)
