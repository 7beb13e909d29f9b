"""The key of a call, by which the ledger knows it again."""

import json
from functools import lru_cache

from pydantic import BaseModel

from goldgen.models.endpoints import Endpoint
from goldgen.text import stable_id
from goldgen.types import CallRecord, ChatRequest, Reply

_PERMANENT = frozenset({"content_filter"})
"""Failures that the same request will meet again."""


def is_settled(record: CallRecord) -> bool:
    """Whether the ledger's answer stands, so that the call is not made again."""
    return record.status == "ok" or record.failure_kind in _PERMANENT


def call_key(endpoint: Endpoint, request: ChatRequest[Reply]) -> str:
    """Equal requests have equal keys on every machine; any change of the request changes it.

    How structured output is asked for is not part of it: the same answer is wanted in every mode.
    """
    parameters: list[float] = [request.max_tokens, request.temperature]
    if request.repeat:
        parameters.append(request.repeat)
    return stable_id(
        endpoint.model,
        endpoint.label,
        request.prompt_hash,
        json.dumps([(message.role, message.content) for message in request.messages]),
        _schema_text(request.schema),
        json.dumps(parameters),
    )


@lru_cache(maxsize=256)
def _schema_text(schema: type[BaseModel]) -> str:
    return json.dumps(schema.model_json_schema(), sort_keys=True)
