"""A small set whose questions have a second answer elsewhere, and the verifier that sees it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from stub.server import Stub

from goldgen.app.judges import open_verifier
from goldgen.app.labelling import LabelOptions, LabelReport, complete_labels
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Silent
from goldgen.store import Store
from goldgen.types import GOLD, Chunk, Document, Judgment, Question
from goldgen.verify import Interval, StrictProof

SHOWN = StrictProof((), Interval(1.0, 0.93, 1.0), True, "specificity 1 on answer_deleted controls")
NOT_STRICT = StrictProof((), Interval(0.98, 0.9, 1.0), False, "specificity 0.98; 0.99 is needed")
NIGHT = "Exports run at night after the backup has ended."
OTHER_NIGHT = "Exports run at night as soon as the nightly backup is through."
TEXTS = {
    "own": NIGHT,
    "second": OTHER_NIGHT,
    "twin": OTHER_NIGHT,
    "mail": "Exports are sent to the owner of the workspace by mail at night.",
    "stop": "Exports may be stopped by any admin, at night as well as by day.",
    "seats": "Seats cost three euros each on every plan.",
}
ASKED = "Fact: what holds for Exports run at night?"


def fill_corpus(store: Store, texts: dict[str, str] | None = None) -> None:
    """A document of one chunk for each text."""
    for key, text in (texts or TEXTS).items():
        chunk = Chunk(f"chunk-{key}", f"doc-{key}", text, 0, len(text))
        store.corpus.replace_document(Document(f"doc-{key}", f"{key}.md", text), [chunk])


def fill_pooled(store: Store, texts: dict[str, str] | None = None) -> None:
    """A document of one chunk for each text, and a draft about exports whose own chunk is accepted."""
    fill_corpus(store, texts)
    store.questions.add([draft()])
    store.judgments.put([accepted()])


def draft(key: str = "exports", text: str = ASKED, of: str = "own") -> Question:
    return Question(f"q-{key}", text, "synthetic", "fact", f"chunk-{of}", f"doc-{of}", model="gpt-writer")


def accepted(key: str = "exports", target: str = "own") -> Judgment:
    return Judgment(f"q-{key}", f"chunk-{target}", "ver", grade=GOLD, document_id=f"doc-{target}")


def log_query(key: str = "night", text: str = ASKED, page: str | None = None) -> Question:
    return Question(f"log-{key}", text, "log", "log", document_id=page)


class Heard(Silent):
    """Implements ``Reporter``: remembers what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def settings(stub: Stub, folder: Path, *, max_calls: int | None = None, dense: bool = False) -> ModelSettings:
    """The stub as verifier and, if ``dense``, as embedding model; otherwise there is none."""
    return ModelSettings(
        verifier_model="ver",
        verifier_base_url=stub.url,
        embedding_model="vectors" if dense else str(folder / "no-such-model"),
        embedding_base_url=stub.url if dense else "",
        concurrency=1,
        max_calls=max_calls,
    )


def label(
    store: Store,
    models: ModelSettings,
    *,
    depth: int = 10,
    complete: bool = True,
    max_gold: int = 10,
    runs: Sequence[Path] = (),
    strict: StrictProof | None = SHOWN,
    reporter: Silent | None = None,
) -> LabelReport:
    """``complete_labels`` with a verifier of its own."""
    options = LabelOptions(depth, complete, max_gold, tuple(runs))

    async def run() -> LabelReport:
        heard = reporter or Silent()
        async with open_verifier(models, None, store, heard) as verifier:
            return await complete_labels(store, verifier, None, models, options, strict, heard)

    return asyncio.run(run())


def grades(store: Store, question: str = "q-exports") -> dict[str, int | None]:
    """Chunk to the grade that counts, for one question."""
    return {
        judgment.target_id.removeprefix("chunk-"): judgment.grade
        for judgment in store.judgments.effective()
        if judgment.question_id == question
    }
