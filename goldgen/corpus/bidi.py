"""Characters in the order in which they stand on paper, back in the order in which they are read."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

_RIGHT_TO_LEFT = ("R", "AL")
_LEFT_TO_RIGHT = ("L", "EN", "AN")
_INSIDE_NUMBERS = ("ES", "ET", "CS", "NSM", "BN")
_BRACKETS = {")": "()", "(": "()", "]": "[]", "[": "[]", "}": "{}", "{": "{}", "»": "«»", "«": "«»"}


def logical_order(visual: Sequence[str]) -> list[str]:
    """What stands from left to right on a line, in reading order; each item is the text of one glyph.

    Undoes what the Unicode bidirectional algorithm does for display, for one level of embedding. In a
    line that reads from the right, brackets open and close in turn: which way the file draws them
    differs from producer to producer.
    """
    classes = [_class(item) for item in visual]
    right, left = (sum(one in kind for one in classes) for kind in (_RIGHT_TO_LEFT, ("L",)))
    if not right:
        return list(visual)
    if right < left:
        return _with_runs_reversed(visual, classes, _RIGHT_TO_LEFT)
    reverse, reversed_classes = list(reversed(visual)), list(reversed(classes))
    return list(_brackets_in_turn(_with_runs_reversed(reverse, reversed_classes, _LEFT_TO_RIGHT)))


def reads_from_right(item: str) -> bool:
    return _class(item) in _RIGHT_TO_LEFT


def _class(item: str) -> str:
    return unicodedata.bidirectional(item[0]) if item else ""


def _with_runs_reversed(items: Sequence[str], classes: Sequence[str], strong: Sequence[str]) -> list[str]:
    """Runs of the other direction turned round, with what stands between two of their characters."""
    other = [cls in strong for cls in classes]
    last = -1
    for index, is_other in enumerate(other):
        if is_other:
            if last >= 0 and all(_is_weak(items[i], classes[i], strong) for i in range(last + 1, index)):
                other[last + 1 : index] = [True] * (index - last - 1)
            last = index
    turned: list[str] = []
    for is_other, run in groupby(zip(other, items, strict=True), key=lambda pair: pair[0]):
        texts = [text for _, text in run]
        turned.extend(reversed(texts) if is_other else texts)
    return turned


def _is_weak(item: str, cls: str, strong: Sequence[str]) -> bool:
    if cls in _INSIDE_NUMBERS:
        return True
    # Spaces join the words of a right-to-left quotation; a number and a Latin word stay apart.
    inside_words = strong is _RIGHT_TO_LEFT or not item.strip("_/@&#'’-")
    return (item.isspace() or cls in ("ON", "WS")) and inside_words


def _brackets_in_turn(items: Sequence[str]) -> Iterator[str]:
    is_open: set[str] = set()
    for item in items:
        pair = _BRACKETS.get(item)
        if pair is None:
            yield item
            continue
        yield pair[1] if pair in is_open else pair[0]
        is_open ^= {pair}
