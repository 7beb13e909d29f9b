"""Sets whose drafts the stub can judge, and the verifiers that it plays."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

from stub.generator import as_asked, careless_script, generator_script, stage
from stub.replies import refusal
from stub.server import Body, Reply, Stub

from goldgen.app.models import ModelSettings
from goldgen.app.verify import VerifyOptions
from goldgen.store import Store
from goldgen.types import Chunk, Document, Judgment, Question

QUOTA = "A workspace has a quota of 100 GB on the Team plan."
SHARE = "Half of the quota is reserved for files that are shared."


def fill_services(store: Store, documents: int, parts: int = 4) -> list[Question]:
    """Documents of several chunks, each of which states a fact, and a draft about every fact."""
    questions: list[Question] = []
    for document in range(documents):
        chunks = [_chunk(document, part) for part in range(parts)]
        text = "".join(chunk.text for chunk in chunks)
        store.corpus.replace_document(Document(f"d{document}", f"{document}.md", text), chunks)
        questions += [_draft(chunk, document, part) for part, chunk in enumerate(chunks)]
    store.questions.add(questions)
    return questions


def fill_split(store: Store) -> None:
    """A document of two chunks, and a draft that they answer only together."""
    chunks = [
        Chunk(f"s{n}", "ds", text, n * 100, n * 100 + len(text), position=n)
        for n, text in enumerate((QUOTA, SHARE))
    ]
    store.corpus.replace_document(Document("ds", "quota.md", QUOTA + SHARE), chunks)
    asked = "How is the quota of a workspace split?"
    both = Question("both", asked, "synthetic", "multi", "s0", "ds", model="gpt-writer")
    store.questions.add([replace(both, evidence_chunks=("s0", "s1"))])


def fact(document: int, part: int) -> str:
    return f"Service {document}-{part} keeps its data for {days(document, part)}."


def days(document: int, part: int) -> str:
    return f"{1000 + 10 * document + part} days"


def _chunk(document: int, part: int) -> Chunk:
    text = (
        f"Owners of service {document}-{part} may read and change every page of it at any time. "
        f"{fact(document, part)} Guests may only look at what was shared with them, and never change it.\n"
    )
    return Chunk(f"c{document}-{part}", f"d{document}", text, part * 1000, part * 1000 + len(text))


def _draft(chunk: Chunk, document: int, part: int) -> Question:
    return Question(
        id=f"q{document}-{part}",
        text=f"Fact: what holds for Service {document}-{part} keeps its?",
        origin="synthetic",
        style="fact",
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        answer=days(document, part),
        quote=fact(document, part),
        model="gpt-writer",
    )


def said(question: Question, target: str, grade: int, *, sampled: bool = False) -> Judgment:
    """A person's word."""
    return Judgment(question.id, target, "ann", judge_kind="human", grade=grade, sampled=sampled)


def options(db: Path, stub: Stub, controls: int = 20) -> VerifyOptions:
    """Of a run with the stub as verifier, and no completion of labels."""
    models = ModelSettings(
        verifier_model="ver",
        verifier_base_url=stub.url,
        embedding_model="vectors",
        embedding_base_url=stub.url,
    )
    return replace(VerifyOptions(db, controls=controls), models=models, complete=0)


def refusing_script(number: int, body: Body) -> Reply:
    """Play a verifier that says no to whatever it is shown."""
    return as_asked(body, _no(body))


def forgetful_script(number: int, body: Body) -> Reply:
    """Accept whatever is shown, and find something missing at the second look."""
    return careless_script(number, body) if stage(body) == "Verdict" else refusing_script(number, body)


def blocked_script(number: int, body: Body) -> Reply:
    """Accept every third text that does not answer, and refuse to look again."""
    if stage(body) == "SecondLook":
        return refusal()
    asked = str(body["messages"][-1]["content"])
    return careless_script(number, body) if crc32(asked.encode()) % 3 == 0 else generator_script(number, body)


def wavering_script(number: int, body: Body) -> Reply:
    """Judge well when asked for the first time; say no to every second vote, which has a temperature."""
    return refusing_script(number, body) if body.get("temperature") else generator_script(number, body)


def together_script(number: int, body: Body) -> Reply:
    """Judge well; a question about how a quota is split is answered by quota and share together."""
    said = str(body["messages"][-1]["content"])
    if "split" not in said:
        return generator_script(number, body)
    if not (QUOTA in said and SHARE in said):
        return refusing_script(number, body)
    parts = [{"part": half, "quote": half, "answered": True} for half in (QUOTA, SHARE)]
    return as_asked(body, {"parts": parts, "answer": "half of the 100 GB", "standalone": True, "grade": 3})


def _no(body: Body) -> dict[str, Any]:
    if stage(body) == "SecondLook":
        return {"missing": ["all"], "quote": "", "complete": False}
    parts = [{"part": "all", "quote": "", "answered": False}]
    return {"parts": parts, "answer": "", "standalone": True, "grade": 0}
