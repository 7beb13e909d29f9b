"""Ready-made replies: what OpenAI-compatible servers really send, good and bad."""

import json
from collections.abc import Mapping
from typing import Any

from stub.server import Reply, Script

PROMPT_TOKENS = 10
COMPLETION_TOKENS = 5
TOKENS = (PROMPT_TOKENS, COMPLETION_TOKENS)
HANG = Reply(hang=True)
DROP = Reply(drop=True)


def in_turn(*answers: Reply) -> Script:
    """A script of these replies in order; the last again for every request after them."""
    return lambda number, body: answers[min(number, len(answers) - 1)]


def completion(
    message: Mapping[str, Any], finish_reason: str = "stop", *, usage: tuple[int, int] = TOKENS
) -> Reply:
    """A chat completion with this message; ``usage`` are its prompt and its completion tokens."""
    prompt, reply = usage
    counted = {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": None, **message},
    }
    return Reply(body=json.dumps(_envelope() | {"choices": [choice], "usage": counted}))


def text(content: str | None, finish_reason: str = "stop", *, usage: tuple[int, int] = TOKENS) -> Reply:
    """A completion of any content."""
    return completion({"content": content}, finish_reason, usage=usage)


def ok(value: Mapping[str, Any], *, usage: tuple[int, int] = TOKENS) -> Reply:
    """A completion whose content is this object as JSON."""
    return text(json.dumps(value), usage=usage)


def tool_calls(
    name: str,
    *arguments: Mapping[str, Any] | str,
    finish_reason: str = "tool_calls",
    usage: tuple[int, int] = TOKENS,
) -> Reply:
    """Calls of the tool ``name``, in parallel if several; arguments as an object or as any text."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, given in enumerate(arguments)
    ]
    return completion({"tool_calls": calls}, finish_reason, usage=usage)


def tokens(reply: Reply) -> int:
    """All that a completion says it has used."""
    return int(json.loads(reply.body)["usage"]["total_tokens"])


def refusal() -> Reply:
    return completion({"refusal": "I cannot help with that."})


def reasoning_only(value: Mapping[str, Any]) -> Reply:
    """The answer in the reasoning field, and no content."""
    return completion({"reasoning_content": json.dumps(value)})


def filtered() -> Reply:
    """Status 200 with a reply that the content filter cut."""
    return text("", finish_reason="content_filter")


def cut_off() -> Reply:
    """A reply that ends at the token limit."""
    return text('{"name": "A', finish_reason="length")


def odd_200(fields: Mapping[str, Any]) -> Reply:
    """Status 200 and these fields in place of choices and usage."""
    return Reply(body=json.dumps(_envelope() | dict(fields)))


def html() -> Reply:
    """Status 200 from something that is no model server, such as a sign-in page."""
    return Reply(200, "<html>\n<body>Sign in</body>\n</html>", {"Content-Type": "text/html"})


def status(
    code: int, message: str = "no", *, error: Mapping[str, Any] | None = None, **headers: str
) -> Reply:
    """An error as OpenAI words it; ``headers`` by name with underscores."""
    details = {"message": message, "type": "invalid_request_error", "code": None, "param": None}
    body = json.dumps({"error": details | dict(error or {})})
    return Reply(code, body, {name.replace("_", "-"): value for name, value in headers.items()})


def rate_limited(retry_after: str) -> Reply:
    """429 with Retry-After, in seconds or as a date."""
    error = {"type": "requests", "code": "rate_limit_exceeded"}
    return status(429, "Rate limit reached for gen", error=error, Retry_After=retry_after)


def out_of_quota() -> Reply:
    error = {"type": "insufficient_quota", "code": "insufficient_quota"}
    return status(429, "You exceeded your current quota, please check your plan", error=error)


def request_filtered() -> Reply:
    """400 of a content filter that looked at the prompt (Azure)."""
    return status(400, "The prompt triggered the content filter", error={"code": "content_filter"})


def wrong_key(echo: str = "") -> Reply:
    """401; ``echo`` stands in its message, as the Authorization header does at some gateways."""
    return status(401, f"Incorrect API key provided: {echo}", error={"code": "invalid_api_key"})


def no_such_model() -> Reply:
    return status(404, "The model `gen` does not exist", error={"code": "model_not_found"})


def _envelope() -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gen"}
