"""Which questions count as one, and where people object."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property

from goldgen.text import fold
from goldgen.types import GOLD, Chunk, Judgment, Origin, Question
from goldgen.verify.chunk_labels import ChunkLabels

_ORIGINS: tuple[Origin, ...] = ("manual", "log", "synthetic")


def preference(question: Question) -> tuple[int, int, str]:
    """Sorts questions: by hand before logs before synthetic, then asked most often, then the smallest id."""
    return _ORIGINS.index(question.origin), -question.asked, question.id


class WordedAlike:
    """The questions of a set by their folded text, each wording in the order of ``preference``."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.by_text: dict[str, list[Question]] = defaultdict(list)
        for question in questions:
            self.by_text[fold(question.text)].append(question)
        for found in self.by_text.values():
            found.sort(key=preference)

    @cached_property
    def text_of(self) -> dict[str, str]:
        """Question id to its folded text."""
        return {question.id: text for text, found in self.by_text.items() for question in found}

    def leading(self, kept_for: Mapping[str, str]) -> dict[str, str]:
        """Wording to the wording that is kept for it; ids that the set does not have are left out.

        A wording that is kept for another is kept itself.
        """
        text_of = self.text_of
        pairs = {
            text_of[one]: text_of[kept] for one, kept in kept_for.items() if {one, kept} <= text_of.keys()
        }
        kept_texts = set(pairs.values())
        return {text: kept for text, kept in pairs.items() if text not in kept_texts}

    def groups(self, kept_for: Mapping[str, str]) -> Iterator[tuple[list[Question], list[Question]]]:
        """The questions of the kept wording, and all that are one with them, these first."""
        leading = self.leading(kept_for)
        groups = {text: list(found) for text, found in self.by_text.items() if text not in leading}
        for text in sorted(leading):
            groups[leading[text]].extend(self.by_text[text])
        for text, group in groups.items():
            yield self.by_text[text], group


def undisputed(
    questions: Sequence[Question],
    judgments: Sequence[Judgment],
    chunks: Sequence[Chunk],
    kept_for: Mapping[str, str],
    parted: Set[tuple[str, str]],
) -> dict[str, str]:
    """Those of the near duplicates ``kept_for`` (question id to the id of the kept one) that are merged.

    People win over merging: a question stays alone if somebody said of a chunk that it does not answer this
    question, or one already in the group, while it is gold for the other; and if the two were ``parted``
    (pairs of ids). Questions with the same folded text are taken together.
    """
    wordings = WordedAlike(questions)
    leading = wordings.leading(kept_for)
    apart = {
        frozenset((wordings.text_of[one], wordings.text_of[other]))
        for one, other in parted
        if {one, other} <= wordings.text_of.keys()
    }
    views = _Views(wordings, judgments, chunks)
    members: dict[str, list[str]] = defaultdict(list)
    for text in sorted(leading, key=lambda text: preference(wordings.by_text[text][0])):
        group = [leading[text], *members[leading[text]]]
        if not any(frozenset((text, other)) in apart or views.differ(text, other) for other in group):
            members[leading[text]].append(text)
    return {
        question.id: wordings.by_text[kept][0].id
        for kept, found in members.items()
        for text in found
        for question in wordings.by_text[text]
    }


class _Views:
    """What people said of chunks for each wording, against the gold of another."""

    def __init__(self, wordings: WordedAlike, judgments: Sequence[Judgment], chunks: Sequence[Chunk]) -> None:
        self._wordings = wordings
        self._chunks = chunks
        self._by_question: dict[str, list[Judgment]] = defaultdict(list)
        self._refused: dict[str, set[str]] = defaultdict(set)
        for judgment in judgments:
            self._by_question[judgment.question_id].append(judgment)
            text = wordings.text_of.get(judgment.question_id)
            if (
                text
                and judgment.judge_kind == "human"
                and judgment.grade is not None
                and judgment.grade < GOLD
            ):
                self._refused[text].add(judgment.target_id)

    def differ(self, first: str, second: str) -> bool:
        pairs = ((first, second), (second, first))
        return any(
            bool(refused) and not refused.isdisjoint(self._gold(other))
            for one, other in pairs
            if (refused := self._refused.get(one))
        )

    def _gold(self, text: str) -> set[str]:
        labels = self._labels.labels(self._wordings.by_text[text], self._by_question)
        return {chunk_id for chunk_id, grade in labels.grades.items() if grade >= GOLD}

    @cached_property
    def _labels(self) -> ChunkLabels:
        """Made only if people refused something."""
        return ChunkLabels(self._chunks)
