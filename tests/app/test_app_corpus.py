import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from goldgen.app import corpus
from goldgen.app.corpus import LoadOptions
from goldgen.app.languages import language_of
from goldgen.corpus import ChunkOptions
from goldgen.errors import EmptyResultError, SettingsError, StoreError
from goldgen.store import open_store
from goldgen.tabular import SqlSource

TWIN = "The same note stands on two pages, word for word, and answers the same questions."


@pytest.fixture
def db(tmp_path: Path) -> Path:
    other = f"# Exports\n\nThey run at noon, and go to the owner of the page by mail.\n\n## Notes\n\n{TWIN}"
    pages = {
        "a.md": "---\nowner: Ana\n---\n# Exports\n\n"
        f"They run at night, and are kept for as long as the plan says.\n\n## Notes\n\n{TWIN}\n\n"
        "## Limits\n\nA page may have as many rows as the plan of its owner allows, and no more than that.",
        "b.md": other,
        "copy/c.md": other,
        "d.html": "<h1>退款</h1><p>退款在三十天内处理。请联系我们的支持团队。</p>",
        "x.py": "print()",
        "y.py": "print()",
    }
    for name, text in pages.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    path = tmp_path / "set.duckdb"
    corpus.load(LoadOptions(path, tmp_path / "docs", chunking=ChunkOptions(120, 20)))
    return path


def test_an_overview_counts_all_that_was_walked(db: Path) -> None:
    found = corpus.overview(db)
    with open_store(db, read_only=True) as store:
        chunks = store.corpus.chunks()
    assert (found.name, found.documents, found.kinds) == ("docs", 4, {".md": 3, ".html": 1})
    assert found.root == str(db.parent / "docs")
    assert found.is_cut and found.chunking.size == 120
    assert found.chunks == len(chunks)
    sizes = sorted(len(chunk.text) for chunk in chunks)
    assert (found.characters.least, found.characters.most) == (sizes[0], sizes[-1])
    assert found.characters.total == sum(sizes)
    assert found.characters.percentiles[50] == sizes[-(-len(sizes) // 2) - 1]
    lengths = {chunk.id: len(chunk.text) for chunk in chunks}
    assert (lengths[found.shortest], lengths[found.longest]) == (sizes[0], sizes[-1])
    assert found.languages == {"en": 3, "zh": 1}
    copies = [count for count in Counter(chunk.full_text for chunk in chunks).values() if count > 1]
    assert (found.twin_texts, found.twin_chunks) == (len(copies), sum(copies))
    assert 3 in copies  # of the twin
    assert found.same_documents == 1
    assert found.skipped == {"files of kind .py are not read": 2}
    assert [item.path for item in found.skipped_files] == ["x.py", "y.py"]


def test_a_chunk_is_shown_where_it_stands(db: Path) -> None:
    with open_store(db, read_only=True) as store:
        of_a = store.corpus.chunks("a.md")
        text = store.corpus.documents()[0].text
        elsewhere = {chunk.id for chunk in store.corpus.chunks() if TWIN in chunk.text} - {c.id for c in of_a}
    at = next(place for place, chunk in enumerate(of_a) if TWIN in chunk.text)
    wanted = of_a[at]
    shown = corpus.show(db, wanted.id[:12])
    assert shown.chunk == wanted
    assert (shown.path, shown.title, shown.chunks) == ("a.md", "Exports", len(of_a))
    assert shown.metadata["owner"] == "Ana"
    assert [*shown.before, shown.chunk, *shown.after] == of_a[at - 1 : at + 2]
    assert text.splitlines()[shown.lines[0] - 1] == wanted.text.splitlines()[0]
    assert text.splitlines()[shown.lines[1] - 1] == wanted.text.splitlines()[-1]
    assert shown.twins.keys() == elsewhere
    assert set(shown.twins.values()) == {"b.md", "copy/c.md"}
    alone = corpus.show(db, wanted.id, neighbours=0)
    assert (alone.before, alone.after) == ([], [])
    everything = corpus.show(db, of_a[0].id, neighbours=9)
    assert [*everything.before, everything.chunk, *everything.after] == of_a


def test_a_chunk_that_is_not_told_apart_is_asked_for_again(tmp_path: Path) -> None:
    table = tmp_path / "chunks.jsonl"
    rows = [{"id": key, "text": f"The text of {key}."} for key in ("page-1", "page-10", "page-2")]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    db = tmp_path / "set.duckdb"
    loaded = corpus.load(LoadOptions(db, table))
    assert loaded.overview.chunks == loaded.report.chunks == 3
    assert not loaded.overview.is_cut
    assert corpus.show(db, "page-1").chunk.id == "page-1"  # a whole id, although another begins with it
    with pytest.raises(
        SettingsError, match=r"3 chunks begin with 'page': page-1, page-10, page-2; give more"
    ):
        corpus.show(db, "page")
    for unknown in ("", "nowhere"):
        with pytest.raises(SettingsError, match="no chunk whose id begins with"):
            corpus.show(db, unknown)


def test_a_set_without_a_corpus_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no golden set"):
        corpus.overview(tmp_path / "absent.duckdb")
    open_store(tmp_path / "empty.duckdb").close()
    with pytest.raises(EmptyResultError, match="goldgen corpus load PATH"):
        corpus.overview(tmp_path / "empty.duckdb")


def test_a_query_is_remembered_without_a_password(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "wiki.db")) as database, database:
        database.execute("create table pages as select 'a' as id, 'The only text.' as text")
    source = SqlSource.parse(f"sqlite:{tmp_path / 'wiki.db'}", "select * from pages")
    found = corpus.load(LoadOptions(tmp_path / "set.duckdb", source)).overview
    assert (found.name, found.query) == ("wiki", "select * from pages")
    assert found.root == f"sqlite:{tmp_path / 'wiki.db'}"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The exports of a workspace are run at night, and the owner can see them in the list.", "en"),
        ("Die Exporte werden in der Nacht erstellt und sind für den Besitzer in der Liste zu sehen.", "de"),
        ("返金は三十日以内に行われます。`refund --all` をお使いください。", "ja"),
        ("退款在三十天内处理。请使用 refund 命令。", "zh"),
        ("환불은 30일 이내에 처리됩니다.", "ko"),
        ("การคืนเงินจะดำเนินการภายในสามสิบวัน", "th"),
        ("Возврат денег производится в течение тридцати дней, если вы не получили товар.", "ru"),
        ("تتم معالجة المبالغ المستردة خلال ثلاثين يومًا.", "ar"),
        ("في غوگل يستطيع المستخدم أن يشارك الملفات مع زملائه في كل المكاتب دون رسوم إضافية.", "ar"),
        ("چگونه می‌توانم پرونده حذف شده را برگردانم؟", "Arabic script"),
        ("x = f(y) + 12", "not clear"),
        ("12 34", "not clear"),
        ("", "not clear"),
    ],
)
def test_languages(text: str, language: str) -> None:
    assert language_of(text) == language
