"""What finders of personal data yield."""

from collections.abc import Callable, Iterator

Span = tuple[int, int]
"""Start and end (exclusive) of what is to be taken out of a text."""

Finder = Callable[[str], Iterator[Span]]
