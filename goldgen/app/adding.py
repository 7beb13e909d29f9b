"""Questions that people wrote, with the chunk or the quote that they vouch for."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldgen.app.duplicates import find_duplicates, question_embedder
from goldgen.app.imported import refuse_imported
from goldgen.app.models import ModelSettings
from goldgen.app.places import Place, Places
from goldgen.app.reporting import Reporter, Silent
from goldgen.app.written import Written, read_written
from goldgen.errors import EmptyResultError, SettingsError
from goldgen.store import Store, open_store
from goldgen.tabular import BadRow
from goldgen.text import fold, stable_id
from goldgen.types import GOLD, Judgment, Question
from goldgen.verify.judging import proper_parts, target_id

VOUCHED = "vouched for when the question was added"
LONGEST_QUESTION = 2_000
"""Characters. What is longer was pasted, not asked."""


@dataclass(frozen=True, slots=True)
class AddOptions:
    db: Path
    name: str
    """Of the person who vouches."""
    questions: tuple[Written, ...] = ()
    """Each must be right."""
    file: Path | None = None
    """A table of further ones; a wrong row is counted."""
    models: ModelSettings = field(default_factory=ModelSettings)
    """Of which the embedding model finds near duplicates."""


@dataclass(frozen=True, slots=True)
class AddedQuestion:
    question_id: str
    text: str
    chunk_ids: tuple[str, ...]
    """Gold by the person's word, several if they answer only together; empty: still to be found."""
    existed: bool
    """The set had a question of these words, which now has the verdict."""


@dataclass(frozen=True, slots=True)
class AddReport:
    """What was added, in the order given. Rows of the file = those of ``added`` from it + ``rejected``."""

    added: tuple[AddedQuestion, ...]
    rejected: Mapping[str, int]
    """Rows that were not added, by reason."""
    rejected_lines: tuple[str, ...]
    """``line: reason`` of each."""
    next_step: str
    near_duplicates: int = 0
    """Questions of the whole set that another one in nearly the same words stands for."""


def add_questions(options: AddOptions, reporter: Reporter | None = None) -> AddReport:
    """Store hand-written questions; a chunk or quote that comes with one makes a human verdict of grade 3.

    Raises StoreError if there is no set, TableError if the file cannot be read, EmptyResultError if it gives
    no question or the set has no documents, and SettingsError, with nothing stored, for a question of
    ``options.questions`` that cannot be added.
    """
    rows = list(read_written(options.file)) if options.file else []
    with open_store(options.db, create=False) as store:
        refuse_imported(store)
        if not store.corpus.chunk_count():
            raise EmptyResultError(f"{options.db} has no documents to answer; run goldgen synth PATH first")
        adding = _Adding(store, options.name)
        for written in options.questions:
            adding.add(written)
        bad: list[BadRow] = []
        for row in rows:
            if isinstance(row, BadRow):
                bad.append(row)
                continue
            try:
                adding.add(row.written)
            except SettingsError as error:
                bad.append(BadRow(row.line, str(error)))
        reasons = Counter(row.reason for row in bad)
        if not adding.added:
            counted = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common())
            raise EmptyResultError(f"no question in {options.file}: {counted or 'it has no rows'}")
        adding.save()
        reporter = reporter or Silent()
        merged = find_duplicates(store, question_embedder(store, options.models, reporter), reporter)
    added = tuple(adding.added)
    return AddReport(
        added,
        dict(reasons),
        tuple(f"{row.line}: {row.reason}" for row in bad),
        _next_step(added),
        merged,
    )


class _Adding:
    """Checks questions against the corpus and gathers what is to be stored."""

    def __init__(self, store: Store, person: str) -> None:
        self._store = store
        self._person = person
        self._places = Places(store.corpus.documents(), store.corpus.chunks())
        # One that a person wrote comes last and so before others of the same words.
        known = sorted(store.questions.all(), key=lambda question: question.origin == "manual")
        self._known = {fold(question.text): question for question in known}
        self._questions: dict[str, Question] = {}
        self._judgments: list[Judgment] = []
        self.added: list[AddedQuestion] = []

    def add(self, written: Written) -> None:
        """Raises SettingsError if the question is none, or its place in the corpus is not clear."""
        text = " ".join(written.question.split())
        if not any(map(str.isalnum, text)):
            raise SettingsError("the question has no letter or digit; write it out")
        if len(text) > LONGEST_QUESTION:
            raise SettingsError(f"the question is longer than {LONGEST_QUESTION:,} characters; shorten it")
        place = self._places.find(written)
        known = self._known.get(fold(text))
        question = _question(text, written.answer.strip(), place, known)
        self._known[fold(text)] = self._questions[question.id] = question
        if place.chunks:
            self._judgments.extend(self._vouched(question, place))
        chunk_ids = tuple(chunk.id for chunk in place.chunks)
        self.added.append(AddedQuestion(question.id, text, chunk_ids, known is not None))

    def save(self) -> None:
        self._store.questions.add(list(self._questions.values()))
        self._store.judgments.put(self._judgments)

    def _vouched(self, question: Question, place: Place) -> list[Judgment]:
        """The person's verdicts. Who names several chunks says that none of them, nor some, will do alone."""
        chunk_ids = [chunk.id for chunk in place.chunks]
        whole = Judgment(
            question_id=question.id,
            target_id=target_id(chunk_ids),
            judge=self._person,
            judge_kind="human",
            grade=GOLD,
            quote=place.quote,
            reason=VOUCHED,
        )
        if len(chunk_ids) == 1:
            return [replace(whole, document_id=place.document_id, start=place.start, end=place.end)]
        parts = map(target_id, proper_parts(chunk_ids))
        return [whole, *(replace(whole, target_id=part, grade=GOLD - 1, quote="") for part in parts)]


def _question(text: str, answer: str, place: Place, known: Question | None) -> Question:
    """The question of these words that the set has, unless it is only now told where the answer stands.

    An evidence set belongs to a question of its own, which counts as one with others of the same words.
    """
    chunk_ids = tuple(chunk.id for chunk in place.chunks)
    evidence = chunk_ids if len(chunk_ids) > 1 else ()
    new = Question(
        id=stable_id(fold(text), target_id(evidence) if evidence else "manual"),
        text=text,
        origin="manual",
        style="manual",
        chunk_id=chunk_ids[0] if chunk_ids else None,
        document_id=place.document_id,
        answer=answer,
        quote=place.quote,
        evidence_chunks=evidence,
    )
    if evidence or known is None or (known.id == new.id and known.chunk_id is None):
        return new
    return known


def _next_step(added: tuple[AddedQuestion, ...]) -> str:
    if all(question.chunk_ids for question in added):
        return "goldgen eval; goldgen verify by a chat model looks for further chunks that answer"
    return "goldgen verify will look for chunks that answer"
