"""Where national identity, tax and insurance numbers stand in a text.

A number is taken anywhere if its layout tells it and its check digits are right; one that is a bare run of
digits, of which one in ten or eleven is right by chance, only behind its name (``BSN 111222333``).
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from goldgen.logs.spans import Span

_LEAST_DIGITS = 6
_BEFORE = r"(?<![^\W_])"
_AFTER = r"(?![^\W_])"
# No check digit: the letters that are never given and the suffix A to D are all that tells it.
_BRITISH = re.compile(
    rf"{_BEFORE}(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?(?:\d{{2}} ?){{3}}[A-D]{_AFTER}",
    re.IGNORECASE,
)
_AMERICAN = re.compile(rf"{_BEFORE}(?<![-.])\d{{3}}-\d{{2}}-\d{{4}}{_AFTER}(?![-.]\d)")
_NAMES = (
    r"ssn|social security|steuer-?(?:id|identifikationsnummer|nummer)|idnr|tax id|tin|bsn|burgerservicenummer"
    r"|cpf|nir|insee|s[eé]curit[eé] sociale|pesel|personnummer|cpr|aadhaar|social insurance|dni|nie"
)
_NAMED = re.compile(
    rf"\b(?:{_NAMES})\b(?:[ -](?:number|no|nr|nummer))?\W{{0,3}}(?:(?:is|ist|war|was|es|est)\s)?"
    r"(?P<number>\d[\d ./-]{6,18}\d)(?![^\W_])",
    re.IGNORECASE,
)

# Numbers without a check digit are as likely those of things.
_OF_A_THING = re.compile(
    r"\b(?:part|order|sku|serial|model|catalogue?|drawing|article|item|ticket|invoice|product|version)"
    r"(?: (?:number|no|nr))?\W{0,3}$",
    re.IGNORECASE,
)

_Valid = Callable[[str], bool]


def national_ids(text: str) -> Iterator[Span]:
    """National identity, tax and insurance numbers of the countries that ``_shaped`` and ``_named`` list."""
    if sum(map(str.isdigit, text)) < _LEAST_DIGITS:
        return
    for pattern in (_BRITISH, _AMERICAN):
        for match in pattern.finditer(text):
            if _is_given(match[0]) and not _OF_A_THING.search(text, 0, match.start()):
                yield match.span()
    for pattern, is_valid in _shaped():
        for match in pattern.finditer(text):
            if is_valid(match[0]):
                yield match.span()
    for match in _NAMED.finditer(text):
        if any(is_valid(match["number"]) for is_valid in _named()):
            yield match.span("number")


def _is_given(number: str) -> bool:
    """Whether it may be one, where its layout is the American one."""
    from stdnum.us import ssn

    return "-" not in number or ssn.is_valid(number)


@cache
def _shaped() -> tuple[tuple[re.Pattern[str], _Valid], ...]:
    """Layouts that tell a number: Spain, Italy, Brazil, France, Germany, Belgium, Switzerland,
    Finland."""
    from stdnum.be import nn
    from stdnum.br import cpf
    from stdnum.ch import ssn as ahv
    from stdnum.de import idnr
    from stdnum.es import dni, nie
    from stdnum.fi import hetu
    from stdnum.fr import nir
    from stdnum.it import codicefiscale

    layouts: tuple[tuple[str, _Valid], ...] = (
        (r"\d{8}[- ]?[A-Z]", dni.is_valid),
        (r"[XYZ][- ]?\d{7}[- ]?[A-Z]", nie.is_valid),
        (r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", codicefiscale.is_valid),
        (r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf.is_valid),
        (r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", nir.is_valid),
        (r"\d{2} \d{3} \d{3} \d{3}", idnr.is_valid),
        (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", nn.is_valid),
        (r"756\.\d{4}\.\d{4}\.\d{2}", ahv.is_valid),
        (r"\d{6}[-+A]\d{3}[0-9A-Y]", hetu.is_valid),
    )
    return tuple(
        (re.compile(f"{_BEFORE}{layout}{_AFTER}", re.IGNORECASE | re.ASCII), is_valid)
        for layout, is_valid in layouts
    )


@cache
def _named() -> tuple[_Valid, ...]:
    """Numbers of digits alone: United States, Germany, the Netherlands, Brazil, France, Poland, Sweden,
    Denmark, India, Canada."""
    from stdnum.br import cpf
    from stdnum.ca import sin
    from stdnum.de import idnr
    from stdnum.dk import cpr
    from stdnum.fr import nir
    from stdnum.in_ import aadhaar
    from stdnum.nl import bsn
    from stdnum.pl import pesel
    from stdnum.se import personnummer
    from stdnum.us import ssn

    return (
        ssn.is_valid,
        idnr.is_valid,
        bsn.is_valid,
        cpf.is_valid,
        nir.is_valid,
        pesel.is_valid,
        personnummer.is_valid,
        cpr.is_valid,
        aadhaar.is_valid,
        sin.is_valid,
    )
