"""What was proven of each verifier of a set."""

import json
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from goldgen.store import Store
from goldgen.verify import StrictProof, VerifierProof

_KEY = "proofs"


def save_proof(store: Store, verifier: str, proof: VerifierProof | None) -> None:
    """Keep a verifier's proof in place of its earlier one; None takes that back while a run goes on."""
    proofs = _load(store)
    proofs.pop(verifier, None)
    if proof is not None:
        proofs[verifier] = asdict(proof)
    store.meta.set(_KEY, json.dumps(proofs))


def verdicts(store: Store) -> dict[str, str]:
    """Verifier to its verdict with the reason, such as "unproven: 12 hard controls; …"."""
    return {name: f"{found['verdict']}: {found['reason']}" for name, found in _load(store).items()}


def strict_proof(store: Store, verifier: str) -> StrictProof | None:
    """What the verifier's stricter judge showed in its last finished run; None if it was not measured."""
    return TypeAdapter(StrictProof | None).validate_python(_load(store).get(verifier, {}).get("strict"))


def _load(store: Store) -> dict[str, dict[str, Any]]:
    return json.loads(store.meta.get(_KEY) or "{}")
