"""Personal data of logs in nothing that any command writes, prints or sends: names of people and the rest."""

from pathlib import Path
from typing import Any, get_args

import spacy
from conftest import Goldgen, write_docs
from stub.generator import generator_script
from stub.server import StartStub

from goldgen.app.exporting import ExportForm

PERSON = "Zoltan Quillmore"
SECRETS = {
    "EMAIL": "jane.doe@example.com",
    "PHONE": "+49 30 901820",
    "CARD": "4111 1111 1111 1111",
    "IBAN": "DE89 3704 0044 0532 0130 00",
    "TOKEN": "sk-" + "proj-q7Zt4LmX9vB2nKp8RwY5sD3h",
    "IP": "203.0.113.7",
    "NATIONALID": "536-90-4399",
    "PERSON": PERSON,
}
USER = "visitor-77"
FORMS = {name: name for name in get_args(ExportForm)} | {
    "beir": "beir/queries.jsonl",
    "trec": "trec/queries.tsv",
}
"""Every format of export to its file that holds the questions."""


def spacy_model(folder: Path) -> str:
    """A pipeline that knows one person."""
    pipeline = spacy.blank("en")
    ruler: Any = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": PERSON}])
    pipeline.to_disk(folder)
    return folder.name


def log(folder: Path) -> str:
    """Each secret in a query that page-10.md answers, and in one that nothing answers."""
    rows = [
        row
        for number, (kind, secret) in enumerate(SECRETS.items())
        # Names in the addresses of pages stay: a path is no text to a model.
        for page in ("elsewhere.md" if kind == "PERSON" else f"{secret}.md",)
        for row in (
            f"{kind.lower()} {secret} asks what holds for Service 10 exports that failed?,page-10.md,{USER}",
            f"refund {number} of {secret} is not on the invoice,{page}?of={secret},{USER}",
        )
    ]
    folder.mkdir()
    (folder / "log.csv").write_text("\n".join(["query,page,user", *rows]) + "\n", encoding="utf-8")
    return f"{folder.name}/log.csv"


def test_nothing_personal_is_written_printed_or_sent(
    goldgen: Goldgen, tmp_path: Path, start_stub: StartStub
) -> None:
    stub = start_stub(generator_script)
    settings = {
        "GOLDGEN_BASE_URL": stub.url,
        "GOLDGEN_MODEL": "gen",
        "GOLDGEN_VERIFIER_MODEL": "ver",
        "GOLDGEN_EMBEDDING_BASE_URL": stub.url,
        "GOLDGEN_EMBEDDING_MODEL": "vectors",
        "GOLDGEN_NAMES": spacy_model(tmp_path / "people"),
    }
    told = ""

    def said(*arguments: str) -> str:
        nonlocal told
        done = goldgen(*arguments, **settings)
        assert done.returncode == 0, (arguments, done.stderr)
        told += done.stdout + done.stderr
        return done.stdout

    write_docs(tmp_path / "docs", documents=12)
    said("synth", "docs", "--chunk-size", "700", "--near-miss", "0", "--sample", "3", "--per-chunk", "1")
    said("verify")
    added = said("logs", "add", log(tmp_path / "logs"))
    assert all(f" {kind}" in added.split("replaced")[1].splitlines()[0] for kind in SECRETS)

    outputs = tmp_path / "outputs"
    for form, file in FORMS.items():
        said("export", f"outputs/{form}", "--format", form)
        assert b"PERSON" in (outputs / file).read_bytes()
    said("eval", "--retriever", "bm25", "--retriever", "dense", "--report", "outputs/report.html")
    for name in ("report.md", "report.json"):
        said("report", "--out", f"outputs/{name}")
    for name in ("gaps.csv", "gaps.md"):
        said("gaps", "-o", f"outputs/{name}")
        assert b"PERSON" in (outputs / name).read_bytes()
    for command in ("audit", "status", "duplicates"):
        (outputs / f"{command}.json").write_text(said(command, "--json"), encoding="utf-8")

    written = {path: path.read_bytes() for path in outputs.rglob("*") if path.is_file()}
    for name in ("goldgen.duckdb", "report.html", "report.json"):
        assert b"PERSON" in written[outputs / name]
    assert b"invoice" in written[outputs / "audit.json"], "it has words of the log"
    sent = repr(stub.requests)
    assert "<PERSON>" in sent and "<PERSON>" in told
    for secret in (*SECRETS.values(), *PERSON.split(), USER):
        for spelled in {secret, secret.replace(" ", ""), secret.lower(), secret.upper()}:
            assert spelled not in told and spelled not in sent
            assert [path for path, raw in written.items() if spelled.encode() in raw] == []
