"""What the ledger remembers: a list of calls with what they cost, and one call whole."""

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from goldgen.errors import SettingsError
from goldgen.store import StageTotals, open_store
from goldgen.store.calls import CallFilter, CallSummary, StoredCall
from goldgen.types import FailureKind

_FEWEST_DIGITS = 4
_KEYS_NAMED = 5


@dataclass(frozen=True, slots=True)
class CallList:
    """Calls that match a filter."""

    calls: tuple[CallSummary, ...]
    """The newest first, possibly not all."""
    totals: tuple[StageTotals, ...]
    """Over all calls that match, by stage and model."""


def list_calls(db: Path, wanted: CallFilter, limit: int = 20) -> CallList:
    """The newest ``limit`` calls (0: all) that match, and the totals of all that do.

    Raises StoreError if there is no set, SettingsError for a kind of failure that does not exist.
    """
    kinds = get_args(FailureKind)
    if wanted.failure_kind is not None and wanted.failure_kind not in kinds:
        raise SettingsError(f"--failure is {wanted.failure_kind!r}; give one of {', '.join(kinds)}")
    with open_store(db, read_only=True) as store:
        calls = store.calls.summaries(wanted, limit or None)
        return CallList(tuple(calls), tuple(store.calls.totals(wanted)))


def show_call(db: Path, key: str) -> StoredCall:
    """The one call whose key begins with ``key``, which has at least 4 digits.

    Raises StoreError if there is no set, SettingsError if no call or more than one begins so.
    """
    prefix = key.strip().lower()
    if len(prefix) < _FEWEST_DIGITS:
        raise SettingsError(f"{key!r} is too short for a call's key; give its first {_FEWEST_DIGITS} digits")
    with open_store(db, read_only=True) as store:
        found = store.calls.starting_with(prefix)
    if not found:
        raise SettingsError(
            f"no call in {db} has a key that begins with {prefix!r}; `goldgen calls --limit 0` lists all"
        )
    if len(found) > 1:
        named = ", ".join(item.call.key for item in found[:_KEYS_NAMED])
        more = ", …" if len(found) > _KEYS_NAMED else ""
        raise SettingsError(f"{len(found)} calls begin with {prefix!r}: {named}{more}; give more digits")
    return found[0]
