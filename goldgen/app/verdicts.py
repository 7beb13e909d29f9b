"""Keeping the verdicts of a run, without losing those of earlier ones to an endpoint that does not answer."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from goldgen.app.concurrency import batched
from goldgen.store import Store
from goldgen.types import Judgment

_OUTAGES = frozenset({"timeout", "unavailable", "stopped"})
"""Why a pair has no verdict though the judge has said nothing of it."""


@contextmanager
def kept_verdicts(store: Store) -> Generator[Callable[[Judgment], None]]:
    """Keeps graded verdicts as they come; that a pair has none, only once the run has tried all.

    So a run that is ended takes nothing away. Neither does an outage: it leaves a pair unjudged only where
    that has no grade yet.
    """
    without: list[Judgment] = []
    with batched(store.judgments.put) as keep:

        def keep_graded(verdict: Judgment) -> None:
            if verdict.grade is None:
                without.append(verdict)
            else:
                keep(verdict)

        yield keep_graded
    if not without:
        return
    known = {v.pair for v in store.judgments.all() if v.grade is not None}
    store.judgments.put([v for v in without if v.reason not in _OUTAGES or v.pair not in known])
