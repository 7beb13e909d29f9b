"""A set with log queries in every state of an answer, in a real file."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from goldgen.store import Store, open_store
from goldgen.store.logs import LoggedQuery
from goldgen.types import Chunk, Document, Judgment, Pooled, Question
from goldgen.verify.agreement import PROPOSED

CHUNKS = 60
SEEN = datetime(2026, 9, 1, 12, tzinfo=UTC)
ASKED = {
    "gap": "delete old series",
    "part": "how is a series deleted",
    "shallow": '=HYPERLINK("http://evil.example")',
    "scored": "wie lange werden die Daten gespeichert",
    "proposed": "is there an api for silences",
    "answered": "export at night",
    "open": "what about seats",
}
TRAFFIC = {"gap": 4, "part": 9, "shallow": 7, "scored": 2, "proposed": 3, "answered": 20, "open": 5}


def fill_asked(path: Path) -> None:
    """60 chunks of one document; the first is the nearest to all queries, by bm25 and by dense search."""
    with open_store(path) as store:
        texts = [f"What part {n} of the handbook says of exports and how they run. " for n in range(CHUNKS)]
        starts = [sum(map(len, texts[:n])) for n in range(CHUNKS)]
        chunks = [
            Chunk(f"c{n}", "d", text, start, start + len(text), "Handbook > Exports" if n < 2 else "", n)
            for n, (text, start) in enumerate(zip(texts, starts, strict=True))
        ]
        store.corpus.replace_document(Document("d", "handbook.md", "".join(texts)), chunks)
        store.questions.add(
            [Question(key, text, "log", "log", asked=TRAFFIC[key]) for key, text in ASKED.items()]
        )
        store.logs.replace("log-1", [_logged(key, text) for key, text in ASKED.items()])
        store.logs.set_weights({key: float(asked) for key, asked in TRAFFIC.items()})
        for key in ("gap", "part", "scored", "proposed"):
            _judge(store, key, depth=50)
        for key in ("shallow", "answered"):
            _judge(store, key, depth=10)


def pool(key: str, depth: int, source: str = "bm25") -> list[Pooled]:
    return [Pooled(key, f"c{n}", source, n + 1, depth) for n in range(depth)]


def _judge(store: Store, key: str, depth: int) -> None:
    store.pool.put([*pool(key, depth), *pool(key, depth, "dense")])
    scored = key == "scored"
    judgments = [
        Judgment(key, f"c{n}", "judge", grade=0, score=0.9 - n / 100 if scored else None)
        for n in range(depth)
    ]
    best = {"gap": 1, "part": 2, "proposed": 2, "answered": 3}
    if key in best:
        reason = f"{PROPOSED}: the judge is not shown to be strict" if key == "proposed" else ""
        judgments[1] = Judgment(key, "c1", "judge", grade=best[key], reason=reason)
    store.judgments.put(judgments)


def _logged(key: str, text: str) -> LoggedQuery:
    variants: Sequence[str] = (text, text.upper(), "remove a series") if key == "gap" else (text,)
    return LoggedQuery(
        key,
        text,
        TRAFFIC[key],
        SEEN,
        SEEN.replace(day=TRAFFIC[key]),
        tuple(variants),
        (),
        3,
        2 if key == "gap" else 0,
    )
