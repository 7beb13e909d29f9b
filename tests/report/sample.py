"""Reports to draw: random rankings, measured and compared by the real functions, and foreign texts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np

from goldgen.evaluation import (
    DELTA,
    Measure,
    RunScores,
    bootstrap_interval,
    compare_all,
    context_choice,
    curve,
    failures,
    mean_tokens,
    score_run,
    similarity,
    slices,
)
from goldgen.evaluation.report import (
    AgreementResult,
    ControlResult,
    GoldChunk,
    OwnLeftOut,
    PairedDifference,
    QuestionOutcome,
    Report,
    RetrieverResult,
    SetProof,
    VerifierResult,
)
from goldgen.text.leakage import LeakageMeans
from goldgen.types import GOLD, Hit, JudgedQuestion, Ranking, Replies

HOSTILE = (
    "<script>alert('x')</script> & \"quotes\" $a_b$ `code` | @team #7 [link](javascript:alert(1)) \x00\u202e"
)
PRIMARY = Measure("nDCG", 10)
LABELS = ("hybrid", "rerank", "dense", "bm25")
_MEASURES = (
    *(Measure(name, k) for name in ("P", "R", "RR", "AP", "nDCG") for k in (1, 3, 5, 10)),
    Measure("Judged", 10),
)
_SKILL = (0.82, 0.86, 0.62, 0.66, 0.5, 0.74, 0.55, 0.45)
_TRAITS = {
    "origin": ("synthetic", "synthetic", "log", "synthetic", "log", "manual"),
    "style": ("lookup", "procedure", "comparison", "why"),
    "document": (
        "guides/exports.md",
        "guides/alerts/how-alerts-are-routed-to-teams.md",
        "reference/plans.html",
        "手册/数据导出与保留期限.md",
        "דוחות/ייצוא.md",
    ),
}
_SUBJECTS = ("exports", "alerts", "audit logs", "seats", "webhooks", "backups")
_TEXT = (
    "In the {plan} plan {subject} stay readable for {days} days. After that they are deleted, and an owner "
    "can ask for them to be restored within a week. Those that failed are run again after ten minutes."
)


@cache
def sample(
    labels: tuple[str, ...] = LABELS, questions: int = 96, *, hostile: bool = True, near_misses: bool = True
) -> Report:
    """A full report. ``hostile`` puts markup and control characters into every foreign text."""
    random = Random(7)
    added = f" {HOSTILE}" if hostile else ""
    judged = [_judged(number, random, near_misses=near_misses) for number in range(questions)]
    runs = {label: _run(judged, _SKILL[place % 8], random) for place, label in enumerate(labels)}
    scores = {label: score_run(judged, run, _MEASURES) for label, run in runs.items()}
    outcomes = tuple(_outcome(number, item, scores, runs, added) for number, item in enumerate(judged))
    differences = _differences(scores)
    origins = [outcome.traits["origin"] for outcome in outcomes]
    return Report(
        corpus=f"Harbour help{added}",
        created_at="2026-03-14T09:30:00+00:00",
        set_fingerprint="5f0c9a7be1d2",
        corpus_fingerprint="c41b77e09a3f",
        questions=questions,
        by_origin={origin: origins.count(origin) for origin in dict.fromkeys(origins)},
        excluded=7,
        clusters=len({item.cluster for item in judged}),
        near_misses=64 if near_misses else 0,
        chunks=1204,
        language="en",
        threshold=GOLD,
        ceilings={str(measure): value for measure, value in scores[labels[0]].ceilings.items()},
        primary=str(PRIMARY),
        delta=DELTA,
        budget=2000,
        retrievers=tuple(
            _result(label, judged, runs[label], scores[label], outcomes, near_misses) for label in labels
        ),
        differences=differences,
        proof=_proof(added),
        marks=("the generator and a verifier are of one family", f"verifier gpt-6.1-terra unproven{added}"),
        sentences=_sentences(scores, differences, questions),
        slices=slices(outcomes, labels, str(PRIMARY)),
        outcomes=outcomes,
        failures=failures(outcomes, runs, judged),
        texts=_texts(judged, added),
        next_steps=(
            "Prove the verifier, which rejects 36 of 40 of its worst controls: goldgen verify --controls 80.",
            "Let a person read a random sample: goldgen review --sample 50.",
            "Add questions that people asked: goldgen logs add queries.csv.",
        ),
    )


def bare(report: Report) -> Report:
    """The same as of a set made elsewhere: no verifier, no reader, no text, nothing to do."""
    proof = SetProof(True, (), (), None, None, 0, (), (), (), {}, {}, 0)
    retrievers = tuple(replace(result, similarity=None) for result in report.retrievers)
    return replace(
        report, proof=proof, retrievers=retrievers, marks=(), slices=(), failures=(), texts={}, next_steps=()
    )


def _judged(number: int, random: Random, *, near_misses: bool) -> JudgedQuestion:
    grades: dict[str, float] = {f"c{number}.{place}": 3 for place in range(random.choice((1, 1, 1, 2, 3)))}
    grades |= {f"n{number}.{place}": 1 for place in range(2) if near_misses} | {f"z{number}.0": 0}
    return JudgedQuestion(f"q{number}", f"d{number // 3}", grades)


def _run(judged: Sequence[JudgedQuestion], skill: float, random: Random) -> dict[str, Ranking]:
    found: dict[str, Ranking] = {}
    for item in judged:
        scores = {chunk: random.gauss(skill * grade / 3, 0.24) for chunk, grade in item.grades.items()}
        scores |= {f"u{random.randrange(900)}": random.gauss(0.12, 0.22) for _ in range(24)}
        if random.random() > skill:
            scores = {chunk: value for chunk, value in scores.items() if not chunk.startswith("c")}
        hits = sorted(scores.items(), key=lambda pair: -pair[1])
        found[item.question_id] = tuple(Hit(chunk, score) for chunk, score in hits)
    return found


def _outcome(
    number: int,
    item: JudgedQuestion,
    scores: Mapping[str, RunScores],
    runs: Mapping[str, Mapping[str, Ranking]],
    added: str,
) -> QuestionOutcome:
    subject = _SUBJECTS[number % 6]
    traits = {trait: values[number // 2 % len(values)] for trait, values in _TRAITS.items()}
    quote = f"{subject} stay readable for {number + 20} days{added}"
    ids = [chunk for chunk, grade in item.grades.items() if grade == GOLD]
    return QuestionOutcome(
        item.question_id,
        f"How long do {subject} stay readable in the Team plan?{added}",
        item.cluster,
        traits,
        tuple(GoldChunk(chunk, traits["document"], 3, quote) for chunk in ids),
        {
            label: {str(measure): float(found.of(measure)[number]) for measure in found.measures}
            for label, found in scores.items()
        },
        {
            label: next(
                (rank for rank, hit in enumerate(run[item.question_id], 1) if hit.chunk_id in ids), None
            )
            for label, run in runs.items()
        },
    )


def _result(
    label: str,
    judged: Sequence[JudgedQuestion],
    run: Mapping[str, Ranking],
    scores: RunScores,
    outcomes: Sequence[QuestionOutcome],
    near_misses: bool,
) -> RetrieverResult:
    interval = bootstrap_interval(scores.of(PRIMARY), scores.clusters, resamples=500)
    by_origin: dict[str, list[float]] = {}
    for outcome in outcomes:
        by_origin.setdefault(outcome.traits["origin"], []).append(outcome.values[label][str(PRIMARY)])
    sizes = {hit.chunk_id: 300 for ranking in run.values() for hit in ranking}
    drawn = curve(judged, run)
    tokens = mean_tokens(run, scores.question_ids, sizes, len(drawn.recall))
    return RetrieverResult(
        name=label,
        label=label,
        shares_model=label == "dense",
        means={str(measure): scores.mean(measure) for measure in scores.measures},
        interval=(interval.low, interval.high),
        by_origin={origin: float(np.mean(values)) for origin, values in by_origin.items()},
        judged=scores.mean(Measure("Judged", 10)),
        confusion=1 - scores.mean(PRIMARY) if near_misses else None,
        milliseconds=0.37 * len(label),
        tied_share=0.0123,
        duplicates=2,
        missing=0,
        run_id="3f2a81c0",
        curve=drawn,
        similarity=similarity(judged, run),
        near_miss_hits=(),
        context=context_choice(drawn, tokens, 2000),
        without_own=OwnLeftOut(0.71, -0.012, 9, 3) if label in ("dense", "bm25") else None,
        replies=Replies(96, 1, 4800, 12, 3) if label.startswith("http") else None,
    )


def _differences(scores: Mapping[str, RunScores]) -> tuple[PairedDifference, ...]:
    found: list[PairedDifference] = []
    for pair in compare_all(scores, PRIMARY):
        d = pair.difference
        ahead = d.mean >= 0
        low, high = (d.low, d.high) if ahead else (-d.high, -d.low)
        names = (pair.b, pair.a) if ahead else (pair.a, pair.b)
        effect = None if d.effect is None else abs(d.effect)
        found.append(
            PairedDifference(*names, abs(d.mean), low, high, pair.p_holm, d.few_clusters, effect, d.needed)
        )
    return tuple(found)


def _sentences(
    scores: Mapping[str, RunScores], differences: Sequence[PairedDifference], questions: int
) -> tuple[str, ...]:
    """As an evaluation words them, though more simply."""
    best = max(scores, key=lambda label: scores[label].mean(PRIMARY))
    sentences = [f"{best} has the highest nDCG@10, {scores[best].mean(PRIMARY):.3f}."]
    for pair in (pair for pair in differences if pair.better == best):
        figures = (
            f"{pair.mean:+.3f} nDCG@10, 95% interval {pair.low:.3f} to {pair.high:.3f}, p = {pair.p:.3g}"
        )
        if pair.low > 0:
            sentences.append(f"{best} beats {pair.worse} ({figures}).")
        else:
            needed = f"; about {pair.needed.questions:,} are needed to see 0.03" if pair.needed else ""
            sentences.append(
                f"{best} and {pair.worse} can't be told apart with {questions} questions{needed} ({figures})."
            )
    return tuple(sentences)


def _proof(added: str) -> SetProof:
    controls = (
        ControlResult("answer_deleted", 40, 39, 0.871, 0.996),
        ControlResult("same_document", 40, 36, 0.769, 0.96),
        ControlResult("neighbour", 0, 0, None, None),
        ControlResult("easy", 20, 20, 0.839, 1.0),
    )
    reason = "rejects 36 of 40 of its worst kind, another chunk of the document; 0.9 lies in the interval"
    return SetProof(
        is_imported=False,
        verifiers=(VerifierResult("gpt-6.1-terra", "unproven", reason + added, controls, (0.01, 0.062)),),
        agreements=(AgreementResult(("anna" + added, "gpt-6.1-terra"), 50, 0.78),),
        trusted=(2, 50),
        trusted_interval=(0.011, 0.135),
        human_verdicts=61,
        generated_by=("gpt-6-luna",),
        judged_by=("gpt-6.1-terra",),
        pooled_by=("all-MiniLM-L6-v2",),
        overlap={"synthetic": 0.71, "log": 0.44},
        states={"golden": 96, "rejected": 31, "unanswered": 4, "unjudged": 3},
        unjudged_pairs=5,
        leakage={
            "synthetic": LeakageMeans(84, 0.71, 0.32, 0.24, 0.012, 0.0),
            "log": LeakageMeans(12, 0.44, 0.21, 0.09, None, 0.083),
        },
    )


def _texts(judged: Sequence[JudgedQuestion], added: str) -> dict[str, tuple[str, str]]:
    """Of graded chunks and of all that stand for the rest of a corpus."""
    ids = [chunk for item in judged for chunk in item.grades] + [f"u{number}" for number in range(900)]
    paths, plans = _TRAITS["document"], ("Basic", "Pro", "Team")
    return {
        chunk: (
            paths[place % len(paths)],
            _TEXT.format(plan=plans[place % 3], subject=_SUBJECTS[place % 6], days=20 + place % 70) + added,
        )
        for place, chunk in enumerate(ids)
    }
