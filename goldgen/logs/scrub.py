"""Personal data and secrets out of a query, each replaced by the name of its kind.

Kinds: ``<EMAIL>``, ``<PHONE>``, ``<TOKEN>``, ``<CARD>``, ``<IBAN>``, ``<IP>``, ``<CREDENTIALS>`` (of a URL),
``<NATIONALID>`` (identity, tax and insurance numbers), and ``<PERSON>`` where names are looked for.

Known limits, each held by a test:

- Names of people are found only with a model (``names.py``), in queries only, and not in the addresses of
  pages; it misses some, most of those in small letters, and takes other things for names. Not looked for:
  postal addresses, birthdays, hardware addresses, secrets in plain words (``the password is swordfish``).
- National numbers are those that ``national.py`` lists. A bare run of digits is one only behind its name
  (``ssn``, ``BSN``, ``Steuer-ID`` …). A part number such as ``536-90-4399`` passes for one of the United
  States, and ``AB123456C`` for a British one, for these have no check digit.
- A phone number in the national form of another country than ``region`` is found only after a word such
  as ``tel`` or ``phone``, or with its country code (``+49 …``, ``0049 …``). Local numbers without an area
  code are not found.
- An unbroken run of digits that is a valid phone number of ``region`` is taken for one, unless ``order``,
  ``ticket``, ``id``, ``#`` or the like stands before it. One 13- to 19-digit number in ten that begins as a
  card does passes for a card, since the Luhn digit is one digit.
- ``jane at example dot com`` is not found; ``jane (at) example.com`` and ``jane%40example.com`` are.
- Random strings below 24 characters, and those without digits, are found only by a known prefix or behind
  an English or German name such as ``password=``. Of longer ones without either, about 4% (letters and
  digits) to 7% (base64) are missed at 40 characters, and none in hexadecimal.
- UUIDs, digests and Git hashes of full length are taken; short hashes are not.
- Four numbers with dots are an address unless ``version`` or ``v`` stands before them. Private addresses
  are taken; loopback, ``0.0.0.0`` and net masks are kept.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goldgen.errors import SettingsError
from goldgen.logs import personal, tokens
from goldgen.logs.names import NameFinder
from goldgen.logs.national import national_ids
from goldgen.logs.spans import Finder, Span

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


_LONGEST_SHAPE = 40


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without personal data, and how many values of each kind were taken out."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    shapes: tuple[tuple[str, str], ...] = ()
    """Kind and shape of each value: ``("PHONE", "+99 99 999999")``. No letter or digit is the value's own."""


def scrub(text: str, region: str = "US") -> Scrubbed:
    """Replace personal data and secrets by typed placeholders such as ``<EMAIL>``.

    ``region`` is the ISO 3166 code of the country whose phone numbers may stand without country code.
    A text in which nothing is found comes back as it is; any other in NFKC, without invisible characters,
    since values hide behind both. Scrubbing twice changes nothing more. Raises SettingsError if the region
    is unknown.
    """
    finders = _finders(region)
    shapes: list[tuple[str, str]] = []
    cleaned = _visible(text)
    # What stands beside a value that was taken out can be seen as one only now: hence until nothing is left.
    while found := _scrubbed_once(cleaned, finders):
        cleaned, taken = found
        cleaned = _visible(cleaned)
        shapes += taken
    return _scrubbed(cleaned, shapes) if shapes else Scrubbed(text)


def scrub_all(texts: Sequence[str], region: str = "US", names: NameFinder | None = None) -> list[Scrubbed]:
    """Each of some texts as by ``scrub``, then without the names of people that ``names`` finds in it.

    A model may find others in what is left, so that scrubbing twice can change more.
    """
    scrubbed = [scrub(text, region) for text in texts]
    if names is None:
        return scrubbed
    visible = [_visible(found.text) for found in scrubbed]
    without: list[Scrubbed] = []
    for found, text, spans in zip(scrubbed, visible, names(visible), strict=True):
        cleaned, taken = _replaced("PERSON", text, spans)
        without.append(_scrubbed(cleaned, [*found.shapes, *taken]) if taken else found)
    return without


def _finders(region: str) -> tuple[tuple[str, Finder], ...]:
    """In this order: the larger value first, so that no part of it is taken alone."""
    from phonenumbers import SUPPORTED_REGIONS

    region = region.upper()
    if region not in SUPPORTED_REGIONS:
        raise SettingsError(
            f"region {region!r} is not known; give a two-letter country code such as US or DE"
        )
    return (
        ("TOKEN", tokens.assigned_values),
        ("CREDENTIALS", tokens.url_credentials),
        ("TOKEN", tokens.known_tokens),
        ("EMAIL", personal.emails),
        ("IBAN", personal.ibans),
        ("NATIONALID", national_ids),
        ("TOKEN", tokens.random_strings),
        ("CARD", personal.cards),
        ("IP", personal.ip_addresses),
        ("PHONE", lambda text: personal.phones(text, region)),
    )


def _visible(text: str) -> str:
    return unicodedata.normalize("NFKC", text.translate(_INVISIBLE))


def _scrubbed(text: str, shapes: Sequence[tuple[str, str]]) -> Scrubbed:
    return Scrubbed(text, dict(Counter(kind for kind, _ in shapes)), tuple(shapes))


def _scrubbed_once(
    text: str, finders: tuple[tuple[str, Finder], ...]
) -> tuple[str, list[tuple[str, str]]] | None:
    """The text after one round of all finders, or None if none of them found anything."""
    shapes: list[tuple[str, str]] = []
    for kind, find in finders:
        text, taken = _replaced(kind, text, find(text))
        shapes += taken
    return (text, shapes) if shapes else None


def _replaced(kind: str, text: str, spans: Iterable[Span]) -> tuple[str, list[tuple[str, str]]]:
    """The text with a placeholder for each span, and the shapes of what stood there."""
    parts: list[str] = []
    shapes: list[tuple[str, str]] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            parts += [text[at:start], f"<{kind}>"]
            shapes.append((kind, _shape(text[start:end])))
        at = max(at, end)
    return "".join([*parts, text[at:]]), shapes


def _shape(value: str) -> str:
    digits_hidden = re.sub(r"\d", "9", value[:_LONGEST_SHAPE])
    return re.sub(r"[^\W\d_]", "x", digits_hidden)
