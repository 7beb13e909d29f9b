"""What a load left out, counted."""

from collections import Counter
from collections.abc import Iterable

from goldgen.errors import EmptyResultError
from goldgen.types import SkippedFile


def reasons(skipped: Iterable[SkippedFile]) -> dict[str, int]:
    """Reason to number of files or rows, the most frequent first; what follows a colon is of one alone."""
    return dict(Counter(item.reason.partition(": ")[0] for item in skipped).most_common())


def nothing_to_read(place: str, skipped: Iterable[SkippedFile]) -> EmptyResultError:
    counted = "; ".join(f"{count} {reason}" for reason, count in reasons(skipped).items())
    return EmptyResultError(f"nothing to read in {place}: {counted or 'it is empty'}")
