"""Questions that copy their chunk's words, asked for once more in other words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from goldgen.prompts import Prompt, delimited
from goldgen.synth.checks import DraftChecks
from goldgen.synth.drafts import ChunkQuestions
from goldgen.synth.guidance import language_line
from goldgen.text import fold, stable_id
from goldgen.text.leakage import LeakageMeter
from goldgen.text.sentences import heading_above
from goldgen.text.words import stems, telling_stems, words
from goldgen.types import Chat, ChatRequest, Chunk, Question

LITERAL = "literal"
"""The flag of a question that stays above the limit."""
_TOKENS_A_QUERY = 60
_LEAST_GAIN = 0.1
"""Of overlap, for which another wording is taken."""
_MOST_LONGER = 1.6
"""Times the words of the old wording: search words are not to become a sentence."""
_MOST_AVOIDED = 4
_COMMON = 0.7
"""The rarity of a word in half of the chunks."""
_NAME = re.compile(
    r"`[^`]+`|--[\w-]+|[\w-]*[\d_][\w.-]*|\w+(?:[.:/]\w+)+|(?<!^)(?<![.?!] )\b[A-Z]\w*|\b\w*[a-z][A-Z]\w*"
)
"""What has no other words: commands, numbers, names; a capital at a sentence's start is any word's."""
_HINT = re.compile(r"\(avoid:.*", re.I | re.S)
"""What stands behind each query in the request; weak models give it back."""
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Rewriter:
    """Asks for other words for the questions of a chunk whose overlap is above ``max_overlap``.

    A new wording is taken if code finds it as sound as the old one, with all of its names and of what it
    shares with the headings, and clearly less literal. Otherwise the old one stays, flagged "literal".
    """

    chat: Chat
    prompt: Prompt
    meter: LeakageMeter
    checks: DraftChecks
    max_overlap: float

    async def reworded(self, asked: ChunkQuestions) -> ChunkQuestions:
        """The same questions, the literal ones reworded or flagged.

        A call that fails leaves them as they are, flagged, and is the outcome's failure.
        """
        chunk = asked.chunk
        literal = {
            q.id: overlap for q in asked.questions if (overlap := self._overlap(q, chunk)) > self.max_overlap
        }
        if not literal:
            return asked
        request = self.request(chunk, [q for q in asked.questions if q.id in literal])
        reply = await self.chat.ask(request)
        texts = iter(_texts(reply.value, len(literal)))
        questions: list[Question] = []
        rewritten = 0
        for question in asked.questions:
            if question.id in literal:
                new = self._worded(question, next(texts), request.prompt_hash, reply.key)
                others = [other for other in asked.questions if other.id != question.id] + questions
                if self._is_better(new, question, chunk, literal[question.id], others):
                    rewritten += 1
                    question = new
                if self._overlap(question, chunk) > self.max_overlap:
                    question = replace(question, flags=(*question.flags, LITERAL))
            questions.append(question)
        failure = reply.failure.kind if reply.failure else ""
        return replace(
            asked, questions=tuple(questions), rewritten=rewritten, failure=asked.failure or failure
        )

    def request(self, chunk: Chunk, questions: Sequence[Question]) -> ChatRequest[BaseModel]:
        """What is asked for these questions of one chunk."""
        lines = [f"{n}. {q.text}{self._avoided(q, chunk)}" for n, q in enumerate(questions, 1)]
        # Said again, for weak models answer in the language of the prompt.
        language = language_line(self.checks.wanted_language(chunk), "queries")
        queries = delimited("queries", "\n".join(lines))
        messages = self.prompt.render({"queries": f"{queries}\n\n{language}"})
        return ChatRequest(
            stage="rewrite",
            messages=messages,
            schema=_schema(len(questions)),
            prompt_hash=self.prompt.hash,
            max_tokens=_TOKENS_A_QUERY * len(questions) + 20,
        )

    def _overlap(self, question: Question, chunk: Chunk) -> float:
        return self.meter.overlap(question.text, chunk.text, chunk.context)

    def _avoided(self, question: Question, chunk: Chunk) -> str:
        """The words that the chunk has too, no names and not in most chunks, the rarest first."""
        there, subject = stems(chunk.full_text), _subject(question, chunk)
        shared = (
            word
            for word in dict.fromkeys(_WORD.findall(_NAME.sub(" ", question.text)))
            if telling_stems(word) <= there - subject and self.meter.rarity(fold(word)) > _COMMON
        )
        avoided = sorted(shared, key=lambda word: -self.meter.rarity(fold(word)))[:_MOST_AVOIDED]
        return f" (avoid: {', '.join(avoided)})" if avoided else ""

    def _worded(self, question: Question, text: str, prompt_hash: str, call_key: str) -> Question:
        worded = " ".join(_HINT.sub("", text).split())
        return replace(
            question,
            id=stable_id(fold(worded), question.chunk_id or ""),
            text=worded,
            prompt_hash=prompt_hash,
            call_key=call_key,
        )

    def _is_better(
        self, new: Question, old: Question, chunk: Chunk, overlap: float, others: Sequence[Question]
    ) -> bool:
        keeps_names = _names(old.text) <= {*_names(new.text), *fold(new.text).split()}
        keeps_subject = _subject(old, chunk) <= telling_stems(new.text)
        keeps_form = len(words(new.text)) <= _MOST_LONGER * len(words(old.text))
        is_sound = not self.checks.problem(new, chunk, others)
        left = self._overlap(new, chunk)
        is_less = 0 < left <= overlap - _LEAST_GAIN
        return keeps_names and keeps_subject and keeps_form and is_sound and is_less


def _subject(question: Question, chunk: Chunk) -> set[str]:
    """What the question shares with the headings above its evidence: what it is about."""
    above = f"{chunk.context} {heading_above(chunk.text, chunk.text.find(question.quote))}"
    return telling_stems(question.text) & stems(above)


def _names(text: str) -> set[str]:
    return {fold(name.strip("`.:/")) for name in _NAME.findall(text)}


def _texts(reply: BaseModel | None, count: int) -> list[str]:
    values: Mapping[str, str] = reply.model_dump() if reply else {}
    return [values.get(f"query_{number}", "") for number in range(1, count + 1)]


@lru_cache(maxsize=64)
def _schema(count: int) -> type[BaseModel]:
    """A field for each query, for a list from a weak model has too few or too many."""
    query = (str, Field(json_schema_extra={"maxLength": 200}))
    fields: dict[str, Any] = {f"query_{number}": query for number in range(1, count + 1)}
    return create_model("Queries", **fields)
