"""Loading a large corpus: chunks a second, peak memory, and how much faster a second load is.

    python bench/corpus.py [FILES [JOBS]]      50,000 files by default, and as many processes as CPUs

The files are generated: 70% Markdown, 20% HTML, 10% reStructuredText, of 1 to 8 sections, in 500 folders,
with a footer that a third of them share. Each load is a process of its own. Its memory is the largest that
it and its own processes had at once, sampled ten times a second (proportional set size, so that what they
share counts once). Needs Linux.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path


def words(text: str) -> list[str]:
    return text.split()


WORDS = words(
    "account archive backup billing bucket cache certificate cluster column container credential dashboard "
    "database deployment disk domain endpoint event export filter firewall folder gateway group header host "
    "image import index instance invoice key label latency limit log member memory metric mirror mount name "
    "network node object owner page partition password path permission plan policy pool port probe project "
    "proxy query queue quota record region release replica request resource response role route rule schema "
    "secret server service session setting snapshot source storage table tag task team tenant timeout token"
)
VERBS = words("keeps reads sends stores deletes checks needs renews limits copies")
FOOTER = "Was this page helpful? Write to the documentation team or edit the page in the repository."
BYTES_A_MIB = 2**20


def sentence(dice: random.Random) -> str:
    one, other, third = dice.sample(WORDS, 3)
    return f"The {one} of each {other} {dice.choice(VERBS)} its {third} after {dice.randint(2, 900)} seconds."


def sections(dice: random.Random) -> Iterator[tuple[str, list[str]]]:
    for _ in range(dice.randint(1, 8)):
        title = f"{dice.choice(WORDS)} {dice.choice(WORDS)} {dice.randint(1, 999)}".capitalize()
        yield title, [" ".join(sentence(dice) for _ in range(dice.randint(2, 6))) for _ in range(3)]


def page(kind: str, dice: random.Random) -> str:
    parts = list(sections(dice))
    footer = [FOOTER] if dice.random() < 1 / 3 else []
    if kind == ".html":
        body = [f"<h2>{title}</h2>" + "".join(f"<p>{p}</p>" for p in texts) for title, texts in parts]
        end = "".join(f"<p>{text}</p>" for text in footer)
        return f"<html><head><title>{parts[0][0]}</title></head><body>{''.join(body)}{end}</body></html>"
    blocks: list[str] = []
    for title, texts in parts:
        blocks += [f"## {title}" if kind == ".md" else f"{title}\n{'-' * len(title)}", *texts]
        blocks.append("```\nlimit: 10\n```" if kind == ".md" else "::\n\n    limit: 10")
    return "\n\n".join([*blocks, *footer]) + "\n"


def write_files(root: Path, count: int) -> int:
    """Bytes written."""
    dice = random.Random(7)
    written = 0
    for number in range(count):
        kind = dice.choices((".md", ".html", ".rst"), (7, 2, 1))[0]
        path = root / f"part-{number % 500:03}" / f"page-{number}{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        written += path.write_bytes(page(kind, dice).encode())
    return written


LOAD = """
import json, sys, time
from pathlib import Path
from goldgen.app.loading import update_corpus
from goldgen.app.reporting import Silent
from goldgen.store import open_store

if __name__ == "__main__":
    started = time.perf_counter()
    with open_store(Path(sys.argv[1])) as store:
        report = update_corpus(store, Path(sys.argv[2]), "bench", None, Silent(), jobs=int(sys.argv[3]))
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "chunks": report.chunks, "changed": report.changed}))
"""


def measured(script: Path, *arguments: str) -> tuple[dict[str, float], float]:
    """What the script printed, and the peak of its memory and its processes' in MiB."""
    child = subprocess.Popen([sys.executable, script, *arguments], stdout=subprocess.PIPE, text=True)
    peak = 0.0
    ended = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not ended.wait(0.1):
            peak = max(peak, sum(map(proportional_bytes, family(child.pid))) / BYTES_A_MIB)

    watcher = threading.Thread(target=watch)
    watcher.start()
    printed, _ = child.communicate()
    ended.set()
    watcher.join()
    if child.returncode:
        sys.exit("the load failed")
    return json.loads(printed), peak


def family(process: int) -> Iterator[int]:
    """A process and all below it."""
    yield process
    try:
        children = "".join(p.read_text() for p in Path(f"/proc/{process}/task").glob("*/children"))
    except OSError:
        return
    for child in children.split():
        yield from family(int(child))


def proportional_bytes(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")), 0)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    jobs = sys.argv[2] if len(sys.argv) > 2 else str(os.cpu_count() or 1)
    folder = Path(tempfile.mkdtemp(prefix="goldgen-bench-"))
    try:
        docs, script, db = folder / "docs", folder / "load.py", folder / "set.duckdb"
        script.write_text(LOAD, encoding="utf-8")
        print(f"{count:,} files, {write_files(docs, count) / BYTES_A_MIB:.0f} MiB, {jobs} processes")
        time.sleep(3)  # files that are younger than two seconds would be read again
        first, peak = measured(script, str(db), str(docs), jobs)
        print(
            f"first load   {first['seconds']:.1f} s, {first['chunks']:,.0f} chunks, "
            f"{first['chunks'] / first['seconds']:,.0f} chunks a second, peak {peak:.0f} MiB"
        )
        second, peak = measured(script, str(db), str(docs), jobs)
        faster = first["seconds"] / second["seconds"]
        print(f"second load  {second['seconds']:.1f} s, {faster:.0f} times faster, peak {peak:.0f} MiB")
        changed = next(iter(sorted(docs.rglob("*.md"))))
        changed.write_text(changed.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
        third, peak = measured(script, str(db), str(docs), jobs)
        print(
            f"one changed  {third['seconds']:.1f} s, {third['changed']:.0f} document changed, "
            f"peak {peak:.0f} MiB"
        )
        print(f"set          {db.stat().st_size / BYTES_A_MIB:.0f} MiB")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
