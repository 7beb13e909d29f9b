"""Questions for documents in several languages, without ``--language``: are they in the language of theirs?

    python bench/languages.py --base-url http://127.0.0.1:8115/v1 --model NAME --out outputs/languages

``languages/*.md`` were written for this: a technical document of four sections in each language. Each is
drafted as a set of its own under ``--out`` and kept there; run again, nothing is asked twice. All questions
are printed to be read, for the language detector that counts is also the one that rejects.
"""

import argparse
import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from goldgen.app.languages import language_of
from goldgen.app.models import ModelSettings
from goldgen.app.synth import SynthOptions, synthesize
from goldgen.corpus import ChunkOptions
from goldgen.errors import EmptyResultError
from goldgen.store import open_store
from goldgen.synth.guidance import NAMES

_DOCUMENTS = Path(__file__).parent / "languages"
_SECTIONS = ChunkOptions(minimum=100)
"""A chunk a section in Chinese and Japanese too, which say more in fewer signs."""
_FOREIGN = "in another language"


@dataclass(frozen=True, slots=True)
class Drafted:
    """What came of one document."""

    language: str
    chunks: int
    asked: int
    rewritten: int
    kept: tuple[str, ...]
    rejected: tuple[tuple[str, str], ...]
    """Draft and reason."""

    @property
    def foreign(self) -> int:
        return sum(reason == _FOREIGN for _, reason in self.rejected)

    @property
    def told(self) -> Counter[str]:
        """Language, as the detector tells it, to number of kept questions."""
        return Counter(map(language_of, self.kept))


def draft(document: Path, out: Path, models: ModelSettings, per_chunk: int) -> Drafted:
    language = document.stem
    db = out / f"{language}.duckdb"
    job = SynthOptions(
        db=db,
        path=document,
        per_chunk=per_chunk,
        near_misses=0,
        chunking=_SECTIONS,
        name=f"sample-{language}",
        models=models,
    )
    rewritten = 0
    with suppress(EmptyResultError):  # What was rejected is of interest all the same.
        rewritten = asyncio.run(synthesize(job)).rewritten
    with open_store(db, read_only=True) as store:
        kept = tuple(question.text for question in store.questions.all("synthetic"))
        rejected = tuple((item.text, item.reason) for item in store.questions.rejected("synth"))
        chunks = len(store.questions.drafted_chunks())
    return Drafted(language, chunks, per_chunk * chunks, rewritten, kept, rejected)


def show(items: list[Drafted]) -> None:
    for item in items:
        print(f"\n{NAMES[item.language]}")
        for text in item.kept:
            print(f"  {language_of(text):10} {text}")
        for text, reason in item.rejected:
            print(f"  not kept ({reason}): {text}")
    print(
        "\n| language | chunks | asked for | kept | reworded | rejected: language | rejected: other | told |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for item in items:
        told = ", ".join(f"{value} {name}" for name, value in item.told.most_common())
        print(
            f"| {NAMES[item.language]} | {item.chunks} | {item.asked} | {len(item.kept)} | {item.rewritten} "
            f"| {item.foreign} | {len(item.rejected) - item.foreign} | {told} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", default="http://127.0.0.1:8115/v1")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b-instruct")
    parser.add_argument("--per-chunk", type=int, default=3)
    parser.add_argument("--only", default="", help="codes, such as de,ja")
    parser.add_argument("--out", type=Path, default=Path("outputs/languages"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    models = ModelSettings(model=given.model, base_url=given.base_url, timeout=600, concurrency=1)
    only: str = given.only
    chosen = {code for code in only.split(",") if code}
    documents = sorted(path for path in _DOCUMENTS.glob("*.md") if not chosen or path.stem in chosen)
    show([draft(path, given.out, models, given.per_chunk) for path in documents])


if __name__ == "__main__":
    main()
