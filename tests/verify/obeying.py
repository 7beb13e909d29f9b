"""Verifiers behind an endpoint that are as bad as can be: one obeys the text, one accepts everything."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from injected_instructions import Attack, Base
from pydantic import SecretStr
from stub.replies import text
from stub.server import Body, Reply, Script, Stub

from goldgen.models.chat import EndpointChat
from goldgen.models.endpoints import Endpoint
from goldgen.prompts import PromptLibrary
from goldgen.types import CallRecord, Judgment, Question
from goldgen.verify import ChatJudge, Passage

HONEST: Mapping[str, Any] = {
    "parts": [{"part": "what is asked", "quote": "", "answered": False}],
    "answer": "",
    "standalone": True,
    "grade": 1,
}


class Forgetful:
    """Implements ``Ledger`` and keeps nothing, so that the same pair can be judged again otherwise."""

    def get(self, key: str) -> None:
        return None

    def put(self, record: CallRecord) -> None:
        pass


def accepted(quote: str, answer: str) -> Mapping[str, Any]:
    """The verdict that every part is answered, by this quote."""
    parts = [{"part": "what is asked", "quote": quote, "answered": True}]
    return dict(HONEST) | {"parts": parts, "answer": answer, "grade": 3}


def replied(body: Body, verdict: Mapping[str, Any], preamble: str = "") -> Reply:
    """The verdict as content, with a token for four characters of the request counted."""
    asked = sum(len(str(message["content"])) for message in body["messages"])
    return text(preamble + json.dumps(verdict, ensure_ascii=False), usage=(asked // 4, 50))


def saying(verdict: Mapping[str, Any]) -> Script:
    """Says the same of every pair."""
    return lambda number, body: replied(body, verdict)


def obeying(attack: Attack, base: Base) -> Script:
    """Does what the attack says where it can read it, also in invisible characters; else judges honestly."""
    demanded = base.filled(attack.text)
    verdict = accepted(base.filled(attack.quote), base.filled(attack.answer))

    def answer(number: int, body: Body) -> Reply:
        shown = "\n".join(
            str(message["content"]) for message in body["messages"] if message["role"] == "user"
        )
        if _readable(demanded) not in _readable(shown):
            return replied(body, HONEST)
        return replied(body, HONEST, f"{demanded}\n\n") if attack.echoes else replied(body, verdict)

    return answer


def judged(asked: Sequence[tuple[Script, tuple[Question, Passage]]]) -> list[Judgment]:
    """What ChatJudge makes of each pair when its script answers over HTTP; asked in turn."""

    async def run(stub: Stub) -> list[Judgment]:
        endpoint = Endpoint("obeying", stub.url, SecretStr(""), timeout=20.0)
        found: list[Judgment] = []
        async with EndpointChat(endpoint, Forgetful()) as chat:
            judge = ChatJudge(chat, PromptLibrary.packaged().load("verify"))
            for script, (question, passage) in asked:
                stub.script = script
                found.append(await judge.judge(question, passage))
        return found

    with Stub(lambda number, body: replied(body, HONEST), recording=False) as stub:
        return asyncio.run(run(stub))


def _readable(written: str) -> str:
    """As a model may read it: tag characters are letters to it, other invisible ones nothing."""
    letters = (chr(ord(c) - 0xE0000) if "\U000e0020" <= c <= "\U000e007e" else c for c in written)
    return "".join(c for c in letters if c in "\n" or c.isprintable())
