"""Near duplicates of a set: found when questions come, listed, and parted by a person."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from goldgen.app.golden import merged_duplicates
from goldgen.app.languages import language_of
from goldgen.app.models import ModelSettings, embedder_key, open_embedder
from goldgen.app.reporting import Reporter
from goldgen.errors import ModelError, SettingsError
from goldgen.retrieve import CachedEmbedder
from goldgen.store import QuestionDuplicate, Store, open_store
from goldgen.types import Embedder, Question
from goldgen.verify.alike import WordedAlike, preference

Standing = Literal["merged", "parted", "people differ"]
_SHORTEST_PREFIX = 4
_BATCH = 1024


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A question that is nearly another one."""

    question_id: str
    text: str
    origin: str
    found_by: str
    """"words": the same ones; "embedding": a few differ and mean the same."""
    similarity: float
    """Cosine of the two."""
    standing: Standing
    """Whether it is merged or stands alone: ``duplicates --part`` said so, or a person's verdict on a chunk
    for one of the group contradicts the gold of another."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """A question and those that are nearly it, the preferred one first."""

    kept_id: str
    text: str
    origin: str
    members: tuple[Duplicate, ...]


@dataclass(frozen=True, slots=True)
class DuplicateOptions:
    db: Path
    part: tuple[str, ...] = ()
    """Two questions that are not one: their ids or the beginnings of them."""
    join: tuple[str, ...] = ()
    """Two that were parted and are to be taken for one again, if they are found alike."""


@dataclass(frozen=True, slots=True)
class DuplicateReport:
    groups: tuple[DuplicateGroup, ...] = ()
    merged: int = 0
    """Near duplicates that another question of the set stands for; those of the same words not counted."""
    said: str = ""
    """What ``part`` or ``join`` did."""


def find_duplicates(store: Store, opened: Callable[[], Embedder], reporter: Reporter) -> int:
    """Look for near duplicates among all questions of the set, keep them, and tell how many are merged.

    The same questions give the same groups, in whatever order they came. Only what is new is embedded.
    Without an embedding model only questions of the same words are one, and that is said. ``opened`` is
    called only if words leave anything for it to tell.
    """
    # Here, for numpy and the words of languages are not needed to open a set.
    from goldgen.text.near_duplicates import NearDuplicates

    questions = store.questions.all()
    wordings = WordedAlike(questions)
    kept = sorted((found[0] for found in wordings.by_text.values()), key=preference)
    search = NearDuplicates([question.text for question in kept], language_of)
    if not search.possible:
        store.duplicates.replace([])
        return 0
    try:
        with reporter.phase("looking for near duplicates", None):
            vectors = opened().encode([kept[at].text for at in search.possible], query=False)
    except ModelError as error:
        reporter.say(f"questions in nearly the same words are not merged: {error}")
        return len(_in_force(store, questions))
    apart = _Apart(store, wordings)

    def may_join(group: Sequence[int], other: int) -> bool:
        return not any(apart.holds(kept[at], kept[other]) for at in group)

    store.duplicates.replace(
        [
            QuestionDuplicate(question.id, kept[found.kept].id, found.found_by, found.similarity)
            for found in search.stars(vectors, may_join)
            for question in wordings.by_text[wordings.text_of[kept[found.other].id]]
        ]
    )
    return len(_in_force(store, questions))


def question_embedder(store: Store, models: ModelSettings, reporter: Reporter) -> Callable[[], Embedder]:
    """Opens the embedding model that is set; what it made of a question is kept. Raises ModelError."""

    def opened() -> Embedder:
        embedder = open_embedder(models, reporter)
        return CachedEmbedder(embedder, store.vectors, embedder_key(models), _BATCH)

    return opened


def duplicates(options: DuplicateOptions) -> DuplicateReport:
    """List the near duplicates of a set, after parting two questions or joining them again if asked to.

    Raises SettingsError if it is not clear which questions are meant, or if there is nothing to part.
    """
    changes = bool(options.part or options.join)
    with open_store(options.db, read_only=not changes, create=False) as store:
        said = _change(store, options) if changes else ""
        groups = duplicate_groups(store)
    merged = sum(member.standing == "merged" for group in groups for member in group.members)
    return DuplicateReport(groups, merged, said)


def _in_force(store: Store, questions: Sequence[Question]) -> dict[str, str]:
    return merged_duplicates(store, questions, store.judgments.effective(), store.corpus.chunks())


def duplicate_groups(store: Store) -> tuple[DuplicateGroup, ...]:
    """What was found alike, merged or not."""
    questions = store.questions.all()
    by_id = {question.id: question for question in questions}
    wordings = WordedAlike(questions)
    in_force = _in_force(store, questions)
    apart = _Apart(store, wordings)
    members: dict[str, list[Duplicate]] = defaultdict(list)
    for found in store.duplicates.all():
        question, kept = by_id.get(found.question_id), by_id.get(found.kept_id)
        if question is None or kept is None:
            continue
        standing: Standing = "merged" if question.id in in_force else "people differ"
        others = [item.question_id for item in members[kept.id]]
        if standing != "merged" and any(apart.holds(question, by_id[i]) for i in (kept.id, *others)):
            standing = "parted"
        members[kept.id].append(
            Duplicate(question.id, question.text, question.origin, found.found_by, found.similarity, standing)
        )
    return tuple(
        DuplicateGroup(kept_id, by_id[kept_id].text, by_id[kept_id].origin, tuple(found))
        for kept_id, found in sorted(members.items(), key=lambda item: preference(by_id[item[0]]))
    )


def _change(store: Store, options: DuplicateOptions) -> str:
    given = options.part or options.join
    by_id = {question.id: question for question in store.questions.all()}
    if len(given) != len(("one", "other")):
        raise SettingsError(f"name two questions by their ids, not {len(given)}")
    first, second = (by_id[_found(by_id, wanted)] for wanted in given)
    wordings = WordedAlike(list(by_id.values()))
    if wordings.text_of[first.id] == wordings.text_of[second.id]:
        raise SettingsError(f"{first.id} and {second.id} have the same words and cannot be parted")
    shown = f"{first.text!r} and {second.text!r}"
    if options.part:
        store.duplicates.part(first.id, second.id)
        return f"{shown} are two questions from now on"
    for one in wordings.by_text[wordings.text_of[first.id]]:
        for other in wordings.by_text[wordings.text_of[second.id]]:
            store.duplicates.join(one.id, other.id)
    return f"{shown} may be one question again"


def _found(by_id: Mapping[str, Question], wanted: str) -> str:
    if wanted in by_id:
        return wanted
    found = [key for key in by_id if len(wanted) >= _SHORTEST_PREFIX and key.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    said = "several questions have ids that begin so" if found else "the set has no question of that id"
    raise SettingsError(f"{wanted!r}: {said}; goldgen duplicates lists them")


class _Apart:
    """Which wordings people have parted."""

    def __init__(self, store: Store, wordings: WordedAlike) -> None:
        self._text_of = wordings.text_of
        texts = self._text_of
        self._pairs = {
            frozenset((texts[one], texts[other]))
            for one, other in store.duplicates.parted()
            if {one, other} <= texts.keys()
        }

    def holds(self, first: Question, second: Question) -> bool:
        return frozenset((self._text_of[first.id], self._text_of[second.id])) in self._pairs
