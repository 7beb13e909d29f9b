"""A balanced part of a golden set."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldgen.app.coverage import Coverage, coverage
from goldgen.app.difficulty import difficulties, keep_ranks
from goldgen.app.golden import GoldenSet, load_golden
from goldgen.app.measuring import measure_retriever
from goldgen.app.models import ModelSettings
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.retrievers import RetrieverFactory
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.evaluation import Measure
from goldgen.store import Store, open_store
from goldgen.text import stable_id
from goldgen.verify import GoldenQuestion

ENOUGH = (200, 500)
"""Golden questions from which a set tells usual differences, and from which more add little."""
_THIN = 10
"""Questions of a kind below which nothing can be said of it."""
_MEASURES = (Measure("nDCG", 10),)


@dataclass(frozen=True, slots=True)
class SelectOptions:
    db: Path
    n: int = 300
    name: str = "default"
    """Under which ``eval`` finds it."""
    seed: int = 0
    models: ModelSettings = field(default_factory=ModelSettings)
    """Of dense search, by which difficulty is measured where it was not yet."""


@dataclass(frozen=True, slots=True)
class SelectReport:
    name: str
    selected: int
    golden: int
    """Golden questions of the whole set."""
    by: Mapping[str, Mapping[str, int]]
    """Trait (document, style, difficulty, origin) to value to number of selected questions."""
    thin: Mapping[str, tuple[str, ...]]
    """Style, difficulty and origin to values with fewer than ten selected questions."""
    coverage: Coverage
    """Of the whole set."""
    verdict: str
    """Whether the set is large enough, in words."""


def select(options: SelectOptions, reporter: Reporter | None = None) -> SelectReport:
    """Choose up to ``n`` golden questions, balanced over documents, styles, difficulty and origin, and keep
    the choice under its name.

    Each next question is the one whose document, style, difficulty and origin are rarest among those chosen,
    so a larger selection of the same set begins with the smaller one. No question is chosen or left out for
    being hard. Raises EmptyResultError for a set without golden questions.
    """
    with open_store(options.db, create=False) as store:
        golden = load_golden(store)
        if not golden.golden:
            raise EmptyResultError(f"{options.db} has no golden question to select from; run goldgen verify")
        known = difficulties(store)
        if any(item.question.id not in known for item in golden.golden):
            _measure(store, golden, options, reporter or Silent())
            known = difficulties(store)
        paths = {document.id: document.path for document in store.corpus.documents()}
        traits = {item.question.id: _traits(item, paths, known) for item in golden.golden}
        chosen = balanced(traits, options.n, options.seed)
        store.selections.put(options.name, chosen)
        found = coverage(store, golden)
    kinds = {
        trait: dict(Counter(traits[question_id][trait] for question_id in chosen).most_common())
        for trait in ("document", "style", "difficulty", "origin")
    }
    thin = {
        trait: tuple(value for value, count in counts.items() if count < _THIN)
        for trait, counts in kinds.items()
        if trait != "document"
    }
    return SelectReport(
        options.name,
        len(chosen),
        len(golden.golden),
        kinds,
        {trait: values for trait, values in thin.items() if values},
        found,
        _verdict(len(golden.golden), options.n),
    )


def balanced(traits: Mapping[str, Mapping[str, str]], n: int, seed: int) -> tuple[str, ...]:
    """Up to ``n`` of the questions in the order in which they are chosen; equals by a hash of seed and id."""
    counts: Counter[tuple[str, str]] = Counter()
    left = sorted(traits, key=lambda question_id: stable_id(str(seed), question_id))
    chosen: list[str] = []
    while left and len(chosen) < n:
        worth = [sum(1 / (1 + counts[part]) for part in traits[key].items()) for key in left]
        best = left.pop(max(range(len(left)), key=worth.__getitem__))
        counts.update(traits[best].items())
        chosen.append(best)
    return tuple(chosen)


def selected(store: Store, golden: GoldenSet, name: str) -> GoldenSet:
    """The golden set cut down to a selection. Raises SettingsError if there is none of that name."""
    chosen = set(store.selections.get(name))
    if not chosen:
        known = ", ".join(store.selections.names()) or "none"
        raise SettingsError(f"there is no selection {name!r} (there are: {known}); run goldgen select --name")
    kept = tuple(i for i in golden.questions if not chosen.isdisjoint((i.question.id, *i.merged)))
    ids = {question_id for item in kept for question_id in (item.question.id, *item.merged)}
    near_misses = tuple(item for item in golden.near_misses if item.question_id in ids)
    return replace(golden, questions=kept, near_misses=near_misses)


def _measure(store: Store, golden: GoldenSet, options: SelectOptions, reporter: Reporter) -> None:
    bare = replace(golden, near_misses=())
    with RetrieverFactory(options.models, store.vectors, reporter) as factory:
        found = [measure_retriever(name, factory, bare, _MEASURES, reporter) for name in ("bm25", "dense")]
    keep_ranks(store, golden, found)


def _traits(item: GoldenQuestion, paths: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    document = item.question.document_id or ""
    return {
        "document": paths.get(document, "(no document named)"),
        "style": item.question.style,
        "difficulty": known.get(item.question.id, "not measured"),
        "origin": item.question.origin,
    }


def _verdict(golden: int, wanted: int) -> str:
    few, many = ENOUGH
    if golden < few:
        return f"{golden} golden questions; {few} to {many} tell usual differences between retrievers"
    if golden < wanted:
        return f"all {golden} golden questions, not the {wanted} asked for; {few} are enough for most uses"
    return f"{golden} golden questions are enough for most uses ({few} to {many})"
