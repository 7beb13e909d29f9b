"""Names of people in queries: what slips through, and what is wrongly taken for one.

    python bench/names.py en_core_web_sm

Names of several origins are put into queries as people type them, with capitals and without. What must stay
are queries without a name: those of ``corpora/queries.csv`` and ``logs_prometheus.csv``.
"""

import argparse
import csv
import time
from itertools import product
from pathlib import Path

from goldgen.logs import person_finder, scrub

_NAMES = (
    "John Miller", "Mary O'Neill", "Priya Raman", "Wei Zhang", "Yuki Tanaka", "Fatima al-Sayed", "Jörg Weiß",
    "Anna Kowalska", "José García", "Olga Petrova", "Kwame Mensah", "Ingrid Larsen", "Nguyen Van An",
    "Sofia Rossi", "Liam Walker", "Chloé Dubois", "Ahmed Hassan", "Emma Johnson", "Tom", "Sarah",
)  # fmt: skip
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
        missed = [
            (query, name)
            for query, name in product(_QUERIES, map(change, _NAMES))
            if any(part in scrub(query.format(name), names=find).text for part in name.split())
        ]
        print(f"{label}: {len(missed)} of {len(_QUERIES) * len(_NAMES)} slip through, whole or in part")
    root = Path(__file__).resolve().parents[1]
    for file in (root / "corpora" / "queries.csv", root / "bench" / "logs_prometheus.csv"):
        with file.open(encoding="utf-8", newline="") as rows:
            queries = sorted({row["query"] for row in csv.DictReader(rows)})
        plain = [scrub(query).text for query in queries]
        started = time.perf_counter()
        taken = [text for text in plain if "PERSON" in scrub(text, names=find).counts]
        each = 1000 * (time.perf_counter() - started) / len(plain)
        print(f"{file.name}: {len(taken)} of {len(plain)} queries wrongly taken, {each:.0f} ms a query")
        for text in taken:
            print(f"  {text}")


if __name__ == "__main__":
    main()
