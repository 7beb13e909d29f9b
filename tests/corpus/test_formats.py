"""Markdown and HTML to one kind of text."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.corpus.formats import PARSERS, most_bytes, why_not_read
from goldgen.corpus.html import parse_html
from goldgen.corpus.markdown import parse_markdown
from goldgen.corpus.outline import outline
from goldgen.corpus.parsed import Parsed, Unread, without_blobs


def test_front_matter_is_metadata() -> None:
    parsed = parse_markdown(
        '---\ntitle: "Refunds"\nsort_rank: 3 # late\ntags:\n  - a\n  - b\n\n# note\nempty:\n---\n\nBody.\n'
    )
    assert parsed.text.strip() == "Body."
    assert parsed.title == "Refunds"
    assert parsed.metadata == {"title": "Refunds", "sort_rank": "3", "tags": "a, b", "empty": ""}


@pytest.mark.parametrize(
    ("text", "metadata"),
    [
        ("---\n---\n", {}),
        ("---\n\n---\n", {}),
        (
            "---\n\"quoted key\": 1\n'other': two\ntítulo: x\n---\n",
            {"quoted key": "1", "other": "two", "título": "x"},
        ),
        (
            '+++\ntitle = "Refunds"\nweight = 3\ntags = ["a", "b"]\n[params]\nowner = "Ann"\n+++\n',
            {"title": "Refunds", "weight": "3", "tags": "a, b", "params.owner": "Ann"},
        ),
    ],
)
def test_front_matter_of_other_generators(text: str, metadata: dict[str, str]) -> None:
    parsed = parse_markdown(f"{text}Body.\n")
    assert parsed.text.strip() == "Body."
    assert parsed.metadata == metadata


@pytest.mark.parametrize(
    "text",
    [
        "+++\nno TOML at all\n+++\nBody",
        "+++\ntitle = 1\n\nBody of what is never closed",
        "---\ntitle: never closed\n\nBody goes on.",
        "---\n\nA rule, then text that is no key.\n\n---\n\nMore.",
        "# Title\n\nBody\n\n---\n\nkey: value\n\n---\n\nEnd",
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


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (
            '!!! note "Keep it"\n    Text.\n\n    ```\n    x\n    ```\nAfter.',
            "NOTE: Keep it\n\nText.\n\n```\nx\n```\n\nAfter.",
        ),
        ("??? warning\n    Folded.", "WARNING:\n\nFolded."),
        ('=== "Linux"\n\n    apt\n\n=== "Mac"\n\n    brew', "Linux\n\napt\n\nMac\n\nbrew"),
        (":::tip Use it\nText.\n:::\n", "TIP: Use it\n\nText."),
        ("> [!NOTE]\n> Text.", "> NOTE:\n> Text."),
        ("{{< note >}}\nText with {{ $value }}.\n{{< /note >}}\n", "Text with {{ $value }}."),
        ("{% highlight py %}\nx = '<b>'\n{% endhighlight %}", "```py\nx = '<b>'\n```"),
        ("```{note} Here\nText.\n```\n", "NOTE: Here\n\nText."),
        ("```{code-block} python\n:linenos:\n\nx = 1\n```\n", "```python\nx = 1\n```"),
        ("See {ref}`the page <target>`.\n\n[TOC]\n", "See the page."),
        ("## Title {#id .class}\n", "## Title"),
        (
            "| a | b |\n|---|---|\n| x<br>y | <ul><li>1</li><li>2</li></ul> |",
            "| a | b |\n|---|---|\n| x y | 1; 2 |",
        ),
        ("<details><summary>More</summary>\n\nInside\n\n</details>", "More\n\nInside"),
        ("<pre>\na &lt; <b>b</b>\n</pre>", "```\na < b\n```"),
        ("<table><tr><th>A</th></tr>\n<tr><td>1</td></tr></table>", "| A |\n| --- |\n| 1 |"),
        ('2<sup>53</sup> <a name="x"></a>of <img src="x" alt="a picture">', "2^53 of a picture"),
        (
            "`<b>` and <namespace> and a<b and c>d and `{{< x >}}`",
            "`<b>` and <namespace> and a<b and c>d and `{{< x >}}`",
        ),
    ],
)
def test_marks_of_site_generators_are_read_as_their_readers_see_them(written: str, seen: str) -> None:
    assert parse_markdown(written).text.strip() == seen


def test_code_keeps_its_tags_and_shortcodes() -> None:
    text = "```html\n<b>{{< x >}}</b>\n!!! note\n```\n\n    <b>"
    assert parse_markdown(text).text.startswith("```html\n<b>{{< x >}}</b>\n!!! note\n```")


def test_components_of_mdx_give_their_labels_and_content() -> None:
    text = "<Tabs>\n<TabItem value='a' label='Linux'>\n\nText.\n\n</TabItem>\n</Tabs>\n"
    assert parse_markdown(text, mdx=True).text.split() == ["Linux", "Text."]


MENUS = """<body><div class="navbar"><a>Home</a></div><div id="onetrust-banner"><h2>We use cookies</h2></div>
<div class="layout has-sidebar"><div class="sidebar"><ul><li>Menu</li></ul></div><div><h1>Cookies</h1>
<section id="cookies"><h2>Cookies</h2><p>We set 10<sup>3</sup> of them.</p></section>
<div role="tabpanel" hidden>In a tab</div><div class="section" id="menu"><h2>Menus</h2><p>On menus.</p></div>
<table class="highlighttable"><tr><td class="linenos"><pre>1</pre></td><td><pre>x</pre></td></tr></table>
</div></div><div class="site-footer">Foot</div></body>"""


def test_menus_made_of_plain_elements_go_and_sections_of_that_name_stay() -> None:
    expected = [
        "# Cookies",
        "## Cookies",
        "We set 10^3 of them.",
        "In a tab",
        "## Menus",
        "On menus.",
        "```\nx\n```",
    ]
    assert parse_html(MENUS).text.split("\n\n") == expected


def test_cells_that_span_rows_stand_in_each() -> None:
    page = (
        "<table><tr><th>Plan<th colspan=2>Days</tr><tr><td rowspan=2>Pro<td>1<td>2</tr><tr><td>3<td>4</tr>"
        "<tr><td>Free<td colspan=x>5<td>6</tr></table>"
    )
    assert parse_html(page).text.split("\n")[2:] == ["| Pro | 1 | 2 |", "| Pro | 3 | 4 |", "| Free | 5 | 6 |"]


BYTES = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (f"![x](data:image/png;base64,{BYTES * 5}) after", "![x]([data]) after"),
        (f"'data:image/svg+xml;utf8,<svg>{'<path/>' * 9}</svg>' after", "'[data]' after"),
        (f"key: {BYTES * 4}== after", "key: [data] after"),
        (f"cert: |\n  {BYTES}\n  {BYTES}\n  {BYTES}\n  {BYTES}\n  QUJD=\nafter", "cert: |\n  [data]\nafter"),
        ("x\n" + "function(){return a}" * 200 + "\ny", "x\n[data]\ny"),
        ("-" * 300, "-" * 300),
        ("/usr" + "/very/long" * 30, "/usr" + "/very/long" * 30),
        ("word " * 2000, "word " * 2000),
        ("返金は三十日以内に行われます。" * 400, "返金は三十日以内に行われます。" * 400),
        (f"sha512-{BYTES}", f"sha512-{BYTES}"),
    ],
)
def test_bytes_that_no_one_reads_become_a_placeholder(written: str, seen: str) -> None:
    assert without_blobs(written) == seen


def test_each_suffix_has_a_reader_or_a_reason() -> None:
    for suffix, parse in PARSERS.items():
        assert parse(b"") == Unread("empty"), suffix
    for suffix in (".doc", ".pptx", ".jsonl", ".xyz", ""):
        assert suffix not in PARSERS
        assert why_not_read(suffix)
    assert most_bytes(".pdf") > most_bytes(".md")


def test_a_binary_file_with_the_suffix_of_a_text_is_named() -> None:
    picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01"
    for suffix in (".md", ".txt", ".html", ".rst", ".adoc", ".ipynb"):
        found = PARSERS[suffix](picture)
        assert isinstance(found, Unread)
        assert found.reason.startswith("binary")


@given(st.text(st.sampled_from("<>/ab\"'=!-{}[]%:#`|\n tdr&;"), max_size=120))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_by_each_reader_of_text(text: str) -> None:
    for suffix in (".md", ".mdx", ".html", ".adoc"):
        found = PARSERS[suffix](text.encode())
        assert isinstance(found, Parsed | Unread)


@pytest.mark.parametrize(("suffix", "library"), [(".pdf", "pypdfium2"), (".docx", "mammoth")])
def test_without_the_extra_the_reason_says_what_to_install(
    suffix: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    found = PARSERS[suffix](b"anything")
    assert isinstance(found, Unread)
    assert 'pip install "goldgen[office]"' in found.reason
