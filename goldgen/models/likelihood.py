"""How likely a chat model says yes, by the first token of its reply. Imports httpx2: load when used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Any

import httpx2
from pydantic import BaseModel, ValidationError

from goldgen.errors import ModelError
from goldgen.prompts import Prompt, delimited

_LISTED = 20
_UNSEEN = log(1e-9)
"""For a word that is not among the likeliest tokens."""


class _Token(BaseModel):
    token: str
    logprob: float


class _First(BaseModel):
    top_logprobs: list[_Token]


class _LogProbs(BaseModel):
    content: list[_First]


class _Choice(BaseModel):
    logprobs: _LogProbs


class _Reply(BaseModel):
    choices: list[_Choice]


@dataclass(frozen=True, slots=True)
class YesLikelihood:
    """The log odds that a model says yes to "does the passage contain the complete answer?".

    ``client`` has the base URL and the key of an endpoint that gives log-probabilities, such as the embedded
    generator's.
    """

    client: httpx2.Client
    model: str
    prompt: Prompt
    _known: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    """A run scores a pair to set its threshold, and again to judge it."""

    @property
    def name(self) -> str:
        return self.model

    @property
    def digest(self) -> str:
        """Of what is asked; log odds of two prompts are not comparable."""
        return self.prompt.hash

    def log_odds(self, question: str, text: str) -> float:
        """log P(yes) - log P(no) of the first token, each over all of its spellings, 1e-9 at least.

        Raises ModelError if the model does not answer, or gives no log-probabilities.
        """
        pair = (question, text)
        if pair not in self._known:
            self._known[pair] = self._asked(question, text)
        return self._known[pair]

    def _asked(self, question: str, text: str) -> float:
        values = {"passage": delimited("passage", text), "question": delimited("question", question)}
        messages = [
            {"role": message.role, "content": message.content} for message in self.prompt.render(values)
        ]
        body: Mapping[str, Any] = {
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": _LISTED,
        }
        try:
            reply = self.client.post("chat/completions", json=body).raise_for_status()
            tokens = _Reply.model_validate_json(reply.text).choices[0].logprobs.content[0].top_logprobs
        except httpx2.HTTPError as error:
            is_status = isinstance(error, httpx2.HTTPStatusError)
            why = f"status {error.response.status_code}" if is_status else str(error)
            raise ModelError(
                f"{self.model} gave no verdict on a passage of {len(text):,} characters ({why}); "
                "leave out --judge-with-llm, or use smaller chunks"
            ) from error
        except (ValidationError, IndexError) as error:
            raise ModelError(
                f"{self.model} gives no log-probabilities; leave out --judge-with-llm"
            ) from error
        return _log_probability(tokens, "yes") - _log_probability(tokens, "no")


def _log_probability(tokens: Sequence[_Token], word: str) -> float:
    spellings = [token.logprob for token in tokens if token.token.strip().lower() == word]
    return max(_UNSEEN, log(sum(map(exp, spellings)))) if spellings else _UNSEEN
