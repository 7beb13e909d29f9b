"""Which encoding bytes that are not UTF-8 are likely to be in, told by the letters of languages.

Each decoding is judged by what it reads as: accented letters that one language has together, the
frequent letters of a script, the frequent characters of Chinese. What no language explains is in no
encoding known here, for wrong letters are worse than a file that is skipped by name. (charset-normalizer
was measured first: it read Portuguese as Romanian, Greek as Cyrillic, and Chinese among code as Latin.)
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_LEAST = 0.75
_MOST_BYTES_LOOKED_AT = 8_000

# The accented letters of a language, and short words of it that are written without any.
_LANGUAGES: Mapping[str, tuple[str, str]] = {
    "de": ("äöüß", "der die das und ist nicht mit von den ein eine zu wird sie auf im"),
    "fr": ("àâæçéèêëîïôœùûü", "le la les des et est un une du que pour dans sur en par au"),
    "es": ("áéíñóúü", "el la los las de que y en un una por con se para del no es"),
    "pt": ("áâãàçéêíóôõú", "o a os as de do da que e em um uma para com no na por se"),
    "it": ("àèéìíîòóù", "il la di che e un una per con del della non sono le i da"),
    "nl": ("áéèêëíïóöúü", "de het een en van is dat niet op te voor met zijn in"),
    "sv": ("åäöéà", "och att det som en av den till med inte om de ett"),
    "da": ("æøåéòó", "og at det som en af den til med ikke om de et er"),
    "is": ("áðéíóúýþæö", "og er sem til um en ekki var eru fyrir af hann"),
    "ca": ("àçèéíïòóúü", "el la els les de que i en un una per amb del no es"),
    "et": ("äõöüšž", "ja on ei et see oma kui mis ta"),
    "pl": ("ąćęłńóśźż", "w i na z do nie jest to o po od za przez lub jak dla"),
    "cs": ("áčďéěíňóřšťúůýž", "a je na v se z do pro jako ve k od nebo po"),
    "sk": ("áäčďéíĺľňóôŕšťúýž", "a je na v sa z do pre ako vo k od alebo po"),
    "hu": ("áéíóöőúüű", "a az egy nem hogy ez is van meg vagy mint csak"),
    "ro": ("ăâîşţ", "de la un o cu din pe nu este care pentru sau mai"),
    "hr": ("čćđšž", "je i u na se da za od su s ne kao ili"),
    "tr": ("çğıöşüâîİ", "ve bir bu ile de da olarak veya en her o ne daha"),
    "lt": ("ąčęėįšųūž", "ir yra kad su tai bet ar iki kaip nuo"),
    "lv": ("āčēģīķļņšūž", "un ir ar no par uz kas ka tas vai"),
}
_WESTERN = ("de", "fr", "es", "pt", "it", "nl", "sv", "da", "is", "ca")
_CENTRAL = ("pl", "cs", "sk", "hu", "ro", "hr", "de")
# In the order of preference where two explain the text equally well.
_LATIN: Mapping[str, Sequence[str]] = {
    "cp1252": (*_WESTERN, "et"),
    "cp1250": _CENTRAL,
    "cp1254": ("tr",),
    "cp1257": ("lt", "lv", "et"),
    "iso8859_2": _CENTRAL,
    "mac_roman": _WESTERN,
    "cp850": _WESTERN,
    "cp852": _CENTRAL,
}
# A range of a script, its letters by frequency, and the share of the first nine in running text.
_CYRILLIC = ("\u0400-\u04ff", "оеаинтсрвлкмдпуяыьгзбчй", 0.6)
_OTHER_ALPHABETS: Mapping[str, tuple[str, str, float]] = {
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC,
    "koi8_u": ("\u0400-\u04ff", "оанивтерсікулдпмяьзгбйї", 0.57),
    "cp866": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "cp1253": ("\u0370-\u03ff", "αοιετνσρηυςπκμλωάίόέήγδ", 0.6),
    "cp1255": ("\u0590-\u05ff", "יוהלאמרתבשנםדקעחפ", 0.62),
    "cp1256": ("\u0600-\u06ff", "اليمنوترةبدعسفكهح", 0.6),
    "cp874": ("\u0e00-\u0e7f", "านรอกเงมยลวดทสตะปบคหแจพชขไใโผถศณซัิี่้ำึืุู์็", 0.45),
}
_MOSTLY_SHARE = 0.85
"""Of the letters listed above."""
_COMMON_SIGNS = "€–—‘’“”„‚…•©®™§°·«»‹›±×÷½¼¾²³µ¶¿¡£¥¢´¨¸ªº¬\u00a0\u00ad"
_SIGN_IN_WORD = re.compile(
    r"[^\W\d_][€–—“”„‚…•·©®™§°«»‹›±×÷½¼¾²³µ¶¿¡£¥¢¨¸ªº¬][^\W\d_]|[“”«»„™§°±×÷½¼¾²³µ¶¿¡£¥¢¬ªº¸¨]{2}"
)
_SHORT_WORD = 4
_LEAST_PLAIN = 0.34
_FEWEST_LETTERS = 3
_FEWEST_CHARACTERS = 4
"""Of Chinese, Japanese and Korean; fewer read as something in several encodings."""
_FREQUENT_SYLLABLES = frozenset("이다의는에을를가고하지로은기서도사한스리인해시어정자수대일부")
_ASIAN_SIGNS = frozenset("“”‘’…—·、。〈〉《》「」『』【】〔〕　！（），．：；？～")
_WORD = re.compile(r"[^\W\d_]+")
_HIDDEN = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")


@dataclass(frozen=True, slots=True)
class _Guess:
    encoding: str
    confidence: float


def likely_encoding(raw: bytes) -> str | None:
    """The encoding of text that is not UTF-8; None if no language explains any reading of it well."""
    sample = raw[:_MOST_BYTES_LOOKED_AT]
    # Half a character at the cut would make a true reading impossible.
    sample = sample if len(sample) == len(raw) else sample[: sample.rfind(b"\n") + 1] or sample[:-1]
    guesses = list(_guesses(sample))
    best = max(guesses, key=lambda guess: guess.confidence, default=None)  # the first of equals
    return best.encoding if best and best.confidence >= _LEAST else None


def _guesses(raw: bytes) -> Iterator[_Guess]:
    for encoding, judge in _ASIAN.items():
        if (text := _read(raw, encoding)) is not None:
            yield _Guess(encoding, judge(text))
    for encoding, (letters, frequent, share) in _OTHER_ALPHABETS.items():
        if (text := _read(raw, encoding)) is not None:
            yield _Guess(encoding, _of_script(text, letters, frequent, share))
    for encoding, languages in _LATIN.items():
        if (text := _read(raw, encoding)) is not None:
            yield _Guess(encoding, _explained(text, languages))


def _read(raw: bytes, encoding: str) -> str | None:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _HIDDEN.search(text) else text


# Latin letters


def _explained(text: str, languages: Sequence[str]) -> float:
    """The share of letters and signs beyond ASCII that the best language has, less what contradicts it."""
    counts = Counter(character for character in text if not character.isascii())
    letters = {
        character: n for character, n in counts.items() if character.isalpha() and character not in "ªº"
    }
    signs = {character: n for character, n in counts.items() if character not in letters}
    strange = sum(n for character, n in signs.items() if character not in _COMMON_SIGNS)
    strange += 2 * len(_SIGN_IN_WORD.findall(text.replace("l·l", "ll")))
    strange += sum(map(_is_strange, (word for word in _WORD.findall(text) if not word.isascii())))
    common = set(_WORD.findall(text.lower()))
    best = 0.0
    for language in languages:
        accented, short = _LANGUAGES[language]
        known = sum(n for letter, n in letters.items() if letter.lower() in accented or letter in accented)
        share = max(0, known + sum(signs.values()) - strange) / max(1, counts.total())
        best = max(best, share * (0.9 + 0.1 * min(1.0, len(common & set(short.split())) / 4)))
    return best


def _is_strange(word: str) -> bool:
    """A word in which capitals follow small letters, or which is nearly all accents."""
    plain = sum(map(str.isascii, word))
    few_plain = not plain if len(word) <= _SHORT_WORD else plain < _LEAST_PLAIN * len(word)
    return (len(word) > 1 and few_plain) or _turns_to_capitals(word)


def _turns_to_capitals(word: str) -> bool:
    return any(one.islower() and other.isupper() for one, other in pairwise(word))


# Other alphabets


def _of_script(text: str, letters: str, by_frequency: str, expected: float) -> float:
    """How well the letters beyond ASCII are those of a script, as frequent as there, and in whole words."""
    counts = Counter(character for character in text if not character.isascii())
    own = re.compile(f"[{letters}]")
    of_script = Counter({letter: count for letter, count in counts.items() if own.match(letter)})
    signs = sum(count for character, count in counts.items() if character in _COMMON_SIGNS)
    total = of_script.total()
    if total < _FEWEST_LETTERS:
        return 0.0
    folded = "".join(of_script.elements()).lower()
    first = sum(letter in by_frequency[:9] for letter in folded) / total
    known = sum(letter in by_frequency for letter in folded) / total
    words = re.findall(f"[{letters}]+", text)
    if max(map(len, words)) < _FEWEST_LETTERS:
        return 0.0
    strange = sum(map(_turns_to_capitals, words))
    strange += len(re.findall(f"[A-Za-z][{letters}]|[{letters}][A-Za-z]", text))
    shouted = sum(map(str.isupper, words)) > len(words) / 2
    likely = (min(1.0, first / expected) + min(1.0, known / _MOSTLY_SHARE)) / 2 - 0.1 * shouted
    return likely * (total + signs) / counts.total() - strange / max(1, len(words))


# Chinese, Japanese, Korean


def _japanese(text: str) -> float:
    odd = [character for character in text if not character.isascii()]
    kana = sum("\u3041" <= character <= "\u30ff" for character in odd)
    common = sum("\u3000" <= character <= "\u9fff" or "\uff01" <= character <= "\uff5e" for character in odd)
    narrow = sum("\uff61" <= character <= "\uff9f" for character in odd)
    enough = kana >= 0.1 * len(odd) and len(odd) >= _FEWEST_CHARACTERS
    return (common + 0.5 * narrow - _among_latin(text)) / len(odd) if enough else 0.0


def _korean(text: str) -> float:
    odd = [character for character in text if not character.isascii()]
    hangul = [character for character in odd if "\uac00" <= character <= "\ud7a3"]
    frequent = sum(character in _FREQUENT_SYLLABLES for character in hangul)
    signs = sum(character in _ASIAN_SIGNS for character in odd)
    enough = len(odd) >= _FEWEST_CHARACTERS and len(hangul) + signs >= 0.85 * len(odd)
    if not enough or frequent < 0.12 * len(hangul):
        return 0.0
    return (len(hangul) + signs - _among_latin(text)) / len(odd)


def _among_latin(text: str) -> int:
    """Characters within words of Latin letters, where none stands."""
    return len(re.findall(r"[a-z][\u3041-\ud7a3][a-z]", text))


def _chinese(encoding: str, first: int, last: int) -> Callable[[str], float]:
    """Frequent characters stand in a range of first bytes of their own."""

    def judge(text: str) -> float:
        odd = [character for character in text if not character.isascii()]
        han = [character for character in odd if "\u4e00" <= character <= "\u9fff"]
        kana = sum("\u3041" <= character <= "\u30ff" for character in odd)
        frequent = sum(first <= character.encode(encoding)[0] <= last for character in han)
        signs = sum(character in _ASIAN_SIGNS for character in odd)
        if len(odd) < _FEWEST_CHARACTERS or kana > 0.05 * len(odd):
            return 0.0
        return (frequent + signs - _among_latin(text)) / len(odd)

    return judge


_ASIAN: Mapping[str, Callable[[str], float]] = {
    "cp932": _japanese,
    "euc_jp": _japanese,
    "cp949": _korean,
    "gb18030": _chinese("gb18030", 0xB0, 0xD7),
    "big5hkscs": _chinese("big5hkscs", 0xA4, 0xC6),
}
