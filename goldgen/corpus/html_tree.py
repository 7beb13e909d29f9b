"""The tree of an HTML page, whichever end tags and declarations it lacks."""

import re
from itertools import islice
from typing import Any

from bs4 import BeautifulSoup, ParserRejectedMarkup
from bs4.element import Tag

_ENDED_BY = {  # which elements a start tag ends, and inside of which elements it does not
    "td": (("td", "th"), ("table",)),
    "th": (("td", "th"), ("table",)),
    "tr": (("tr",), ("table",)),
    "li": (("li",), ("ul", "ol", "menu")),
    "dt": (("dt", "dd"), ("dl",)),
    "dd": (("dt", "dd"), ("dl",)),
    "p": (("p",), ("table", "td", "th", "caption", "li", "dd", "div", "section", "article", "blockquote")),
}
_LOOKED_AT = 500
"""Open elements above a start tag; pages that are nested deeper are not read."""
_DECLARATION = re.compile("<!(?!--)")


def page_of(html: str) -> BeautifulSoup:
    try:
        return _Page(html, "html.parser")
    except ParserRejectedMarkup:  # a declaration that is none, such as "<![x["
        return _Page(_DECLARATION.sub("&lt;!", html), "html.parser")


class _Page(BeautifulSoup):
    """HTML may leave out ``</td>``, ``</li>`` and others; the parser would nest what stands in a row.

    They are ended while the page is read, for in a finished tree each one would be moved with all that
    stands after it.
    """

    def handle_starttag(
        self,
        name: str,
        namespace: str | None,
        nsprefix: str | None,
        attrs: Any,
        sourceline: int | None = None,
        sourcepos: int | None = None,
        namespaces: dict[str, str] | None = None,
    ) -> Tag | None:
        siblings, around = _ENDED_BY.get(name, ((), ()))
        if siblings:
            above = (tag.name for tag in islice(reversed(self.tagStack), _LOOKED_AT))
            nearest = next((open_name for open_name in above if open_name in siblings + around), "")
            if nearest in siblings:
                self.handle_endtag(nearest)
        return super().handle_starttag(name, namespace, nsprefix, attrs, sourceline, sourcepos, namespaces)
