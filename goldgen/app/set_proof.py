"""What speaks for and against a set, put together for a report."""

from collections import Counter

from goldgen.app.golden import GoldenSet
from goldgen.app.imported import imported_set
from goldgen.app.leakage import leakage
from goldgen.app.proofs import proofs
from goldgen.app.review_queue import review_items, trusted
from goldgen.evaluation.report import AgreementResult, ControlResult, SetProof, VerifierResult
from goldgen.store import Store
from goldgen.verify import VerifierProof
from goldgen.verify.agreement import JudgeName, agreements


def set_proof(store: Store, golden: GoldenSet) -> SetProof:
    """Controls, agreement, people's sample, leakage and counts, as they stand now."""
    judgments = store.judgments.all()
    figure = trusted(store, review_items(store))
    known = figure if figure and figure.share else None
    leaks = leakage(golden)
    return SetProof(
        is_imported=imported_set(store) is not None,
        verifiers=tuple(_verifier(name, proof) for name, proof in sorted(proofs(store).items())),
        agreements=tuple(
            AgreementResult(
                (_named(found.first), _named(found.second)),
                found.pairs,
                found.kappa.estimate if found.kappa else None,
            )
            for found in agreements(judgments)
        ),
        trusted=(known.wrong, known.pairs) if known else None,
        trusted_interval=(known.share.low, known.share.high) if known and known.share else None,
        human_verdicts=sum(j.judge_kind == "human" and j.grade is not None for j in judgments),
        generated_by=golden.models.generated,
        judged_by=golden.models.judged,
        pooled_by=golden.models.pooled,
        overlap={origin: means.overlap for origin, means in leaks.items()},
        states=dict(Counter(item.state for item in golden.questions)),
        unjudged_pairs=sum(verdict.grade is None for verdict in golden.verdicts),
        leakage=leaks,
    )


def _verifier(name: str, proof: VerifierProof) -> VerifierResult:
    controls = tuple(
        ControlResult(
            found.kind,
            found.judged,
            found.rejected,
            found.specificity.low if found.specificity else None,
            found.specificity.high if found.specificity else None,
        )
        for found in proof.kinds
    )
    wrong = (proof.wrong_golds.low, proof.wrong_golds.high) if proof.wrong_golds else None
    return VerifierResult(name, proof.verdict, proof.reason, controls, wrong)


def _named(judge: JudgeName) -> str:
    return f"{judge.name} (a person)" if judge.kind == "human" else judge.name
