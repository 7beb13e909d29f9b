"""reStructuredText as Markdown."""

import pytest

from goldgen.corpus.rst import parse_rst

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
