"""What a run would ask of models and what that would cost, found by running it without sending anything."""

import shutil
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, SecretStr

from goldgen.errors import GoldgenError, StoreError
from goldgen.models.endpoints import Endpoint, price_usd, reply_limit
from goldgen.models.keys import call_key, is_settled
from goldgen.store import CallLedger, open_store
from goldgen.text.tokens import estimated_tokens
from goldgen.types import ChatReply, ChatRequest, Failure, Reply, Usage

EXPECTED_SHARE = 0.4
"""Of the limit of a reply's tokens, where the ledger has no call of the stage to go by."""
LIKELIHOOD = 0.5
"""That a call is made which depends on replies that are not there yet."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls with their tokens and their price."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    """None: the price of some call is not known."""

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """The calls of one stage to one model."""

    stage: str
    model: str
    estimated: bool
    """Whether they depend on replies that are not there yet, so that even their number is an estimate."""
    remembered: int
    """Calls that the ledger answers."""
    expected: Cost
    """Replies as long as the stage's earlier ones or, without any, ``EXPECTED_SHARE`` of their limit."""
    at_most: Cost
    """Every reply at its limit of tokens, and none asked for a second time."""


@dataclass(frozen=True, slots=True)
class CallPlan:
    """What a run would ask. Prompt tokens are estimated from the text of messages and schema."""

    stages: tuple[PlannedStage, ...]
    remembered: int
    expected: Cost
    at_most: Cost


@dataclass(frozen=True, slots=True)
class _Call:
    stage: str
    prompt_tokens: int
    max_tokens: int
    remembered: bool = False


class PlanningChat:
    """Implements ``Chat`` by the ledger alone: what that does not hold is counted and fails as "planned".

    ``has_tokens`` is False for an embedded judge, whose calls are pairs that it scores.
    """

    def __init__(self, endpoint: Endpoint, ledger: CallLedger, *, has_tokens: bool = True) -> None:
        self._endpoint = endpoint
        self._ledger = ledger
        self._has_tokens = has_tokens
        self._calls: dict[str, _Call] = {}
        self._possible: list[_Call] = []

    @property
    def model(self) -> str:
        return self._endpoint.model

    async def ask(self, request: ChatRequest[Reply]) -> ChatReply[Reply]:
        """Answer from the ledger, or note a call to make; the same one counts once."""
        key = call_key(self._endpoint, request)
        record = self._ledger.get(key)
        if record is None or not is_settled(record):
            self._calls.setdefault(key, self._call(request))
            return ChatReply(key, Usage(), failure=Failure("planned", "a dry run sends nothing"))
        self._calls.setdefault(key, _Call(request.stage, 0, 0, remembered=True))
        if record.status == "ok":
            value = request.schema.model_validate_json(record.reply)
            return ChatReply(key, record.usage, value=value, from_ledger=True)
        failure = Failure("content_filter", record.failure_message)
        return ChatReply(key, record.usage, failure=failure, from_ledger=True)

    def remembers(self, request: ChatRequest[Reply]) -> bool:
        record = self._ledger.get(call_key(self._endpoint, request))
        return record is not None and is_settled(record)

    def may_ask(self, request: ChatRequest[Reply]) -> None:
        """Note a call like this one that a reply, which is not there yet, may bring about."""
        self._possible.append(self._call(request))

    def plan(self) -> CallPlan:
        """All that was noted, by stage."""
        stages = (*self._stages(self._calls.values()), *self._stages(self._possible, estimated=True))
        return CallPlan(
            stages,
            sum(stage.remembered for stage in stages),
            sum((stage.expected for stage in stages), Cost()),
            sum((stage.at_most for stage in stages), Cost()),
        )

    def _call(self, request: ChatRequest[Reply]) -> _Call:
        if not self._has_tokens:
            return _Call(request.stage, 0, 0)
        prompt = sum(estimated_tokens(message.content) for message in request.messages)
        limit = reply_limit(self._endpoint, request.max_tokens)
        return _Call(request.stage, prompt + _schema_tokens(request.schema), limit)

    def _stages(self, calls: Iterable[_Call], *, estimated: bool = False) -> list[PlannedStage]:
        averages = {
            total.stage: total.usage.completion_tokens / total.calls
            for total in self._ledger.totals()
            if total.model == self.model
        }
        by_stage: dict[str, list[_Call]] = {}
        for call in calls:
            by_stage.setdefault(call.stage, []).append(call)
        stages: list[PlannedStage] = []
        for stage, noted in by_stage.items():
            to_make = [call for call in noted if not call.remembered]
            at_most = self._cost(to_make, None)
            expected = self._cost(to_make, averages.get(stage, 0.0))
            stages.append(
                PlannedStage(
                    stage,
                    self.model,
                    estimated,
                    len(noted) - len(to_make),
                    _scaled(expected, LIKELIHOOD) if estimated else expected,
                    at_most,
                )
            )
        return stages

    def _cost(self, calls: Iterable[_Call], average: float | None) -> Cost:
        """With replies of ``average`` tokens (0: a share of the limit), or at their limit if it is None."""
        cost = Cost()
        for call in calls:
            limit = call.max_tokens
            reply = limit if average is None else round(min(limit, average or limit * EXPECTED_SHARE))
            # One call at a time, since some models cost more a token in long calls.
            cost += Cost(1, call.prompt_tokens, reply, price_usd(self._endpoint, call.prompt_tokens, reply))
        return cost


def embedded_endpoint(model: str) -> Endpoint:
    """Stands for a model that comes with goldgen, whose calls cost nothing, without loading it."""
    return Endpoint(model, "http://127.0.0.1/v1", SecretStr(""), embedded=True)


@contextmanager
def scratch_copy(db: Path) -> Generator[Path]:
    """A copy of a golden-set file, which a dry run may change; no file at that path if there is none yet.

    Errors name ``db``. Raises StoreError if it is in use or cannot be copied.
    """
    with tempfile.TemporaryDirectory(prefix="goldgen-") as folder:
        copy = Path(folder) / db.name
        if db.exists() and db.stat().st_size:  # an empty file is filled by the first run, as a new one is
            _copy(db, copy)
        try:
            yield copy
        except GoldgenError as error:
            raise type(error)(str(error).replace(str(copy), str(db))) from error


def _copy(db: Path, copy: Path) -> None:
    """The file and, after a killed run, its write-ahead log; open meanwhile, so that nobody writes to it."""
    try:
        with open_store(db, read_only=True):
            for suffix in ("", ".wal"):
                source = db.with_name(db.name + suffix)
                if source.exists():
                    shutil.copyfile(source, copy.with_name(copy.name + suffix))
    except OSError as error:
        raise StoreError(
            f"cannot copy {db} to {copy.parent} for the dry run: {error.strerror}; make room there"
        ) from error


@lru_cache(maxsize=256)
def _schema_tokens(schema: type[BaseModel]) -> int:
    return estimated_tokens(str(schema.model_json_schema()))


def _scaled(cost: Cost, share: float) -> Cost:
    return Cost(
        round(cost.calls * share),
        round(cost.prompt_tokens * share),
        round(cost.completion_tokens * share),
        None if cost.usd is None else cost.usd * share,
    )
