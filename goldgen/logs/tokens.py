"""Where secrets stand in a text: passwords in URLs, assigned values, API keys, random strings."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from goldgen.logs.spans import Span

_PLACEHOLDER = r"<[A-Z]+>"

_URL_CREDENTIALS = re.compile(r"(?<=://)[^\s/?#:@]*:[^\s/?#]+(?=@)")

_PASSWORD = r"(?:pass(?:word|wd|phrase|code|wort)|pwd|kennwort)"
_SECRET = rf"(?:{_PASSWORD}|secret|token|credentials?|(?:api|access|private|secret|account)[_\- ]?key)"
_VALUE = rf"(?P<value>(?!{_PLACEHOLDER})(?:\"[^\"\n]+\"|'[^'\n]+'|<[^<>\n]+>|[^\s&]+))"
_ASSIGNED = (
    re.compile(rf"authorization[\\\"']*\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+{_VALUE}", re.IGNORECASE),
    re.compile(rf"{_SECRET}[\\\"']*(?:\s*(?:=>?|:=)\s*|:)\\?{_VALUE}", re.IGNORECASE),
    re.compile(rf"{_PASSWORD}[\\\"']*\s*:\s+{_VALUE}\s*$", re.IGNORECASE),
)
_STATED = re.compile(
    rf"(?:{_SECRET}[\\\"']*(?:\s*:\s+|\s+(?:is|ist|lautet)\s+)|--{_SECRET}\s+){_VALUE}", re.IGNORECASE
)
_BEARER = re.compile(r"\bbearer\s+(?P<value>[\w.~+/=-]{8,})", re.IGNORECASE)
# The name of a variable, an example or a type gives nothing away.
_NO_SECRET = re.compile(
    r"(?-i:\$\{?[A-Z_][A-Z0-9_]*\}?)|\$\(.*|\$?\{\{.*|\{\w*\}?|%\w*%?|<[\w -]*>|\W{1,2}|\*+|\.+|x{3,}|=.*"
    r"|true|false|null|none|nil|undefined|string|str|bytes|int|number|required|optional|empty",
    re.IGNORECASE,
)

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)", re.DOTALL
)
_KNOWN_SHAPE = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?               # JSON web token
    | sk-(?=[\w-]*\d)[\w-]{16,}
    | gh[opsur]_[A-Za-z0-9]{20,} | github_pat_\w{20,} | gl[a-z]{2,5}-(?=[\w-]*\d)[\w-]{16,}
    | xox[a-z](?:\.xox[a-z])?-[\w-]{10,} | xapp-\d[\w-]{10,}
    | (?:AKIA|ASIA)[A-Z0-9]{16} | AIza[\w-]{30,} | ya29\.[\w-]{16,}
    | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{20,} | dckr_pat_[\w-]{20,} | pypi-[\w-]{40,}
    | SG\.[\w-]{16,}\.[\w-]{16,}
    | [A-Za-z]{2,12}_(?:live|test|secret)_(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}(?:[_-][A-Za-z0-9]+)*
    | [0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12} # UUID
    | (?:0x)?(?=\d*[A-Fa-f])[0-9A-Fa-f]{32,}               # digest, hexadecimal key
    )(?![A-Za-z0-9])""",
    re.VERBOSE | re.ASCII,
)

_LEAST_LENGTH = 24
_LONG_STRING = re.compile(
    rf"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9+/_-]{{{_LEAST_LENGTH - 2},}}[A-Za-z0-9]={{0,2}}", re.ASCII
)
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+")
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_TIMESTAMP = re.compile(r"\d{8}T\d{4,6}Z?")
_LEAST_ENTROPY = 3.0
"""Bits a character: 24 random hexadecimal digits have about 3.4, a repeated pattern far fewer."""


def url_credentials(text: str) -> Iterator[Span]:
    """``user:password`` before the at sign of a URL."""
    for match in _URL_CREDENTIALS.finditer(text):
        yield match.span()


def assigned_values(text: str) -> Iterator[Span]:
    """Values that stand as ``password=…``, ``api_key: …``, ``Authorization: Basic …`` or ``Bearer …``."""
    for pattern in _ASSIGNED:
        for match in pattern.finditer(text):
            yield from _secret_span(text, match)
    for match in _STATED.finditer(text):
        # "password: how do I reset it" is prose, unlike "password: hunter2".
        for start, end in _secret_span(text, match):
            if text[start] in "\"'" or not _is_a_word(text[start:end]):
                yield start, end
    for match in _BEARER.finditer(text):
        value = match["value"]
        if _class_changes(value) >= 2 or (len(value) >= 20 and any(map(str.isdigit, value))):
            yield match.span("value")


def known_tokens(text: str) -> Iterator[Span]:
    """Keys and tokens of a known shape, UUIDs, and 32 or more hexadecimal digits."""
    for pattern in (_PRIVATE_KEY, _KNOWN_SHAPE):
        for match in pattern.finditer(text):
            yield match.span()


def random_strings(text: str) -> Iterator[Span]:
    """Strings of 24 or more characters in which letters and digits are mixed as chance mixes them."""
    for match in _LONG_STRING.finditer(text):
        words = list(_ALPHANUMERIC.finditer(text, *match.span()))
        random = [word for word in words if _is_random(word[0])]
        if _mostly(random, words) or _is_base64(match[0]):
            if _entropy(match[0]) >= _LEAST_ENTROPY:
                yield match.span()
        else:
            # A path or a long name may end in a random string.
            yield from (word.span() for word in random if len(word[0]) >= _LEAST_LENGTH)


def _secret_span(text: str, match: re.Match[str]) -> Iterator[Span]:
    start, end = match.span("value")
    if text[start] not in "\"'":
        end = start + len(text[start:end].rstrip(".,;:?!)]}\"'\\"))
    if start < end and not _NO_SECRET.fullmatch(text[start:end].strip("\"'")):
        yield start, end


def _is_a_word(value: str) -> bool:
    """Plain words and compounds: ``incorrect``, ``Required``, ``non-empty``, ``can't``."""
    return all(part.isalpha() and (part.islower() or part.istitle()) for part in re.split(r"[-'’/]", value))


def _mostly(some: Sequence[re.Match[str]], words: Sequence[re.Match[str]]) -> bool:
    return 2 * sum(len(word[0]) for word in some) >= sum(len(word[0]) for word in words)


def _is_random(word: str) -> bool:
    """Digits stand between letters again and again, unlike in ``v1beta1`` or ``getUserByIdV2FromCache``."""
    return len(word) >= 8 and _class_changes(word) >= max(3, len(word) / 8) and not _TIMESTAMP.fullmatch(word)


def _is_base64(value: str) -> bool:
    """Both cases and digits mixed, across signs such as ``+`` as well, with hardly a word among them."""
    mixed = re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)
    in_words = sum(len(word[0]) for word in _WORD.finditer(value))
    return bool(mixed) and 3 * in_words <= len(value) and _class_changes(value) >= max(3, len(value) / 8)


def _class_changes(value: str) -> int:
    """How often a letter stands beside a digit."""
    return sum(
        (left.isalpha() and right.isdigit()) or (left.isdigit() and right.isalpha())
        for left, right in pairwise(value)
    )


def _entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
