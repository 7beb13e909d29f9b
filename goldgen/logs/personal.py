"""Where personal data stand in a text: e-mail addresses, phones, cards, bank accounts, IP addresses."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from goldgen.logs.spans import Span

_AT = r"(?:@|%40|\s?[\[({]\s?(?:at|@)\s?[\])}]\s?)"
_DOT = r"(?:\.|\s?[\[({]\s?(?:dot|\.)\s?[\])}]\s?)"
# ``git@`` is the name that every SSH address of a repository has.
_EMAIL = re.compile(
    rf"(?<!\w)(?!git@)\w[\w.%+'-]{{0,200}}?{_AT}(?:[\w-]{{1,63}}{_DOT}){{1,8}}(?:xn--[a-z0-9-]+|[^\W\d_]{{2,63}})",
    re.IGNORECASE,
)

_DIGIT_GROUPS = re.compile(r"(?<![^\W_])(?<!\d\.)\d+(?:[ -]\d+)*(?![^\W_])(?!\.\d*[1-9])")
_CARD = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[0-8]\d{14}|2[2-7]\d{14}|3[47]\d{13}|35\d{14}|3(?:0[0-5]|[689]\d)\d{11}|6\d{15,18}"
)
_IBAN = re.compile(
    r"(?<![^\W_])[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?:[ -][A-Z0-9]{4}){2,7}(?:[ -][A-Z0-9]{1,4})?)(?![^\W_])",
    re.IGNORECASE | re.ASCII,
)
_IBAN_LENGTH = range(15, 35)

_IP4 = re.compile(r"(?<![^\W_])(?<!\.)(?:\d{1,3}\.){3}\d{1,3}(?![^\W_])(?!\.\d)(?!-[A-Za-z])")
_IP6 = re.compile(
    r"(?<![\w:])[0-9A-F]{0,4}(?::[0-9A-F]{0,4}){2,8}(?:(?:\.\d{1,3}){3})?(?!\w)", re.IGNORECASE | re.ASCII
)
_VERSION_BEFORE = re.compile(r"\b(?:version|release|v)\W{0,2}$", re.IGNORECASE)

_LEAST_PHONE_DIGITS, _LEAST_INTERNATIONAL_DIGITS = 6, 8
_PHONE_NAME = r"\b(?:tele(?:ph|f)on\w?|tel|téléphone|phone(?: number)?|mobile|mobil|handy|fax|whatsapp)\b"
_NAMED_PHONE = re.compile(
    rf"{_PHONE_NAME}[\s:.#_-]{{0,3}}(?P<number>[+(]?\d(?:[ ()/.-]{{0,2}}\d){{6,14}})(?!\w)", re.IGNORECASE
)
_DIALLED_ABROAD = re.compile(r"(?<![\w.+-])00(?P<number>[1-9]\d{0,2}[ /(-][\d ()/.-]{5,18}\d)(?!\w)")
_NUMBER_OF_SOMETHING = re.compile(
    r"(?:[\w#/_.-]|\b(?:order|ticket|invoice|case|issue|bug|build|job|pid|id|no|nr|number)\W{0,2})$",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?!\d)|\d{1,2}[./-]\d{1,2}[./-]\d{2}(?:\d{2})?(?![\d./-])")
_LARGEST_INT32 = "2147483647"  # Dallas has area code 214
_DECIMAL = re.compile(r"\d+\.\d+")


def emails(text: str) -> Iterator[Span]:
    """E-mail addresses, with ``%40`` or a bracketed ``(at)`` and ``[dot]`` as well."""
    for match in _EMAIL.finditer(text):
        yield match.span()


def cards(text: str) -> Iterator[Span]:
    """Card numbers of a known scheme with a right Luhn digit, plain or in their usual groups."""
    for run in _DIGIT_GROUPS.finditer(text):
        groups = [match.span() for match in re.compile(r"\d+").finditer(text, run.start(), run.end())]
        first = 0
        while first < len(groups):
            last = _card_end(text, groups, first)
            if last is not None:
                yield groups[first][0], groups[last][1]
            first = first + 1 if last is None else last + 1


def ibans(text: str) -> Iterator[Span]:
    """International bank account numbers (ISO 13616) whose checksum is right."""
    for match in _IBAN.finditer(text):
        candidate = match[0]
        while candidate:
            if _is_iban(re.sub(r"[ -]", "", candidate)):
                yield match.start(), match.start() + len(candidate)
                break
            # Words of four letters that follow look like further groups.
            candidate = candidate[: max(candidate.rfind(" "), candidate.rfind("-"), 0)]


def ip_addresses(text: str) -> Iterator[Span]:
    """IPv4 and IPv6 addresses that may be someone's: not loopback, not ``0.0.0.0``, not a net mask."""
    for match in _IP4.finditer(text):
        if not _VERSION_BEFORE.search(text, 0, match.start()) and _is_someones_ip4(match[0]):
            yield match.span()
    for match in _IP6.finditer(text):
        for candidate in (match[0], match[0].removesuffix(":")):
            if _is_someones_ip6(candidate):
                yield match.start(), match.start() + len(candidate)
                break


def phones(text: str, region: str) -> Iterator[Span]:
    """Phone numbers: international ones, those of ``region``, and any that is called one."""
    if sum(map(str.isdigit, text)) < _LEAST_PHONE_DIGITS:
        return
    from phonenumbers import Leniency, PhoneNumberMatcher

    # The number's groups must be those of its country, unless it stands in the international form.
    well_grouped = {match.start for match in PhoneNumberMatcher(text, region, Leniency.STRICT_GROUPING)}
    for match in PhoneNumberMatcher(text, region, Leniency.VALID):
        abroad = match.raw_string.startswith(("+", "(+"))
        if abroad or (match.start in well_grouped and _stands_alone(text, match.start, match.end)):
            yield match.start, match.end
    if "+" in text:
        # One with its country code need not be in use: people mistype. "v1.2.3+20240102" is none.
        for match in PhoneNumberMatcher(text, region, Leniency.POSSIBLE):
            raw = match.raw_string
            long = sum(map(str.isdigit, raw)) >= _LEAST_INTERNATIONAL_DIGITS
            if long and raw.startswith(("+", "(+")) and not text[: match.start][-1:].isalnum():
                yield match.start, match.end
    for match in _DIALLED_ABROAD.finditer(text):
        if any(PhoneNumberMatcher("+" + match["number"], None, Leniency.VALID)):
            yield match.span()
    for match in _NAMED_PHONE.finditer(text):
        if not _DATE.match(match["number"]):
            yield match.span("number")


def _card_end(text: str, groups: list[Span], first: int) -> int | None:
    """Index of the last digit group of a card that begins with group ``first``."""
    for last in range(min(len(groups), first + 5) - 1, first - 1, -1):
        parts = [text[start:end] for start, end in groups[first : last + 1]]
        number = "".join(parts)
        if _is_card_layout([len(part) for part in parts]) and _CARD.fullmatch(number) and _luhn(number):
            return last
    return None


def _is_card_layout(sizes: list[int]) -> bool:
    fours = all(size == 4 for size in sizes[:-1]) and sizes[-1] <= 4
    return len(sizes) == 1 or fours or sizes in ([4, 6, 5], [4, 6, 4])


def _luhn(number: str) -> bool:
    """The check digit of ISO/IEC 7812; one digit repeated is an example, not a card."""
    doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(number))]
    return len(set(number)) > 1 and sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _is_iban(compact: str) -> bool:
    if len(compact) not in _IBAN_LENGTH or sum(map(str.isdigit, compact)) < 8:
        return False
    rearranged = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in rearranged)) % 97 == 1


def _is_someones_ip4(text: str) -> bool:
    try:
        address = IPv4Address(text)
    except AddressValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or text.startswith("255."))


def _is_someones_ip6(text: str) -> bool:
    if not any(map(str.isdigit, text)):  # dead::beef is a path in some programming languages
        return False
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Not a decimal, a limit of programming languages, nor the number of an order, a ticket or the like."""
    number = text[start:end]
    if number.isdigit():
        return number != _LARGEST_INT32 and not _NUMBER_OF_SOMETHING.search(text, 0, start)
    return not _DECIMAL.fullmatch(number)
