"""A golden set of the sample documents, in a folder of its own: people wrote its questions, with quotes."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conftest import Goldgen

from goldgen.app.loading import load_corpus
from goldgen.app.reporting import Silent
from goldgen.corpus import ChunkOptions
from goldgen.store import open_store
from goldgen.types import Chunk

DOCS = Path(__file__).parents[2] / "corpora" / "docs"
QUOTES = {
    "How long are deleted dashboards kept?": "| Deleted dashboards (**Dashboards > Trash**) | 30 days |",
    "Do I get money back for the rest of a month?": "**Monthly plans** are not refundable.",
    "When is an inactive Free workspace deleted?": "that nobody has opened for **12 months** is deleted",
    "How much notice is given of a higher price?": "at least **60 days** before it takes effect",
    "Who may use export controls on Team?": "they are enabled for Editors, Admins and the workspace owner",
    "How many retrievals of archived rows are free?": "one of the **5 retrievals a month** included",
    "Why do I have to sign in again every day?": "A session ends after **24 hours without activity**",
    "Why was nobody told of a value that was high for a moment?": "a short peak that is over",
    "Do archived dashboards count towards the limit?": "**archived dashboards do not count** towards it",
    "What becomes of export schedules in a downgrade?": "all export schedules are deleted, not paused",
}


@dataclass(frozen=True, slots=True)
class SampleSet:
    goldgen: Goldgen
    """Run in the set's folder."""
    db: Path
    chunks: tuple[Chunk, ...]
    golds: Mapping[str, str]
    """Question to the one chunk that holds its quote."""


def make_sample_set(folder: Path) -> SampleSet:
    db = folder / "outputs" / "goldgen.duckdb"
    with open_store(db) as store:
        chunks, _ = load_corpus(store, DOCS, "", ChunkOptions(), Silent())
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question", "quote"), *QUOTES.items()])
    goldgen = Goldgen(folder)
    added = goldgen("add", "--file", "questions.csv", "--name", "Ann")
    assert added.returncode == 0, added.stderr
    golds: dict[str, str] = {}
    for question, quote in QUOTES.items():
        (golds[question],) = (chunk.id for chunk in chunks if quote in chunk.text)
    return SampleSet(goldgen, db, chunks, golds)
