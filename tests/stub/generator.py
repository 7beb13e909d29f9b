"""Scripts that answer goldgen's own requests, so that whole runs of synth and verify work.

``generator_script`` sees from the JSON schema of the request which reply is wanted and makes one from the
passage in the user message, always the same for the same request:

- Questions: for each style another numbered sentence; the question holds the first half of its words and
  the answer its last words.
- Queries: nothing, as of a model that knows no other words.
- Choice: the first change of a condition that the prompt offers.
- Verdict: grade 3 and the sentence as quote if one of the passage begins with the words that the
  question holds; otherwise grade 1. So it rejects every control and every near miss, as a good judge does.
- SecondLook: nothing is missing and the same quote, under the same condition.

``careless_script`` accepts everything: grade 3 with a quote that stands in the passage, and nothing missing.

The schema may stand in response_format, in a tool, or in a message; the reply comes as it was asked for. It
counts a token for four characters, as goldgen may take a smaller count for a prompt read in part.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from stub.replies import ok, tool_calls
from stub.server import Body, Reply

_MARK = re.compile(r"\[(\d+)\] ")
_ASKED = re.compile(r"what holds for (.*)\?\Z|\Akeywords\w*: (.*)\Z", re.S)
_KEYWORDS = 4


def generator_script(number: int, body: Body) -> Reply:
    """Play a capable generator and verifier."""
    return as_asked(body, generated(body))


def careless_script(number: int, body: Body) -> Reply:
    """Play a generator, and a verifier that accepts whatever it is shown."""
    answers = {"Verdict": _accepted, "SecondLook": _complete}
    answer = answers.get(stage(body))
    return as_asked(body, answer(_passage(body).strip().splitlines()[-1]) if answer else generated(body))


def stage(body: Body) -> str:
    """Which of goldgen's requests this is: Questions, Queries, Choice, Verdict or SecondLook."""
    return str(_schema(body)["title"])


def generated(body: Body) -> Mapping[str, Any]:
    """What a capable model answers."""
    schema = _schema(body)
    if schema["title"] == "Questions":
        return _questions(_passage(body), list(schema["properties"]))
    if schema["title"] == "Queries":
        return dict.fromkeys(schema["properties"], "")
    if schema["title"] == "Choice":
        return {"change": 1}
    asked = _between("question", _said(body, "user"))
    found = _answering(_passage(body), asked)
    if schema["title"] == "SecondLook":
        return _complete(found) if found else {"missing": [asked], "quote": "", "complete": False}
    return _accepted(found) if found else _refused(asked)


def as_asked(body: Body, value: Mapping[str, Any]) -> Reply:
    """``value`` as the arguments of the tool if the request has one, else as content."""
    usage = len(_said(body)) // 4, len(json.dumps(value)) // 4
    if tools := body.get("tools"):
        return tool_calls(tools[0]["function"]["name"], value, usage=usage)
    return ok(value, usage=usage)


def _schema(body: Body) -> Mapping[str, Any]:
    """The schema of the reply, with its title, wherever the request has it."""
    wanted: Mapping[str, Any] = body.get("response_format") or {}
    if named := wanted.get("json_schema"):
        return {"title": named["name"], **named["schema"]}
    if tools := body.get("tools"):
        return {"title": tools[0]["function"]["name"], **tools[0]["function"]["parameters"]}
    return _written_schema(_said(body))


def _written_schema(text: str) -> Mapping[str, Any]:
    for opening in re.finditer(r"\{", text):
        try:
            found, _ = json.JSONDecoder().raw_decode(text, opening.start())
        except json.JSONDecodeError:
            continue
        if {"title", "properties"} <= found.keys():
            return found
    raise LookupError(f"the request asks for no schema: {text[:200]}")


def _passage(body: Body) -> str:
    return _between("passage", _said(body, "user"))


def _said(body: Body, role: str = "") -> str:
    """The text of the messages, of one role or of all."""
    return "\n\n".join(str(m["content"]) for m in body["messages"] if role in ("", m["role"]))


def _questions(passage: str, styles: list[str]) -> dict[str, Any]:
    _, *pieces = _MARK.split(passage)
    sentences = list(zip(pieces[::2], map(_first_line, pieces[1::2]), strict=True))
    entries: dict[str, Any] = {}
    for place, style in enumerate(styles):
        number, sentence = sentences[place % len(sentences)]
        lead, answer = _halves(sentence)
        question = f"{style.capitalize()}: what holds for {lead}?"
        if style.startswith("keywords"):
            question = f"{style}: {' '.join(lead.split()[:_KEYWORDS])}"
        entries[style] = {"sentence": int(number), "question": question, "answer": answer}
    return entries


def _answering(passage: str, question: str) -> str:
    """The sentence of the passage that begins with the words which the question holds, or nothing."""
    asked = _ASKED.search(question)
    flat = " ".join(passage.split())
    found = re.search(re.escape(asked[1] or asked[2]) + r".*?[.!?](?=\s|\Z)", flat) if asked else None
    return found.group() if found else ""


def _accepted(quote: str) -> Mapping[str, Any]:
    parts = [{"part": "all", "quote": quote, "answered": True}]
    return {"parts": parts, "answer": _halves(quote)[1], "standalone": True, "grade": 3}


def _refused(question: str) -> Mapping[str, Any]:
    parts = [{"part": question, "quote": "", "answered": False}]
    return {"parts": parts, "answer": "", "standalone": True, "grade": 1}


def _complete(quote: str) -> Mapping[str, Any]:
    return {"missing": [], "quote": quote, "complete": True}


def _halves(sentence: str) -> tuple[str, str]:
    """The first half of a sentence's words, and up to four of its last."""
    words = sentence.rstrip(".!?").split()
    middle = len(words) // 2
    return " ".join(words[:middle]), " ".join(words[middle:][-4:])


def _first_line(piece: str) -> str:
    return " ".join(piece.split("\n\n")[0].split())


def _between(kind: str, text: str) -> str:
    found = re.search(rf"<({kind}-\w+)>\n(.*?)\n</\1>", text, re.S)
    return found[2] if found else ""
