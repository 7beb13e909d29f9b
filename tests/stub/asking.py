"""What client tests ask, and of whom."""

import asyncio
from dataclasses import dataclass, field

from pydantic import BaseModel, SecretStr

from goldgen.models.chat import EndpointChat
from goldgen.models.endpoints import Endpoint
from goldgen.types import CallRecord, ChatReply, ChatRequest, Message

KEY = "sk-test-0123456789abcdef"
ADA = {"name": "Ada", "age": 36}


class Person(BaseModel):
    name: str
    age: int


@dataclass
class MemoryLedger:
    """Implements ``Ledger`` for the length of a test."""

    records: dict[str, CallRecord] = field(default_factory=dict[str, CallRecord])

    def get(self, key: str) -> CallRecord | None:
        return self.records.get(key)

    def put(self, record: CallRecord) -> None:
        self.records[record.key] = record

    @property
    def only(self) -> CallRecord:
        (record,) = self.records.values()
        return record


def about(subject: str = "Ada", *, max_tokens: int = 50) -> ChatRequest[Person]:
    messages = (Message("system", "Describe people."), Message("user", f"Who is {subject}?"))
    return ChatRequest("test", messages, Person, "prompt-1", max_tokens)


def endpoint(
    url: str, *, model: str = "gen", key: str = KEY, timeout: float = 20.0, concurrency: int = 8
) -> Endpoint:
    return Endpoint(model, url, SecretStr(key), timeout, concurrency)


def ask(
    at: Endpoint, *requests: ChatRequest[Person], ledger: MemoryLedger | None = None
) -> list[ChatReply[Person]]:
    """Ask all at once, of one client."""

    async def run() -> list[ChatReply[Person]]:
        async with EndpointChat(at, ledger if ledger is not None else MemoryLedger()) as chat:
            return await asyncio.gather(*(chat.ask(request) for request in requests))

    return asyncio.run(run())


def ask_in_turn(
    at: Endpoint, *requests: ChatRequest[Person], ledger: MemoryLedger | None = None
) -> list[ChatReply[Person]]:
    """Ask one after the other, of one client."""

    async def run() -> list[ChatReply[Person]]:
        async with EndpointChat(at, ledger if ledger is not None else MemoryLedger()) as chat:
            return [await chat.ask(request) for request in requests]

    return asyncio.run(run())


def ask_one(at: Endpoint, *, ledger: MemoryLedger | None = None) -> ChatReply[Person]:
    (reply,) = ask(at, about(), ledger=ledger)
    return reply
