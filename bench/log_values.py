"""Made-up personal data, and what looks like it: values for bench/logs.py.

Their shapes and makers are others than those of the tests.
"""

import random
import string
from collections.abc import Callable, Mapping


def _digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choices(string.digits, k=count))


def _letters(chance: random.Random, count: int, alphabet: str = string.ascii_lowercase) -> str:
    return "".join(chance.choices(alphabet, k=count))


def _luhn(digits: str) -> str:
    doubled = [int(d) * (2 - i % 2) for i, d in enumerate(reversed(digits))]
    return digits + str(-sum(v // 10 + v % 10 for v in doubled) % 10)


def _card(chance: random.Random, separator: str) -> str:
    number = _luhn((chance.choice(("4", "51", "55")) + _digits(chance, 14))[:15])
    return separator.join(number[at : at + 4] for at in range(0, 16, 4))


def _iban(chance: random.Random, separator: str) -> str:
    account = _digits(chance, 18)
    check = 98 - int(f"{account}131400") % 97
    number = f"DE{check:02d}{account}"
    return separator.join(number[at : at + 4] for at in range(0, len(number), 4))


def _tax_id(chance: random.Random) -> str:
    from stdnum.de import idnr

    while True:
        body = chance.sample(string.digits[1:], 9)
        body.insert(chance.randrange(1, 9), chance.choice(body))
        for check in string.digits:
            if idnr.is_valid(number := "".join(body) + check):
                return number


def _dni(chance: random.Random) -> str:
    number = _digits(chance, 8)
    return number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def _bsn(chance: random.Random) -> str:
    while True:
        number = _digits(chance, 9)
        total = sum(int(d) * w for d, w in zip(number, (9, 8, 7, 6, 5, 4, 3, 2, -1), strict=True))
        if int(number) and total % 11 == 0:
            return number


def _cpf(chance: random.Random) -> str:
    number = _digits(chance, 9)
    for length in (10, 11):
        weights = range(length, 1, -1)
        check = -sum(int(d) * w for d, w in zip(number, weights, strict=True)) % 11
        number += str(check % 10 if check < 10 else 0)
    return f"{number[:3]}.{number[3:6]}.{number[6:9]}-{number[9:]}"


def _nir(chance: random.Random) -> str:
    body = f"{chance.choice('12')}{_digits(chance, 2)}{chance.randint(1, 12):02d}{chance.randint(1, 95):02d}"
    body += f"{chance.randint(1, 990):03d}{chance.randint(1, 999):03d}"
    return f"{body}{97 - int(body) % 97:02d}"


def _ssn(chance: random.Random) -> str:
    area = chance.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03d}-{chance.randint(1, 99):02d}-{chance.randint(1, 9999):04d}"


Make = Callable[[random.Random], str]
_BASE62 = string.ascii_letters + string.digits
PLANTS: Mapping[tuple[str, str], Make] = {
    ("EMAIL", "plain"): lambda c: f"{_letters(c, 6)}.{_letters(c, 5)}@{_letters(c, 7)}.com",
    ("EMAIL", "tag and country"): lambda c: f"{_letters(c, 5)}+{_digits(c, 2)}@mail.{_letters(c, 6)}.co.uk",
    ("PHONE", "US dashes"): lambda c: (
        f"{c.choice(('212', '415', '303'))}-{c.randint(200, 999)}-{_digits(c, 4)}"
    ),
    ("PHONE", "US plain"): lambda c: f"{c.choice(('212', '415', '303'))}{c.randint(200, 999)}{_digits(c, 4)}",
    ("PHONE", "+49 mobile"): lambda c: f"+49 171 {c.randint(2, 9)}{_digits(c, 6)}",
    ("PHONE", "+44 mobile"): lambda c: f"+447{c.choice('45789')}{c.randint(10, 99)}{_digits(c, 6)}",
    ("PHONE", "+33 mobile"): lambda c: (
        f"+33 6 {_digits(c, 2)} {_digits(c, 2)} {_digits(c, 2)} {_digits(c, 2)}"
    ),
    ("CARD", "plain"): lambda c: _card(c, ""),
    ("CARD", "in fours"): lambda c: _card(c, " "),
    ("IBAN", "plain"): lambda c: _iban(c, ""),
    ("IBAN", "in fours"): lambda c: _iban(c, " "),
    ("IP", "v4"): lambda c: (
        f"{c.choice((10, 84, 172, 192))}.{c.randint(16, 250)}.{c.randint(1, 250)}.{c.randint(1, 250)}"
    ),
    ("IP", "v6"): lambda c: f"2001:db8:{c.randint(1, 9999):x}::{c.randint(10, 99)}",
    ("TOKEN", "GitHub"): lambda c: "ghp_" + _letters(c, 36, _BASE62),
    ("TOKEN", "AWS"): lambda c: "AKIA" + _letters(c, 16, string.ascii_uppercase + string.digits),
    ("TOKEN", "base62, 40"): lambda c: _letters(c, 40, _BASE62),
    ("TOKEN", "base62, 28"): lambda c: _letters(c, 28, _BASE62),
    ("TOKEN", "assigned"): lambda c: f"password={_letters(c, 8, _BASE62)}",
    ("CREDENTIALS", "in a URL"): lambda c: (
        f"https://{_letters(c, 5)}:{_letters(c, 8, _BASE62)}@git.example.com/r"
    ),
    ("NATIONALID", "US"): _ssn,
    ("NATIONALID", "DE, grouped"): lambda c: "{0[0]}{0[1]} {1} {2} {3}".format(
        n := _tax_id(c), n[2:5], n[5:8], n[8:]
    ),
    ("NATIONALID", "DE, named"): lambda c: f"Steuer-ID {_tax_id(c)}",
    ("NATIONALID", "ES"): _dni,
    ("NATIONALID", "BR"): _cpf,
    ("NATIONALID", "FR"): _nir,
    ("NATIONALID", "NL, named"): lambda c: f"BSN {_bsn(c)}",
    ("NATIONALID", "GB"): lambda c: " ".join(
        (c.choice(("AB", "CE", "JK", "PW")), *(_digits(c, 2) for _ in range(3)), c.choice("ABCD"))
    ),
}
HARMLESS: Mapping[str, Make] = {
    "decimal": lambda c: f"{c.randint(0, 999)}.{_digits(c, 9)}",
    "ISO date and time": lambda c: (
        f"2024-{c.randint(1, 12):02d}-{c.randint(1, 28):02d}T{c.randint(0, 23):02d}:10:11Z"
    ),
    "date": lambda c: f"{c.randint(1, 28):02d}.{c.randint(1, 12):02d}.2024",
    "version": lambda c: f"v{c.randint(0, 20)}.{c.randint(0, 30)}.{c.randint(0, 9)}-rc.{c.randint(1, 9)}",
    "version of four parts": lambda c: (
        f"{c.randint(1, 20)}.{c.randint(0, 30)}.{c.randint(0, 9)}.{c.randint(0, 9)}"
    ),
    "order number, named": lambda c: f"order {_digits(c, 10)}",
    "order number, padded": lambda c: f"000{_digits(c, 9)}",
    "order number, bare, 10 digits": lambda c: f"{c.randint(1, 9)}{_digits(c, 9)}",
    "order number, bare, 16 digits": lambda c: f"{c.randint(1, 9)}{_digits(c, 15)}",
    "part number 3-2-4": lambda c: f"{_digits(c, 3)}-{_digits(c, 2)}-{_digits(c, 4)}",
    "part number 8 digits and a letter": lambda c: _digits(c, 8) + c.choice(string.ascii_uppercase),
    "unix time": lambda c: str(1_600_000_000 + c.randint(0, 200_000_000)),
    "short commit": lambda c: _letters(c, 8, "0123456789abcdef"),
    "long commit": lambda c: _letters(c, 40, "0123456789abcdef"),
    "UUID": lambda c: "-".join(_letters(c, n, "0123456789abcdef") for n in (8, 4, 4, 4, 12)),
    "error code": lambda c: f"ORA-{_digits(c, 5)} 0x{_letters(c, 8, '0123456789ABCDEF')}",
    "port": lambda c: f"localhost:{c.randint(1024, 65535)}",
    "CVE": lambda c: f"CVE-20{c.randint(10, 25)}-{_digits(c, 5)}",
    "pod": lambda c: f"kube-operator-{_letters(c, 10, '0123456789abcdef')}-{_letters(c, 5)}",
}
BY_DESIGN = frozenset({"long commit", "UUID"})
"""Taken as tokens, and said so."""
