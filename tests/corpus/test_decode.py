"""Encodings: found, or the file is left to be named. No letter is silently wrong."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.corpus.decode import decode

PORTUGUESE = "A instalação do serviço não é difícil: a senha é válida até amanhã, e a opção fica no painel.\n"
TURKISH = "Para iadesi otuz gün içinde yapılır; şifreyi değiştirmek için başvurunuz. İşlem sürüyor.\n"
HEBREW = "זהו מסמך בעברית. ההחזר הכספי יבוצע בתוך שלושים יום. אנא פנו אלינו בכל שאלה.\n"
CHINESE = (
    "# 配置\n\n将 `timeout` 设置为 30 秒。请重新启动服务，然后检查日志。\n\n```\nrefund --days 30\n```\n"
)
JAPANESE = "# 設定\n\n`timeout` を 30 秒に設定します。ﾃｽﾄも可能です。再起動してください。\n"
RUSSIAN = "Это русский документ о возврате денег. Съешь ещё этих мягких французских булок.\n"
TEXTS = {
    "cp1252": (
        PORTUGUESE,
        "Der Preis beträgt 10 € – ‘üblich’. Straße, Größe.",
        "It’s fine — really. Café, naïve, 20°C.",
    ),
    "mac_roman": ("Wir möchten den großzügigen Förderern danken; die Gebühr wird später fällig.\n",),
    "cp850": ("Wir möchten den großzügigen Förderern danken; die Gebühr wird später fällig.\n",),
    "cp1250": (
        "Zażółć gęślą jaźń. Zwrot pieniędzy następuje w ciągu trzydziestu dni.\n",
        "Vrácení peněz proběhne.\n",
    ),
    "iso8859_2": ("Zażółć gęślą jaźń. Zwrot pieniędzy następuje w ciągu trzydziestu dni.\n",),
    "cp1254": (TURKISH,),
    "cp1251": (RUSSIAN,),
    "koi8_r": (RUSSIAN,),
    "cp1253": ("Αυτό είναι ένα ελληνικό έγγραφο. Η επιστροφή χρημάτων γίνεται σε τριάντα ημέρες.\n",),
    "cp1255": (HEBREW,),
    "cp1256": ("هذا مستند باللغة العربية. يتم رد المبلغ خلال ثلاثين يومًا. يرجى الاتصال بنا.\n",),
    "cp874": ("นี่คือเอกสารภาษาไทย การคืนเงินจะดำเนินการภายในสามสิบวัน โปรดติดต่อเรา\n",),
    "cp932": (JAPANESE, "これは日本語の文書です。返金は三十日以内に行われます。\n"),
    "euc_jp": ("これは日本語の文書です。返金は三十日以内に行われます。\n",),
    "gb18030": (CHINESE, "这是一个中文文件。退款在三十天内处理。请联系我们的支持团队。\n"),
    "big5": ("這是一個中文文件。退款在三十天內處理。請聯繫我們的支援團隊。\n",),
    "euc_kr": ("이것은 한국어 문서입니다. 환불은 삼십일 이내에 처리됩니다.\n",),
    "utf-8-sig": ("Grüße",),
    "utf-16": ("Grüße 返金",),
    "utf-32": ("Grüße 返金",),
    "utf-16-le": (PORTUGUESE,),
    "utf-16-be": (PORTUGUESE,),
}


@pytest.mark.parametrize(
    ("encoding", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts]
)
@pytest.mark.parametrize("times", [1, 30])
def test_the_encoding_is_found(encoding: str, text: str, times: int) -> None:
    assert decode((text * times).encode(encoding)) == unicodedata.normalize("NFC", text * times)


def test_a_long_file_is_judged_by_its_beginning() -> None:
    text = CHINESE * 3000
    assert decode(text.encode("gb18030")) == text


@pytest.mark.parametrize(
    "raw",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"PK\x03\x04\x14\x00\x06\x00",
        bytes(range(128, 256)),
        b"text \xfe\xff\x9d\x81 text",
        "二".encode("euc_jp"),  # too short to tell
    ],
)
def test_bytes_that_no_language_explains_are_not_guessed_at(raw: bytes) -> None:
    assert decode(raw) is None


def test_line_ends_and_composed_letters() -> None:
    assert decode("u\u0308\r\nx\ry".encode()) == "ü\nx\ny"


@given(st.binary(max_size=120))
@settings(max_examples=120)
def test_no_replacement_character_is_made(raw: bytes) -> None:
    text = decode(raw)
    if text is not None and "\ufffd".encode() not in raw and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert "\ufffd" not in text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=80))
@settings(max_examples=100)
def test_utf_8_is_read_as_it_stands(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode()) == unicodedata.normalize("NFC", text)
