"""A generated log with known duplicates, machines and planted personal data: time, memory, and both errors.

    python bench/logs.py --rows 1000000

One process writes the log, another reads, scrubs, cleans and merges it, so that the peak of memory is that
of reading alone. Each planted value and each harmless look-alike stands in a query of its own, so that what
became of it can be told; counts are compared with those that were written.
"""

import argparse
import csv
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from log_values import BY_DESIGN, HARMLESS, PLANTS

from goldgen.logs import LogMerge, LogSource, merge, read_log

VERBS = ("reset", "rotate", "export", "delete", "share", "move", "lock", "import", "archive", "restore")
THINGS = (
    "password",
    "seat",
    "invoice",
    "backup",
    "pipeline",
    "cluster",
    "alert",
    "report",
    "role",
    "webhook",
)
PLACES = (
    "console",
    "mobile app",
    "billing page",
    "audit trail",
    "staging area",
    "archive",
    "editor",
    "shell",
)
TOPICS = (
    "for a new colleague",
    "after an upgrade",
    "without rights",
    "of another team",
    "in bulk",
    "by script",
)
PLANTED_SHARE, HARMLESS_SHARE, NOTHING_SHARE, BAD_SHARE = 0.02, 0.02, 0.01, 0.002
ROWS_OF_A_MACHINE = 200
START = 1_700_000_000


@dataclass(slots=True)
class Written:
    """What was put into the log."""

    asked: Counter[str] = field(default_factory=Counter[str])
    """Lower-case text of each query of people to its rows."""
    planted: dict[str, tuple[str, str, str]] = field(default_factory=dict[str, tuple[str, str, str]])
    """Word that marks a query, to the kind, the name of the layout and the value."""
    harmless: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Word that marks a query, to the kind of look-alike and the text."""
    rejected: Counter[str] = field(default_factory=Counter[str])
    rows: int = 0


NOTHING = {"navigation": ("login", "Home", "sign in"), "probe": ("asdf", "test", "' or 1=1 --", "{{7*7}}")}
MACHINES = {"bot: rate": 0.5, "bot: uniform intervals": 30.0, "bot: rotation": 0.0}


def write_log(path: Path, rows: int, seed: int = 0) -> Written:
    """A CSV of exactly so many rows."""
    chance = random.Random(seed)
    written = Written(rows=rows)
    bases = [
        f"{verb} the {thing} in the {place} {topic}"
        for verb, thing, place, topic in product(VERBS, THINGS, PLACES, TOPICS)
    ]
    chance.shuffle(bases)
    weights = [1 / (rank + 10) for rank in range(len(bases))]
    people = chance.choices(bases, weights, k=rows)
    machines = [reason for reason in MACHINES for _ in range(max(1, rows // 20_000))]
    at_machine = {index * (rows // len(machines)): index for index in range(len(machines))}
    plants, looks = list(PLANTS), list(HARMLESS)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "time", "user", "clicked"])
        row = 0
        while row < rows:
            if row in at_machine and row + ROWS_OF_A_MACHINE <= rows:
                index = at_machine[row]
                for line in _machine(machines[index], index, bases, chance):
                    writer.writerow(line)
                written.rejected[machines[index]] += ROWS_OF_A_MACHINE
                row += ROWS_OF_A_MACHINE
                continue
            draw, mark, moment = chance.random(), f"case{row}x", START + row * 7
            user = f"person {chance.randrange(rows // 3 + 1)}"
            if draw < PLANTED_SHARE:
                kind, layout = plants[row % len(plants)]
                value = PLANTS[kind, layout](chance)
                written.planted[mark] = (kind, layout, value)
                text = f"{mark} with {value} fails"
            elif draw < PLANTED_SHARE + HARMLESS_SHARE:
                look = looks[row % len(looks)]
                text = f"{mark} with {HARMLESS[look](chance)} fails"
                written.harmless[mark] = (look, text)
            elif draw < PLANTED_SHARE + HARMLESS_SHARE + NOTHING_SHARE:
                reason = chance.choice(list(NOTHING))
                text = chance.choice(NOTHING[reason])
                written.rejected[reason] += 1
            elif draw < PLANTED_SHARE + HARMLESS_SHARE + NOTHING_SHARE + BAD_SHARE:
                text = chance.choice(("", "?!", "x" * 3000))
                written.rejected["bad"] += 1
            else:
                base = people[row]
                written.asked[base] += 1
                text = chance.choice((base, base.capitalize(), f"{base}?", base.upper()))
            writer.writerow([text, moment, user, chance.choice(("", "/a", "/b"))])
            row += 1
    return written


def _machine(reason: str, index: int, bases: list[str], chance: random.Random) -> Iterator[list[object]]:
    at = START + index * 100_000.0
    for number in range(ROWS_OF_A_MACHINE):
        at += MACHINES[reason] or chance.uniform(20, 90)
        query = bases[number % 10] if reason == "bot: rotation" else chance.choice(bases)
        yield [query, f"{at:.3f}", f"machine {index}", ""]


def read(path: Path) -> LogMerge:
    return merge(read_log(LogSource(path).rows()))


@dataclass(frozen=True, slots=True)
class Found:
    """What became of what was written."""

    missed: dict[str, tuple[int, int]]
    """Kind and layout to values that stayed, and values planted."""
    wrong_kind: dict[str, int]
    taken: dict[str, tuple[int, int]]
    """Kind of look-alike to those taken, and those written."""
    miscounted: int
    """Queries, reasons and sums whose counts differ from those written."""


def compare(written: Written, merged: LogMerge) -> Found:
    marked = {
        word: query.text
        for query in merged.queries
        if (word := query.text.split(" ", 1)[0]).startswith("case")
    }
    missed: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    for mark, (kind, layout, value) in written.planted.items():
        name = f"{kind}, {layout}"
        planted[name] += 1
        secret = (
            value.split("//")[-1]
            .split("@git")[0]
            .split("=")[-1]
            .removeprefix("Steuer-ID ")
            .removeprefix("BSN ")
        )
        missed[name] += secret in marked[mark]
        wrong[name] += secret not in marked[mark] and f"<{kind}>" not in marked[mark]
    taken: Counter[str] = Counter()
    looks: Counter[str] = Counter()
    for mark, (look, text) in written.harmless.items():
        looks[look] += 1
        taken[look] += marked[mark] != text
    asked = {
        query.text.lower().rstrip("?"): query.asked
        for query in merged.queries
        if not query.text.startswith("case")
    }
    reasons = Counter(
        row.reason if row.reason.startswith(("bot", "nav", "probe")) else "bad" for row in merged.bad
    )
    differing = sum(asked.get(text) != count for text, count in written.asked.items()) + len(
        asked.keys() - written.asked.keys()
    )
    differing += sum(reasons[reason] != count for reason, count in written.rejected.items()) + (
        merged.rows != written.rows
    )
    return Found(
        {name: (missed[name], planted[name]) for name in sorted(planted)},
        {name: count for name, count in wrong.items() if count},
        {name: (taken[name], looks[name]) for name in sorted(looks)},
        differing,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        begun = time.perf_counter()
        merged = read(options.read)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            json.dumps(
                {"seconds": time.perf_counter() - begun, "megabytes": peak, "queries": len(merged.queries)}
            )
        )
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        written = write_log(path, options.rows, options.seed)
        command = [sys.executable, __file__, "--read", str(path)]
        measured = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        found = compare(written, read(path))
    print(f"{options.rows:,} rows, {measured['queries']:,} distinct queries")
    print(f"{measured['seconds']:.0f} s, peak {measured['megabytes']:.0f} MB")
    print(f"{found.miscounted} counts differ from those written")
    print("\nplanted                         missed        of   recall   other kind")
    for name, (missed, count) in found.missed.items():
        other = found.wrong_kind.get(name, 0)
        print(f"{name:<28}{missed:>10,}{count:>10,}{1 - missed / count:>9.2%}{other:>13,}")
    print("\nharmless                               taken        of    share")
    for name, (taken, count) in found.taken.items():
        told = "  by design" if name in BY_DESIGN else ""
        print(f"{name:<34}{taken:>10,}{count:>10,}{taken / count:>9.2%}{told}")


if __name__ == "__main__":
    main()
