"""Markdown, HTML and reStructuredText to one kind of text."""

import pytest

from goldgen.corpus.html import parse_html
from goldgen.corpus.markdown import parse_markdown
from goldgen.corpus.outline import outline
from goldgen.corpus.rst import parse_rst


def test_front_matter_is_metadata() -> None:
    parsed = parse_markdown(
        '---\ntitle: "Refunds"\nsort_rank: 3 # late\ntags:\n  - a\n  - b\n\n# note\nempty:\n---\n\nBody.\n'
    )
    assert parsed.text.strip() == "Body."
    assert parsed.title == "Refunds"
    assert parsed.metadata == {"title": "Refunds", "sort_rank": "3", "tags": "a, b", "empty": ""}


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: never closed\n\nBody goes on.",
        "---\n\nA rule, then text that is no key.\n\n---\n\nMore.",
        "# Title\n\nBody\n\n---\n\nkey: value\n\n---\n\nEnd",
        "---\n---\nBody",
    ],
)
def test_a_rule_hides_no_text(text: str) -> None:
    parsed = parse_markdown(text)
    assert parsed.text == text
    assert parsed.metadata == {}


def test_whole_line_comments_go_and_code_stays() -> None:
    text = "a <!-- inline -->\n<!-- gone\nacross lines -->\nb\n```html\n<!-- code -->\n```\n<!-- unclosed\nc"
    kept = "a <!-- inline -->\nb\n```html\n<!-- code -->\n```\n<!-- unclosed\nc"
    assert parse_markdown(text).text == kept


def test_mdx_imports_go_outside_of_code_only() -> None:
    text = "import Tabs from '@theme/Tabs';\nexport const a = 1;\n\nBody\n\n```js\nimport x from 'y'\n```\n"
    assert parse_markdown(text, mdx=True).text == "\nBody\n\n```js\nimport x from 'y'\n```\n"
    assert parse_markdown(text).text == text


def test_headings_are_told_from_comments_rules_and_tables() -> None:
    text = (
        "# One [link](x) `code` {#id}\n\nTwo\n===\n\n"
        "Three\n---\n\n- item\n---\n\n~~~py\n# comment\n```\n# too\n~~~\n"
        "\n    # code\n\n## Four ##\n\n#no\n\n1. step\n   ```\n   # comment\n   ```\n"
    )
    found = [(heading.level, heading.title) for heading in outline(text).headings]
    assert found == [(1, "One link code"), (1, "Two"), (2, "Three"), (2, "Four")]


def test_marks_deeper_in_the_code_do_not_close_it() -> None:
    text = "```yaml\ntemplate: |\n    ```shell\n    # run\n    ```\n# still code\n``` \n\n# Heading"
    found = outline(text)
    assert [heading.title for heading in found.headings] == ["Heading"]
    assert [text[fence.end - 3 : fence.end] for fence in found.fences] == ["```"]
    assert found.fences[0].closed


def test_tables_are_found_outside_of_code() -> None:
    text = "a | b\n---|---\n1 | 2\n\n```\n| x |\n|---|\n```\n\n| c |\n| :-: |\n| 3 |\n\npipe | text\n---\n"
    tables = outline(text).tables
    assert [table.header for table in tables] == ["a | b\n---|---", "| c |\n| :-: |"]
    assert [text[table.body_start : table.end] for table in tables] == ["1 | 2", "| 3 |"]


PAGE = """<!doctype html><html><head><title>Refunds - Acme</title><style>p{}</style></head>
<body class="cookies-off"><header>Acme <a href="/">Home</a></header><nav>Menu</nav>
<div class="cookie-banner">We use cookies</div><aside>Related pages</aside>
<main><article><header><h1>Refunds<a class="headerlink" href="#">¶</a></h1></header>
<p>Return <b>goods</b> in
30&nbsp;days.<br>Run <code>refund --all</code>.</p># no heading
<aside class="note"><p>Keep the receipt.</p></aside>
<ul><li>One<ul><li>nested</li></ul></li><li><p>Two</p></li></ul><ol><li>first</li><li>second</li></ol>
<table><tr><th>Plan</th><th>Days</th></tr><tr><td>Pro|x</td><td>30<br>60</td></tr><tr><td>Free</td></tr></table>
<div class="highlight-python"><pre><span># comment</span>
x = 1</pre></div><!-- hidden --><script>alert()</script>
<blockquote><p>Quoted</p></blockquote><h2>Next</h2><dl><dt>Term</dt><dd>Meaning</dd></dl>
</article></main><footer>© Acme</footer></body></html>"""


def test_html_gives_its_content_as_markdown() -> None:
    parsed = parse_html(PAGE)
    assert parsed.title == "Refunds"
    assert parsed.text.split("\n\n") == [
        "# Refunds",
        "Return goods in 30 days.\nRun `refund --all`.",
        "\\# no heading",
        "Keep the receipt.",
        "- One\n  - nested\n- Two",
        "1. first\n2. second",
        "| Plan | Days |\n| --- | --- |\n| Pro\\|x | 30 60 |\n| Free |  |",
        "```python\n# comment\nx = 1\n```",
        "> Quoted",
        "## Next",
        "Term",
        "Meaning",
    ]
    assert [heading.title for heading in outline(parsed.text).headings] == ["Refunds", "Next"]


def test_html_without_landmarks_keeps_its_text() -> None:
    parsed = parse_html("<title>T</title>Loose <i>text</i><form><p>in a form</p></form><main></main>")
    assert parsed.title == "T"
    assert parsed.text == "Loose text\n\nin a form"


def test_code_that_holds_fences_gets_a_longer_one() -> None:
    text = parse_html("<pre>```\n# x\n```</pre>").text
    assert text == "````\n```\n# x\n```\n````"
    assert outline(text).headings == ()


RST = """:orphan:

.. _top:

=======
Refunds
=======

.. contents::

.. toctree::

   other

Run ``refund`` and see :ref:`the page <target>`, :py:class:`~acme.Plan`, `a link <http://x>`_.

Rules
-----

* one
* two

  - nested

1. first

::

   # comment

.. code-block:: python
   :linenos:

   # other
   y = 2

.. note:: Be careful.

.. versionadded:: 1.2
   The *thing*.

.. tab-set::

   .. tab-item:: Linux

      Install it.

.. include:: /etc/hostname

.. raw:: html

   <b>raw</b>

+------+------+
| Plan | Days |
+======+======+
| Pro  | 30   |
+------+------+

Sub
~~~

Term
  Meaning.
"""


def test_rst_gives_markdown_and_the_content_of_unknown_directives(capfd: pytest.CaptureFixture[str]) -> None:
    parsed = parse_rst(RST)
    assert parsed.title == "Refunds"
    assert parsed.metadata == {"orphan": ""}
    assert parsed.text.split("\n\n") == [
        "# Refunds",
        "Run `refund` and see the page, acme.Plan, a link.",
        "## Rules",
        "- one\n- two",
        "  - nested",
        "1. first",
        "```\n# comment\n```",
        "```python\n# other\ny = 2\n```",
        "Be careful.",
        "1.2",
        "The thing.",
        "Linux",
        "Install it.",
        "| Plan | Days |\n| --- | --- |\n| Pro | 30 |",
        "### Sub",
        "Term",
        "Meaning.",
    ]
    assert capfd.readouterr() == ("", "")


def test_rst_with_mistakes_loses_no_text() -> None:
    text = parse_rst(
        "Title\n===\n\nAn `open mark.\n\n* item\nno blank line\n\n.. unknown::\n\n   Inside.\n"
    ).text
    for words in ("Title", "open mark", "item", "no blank line", "Inside."):
        assert words in text
