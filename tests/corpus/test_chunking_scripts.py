"""Sizes in tokens, and texts without the sentence marks or the line breaks of English prose."""

import pytest

from goldgen.corpus.chunk import ChunkOptions, chunk
from goldgen.text.tokens import estimated_tokens
from goldgen.types import Chunk, Document

TOKENS = ChunkOptions.of_size(100, unit="tokens")
SENTENCES = {
    "Chinese": ("退款在三十天内处理。您可以在账户中申请吗？当然可以！", "。？！"),
    "Chinese quoted": ("他说：“退款在三十天内处理。”然后他走了。", "。”"),
    "Japanese": ("返金は三十日以内に行われます。お問い合わせください！", "。！"),
    "Thai": ("ผู้ใช้ขอเงินคืนได้ภายในสามสิบวัน ระบบจะส่งอีเมลยืนยันให้ทันที ", "นที"),
    "Hindi": ("धनवापसी तीस दिनों के भीतर होती है। आप खाते में आवेदन कर सकते हैं। ", "।"),
    "Arabic": ("هل يمكن استرداد المبلغ خلال ثلاثين يوما؟ ", "؟"),
    "Burmese": ("ငွေပြန်အမ်းခြင်းကို ရက်သုံးဆယ်အတွင်း ပြုလုပ်သည်။ ", "။"),
    "small letters": ("the refund is paid within thirty days. it needs no form. ", "."),
    "escaped lines": ("The refund is paid\\n\\nIt needs no form\\n", "n"),
}


def pieces(text: str, options: ChunkOptions = TOKENS, path: str = "a.md") -> tuple[Chunk, ...]:
    found = chunk(Document("d", path, text), options)
    assert all(text[piece.start : piece.end] == piece.text for piece in found)
    return found


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("path", ["a.md", "a.txt"])
def test_a_long_paragraph_is_cut_where_its_sentences_end(language: str, path: str) -> None:
    sentence, ends = SENTENCES[language]
    text = (sentence * 60).strip()
    found = pieces(text, path=path)
    assert len(found) > 5
    assert all(estimated_tokens(piece.text) <= 100 for piece in found)
    assert {piece.text[-1] for piece in found} <= set(ends)
    assert "".join(piece.text for piece in found).replace(" ", "") == text.replace(" ", "")


def test_a_chinese_file_of_100_kb_keeps_the_limit() -> None:
    text = "退款在三十天内处理。您可以在账户中申请吗？当然可以！" * 1400
    found = pieces(text, ChunkOptions.of_size(300, unit="tokens"))
    assert all(estimated_tokens(piece.text) <= 300 for piece in found)
    assert all(estimated_tokens(piece.text) > 200 for piece in found)


def test_what_has_no_sentences_is_cut_between_clauses_words_or_characters() -> None:
    clauses = "退款在三十天内处理，您可以在账户中申请，" * 40
    assert {piece.text[-1] for piece in pieces(clauses)} == {"，"}
    thai = "ขอเงินคืนได้ภายในสามสิบวัน" * 40
    assert {piece.text[0] for piece in pieces(thai)} <= set("ขเคไภสว")  # the first letters of its words
    words = "refund " * 1000
    assert all(set(piece.text.split()) == {"refund"} for piece in pieces(words))
    assert all(300 < len(piece.text) <= 400 for piece in pieces("x" * 10_000))


def test_a_line_of_a_megabyte_is_cut_in_linear_time_beside_a_small_file() -> None:
    line = "function a(){return b+c};" * 40_000
    found = pieces(line)
    assert max(len(piece.text) for piece in found) <= 400
    assert "".join(piece.text for piece in found) == line.replace(" ", " ")
    assert len(pieces("README of 289 bytes")) == 1


def test_tokens_and_characters_are_two_units() -> None:
    english = "The refund is paid within thirty days. " * 100
    in_tokens, in_characters = pieces(english), pieces(english, ChunkOptions.of_size(400))
    assert [piece.text for piece in in_tokens] == [piece.text for piece in in_characters]
    chinese = "退款在三十天内处理。" * 100
    assert max(len(piece.text) for piece in pieces(chinese)) <= 125
    assert max(len(piece.text) for piece in pieces(chinese, ChunkOptions.of_size(400))) > 300


def test_graphemes_are_whole_and_one_longer_than_the_limit_is_cut() -> None:
    family = "👩‍👩‍👧‍👦"
    assert {piece.text.replace(family, "") for piece in pieces(family * 200)} == {""}
    accents = "a" + "\u0301" * 1000
    found = pieces(accents)
    assert "".join(piece.text for piece in found) == accents
    assert all(estimated_tokens(piece.text) <= 100 for piece in found)
