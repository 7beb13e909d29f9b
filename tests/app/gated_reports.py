"""Reports of evaluations with chosen values, and files of them, for gates."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from goldgen.evaluation import (
    ContextChoice,
    Curve,
    GoldChunk,
    QuestionOutcome,
    Report,
    RetrieverResult,
    SetProof,
    VerifierResult,
    report_to_json,
)

Values = Mapping[str, Mapping[str, Sequence[float]]]
"""Retriever to measure to the value of each question."""


def proof(*verifiers: VerifierResult, judged_by: Sequence[str] = (), human_verdicts: int = 0) -> SetProof:
    return SetProof(
        is_imported=False,
        verifiers=verifiers,
        agreements=(),
        trusted=None,
        trusted_interval=None,
        human_verdicts=human_verdicts,
        generated_by=("writer",),
        judged_by=tuple(judged_by),
        pooled_by=(),
        overlap={},
        states={"golden": 40},
        unjudged_pairs=0,
    )


def verifier(name: str, verdict: str, reason: str = "40 of 40 controls rejected") -> VerifierResult:
    return VerifierResult(name, verdict, reason, (), None)


def report(
    values: Values,
    *,
    first: int = 0,
    a_cluster: int = 2,
    set_fingerprint: str = "set-1",
    corpus_fingerprint: str = "corpus-1",
    created_at: str = "2026-11-30T12:00:00+00:00",
    gold: str = "chunk",
    threshold: float = 3.0,
    of_set: SetProof | None = None,
) -> Report:
    """Questions q{first} and on, ``a_cluster`` of them a document."""
    questions = range(len(next(iter(next(iter(values.values())).values()), ())))
    outcomes = tuple(
        QuestionOutcome(
            question_id=f"q{first + place}",
            text=f"Question {first + place}?",
            cluster=f"d{(first + place) // a_cluster}",
            traits={"origin": "synthetic"},
            golds=(GoldChunk(f"{gold}-{first + place}", "page.md", 3.0),),
            values={
                label: {measure: float(all_values[place]) for measure, all_values in measured.items()}
                for label, measured in values.items()
            },
            first_gold=dict.fromkeys(values, 1),
        )
        for place in questions
    )
    return Report(
        corpus="docs",
        created_at=created_at,
        set_fingerprint=set_fingerprint,
        corpus_fingerprint=corpus_fingerprint,
        questions=len(outcomes),
        by_origin={"synthetic": len(outcomes)},
        excluded=0,
        clusters=len({outcome.cluster for outcome in outcomes}),
        near_misses=0,
        chunks=100,
        language="en",
        threshold=threshold,
        ceilings={},
        primary="nDCG@10",
        delta=0.03,
        budget=2000,
        retrievers=tuple(
            _result(label, {m: sum(v) / max(1, len(v)) for m, v in measured.items()})
            for label, measured in values.items()
        ),
        differences=(),
        proof=of_set or proof(verifier("judge", "proven"), judged_by=["judge"]),
        marks=(),
        sentences=(),
        slices=(),
        outcomes=outcomes,
        failures=(),
        texts={},
        next_steps=(),
    )


def write(path: Path, made: Report) -> Path:
    """As ``goldgen eval --json > FILE`` does."""
    path.write_text(report_to_json(made, indent=2) + "\n", encoding="utf-8")
    return path


def _result(label: str, means: Mapping[str, float]) -> RetrieverResult:
    return RetrieverResult(
        name=label.split(" (")[0],
        label=label,
        shares_model=False,
        means=means,
        interval=(0.0, 1.0),
        by_origin={},
        judged=1.0,
        confusion=None,
        milliseconds=1.0,
        tied_share=0.0,
        duplicates=0,
        missing=0,
        run_id=f"run-{label}",
        curve=Curve((0.5,), (0.5,), (1.0,)),
        similarity=None,
        near_miss_hits=(),
        context=ContextChoice(0, 0.0, 0.0, 0.0, 0),
    )
