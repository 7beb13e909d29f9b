"""Scripts that answer goldgen's own requests, so that whole runs of synth and verify work.

``generator_script`` sees from the JSON schema of the request which reply is wanted and makes one from the
passage in the user message, always the same for the same request:

- Questions: for each style another numbered sentence; the question holds the first half of its words and
  the answer its last words.
- Choice: the first change of a condition that the prompt offers.
- Verdict: grade 3 and the sentence as quote if one of the passage begins with the words that the
  question holds; otherwise grade 1. So it rejects every control and every near miss, as a good judge does.

``careless_script`` accepts everything: grade 3 with a quote that stands in the passage.
"""

import re
from collections.abc import Mapping
from typing import Any

from stub.replies import ok
from stub.server import Body, Reply

_MARK = re.compile(r"\[(\d+)\] ")
_ASKED = re.compile(r"what holds for (.*)\?\Z", re.S)


def generator_script(number: int, body: Body) -> Reply:
    """Play a capable generator and verifier."""
    return _reply(body, careless=False)


def careless_script(number: int, body: Body) -> Reply:
    """Play a generator, and a verifier that accepts whatever it is shown."""
    return _reply(body, careless=True)


def stage(body: Body) -> str:
    """Which of goldgen's requests this is: Questions, Choice or Verdict."""
    return str(body["response_format"]["json_schema"]["name"])


def _reply(body: Body, *, careless: bool) -> Reply:
    user = str(body["messages"][-1]["content"])
    passage = _between("passage", user)
    wanted = stage(body)
    if wanted == "Questions":
        schema = body["response_format"]["json_schema"]["schema"]
        return ok(_questions(passage, list(schema["properties"])))
    if wanted == "Choice":
        return ok({"change": 1})
    return ok(_careless(passage) if careless else _verdict(passage, _between("question", user)))


def _questions(passage: str, styles: list[str]) -> dict[str, Any]:
    _, *pieces = _MARK.split(passage)
    sentences = list(zip(pieces[::2], map(_first_line, pieces[1::2]), strict=True))
    entries: dict[str, Any] = {}
    for place, style in enumerate(styles):
        number, sentence = sentences[place % len(sentences)]
        lead, answer = _halves(sentence)
        question = f"{style.capitalize()}: what holds for {lead}?"
        entries[style] = {"sentence": int(number), "question": question, "answer": answer}
    return entries


def _verdict(passage: str, question: str) -> Mapping[str, Any]:
    asked = _ASKED.search(question)
    flat = " ".join(passage.split())
    found = re.search(re.escape(asked[1]) + r".*?[.!?](?=\s|\Z)", flat) if asked else None
    if found is None:
        return {"parts": [question], "quote": "", "answer": "", "standalone": True, "grade": 1}
    return _accepted(found.group())


def _careless(passage: str) -> Mapping[str, Any]:
    return _accepted(passage.strip().splitlines()[-1])


def _accepted(quote: str) -> Mapping[str, Any]:
    return {"parts": ["all"], "quote": quote, "answer": _halves(quote)[1], "standalone": True, "grade": 3}


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
