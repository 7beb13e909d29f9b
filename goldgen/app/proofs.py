"""What was proven of each verifier of a set, and of its stricter judge."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from goldgen.app.judges import Verifier
from goldgen.store import Store
from goldgen.types import GOLD, Control
from goldgen.verify import StrictProof, VerifierProof, prove_strict
from goldgen.verify.calibration import (
    FEWEST_LEFT,
    STRICT_SPECIFICITY,
    ascending_scores,
    hard_scored,
    just_above,
    scored_kinds,
)

_KEY = "proofs"


def save_proof(store: Store, verifier: Verifier, proof: VerifierProof | None) -> None:
    """Keep a verifier's proof in place of its earlier one; None takes that back while a run goes on."""
    proofs = _load(store)
    proofs.pop(verifier.name, None)
    if proof is not None:
        proofs[verifier.name] = asdict(proof) | {"asked": verifier.asked}
    store.meta.set(_KEY, json.dumps(proofs))


def verdicts(store: Store) -> dict[str, str]:
    """Verifier to its verdict with the reason, such as "unproven: 12 hard controls; …"."""
    return {name: f"{found['verdict']}: {found['reason']}" for name, found in _load(store).items()}


def proofs(store: Store) -> dict[str, VerifierProof]:
    """Verifier to what its last finished run proved."""
    return {name: TypeAdapter(VerifierProof).validate_python(found) for name, found in _load(store).items()}


def strict_proof(store: Store, verifier: Verifier) -> StrictProof | None:
    """What the verifier's stricter judge showed in its last finished run.

    None if it was not measured as it is asked now: with these prompts, at this endpoint, with as many votes.
    """
    found = _load(store).get(verifier.name, {})
    if found.get("asked") != verifier.asked:
        return None
    if verifier.scorer is not None:
        return prove_strict(left_out(store.controls.all()), (), found["verdict"])
    return _strict(found)


def was_strict(store: Store, verifier: Verifier) -> bool:
    """Whether its stricter judge was shown to be so in its last finished run, however it was asked then."""
    found = _load(store).get(verifier.name, {})
    strict = strict_proof(store, verifier) if verifier.scorer is not None else _strict(found)
    return strict is not None and strict.is_shown


def left_out(controls: Sequence[Control]) -> list[Control]:
    """The hard controls of a judge with scores, graded by the strict threshold that all other documents give.

    Unjudged where the controls of the others are too few to give one. By the threshold that they set
    themselves, controls would pass for rejected whatever the judge is worth.
    """
    scored = hard_scored(controls)
    thresholds = {
        document: _strict_threshold([c for c in scored if c.document_id != document])
        for document in {c.document_id for c in scored}
    }
    return [replace(control, grade=_grade(control, thresholds[control.document_id])) for control in scored]


def _strict_threshold(controls: Sequence[Control]) -> float | None:
    kinds = scored_kinds(controls, FEWEST_LEFT)
    found = [just_above(ascending_scores(controls, kind), STRICT_SPECIFICITY) for kind in kinds]
    return max(found, default=None)


def _grade(control: Control, threshold: float | None) -> int | None:
    if threshold is None or control.score is None:
        return None
    return GOLD if control.score >= threshold else 0


def _strict(found: dict[str, Any]) -> StrictProof | None:
    return TypeAdapter(StrictProof | None).validate_python(found.get("strict"))


def _load(store: Store) -> dict[str, dict[str, Any]]:
    return json.loads(store.meta.get(_KEY) or "{}")
