"""Questions for a chunk: asked of the generator, checked by code, kept with their evidence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel, Field, create_model

from goldgen.prompts import Prompt, delimited
from goldgen.synth.passage import Passage, numbered
from goldgen.text import fold, stable_id
from goldgen.text.quotes import says_something
from goldgen.text.sentences import heading_above
from goldgen.text.words import telling_words, words
from goldgen.types import Chat, ChatRequest, Chunk, Question

_TOKENS_A_QUESTION = 160
_SHORTEST_QUESTION = 8
_POINTING = re.compile(
    r"\b(?:this|the|that) (?:passage|section|document|text|table|example|article|excerpt|snippet|paragraph)\b"
    r"|\b(?:according to|mentioned|described|listed|shown|given) (?:in|above|below|here)\b"
    r"|\b(?:in|dies\w*) (?:abschnitt|dokument|text|tabelle)\b|\bce (?:document|passage|texte)\b"
    r"|\best[ea] (?:documento|sección|texto)\b",
    re.I,
)
_DEFAULT = re.compile(r"\bdefaults?\b")
_DEFAULT_STATED = re.compile(r"\b(?:defaults?|unless|otherwise|initial(?:ly)?)\b")
"""Weak generators like to ask for a default where the text states a value and no default."""


class DraftQuestion(BaseModel):
    """One entry of the reply. Lengths are hints for the server and not checked here."""

    sentence: int
    """Number of the sentence that holds the answer, as shown in the passage."""
    question: str = Field(json_schema_extra={"maxLength": 200})
    answer: str = Field(json_schema_extra={"maxLength": 160})


@dataclass(frozen=True, slots=True)
class Rejection:
    """An item that was made and not kept, with the reason."""

    item: str
    chunk_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChunkQuestions:
    """What came of one chunk: questions, rejected drafts, or the failure of the call."""

    chunk: Chunk
    asked: int
    questions: tuple[Question, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What came of one call or several."""

    questions: tuple[Question, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    pointed_at: tuple[int, ...] = ()
    """Numbers of the sentences that the drafts took."""
    failure: str = ""

    def after(self, before: "_Asked") -> "_Asked":
        """Both together."""
        return _Asked(
            before.questions + self.questions,
            before.rejections + self.rejections,
            before.pointed_at + self.pointed_at,
            self.failure,
        )


@lru_cache(maxsize=256)
def drafts_schema(styles: tuple[str, ...]) -> type[BaseModel]:
    """The reply: one entry a style. A field for each, rather than a list, keeps a weak model to the mix.

    Remembered, because pydantic takes longer to build a model than a call takes otherwise.
    """
    fields: dict[str, Any] = dict.fromkeys(styles, (DraftQuestion, ...))
    return create_model("Questions", **fields)


class QuestionWriter:
    """Asks one chat model for questions; the styles take turns from chunk to chunk."""

    def __init__(
        self,
        chat: Chat,
        prompt: Prompt,
        styles: Mapping[str, str],
        per_chunk: int,
        drafted: frozenset[str] = frozenset(),
    ) -> None:
        """``drafted``: chunks asked about before, perhaps for another number of questions."""
        self._chat = chat
        self._prompt = prompt
        self._styles = styles
        self._per_chunk = per_chunk
        self._drafted = drafted

    async def write(self, chunk: Chunk) -> ChunkQuestions:
        """The questions of one chunk. A failed call is a value; EndpointError ends the run.

        What was asked for before is not asked for again; a larger number a chunk adds further styles.
        """
        before = self._styles_for(chunk, self._asked_before(chunk))
        missing = self._styles_for(chunk, self._per_chunk)[len(before) :]
        first = await self._ask_twice(chunk, before, _Asked()) if before else _Asked()
        asked = first if first.failure or not missing else await self._ask_twice(chunk, missing, first)
        return ChunkQuestions(
            chunk, len(before) + len(missing), asked.questions, asked.rejections, asked.failure
        )

    def _asked_before(self, chunk: Chunk) -> int:
        """How many styles were asked for in one call that is remembered."""
        if chunk.id not in self._drafted:
            return 0
        numbers = range(len(self._styles), 0, -1)
        requests = ((n, self.request(chunk, self._styles_for(chunk, n))) for n in numbers)
        return next((n for n, request in requests if self._chat.remembers(request)), 0)

    async def _ask_twice(self, chunk: Chunk, styles: Sequence[str], before: "_Asked") -> "_Asked":
        """What came before with the questions of further styles.

        Where half of these or more gave none, they are asked for once more, about other sentences. For
        fewer it would cost more a question than a chunk not asked yet.
        """
        first = await self._ask(chunk, styles, before)
        found = {question.style for question in first.questions}
        missing = [style for style in styles if style not in found]
        if first.failure or 2 * len(missing) < len(styles):
            return first.after(before)
        second = await self._ask(chunk, missing, first.after(before))
        # A style counts once: with what came of its second try, or of the first if that call failed.
        counted = first if second.failure else second
        questions = first.questions + second.questions
        pointed_at = first.pointed_at + second.pointed_at
        return _Asked(questions, counted.rejections, pointed_at).after(before)

    async def _ask(self, chunk: Chunk, styles: Sequence[str], before: "_Asked") -> "_Asked":
        request = self.request(chunk, styles, before.pointed_at)
        reply = await self._chat.ask(request)
        if reply.value is None:
            return _Asked(failure=reply.failure.kind if reply.failure else "unparsed")
        passage = Passage.of(chunk.text)
        pointed_at: list[int] = []
        questions: list[Question] = []
        rejections: list[Rejection] = []
        for style in styles:
            draft = cast(DraftQuestion, getattr(reply.value, style))
            pointed_at.append(draft.sentence)
            answer, quote = passage.grounded(draft.answer.strip(), draft.sentence)
            question = Question(
                id=stable_id(fold(draft.question), chunk.id),
                text=" ".join(draft.question.split()),
                origin="synthetic",
                style=style,
                chunk_id=chunk.id,
                document_id=chunk.document_id,
                answer=answer,
                quote=quote,
                model=self._chat.model,
                prompt_hash=request.prompt_hash,
                call_key=reply.key,
            )
            problem = _problem(question, chunk, [*before.questions, *questions])
            if problem:
                rejections.append(Rejection(question.text, chunk.id, problem))
            else:
                questions.append(question)
        return _Asked(tuple(questions), tuple(rejections), tuple(pointed_at))

    def request(
        self, chunk: Chunk, styles: Sequence[str], taken: Sequence[int] = ()
    ) -> ChatRequest[BaseModel]:
        """What is asked for one chunk; ``taken`` are numbers of sentences not to ask about again."""
        used = ", ".join(map(str, sorted(set(taken))))
        passage = f"{chunk.context}\n\n{numbered(chunk.text)}" if chunk.context else numbered(chunk.text)
        messages = self._prompt.render(
            {
                "passage": delimited("passage", passage),
                "taken": f"Do not use sentences {used} again.\n" if used else "",
                "styles": "\n".join(f"- {style}: {self._styles[style]}" for style in styles),
            }
        )
        return ChatRequest(
            stage="synth",
            messages=messages,
            schema=drafts_schema(tuple(styles)),
            prompt_hash=self._prompt.hash,
            max_tokens=_TOKENS_A_QUESTION * len(styles),
        )

    def _styles_for(self, chunk: Chunk, count: int) -> list[str]:
        """From the chunk's id, so that a larger sample does not change what was asked before."""
        names = sorted(self._styles)
        first = int(stable_id(chunk.id)[:8], 16)
        return [names[(first + turn) % len(names)] for turn in range(count)]


def _problem(question: Question, chunk: Chunk, kept: Sequence[Question]) -> str:
    """Why a draft is not kept; empty if it is."""
    asked, answer = fold(question.text), fold(question.answer)
    if not asked:
        return "nothing to ask in this style"
    if len(asked) < _SHORTEST_QUESTION or not any(c.isalpha() for c in asked):
        return "not a question"
    if _POINTING.search(question.text):
        return "points at the passage"
    if not says_something(question.answer):
        return "no answer"
    if (len(answer) > 3 and answer in asked) or not telling_words(answer) - set(words(asked)):
        return "the answer stands in the question"
    if asked.rstrip("?.") in fold(chunk.full_text):
        return "copied from the passage"
    if any(question.id == other.id for other in kept):
        return "asked twice"
    if not question.quote:
        return "no evidence in the chunk"
    if _DEFAULT.search(asked) and not _DEFAULT_STATED.search(_stated(question, chunk)):
        return "asks for a default that its evidence does not state"
    return ""


def _stated(question: Question, chunk: Chunk) -> str:
    """The question's evidence under its headings, folded."""
    heading = heading_above(chunk.text, chunk.text.find(question.quote))
    return fold(f"{chunk.context} {heading} {question.quote}")
