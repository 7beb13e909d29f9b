"""Ids of chunks: equal on every machine, different for every occurrence."""

import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Literal

from goldgen.corpus import ChunkOptions, LoadedDocument, read_corpus
from goldgen.corpus.chunk import chunk
from goldgen.types import Chunk, Document

OPTIONS = ChunkOptions.of_size(300)
TWIN = "The refund is paid within thirty days of the return of the goods, if they are unused. " * 3
TEXTS = {
    "guide/über.md": f"# Gebühr\n\n{TWIN}\n\n## Noch einmal\n\n{TWIN}",
    "guide/tief/ガイド.md": "# ガイド\n\n返金は三十日以内に行われます。" * 30,
    "other.md": TWIN,
}


def write(root: Path, form: Literal["NFC", "NFD"] = "NFC") -> Path:
    for name, text in TEXTS.items():
        path = root / unicodedata.normalize(form, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(unicodedata.normalize(form, text), "utf-8")
    return root


def chunks(path: Path, root: Path) -> list[Chunk]:
    items = read_corpus(path, "docs", root, OPTIONS)
    return [piece for item in items if isinstance(item, LoadedDocument) for piece in item.chunks]


def test_the_same_tree_elsewhere_has_the_same_chunks(tmp_path: Path) -> None:
    one = write(tmp_path / "one")
    other = tmp_path / "deep" / "elsewhere"
    shutil.copytree(one, other)
    assert chunks(other, other) == chunks(one, one)
    decomposed = write(tmp_path / "decomposed", "NFD")
    assert chunks(decomposed, decomposed) == chunks(one, one)


def test_a_sub_folder_and_a_file_have_the_ids_of_the_whole(tmp_path: Path) -> None:
    root = write(tmp_path)
    whole = chunks(root, root)
    part = chunks(root / "guide", root)
    assert set(part) < set(whole)
    assert chunks(root / "other.md", root) == [piece for piece in whole if piece not in part]


def test_another_process_with_another_hash_seed_gives_the_same_ids(tmp_path: Path) -> None:
    root = write(tmp_path)
    program = (
        "import sys; from pathlib import Path; from goldgen.corpus import *; root = Path(sys.argv[1])\n"
        "for item in read_corpus(root, 'docs', root, ChunkOptions.of_size(300)):\n"
        "    print(*[piece.id for piece in item.chunks])"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, str(root)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1] == [piece.id for piece in chunks(root, root)]


def test_twins_are_distinct_and_known_by_their_text(tmp_path: Path) -> None:
    root = write(tmp_path)
    twins = [piece for piece in chunks(root, root) if piece.text.endswith(TWIN.strip())]
    assert len(twins) == 3
    assert len({piece.id for piece in twins}) == 3
    document = Document("d", "a.txt", "\n\n".join([TWIN] * 3))
    first, second, third = chunk(document, OPTIONS)
    assert first.full_text == second.full_text == third.full_text
    assert len({first.id, second.id, third.id}) == 3


def test_an_id_survives_changes_elsewhere_in_the_document() -> None:
    first, section = f"# A\n\n{'Introduction. ' * 12}", f"## Refunds\n\n{TWIN}"
    before = chunk(Document("d", "a.md", f"{first}\n\n{section}"), OPTIONS)
    after = chunk(Document("d", "a.md", f"{first}\n\n## New\n\n{'More of it. ' * 40}\n\n{section}"), OPTIONS)
    assert len(before) == 2 < len(after)
    assert {piece.id for piece in before} < {piece.id for piece in after}
    elsewhere = chunk(Document("e", "a.md", f"{first}\n\n{section}"), OPTIONS)
    assert not {piece.id for piece in before} & {piece.id for piece in elsewhere}
