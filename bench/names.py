"""Names of people in queries: what slips through, and what is wrongly taken for one.

    python bench/names.py en_core_web_sm

Names of several origins are put into queries as people type them, with capitals and without. What must stay
are queries without a name: those of ``corpora/queries.csv`` and ``logs_prometheus.csv``.
"""

import argparse
import csv
import re
import time
from itertools import product
from pathlib import Path

from goldgen.logs import person_finder, scrub, scrub_all

_NAMES = (
    "John Miller", "Mary O'Neill", "Priya Raman", "Wei Zhang", "Yuki Tanaka", "Fatima al-Sayed", "Jörg Weiß",
    "Anna Kowalska", "José García", "Olga Petrova", "Kwame Mensah", "Ingrid Larsen", "Nguyen Van An",
    "Sofia Rossi", "Liam Walker", "Chloé Dubois", "Ahmed Hassan", "Emma Johnson", "Tom", "Sarah",
)  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]{2,}")
_QUERIES = (
    "reset the password of {}",
    "{} cannot log in",
    "how do I give {} access to the billing page",
    "vacation days left for {}",
    "email from {} about the invoice",
    "who is {}'s manager",
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="a spaCy model: a package or a folder")
    find = person_finder(parser.parse_args().model)
    for label, change in (("as written", str), ("in small letters", str.lower)):
        asked = [(query.format(name), name) for query, name in product(_QUERIES, map(change, _NAMES))]
        scrubbed = scrub_all([query for query, _ in asked], names=find)
        missed = [
            query
            for (query, name), found in zip(asked, scrubbed, strict=True)
            if set(_WORDS.findall(name)) & set(_WORDS.findall(found.text))
        ]
        print(f"{label}: {len(missed)} of {len(asked)} slip through, whole or in part")
        for query in missed if change is str else ():
            print(f"  {query}")
    root = Path(__file__).resolve().parents[1]
    for file in (root / "corpora" / "queries.csv", root / "bench" / "logs_prometheus.csv"):
        with file.open(encoding="utf-8", newline="") as rows:
            queries = sorted({row["query"] for row in csv.DictReader(rows)})
        plain = [scrub(query).text for query in queries]
        started = time.perf_counter()
        found = scrub_all(plain, names=find)
        each = 1000 * (time.perf_counter() - started) / len(plain)
        taken = [text for text, without in zip(plain, found, strict=True) if "PERSON" in without.counts]
        print(f"{file.name}: {len(taken)} of {len(plain)} queries wrongly taken, {each:.1f} ms a query")
        for text in taken:
            print(f"  {text}")


if __name__ == "__main__":
    main()
