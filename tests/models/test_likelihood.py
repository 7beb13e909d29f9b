"""A chat model's log odds of yes, over loopback."""

import json
from math import exp, log

import httpx2
import pytest
from stub.server import Body, Reply, StartStub

from goldgen.errors import ModelError
from goldgen.models.likelihood import YesLikelihood
from goldgen.prompts import PromptLibrary

PROMPT = PromptLibrary.packaged().load("likelihood")


def reply(tokens: dict[str, float]) -> Reply:
    listed = [{"token": token, "logprob": value} for token, value in tokens.items()]
    first = {"token": "x", "logprob": -1, "top_logprobs": listed}
    return Reply(body=json.dumps({"choices": [{"logprobs": {"content": [first]}}]}))


def asked(start_stub: StartStub, said: Reply) -> tuple[float, Body]:
    stub = start_stub(lambda number, body: said)
    with httpx2.Client(base_url=stub.url, timeout=10) as client:
        odds = YesLikelihood(client, "tiny", PROMPT).log_odds("how long?", "For 30 days.")
    return odds, stub.chats[0].body


def test_all_spellings_of_a_word_count_together(start_stub: StartStub) -> None:
    tokens = {"Yes": log(0.3), " yes": log(0.2), "No": log(0.1), "Maybe": log(0.4)}
    odds, body = asked(start_stub, reply(tokens))
    assert odds == pytest.approx(log(0.5) - log(0.1))
    assert (body["max_tokens"], body["temperature"], body["logprobs"]) == (1, 0, True)
    text = json.dumps(body["messages"])
    assert "For 30 days." in text and "<passage-" in text and "<question-" in text


def test_a_word_that_is_not_among_the_likeliest_counts_as_very_unlikely(start_stub: StartStub) -> None:
    odds, _ = asked(start_stub, reply({"Yes": log(0.9)}))
    assert exp(odds) == pytest.approx(0.9e9)
    odds, _ = asked(start_stub, reply({"Hm": log(0.9)}))
    assert odds == 0


WORDS_ONLY = json.dumps({"choices": [{"message": {"content": "Yes"}}]})
TOO_LONG = json.dumps({"error": {"message": "too long"}})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (Reply(body=WORDS_ONLY), "gives no log-probabilities"),
        (Reply(body=json.dumps({"choices": []})), "gives no log-probabilities"),
        (Reply(400, TOO_LONG), "no verdict on a passage of 12 characters"),
    ],
)
def test_what_is_no_answer_is_one_line(start_stub: StartStub, said: Reply, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        asked(start_stub, said)
    assert "\n" not in str(caught.value)


def test_a_pair_is_asked_about_once(start_stub: StartStub) -> None:
    stub = start_stub(lambda number, body: reply({"Yes": log(0.9), "No": log(0.1)}))
    with httpx2.Client(base_url=stub.url, timeout=10) as client:
        likelihood = YesLikelihood(client, "tiny", PROMPT)
        assert likelihood.log_odds("q", "t") == likelihood.log_odds("q", "t") == pytest.approx(log(9))
        likelihood.log_odds("q", "other")
    assert len(stub.chats) == 2


def test_nothing_there_is_one_line() -> None:
    client = httpx2.Client(base_url="http://127.0.0.1:9/v1", timeout=1)
    with client, pytest.raises(ModelError, match="tiny gave no verdict"):
        YesLikelihood(client, "tiny", PROMPT).log_odds("q", "t")
