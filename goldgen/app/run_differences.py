"""What parts two kept runs: in their settings, and in words that claim no more than was measured."""

import json
from collections.abc import Set
from dataclasses import dataclass
from typing import cast

from goldgen.app.comparison import better_first, difference_sentence
from goldgen.evaluation import DAGGER, Difference
from goldgen.models.endpoints import normalised_name
from goldgen.store import StoredRun

_ABSENT = "(not set)"


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting that differs between two runs."""

    setting: str
    """Such as "search.candidates"."""
    before: str
    after: str


def changed_settings(before: str, after: str) -> tuple[SettingChange, ...]:
    """The settings that differ between two configurations in JSON, in the order of their names."""
    old, new = _flat(json.loads(before)), _flat(json.loads(after))
    return tuple(
        SettingChange(setting, old.get(setting, _ABSENT), new.get(setting, _ABSENT))
        for setting in sorted(old.keys() | new.keys())
        if old.get(setting) != new.get(setting)
    )


def shares_model(run: StoredRun, judging_models: Set[str]) -> bool:
    """Whether a run's retriever used a model that judged, or that proposed what was judged."""
    models = json.loads(run.configuration).get("models", [])
    return not judging_models.isdisjoint(map(normalised_name, models))


def difference_sentences(
    runs: tuple[str, str],
    found: Difference,
    measure: str,
    questions: int,
    *,
    shared: tuple[bool, bool],
) -> tuple[str, ...]:
    """How far two runs can be told apart; ``found`` is the second less the first.

    ``shared`` tells which of them shares a model with judging or pooling.
    """
    before, after = (f"{name}{DAGGER}" if shares else name for name, shares in zip(runs, shared, strict=True))
    pair = better_first(before, after, found, found.p)
    is_reserved = shared[found.mean >= 0]
    sentences = [
        difference_sentence(pair.better, pair.worse, pair, measure, questions, is_reserved=is_reserved)
    ]
    if found.few_clusters:
        sentences.append(
            f"The questions come from {found.clusters} sources; fewer than 20 make the interval rough."
        )
    if any(shared):
        sentences.append(
            f"{DAGGER} shares a model with judging or pooling, which favours it: its lead is no proof that "
            "it is better."
        )
    return tuple(sentences)


def _flat(value: object, name: str = "") -> dict[str, str]:
    """Nested settings by dotted names."""
    if not isinstance(value, dict):
        return {name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}
    settings: dict[str, str] = {}
    for key, item in cast(dict[str, object], value).items():
        settings |= _flat(item, f"{name}.{key}" if name else key)
    return settings
