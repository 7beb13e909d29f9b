"""Near-duplicate detection on labelled question pairs, beside a plain cosine threshold of the same embedder.

    python bench/duplicates.py pairs ../shared/data/logs/covid_eval_question_similarity_en.csv
    python bench/duplicates.py edits ../shared/data/beir/xquad_en
    python bench/duplicates.py speed --n 100000

- pairs: precision, recall and F1 of the detector as shipped, on all pairs; and of the plain threshold, chosen
  for the best F1 on one half and measured on the other, both ways. No question is in both halves: pairs that
  share a question go together. Every pair among the questions that the detector joins is written with --out,
  to be read: most pairs of a table like this are not labelled.
- edits: a question and what one edit makes of it: another number, a negation, another question word, a word
  left out, names swapped. Each asks for something else. Told is the share that is taken for one question.
- speed: made-up queries with random vectors.
"""

import argparse
import csv
import json
import random
import re
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goldgen.app.languages import language_of
from goldgen.models.encoders import open_embedder
from goldgen.text.near_duplicates import NearDuplicates
from goldgen.types import Embedder

_MODEL = "all-MiniLM-L6-v2"
_THRESHOLDS = [step / 100 for step in range(20, 100)]
_STRICT = (0.8, 0.85, 0.9, 0.95)
_NEGATED = re.compile(r"\b(is|are|was|were|do|does|did|can|should|has|have)\b", re.IGNORECASE)
_ASKING = re.compile(r"^(who|when|where|why|how|what)\b", re.IGNORECASE)
_OTHER = {"who": "When", "when": "Where", "where": "When", "why": "When", "how": "Why", "what": "Why"}
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{2,}\b")
_LONG = re.compile(r"(?<=\s)[a-z]{6,}\s")


@dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: int
    similar: bool
    cosine: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a detector joined among labelled pairs."""

    right: int
    wrong: int
    similar: int

    def __str__(self) -> str:
        joined = self.right + self.wrong
        precision, recall = self.right / joined if joined else 1.0, self.right / self.similar
        f1 = 2 * precision * recall / (precision + recall) if recall else 0.0
        shares = f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}"
        return f"joined {joined}, {self.wrong} wrong: {shares}"

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.right + self.wrong + self.similar)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    pairs = commands.add_parser("pairs")
    pairs.add_argument("files", type=Path, nargs="+")
    pairs.add_argument("--out", type=Path, help="JSONL of what the detector joins")
    pairs.set_defaults(run=_pairs)
    edits = commands.add_parser("edits")
    edits.add_argument("folders", type=Path, nargs="+")
    edits.set_defaults(run=_edits)
    speed = commands.add_parser("speed")
    speed.add_argument("--n", type=int, default=20_000)
    speed.set_defaults(run=_speed)
    arguments = parser.parse_args()
    arguments.run(arguments)


def _pairs(arguments: argparse.Namespace) -> None:
    embedder = open_embedder(_MODEL, offline=True)
    for file in arguments.files:
        texts, pairs, search = _read(file, embedder)
        similar = sum(p.similar for p in pairs)
        print(f"{file.name}: {len(pairs)} pairs, {similar} similar, {len(texts)} questions")
        joined = [pair for pair in pairs if search.found_by(pair.first, pair.second, pair.cosine)]
        print("  detector           ", _found(joined, pairs))
        for threshold in _STRICT:
            print(f"  cosine {threshold:.2f}        ", _found(_above(pairs, threshold), pairs))
        halves = _halves(pairs)
        for chosen_on, measured_on in (halves, halves[::-1]):
            best = max(_THRESHOLDS, key=lambda t, half=chosen_on: _found(_above(half, t), half).f1)
            inside = [p for p in joined if p in measured_on]
            print(f"  half of {len(measured_on)}: cosine {best:.2f} (chosen on the other half)")
            print("    cosine           ", _found(_above(measured_on, best), measured_on))
            print("    detector         ", _found(inside, measured_on))
        rows = list(_stars(texts, search, embedder))
        found_by = dict(Counter(row["found_by"] for row in rows))
        print(f"  among all questions the detector joins {len(rows)}: {found_by}")
        if arguments.out:
            with arguments.out.open("a", encoding="utf-8") as out:
                out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _read(file: Path, embedder: Embedder) -> tuple[list[str], list[Pair], NearDuplicates]:
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    texts = sorted({row[name] for row in rows for name in ("question_1", "question_2")})
    at = {text: place for place, text in enumerate(texts)}
    vectors = embedder.encode(texts, query=False)
    pairs = [
        Pair(first, second, row["similar"] == "1", float(vectors[first] @ vectors[second]))
        for row in rows
        if (first := at[row["question_1"]]) != (second := at[row["question_2"]])
    ]
    return texts, pairs, NearDuplicates(texts, language_of)


def _found(joined: Sequence[Pair], pairs: Sequence[Pair]) -> Found:
    right = sum(pair.similar for pair in joined)
    return Found(right, len(joined) - right, sum(pair.similar for pair in pairs))


def _above(pairs: Sequence[Pair], threshold: float) -> list[Pair]:
    return [pair for pair in pairs if pair.cosine >= threshold]


def _halves(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Whole groups of pairs that share questions, the largest first to the smaller half.

    Where one group holds most pairs, questions are dealt to halves and pairs over the border are left out.
    """
    group: dict[int, int] = {}

    def root(at: int) -> int:
        while group.setdefault(at, at) != at:
            at = group[at]
        return at

    for pair in pairs:
        group[root(pair.first)] = root(pair.second)
    groups: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[root(pair.first)].append(pair)
    sizes = sorted(map(len, groups.values()), reverse=True)
    if sizes[0] <= len(pairs) / 2:
        halves: tuple[list[Pair], list[Pair]] = ([], [])
        for found in sorted(groups.values(), key=len, reverse=True):
            min(halves, key=len).extend(found)
        return halves
    side = _sides(pairs)
    return (
        [pair for pair in pairs if side[pair.first] == side[pair.second] == 0],
        [pair for pair in pairs if side[pair.first] == side[pair.second] == 1],
    )


def _sides(pairs: Sequence[Pair]) -> dict[int, int]:
    """Questions to halves, those of similar pairs together, as the seed has it."""
    together: dict[int, int] = {}

    def root(at: int) -> int:
        while together.setdefault(at, at) != at:
            at = together[at]
        return at

    for pair in pairs:
        if pair.similar:
            together[root(pair.first)] = root(pair.second)
    roots = sorted({root(at) for pair in pairs for at in (pair.first, pair.second)})
    drawn = random.Random(0)
    of_root = {each: drawn.randrange(2) for each in roots}
    return {at: of_root[root(at)] for pair in pairs for at in (pair.first, pair.second)}


def _stars(texts: Sequence[str], search: NearDuplicates, embedder: Embedder) -> Iterator[dict[str, object]]:
    vectors = embedder.encode([texts[at] for at in search.possible], query=False)
    for found in search.stars(vectors):
        yield {
            "kept": texts[found.kept],
            "other": texts[found.other],
            "found_by": found.found_by,
            "similarity": round(found.similarity, 3),
        }


def _edits(arguments: argparse.Namespace) -> None:
    embedder = open_embedder(_MODEL, offline=True)
    for folder in arguments.folders:
        with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
            questions = sorted({json.loads(line)["text"].strip() for line in lines})
        made = [(kind, text, edited) for text in questions for kind, edited in _edited(text)]
        texts = sorted({text for _, *both in made for text in both})
        vectors = dict(zip(texts, embedder.encode(texts, query=False), strict=True))
        search, at = NearDuplicates(texts, language_of), {text: place for place, text in enumerate(texts)}
        print(f"{folder.name}: {len(questions)} questions, {len(made)} edits")
        told: dict[str, list[tuple[bool, float]]] = defaultdict(list)
        for kind, text, edited in made:
            cosine = float(vectors[text] @ vectors[edited])
            told[kind].append((search.found_by(at[text], at[edited], cosine) is not None, cosine))
        for kind, outcomes in told.items():
            shares = [sum(c >= t for _, c in outcomes) / len(outcomes) for t in _STRICT]
            plain = ", ".join(f"{t:.2f} {share:.0%}" for t, share in zip(_STRICT, shares, strict=True))
            joined = sum(alike for alike, _ in outcomes)
            print(f"  {kind:<16} {len(outcomes):>5}: detector joins {joined}; cosine at {plain}")


def _edited(text: str) -> Iterator[tuple[str, str]]:
    number = re.search(r"\d+", text)
    if number:
        yield "number", text.replace(number.group(), str(int(number.group()) + 1), 1)
    verb = _NEGATED.search(text)
    if verb:
        yield "negation", f"{text[: verb.end()]} not{text[verb.end() :]}"
    asking = _ASKING.match(text)
    if asking:
        yield "question word", _OTHER[asking.group().lower()] + text[asking.end() :]
    names = list(dict.fromkeys(_NAME.findall(text)))
    if len(names) > 1:
        swapped = text.replace(names[0], "\0").replace(names[1], names[0]).replace("\0", names[1])
        yield "names swapped", swapped
    long = max(_LONG.findall(text), key=len, default="")
    if long:
        yield "a word less", text.replace(long, "", 1)


def _speed(arguments: argparse.Namespace) -> None:
    drawn = random.Random(0)
    letters = "abcdefghijklmnopqrst"
    vocabulary = [f"w{a}{b}{c}" for a in letters for b in letters for c in letters]
    frames = ("How do I {}?", "what is {}", "{}", "Can I {}", "When does {} run at night")
    queries = {
        drawn.choice(frames).format(
            " ".join(
                vocabulary[min(int(drawn.expovariate(1 / 300)), len(vocabulary) - 1)]
                for _ in range(drawn.randint(1, 4))
            )
        )
        for _ in range(arguments.n)
    }
    texts, started = sorted(queries), time.monotonic()
    search = NearDuplicates(texts, language_of)
    print(
        f"{len(texts):,} queries: {len(search.possible):,} to embed after {time.monotonic() - started:.0f} s"
    )
    vectors = np.random.default_rng(0).normal(size=(len(search.possible), 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[1::7] = vectors[: len(vectors) - 1 : 7][: len(vectors[1::7])]
    started = time.monotonic()
    joined = sum(1 for _ in search.stars(vectors))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"compared in {time.monotonic() - started:.0f} s, {joined:,} joined; peak {peak:,} MB")


if __name__ == "__main__":
    main()
