"""Which styles real users ask in, and their wording, as the log queries of a set have them."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.errors import SettingsError
from goldgen.prompts import Style
from goldgen.store import Store
from goldgen.synth.mix import matched_weights
from goldgen.text.forms import form_of

_MOST_EXAMPLES = 2000
_MOST_REPEATS = 50
_PLACEHOLDER = re.compile("<[A-Z]+>")


@dataclass(frozen=True, slots=True)
class LogMix:
    """What synthetic questions are shaped after, each query weighed by the traffic that it stands for."""

    queries: int
    traffic: float
    untold: float
    """Share of the traffic of which no rule tells the style; it counts as the usual mix."""
    weights: dict[str, int]
    """Style to weight of the mix, 20 in all."""
    examples: tuple[str, ...]
    """The queries, those asked more often more often."""

    @property
    def line(self) -> str:
        """The mix in one line."""
        mix = sorted(self.weights.items(), key=lambda item: (-item[1], item[0]))
        shown = ", ".join(f"{style} {weight / sum(self.weights.values()):.0%}" for style, weight in mix)
        return (
            f"styles after {self.queries:,} log queries asked {self.traffic:,.0f} times: {shown}"
            f" ({self.untold:.0%} of the traffic has no style that rules tell, and counts as the usual mix)"
        )


def log_mix(store: Store, styles: dict[str, Style]) -> LogMix:
    """The mix of the set's log queries. ``styles``: all that there are; the usual ones need one chunk.

    Raises SettingsError if the set has no log query.
    """
    weights = store.logs.weights()
    asked = [(q.text, weights.get(q.id, 0.0)) for q in store.questions.all("log")]
    asked = [(text, weight) for text, weight in asked if weight > 0]
    if not asked:
        raise SettingsError(
            f"--match-logs: {store.path} has no log queries to match; run goldgen logs add FILE"
        )
    counts = defaultdict[str, float](float)
    for text, weight in asked:
        counts[form_of(text) or ""] += weight
    told = {style: counts[style] for style in counts if style in styles}
    traffic = sum(counts.values())
    untold = traffic - sum(told.values())
    return LogMix(
        queries=len(asked),
        traffic=traffic,
        untold=untold / traffic,
        weights=matched_weights(told, untold, [name for name, style in styles.items() if style.is_usual]),
        examples=_examples(asked),
    )


def _examples(asked: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    """Each query about as often as it was asked, 50 times at most; none that personal data was taken out of,
    for a generator would copy the mark that stands there."""
    asked = [(text, weight) for text, weight in asked if not _PLACEHOLDER.search(text)]
    least = min((weight for _, weight in asked), default=1.0)
    return tuple(
        text
        for text, weight in sorted(asked, key=lambda item: (-item[1], item[0]))
        for _ in range(min(_MOST_REPEATS, max(1, round(weight / least))))
    )[:_MOST_EXAMPLES]
