"""Files to documents: every entry is loaded or named, under ids that travel."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldgen.corpus.decode import decode
from goldgen.corpus.load import load
from goldgen.corpus.walk import walk
from goldgen.errors import CorpusError
from goldgen.types import Document, SkippedFile


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def documents(items: Iterator[Document | SkippedFile]) -> dict[str, Document]:
    return {item.path: item for item in items if isinstance(item, Document)}


def skipped(items: Iterator[Document | SkippedFile]) -> dict[str, str]:
    return {item.path: item.reason for item in items if isinstance(item, SkippedFile)}


def test_each_entry_is_loaded_or_skipped_with_a_reason(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "a.md": "# A\n\ntext",
            "sub/b.TXT": "text",
            "c.rst": "C\n=\n\ntext",
            "d.html": "<p>text</p>",
            "e.mdx": "import X from './x'\n\ntext",
            "binary.md": b"\x89PNG\x00\x01",
            "empty.md": "",
            "blank.md": " \n\n ",
            "only-meta.md": "---\ntitle: A\n---\n",
            ".git/config": "hidden",
            ".DS_Store": b"\x00",
            "slides.pptx": b"PK",
            "letter.doc": b"\xd0\xcf",
            "program.py": "print()",
            "Makefile": "all:",
            "chunks.jsonl": "{}",
        },
    )
    (root / "a").mkdir()
    (root / "a/link").symlink_to("..")
    (root / "again.md").symlink_to("a.md")
    (root / "broken.md").symlink_to("nowhere.md")
    loaded, left = documents(load(root, "docs")), skipped(load(root, "docs"))
    assert sorted(loaded) == ["a.md", "c.rst", "d.html", "e.mdx", "sub/b.TXT"]
    assert len(loaded) + len(left) == len(walk(root))
    assert left == {
        "binary.md": "binary, or text in an unknown encoding",
        "empty.md": "empty",
        "blank.md": "empty",
        "only-meta.md": "holds no text besides its metadata",
        ".git": "hidden",
        ".DS_Store": "hidden",
        "slides.pptx": "PPTX is not read; save it as PDF",
        "letter.doc": "DOC is not read; save it as DOCX",
        "program.py": "files of kind .py are not read",
        "Makefile": "a file without suffix is not read",
        "chunks.jsonl": "a table; to read it as chunks, name the file itself",
        "a/link": "a link to what is read elsewhere",
        "again.md": "a link to what is read elsewhere",
        "broken.md": "a link to nothing, or to itself",
    }


def test_links_out_of_the_root_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"x.md": "x"})
    (outside / "loop").symlink_to(outside)
    root = write(tmp_path / "root", {"a.md": "a"})
    (root / "first").symlink_to(outside)
    (root / "second").symlink_to(outside)
    assert sorted(documents(load(root, "docs"))) == ["a.md", "first/x.md"]
    assert skipped(load(root, "docs")).keys() == {"first/loop", "second"}


def test_a_mounted_config_map_is_read_through_its_links(tmp_path: Path) -> None:
    root = write(tmp_path, {"..2026/a.md": "a"})
    (root / "..data").symlink_to("..2026")
    (root / "a.md").symlink_to("..data/a.md")
    assert list(documents(load(root, "docs"))) == ["a.md"]


def test_ids_are_of_corpus_name_and_relative_path(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"guide/a.md": "a", "guide/deep/b.md": "b", "c.md": "c"}
    one, other = write(tmp_path / "one", files), write(tmp_path / "elsewhere/other", files)
    ids = {path: document.id for path, document in documents(load(one, "docs")).items()}
    assert {path: document.id for path, document in documents(load(other, "docs")).items()} == ids
    part = documents(load(one, "docs", inside=one / "guide"))
    assert {path: document.id for path, document in part.items()} == {
        path: ids[path] for path in ("guide/a.md", "guide/deep/b.md")
    }
    (single,) = load(one, "docs", inside=one / "guide/a.md")
    assert isinstance(single, Document)
    assert single.id == ids["guide/a.md"]
    assert documents(load(one, "handbook"))["c.md"].id != ids["c.md"]


def test_a_single_file_is_a_corpus(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "text"})
    (only,) = load(tmp_path / "a.md", "docs")
    assert isinstance(only, Document)
    assert only.path == "a.md"


def test_decomposed_names_and_texts_are_composed(tmp_path: Path) -> None:
    name, text = "Gebühr 返金 ガ.md", "Gebühr für Ärzte: ガイド"
    one = write(tmp_path / "one", {name: text})
    other = write(
        tmp_path / "other", {unicodedata.normalize("NFD", name): unicodedata.normalize("NFD", text)}
    )
    assert next(load(one, "docs")) == next(load(other, "docs"))


def test_two_names_that_compose_to_one_do_not_share_an_id(tmp_path: Path) -> None:
    root = write(tmp_path, {"ü.md": "one", unicodedata.normalize("NFD", "ü.md"): "other"})
    if len(list(root.iterdir())) == 1:
        pytest.skip("this file system composes names itself")
    assert len(documents(load(root, "docs"))) == 1
    assert skipped(load(root, "docs")) == {"ü.md": "a second file of this name"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_skipped(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.md": "a", "b.md": "b", "locked/c.md": "c"})
    (root / "a.md").chmod(0)
    (root / "locked").chmod(0)
    reasons = skipped(load(root, "docs"))
    (root / "locked").chmod(0o755)
    assert reasons.keys() == {"a.md", "locked"}


def test_a_path_that_is_no_corpus_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {"a.pptx": b"PK", "docs/a.md": "a"})
    for path, message in ((tmp_path / "absent", "no such"), (tmp_path / "a.pptx", "PPTX is not read")):
        with pytest.raises(CorpusError, match=message):
            load(path, "docs")
    with pytest.raises(CorpusError, match="not inside"):
        load(tmp_path / "docs", "docs", inside=tmp_path)


TEXTS = {
    "cp1252": "# Café\n\nDer Preis beträgt 10 € – ‘üblich’ und schön. Straße, Größe.",
    "cp932": "これは日本語の文書です。返金は三十日以内に行われます。お問い合わせください。",
    "gb18030": "这是一个中文文件。退款在三十天内处理。请联系我们的支持团队。",
    "cp1251": "Это русский документ о возврате денег в течение тридцати дней.",
    "utf-8-sig": "Grüße",
    "utf-16": "Grüße 返金",
    "utf-32": "Grüße 返金",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_the_encoding_is_found(encoding: str) -> None:
    assert decode(TEXTS[encoding].encode(encoding)) == TEXTS[encoding]


def test_a_page_says_its_own_encoding() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>Zażółć gęślą jaźń</p>'
    assert decode(page.encode("iso-8859-2")) == page


@given(st.binary(max_size=200))
def test_decoding_makes_no_replacement_characters(raw: bytes) -> None:
    text = decode(raw)
    if text is not None and b"\xef\xbf\xbd" not in raw and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert "\ufffd" not in text
        assert "\r" not in text


def test_blobs_and_minified_lines_become_a_placeholder(tmp_path: Path) -> None:
    image = "data:image/png;base64," + "iVBORw0KGgo" * 2000
    minified = "function a(){return b+c};" * 40_000
    chinese = "返金は三十日以内に行われます。" * 1000
    root = write(
        tmp_path,
        {
            "a.md": f"before ![pixel]({image}) after",
            "b.md": f"before\n{minified}\nafter",
            "c.md": chinese,
            "d.md": "key: " + "QUJ4" * 100,
            "e.md": "README of 289 bytes",
        },
    )
    texts = {path: document.text for path, document in documents(load(root, "docs")).items()}
    assert texts == {
        "a.md": "before ![pixel]([data]) after",
        "b.md": "before\n[data]\nafter",
        "c.md": chinese,
        "d.md": "key: [data]",
        "e.md": "README of 289 bytes",
    }


def test_html_that_is_nested_beyond_reason_is_skipped(tmp_path: Path) -> None:
    root = write(tmp_path, {"deep.html": "<div>" * 5000 + "x", "fine.html": "<p>fine</p>"})
    assert list(documents(load(root, "docs"))) == ["fine.html"]
    assert skipped(load(root, "docs")) == {"deep.html": "nested too deeply to be read"}
