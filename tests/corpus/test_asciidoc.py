"""AsciiDoc to Markdown."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.corpus.asciidoc import parse_asciidoc
from goldgen.corpus.outline import outline

DOCUMENT = """= Refund handbook
Ada Lovelace <ada@acme.example>
v1.2, 2026-01-01
// a comment
:days: 30
:toc:
ifdef::env-github[]
:status:
endif::[]

Goods come back in {days} days, see <<plans,the plans>> and
https://acme.example[our site^].{nbsp}C{plus}{plus}

[[plans]]
== Plans [[deep]]

include::other.adoc[]

NOTE: Keep the receipt.

[WARNING]
====
Mind the fee.

It is three euros.
====

.A listing
[source,yaml]
----
# no heading
include::x.yaml[]
days: 30
----

[%header,cols="1,2"]
|===
|Plan |Days

|Pro
|30 \\| 60
2+|as agreed
|===

* one
** nested
*** deeper
* two
+
----
code
----

//-
. first
. second

//-
Term:: Its meaning.
Other::
  Meaning below.

[quote,Ada]
____
A quotation.
____

////
not to be seen
////

image::picture.png[A picture]
Press kbd:[Ctrl+C] or menu:File[Save].footnote:[Or neither.]

 indented code

'''
=== Deeper
"""


def test_asciidoc_gives_markdown() -> None:
    parsed = parse_asciidoc(DOCUMENT)
    assert parsed.title == "Refund handbook"
    assert parsed.metadata == {"days": "30", "toc": "", "status": ""}
    assert parsed.text.split("\n\n") == [
        "# Refund handbook",
        "Goods come back in 30 days, see the plans and\nour site. C++",
        "## Plans",
        "NOTE: Keep the receipt.",
        "WARNING: Mind the fee.",
        "It is three euros.",
        "A listing",
        "```yaml\n# no heading\ndays: 30\n```",
        "| Plan | Days |\n| --- | --- |\n| Pro | 30 \\| 60 |\n| as agreed |  |",
        "- one\n   - nested\n      - deeper\n- two",
        "  ```\n  code\n  ```",
        "1. first\n2. second",
        "- Term: Its meaning.\n- Other:\n  Meaning below.",
        "> A quotation.",
        "Press Ctrl+C or File > Save. (Or neither.)",
        "```\nindented code\n```",
        "### Deeper",
    ]
    assert [heading.title for heading in outline(parsed.text).headings] == [
        "Refund handbook",
        "Plans",
        "Deeper",
    ]


@pytest.mark.parametrize("mark", ["----", "====", "|===", "____", "****", "--", "```"])
def test_a_block_that_is_never_closed_loses_no_text(mark: str) -> None:
    text = parse_asciidoc(f"== A\n\n{mark}\n|some words\n\nand more\n").text
    assert "some words" in text
    assert "and more" in text


def test_a_table_without_a_column_list_is_as_wide_as_its_first_line() -> None:
    text = parse_asciidoc("|===\n|a |b |c\n\n|1\n|2\n|3\n3*|x\n|===").text
    assert text.split("\n")[2:] == ["| 1 | 2 | 3 |", "| x | x | x |"]


PIECES = st.sampled_from(
    [
        "= T",
        "== S",
        "word",
        "* item",
        "** deep",
        "+",
        "----",
        "====",
        "[source]",
        ".Title",
        "::",
        "a:: b",
        "",
        "{x}",
        ":x: {x}",
        "<1> call",
        "////",
        "ifdef::a[]",
        "--",
        "____",
        " indented",
        "NOTE: n",
        "'''",
        "|===",
        "|a |b",
    ]
)


@given(st.lists(PIECES, max_size=25).map("\n".join))
@settings(max_examples=150)
def test_any_document_ends_and_keeps_its_words(text: str) -> None:
    found = parse_asciidoc(text)
    if "////" not in text and "++++" not in text:
        assert len(re.findall("word", found.text)) == len(re.findall("word", text))
