"""Structured output: the ways to ask a server for it, and the reply found in whatever comes back."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from instructor import generate_openai_schema
from pydantic import BaseModel, ValidationError

from goldgen.types import Message, OutputMode, Reply

_KEYWORDS = frozenset(
    {"maxLength", "minLength", "pattern", "format", "maxItems", "minItems", "uniqueItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
"""Bounds that keep a weak model from repeating itself to the limit, and that some servers refuse."""
_NAMED = frozenset({"properties", "$defs", "definitions"})
"""Keys whose own keys are names and no keywords."""
_WRITTEN = "Reply with one JSON object of this form, and with nothing else:"
_SCHEMA = "It must follow this JSON schema:"
_EXAMPLES: Mapping[str, object] = {"string": "…", "integer": 1, "number": 1.0, "boolean": True}
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.S)


class UnparsedError(Exception):
    """A reply in which no object follows the schema; says what is wrong, for the model and for the record."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to ask for structured output."""

    mode: OutputMode
    strict: bool = False
    keywords: bool = False


FORMS = (
    Form("json_schema", strict=True, keywords=True),
    Form("json_schema", strict=True),
    Form("json_schema"),
    Form("tools"),
    Form("json"),
    Form("text"),
)
"""In the order in which they are tried."""


def asked_in(form: Form, messages: Sequence[Message], schema: type[BaseModel]) -> dict[str, Any]:
    """The arguments of a chat completion that ask for ``schema`` in this form, messages included."""
    spoken = [{"role": message.role, "content": message.content} for message in messages]
    match form.mode:
        case "json_schema":
            wanted: dict[str, Any] = {"name": schema.__name__, "schema": _sent_schema(schema, form)}
            if form.strict:
                wanted["strict"] = True
            return {"messages": spoken, "response_format": {"type": "json_schema", "json_schema": wanted}}
        case "tools":
            function = generate_openai_schema(schema)
            chosen = {"type": "function", "function": {"name": function["name"]}}
            tools = [{"type": "function", "function": function}]
            return {"messages": spoken, "tools": tools, "tool_choice": chosen}
        case "json":
            return {"messages": _written(spoken, schema), "response_format": {"type": "json_object"}}
        case "text":
            return {"messages": _written(spoken, schema)}


def parsed(schema: type[Reply], texts: Sequence[str]) -> Reply:
    """The one object in the texts that follows the schema; raises UnparsedError.

    Looks past fences, preambles and wrappers such as {"arguments": {…}}. Thoughts are not searched, and of
    several different objects none is taken: a passage that quotes a verdict must not become the verdict.
    """
    problems: list[str] = []
    found = [value for text in texts for value in _valid(schema, _THOUGHT.sub("", text), problems)]
    if not found:
        raise UnparsedError(problems[0] if problems else "it holds no JSON object")
    if any(value != found[0] for value in found):
        raise UnparsedError("it holds several different JSON objects")
    return found[0]


def _valid(schema: type[Reply], text: str, problems: list[str]) -> Iterator[Reply]:
    """Each object that follows the schema, outer before inner and none within another."""
    text = text.rsplit("</think>", 1)[-1]
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        end = start + 1
        try:
            _, decoded = decoder.raw_decode(text, start)
            value = schema.model_validate_json(text[start:decoded])
        except json.JSONDecodeError:
            pass
        except ValidationError as error:
            problems.append(_told(error))
        except RecursionError:
            return
        else:
            yield value
            end = decoded
        start = text.find("{", end)


def _told(error: ValidationError) -> str:
    """The first problems, a line each, without pydantic's links."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, p['loc'])) or 'the object'}: {p['msg']}" for p in problems[:5])


def _written(spoken: Sequence[Mapping[str, str]], schema: type[BaseModel]) -> list[dict[str, str]]:
    """The messages with the schema in the first one, for servers that take it nowhere else."""
    first, *others = (dict(message) for message in spoken)
    return [first | {"content": f"{first['content']}\n\n{_wanted(schema)}"}, *others]


@lru_cache(maxsize=256)
def _wanted(schema: type[BaseModel]) -> str:
    """The form first, since weak models copy a form and do not read a schema."""
    wanted = schema.model_json_schema()
    form = json.dumps(_example(wanted, wanted.get("$defs", {})), ensure_ascii=False)
    return f"{_WRITTEN}\n{form}\n{_SCHEMA}\n{json.dumps(wanted)}"


def _example(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> object:
    """A value of the shape that a schema asks for; null for what it leaves open."""
    if "$ref" in node:
        return _example(definitions[str(node["$ref"]).rsplit("/", 1)[-1]], definitions)
    if "anyOf" in node:
        return _example(node["anyOf"][0], definitions)
    if "properties" in node:
        return {name: _example(part, definitions) for name, part in node["properties"].items()}
    if node.get("type") == "array":
        return [_example(node.get("items", {}), definitions)]
    return _EXAMPLES.get(str(node.get("type")))


@lru_cache(maxsize=256)
def _sent_schema(schema: type[BaseModel], form: Form) -> dict[str, Any]:
    found: Any = schema.model_json_schema()
    if not form.keywords:
        found = _without_keywords(found)
    return _closed(found) if form.strict else found


def _without_keywords(node: Any, *, names: bool = False) -> Any:
    if isinstance(node, list):
        return [_without_keywords(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_keywords(value, names=not names and key in _NAMED)
        for key, value in cast("dict[str, Any]", node).items()
        if names or key not in _KEYWORDS
    }


def _closed(node: Any) -> Any:
    """The schema as strict servers want it: every object closed, every property required."""
    if isinstance(node, list):
        return [_closed(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    closed = {key: _closed(value) for key, value in cast("dict[str, Any]", node).items()}
    if closed.get("type") == "object" and isinstance(closed.get("properties"), dict):
        closed |= {"additionalProperties": False, "required": list(closed["properties"])}
    return closed
