"""Literal questions in other words."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from drafting_helpers import CORPUS, RETENTION, ScriptedChat, asked, chunk

from goldgen.prompts import Prompt
from goldgen.synth import LITERAL, ChunkQuestions, DraftChecks, Rewriter
from goldgen.text.leakage import LeakageMeter
from goldgen.types import FailureKind, Question

QUOTE = "On the Basic plan, rows are kept for 30 days."
LITERAL_ONE = asked("How long are rows kept on the Basic plan?", RETENTION, "30 days", QUOTE)
FREE_ONE = asked("When is it too late to undo a removal?", RETENTION, "30 days", QUOTE)
METER = LeakageMeter(chunk.full_text for chunk in CORPUS)
PROMPT = Prompt("question_rewrite", "Reword.", "{{queries}}")


def reworded(
    questions: Sequence[Question], said: str | FailureKind, *, fails: bool = False, limit: float = 0.6
) -> tuple[ChunkQuestions, ScriptedChat]:
    def script(names: tuple[str, ...]) -> dict[str, object] | FailureKind:
        return "timeout" if fails else dict.fromkeys(names, said)

    chat = ScriptedChat(script)
    rewriter = Rewriter(chat, PROMPT, METER, DraftChecks(), limit)
    outcome = ChunkQuestions(RETENTION, len(questions), tuple(questions))
    return asyncio.run(rewriter.reworded(outcome)), chat


def test_another_wording_takes_the_place_of_a_literal_one_and_keeps_its_evidence() -> None:
    outcome, chat = reworded([LITERAL_ONE, FREE_ONE], "On the Basic plan, how soon is removed data gone?")
    new, other = outcome.questions
    assert new.text == "On the Basic plan, how soon is removed data gone?"
    assert (new.answer, new.quote, new.chunk_id) == ("30 days", QUOTE, RETENTION.id)
    assert new.id != LITERAL_ONE.id and new.call_key == "call-1" and new.prompt_hash == PROMPT.hash
    assert other == FREE_ONE and outcome.rewritten == 1
    assert "1. How long are rows kept on the Basic plan? (avoid: kept, rows)" in chat.asked[0][1].content
    assert "too late" not in chat.asked[0][1].content


def test_what_is_not_better_leaves_the_question_flagged() -> None:
    for said in (
        "",
        "For how long are rows kept with the Basic plan?",
        "How soon is removed data gone for good?",
        "On Basic, how soon is removed data gone for good?",
        "On Basic, if somebody has removed some data by mistake, then how soon is it gone for good?",
        "With Basic, is it gone after 30 days?",
        "According to this section, how long is Basic data there?",
        "How long are rows kept on the Basic plan? (avoid: kept, rows, plan)",
    ):
        outcome, _ = reworded([LITERAL_ONE], said)
        (question,) = outcome.questions
        assert question.text == LITERAL_ONE.text, said
        assert question.flags == (LITERAL,) and outcome.rewritten == 0


def test_the_hint_that_a_model_repeats_is_no_part_of_the_wording() -> None:
    outcome, _ = reworded(
        [LITERAL_ONE], "On the Basic plan, how soon is removed data gone? (Avoid: kept, rows)"
    )
    assert outcome.questions[0].text == "On the Basic plan, how soon is removed data gone?"


def test_a_failed_call_loses_no_question() -> None:
    outcome, _ = reworded([LITERAL_ONE, FREE_ONE], "", fails=True)
    assert [question.text for question in outcome.questions] == [LITERAL_ONE.text, FREE_ONE.text]
    assert outcome.failure == "timeout" and outcome.questions[0].flags == (LITERAL,)


def test_search_words_do_not_become_a_sentence() -> None:
    literal = replace(LITERAL_ONE, style="keywords", text="rows kept Basic plan")
    assert reworded([literal], "How long is removed data there on the Basic plan?")[0].rewritten == 0
    assert reworded([literal], "removed data lifetime Basic plan")[0].rewritten == 1


def test_questions_below_the_limit_cost_nothing() -> None:
    outcome, chat = reworded([FREE_ONE], "anything")
    assert outcome.questions == (FREE_ONE,) and not chat.asked


def test_names_numbers_and_commands_are_not_to_be_avoided() -> None:
    question = asked("Which disks in eu-west-1 for v2 or `keep_rows`?", RETENTION, "two disks", QUOTE)
    _, chat = reworded([question], "", limit=0.0)
    assert "(avoid: disks)" in chat.asked[0][1].content


def test_the_language_of_the_chunk_is_told_but_for_english() -> None:
    _, chat = reworded([LITERAL_ONE], "")
    assert "Write the queries" not in chat.asked[0][1].content
    for language, said in (
        ("de", "in German."),
        ("Arabic script", "in the language of the text, not in English."),
    ):
        chat = ScriptedChat(lambda names: dict.fromkeys(names, ""))
        rewriter = Rewriter(chat, PROMPT, METER, DraftChecks(language=language), 0.6)
        asyncio.run(rewriter.reworded(ChunkQuestions(RETENTION, 1, (LITERAL_ONE,))))
        assert chat.asked[0][1].content.endswith(f"Write the queries {said}")


def test_a_wording_in_a_script_without_spaces_may_have_some() -> None:
    """Its length is counted in signs, where words are not parted."""
    text = "削除された行は、ベーシックプランでは三十日間保持されます。所有者であれば誰でも復元できます。"
    others = ["エクスポートは毎晩実行されます。", "請求書は毎月送られます。"]
    of = chunk("ja", text)
    literal = asked("ベーシックプランでは削除された行は何日間保持されますか", of, "三十日間", text[:28])
    chat = ScriptedChat(
        lambda names: dict.fromkeys(names, "ベーシックで 消した データは いつまで 元に戻せるのか")
    )
    rewriter = Rewriter(chat, PROMPT, LeakageMeter([text, *others]), DraftChecks(), 0.6)
    outcome = asyncio.run(rewriter.reworded(ChunkQuestions(of, 1, (literal,))))
    assert outcome.rewritten == 1
