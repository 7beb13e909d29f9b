"""Where a text may be cut when it has to be, in any script: the better the place, the lower its cost."""

import regex

from goldgen.text.sentences import sentences

LINE_END = 2.0
"""The end of a sentence at the end of a line."""
SENTENCE = 3.0
LIKELY_SENTENCE = 4.0
"""A full stop before a small letter: of a sentence in some texts, of an abbreviation in others."""
LINE = 5.0
"""The end of a line, but not of a sentence."""
CLAUSE = 6.0
WORD = 9.0
_WINDOW = 8
"""Parts of which the words are looked at together."""

Break = tuple[int, float]
"""Where the part after the cut begins, and the cost."""

# Thai and Lao have a blank between sentences, Khmer and Burmese between clauses, and none of them between
# words. The marks are those that ``sentences`` does not know: of Devanagari, Urdu, Arabic, Ethiopic, Burmese,
# Khmer, Armenian, Tibetan, and half-width ones.
_THAI, _KHMER = r"[\p{Script=Thai}\p{Script=Lao}]", r"[\p{Script=Khmer}\p{Script=Myanmar}]"
_SENTENCE = regex.compile(
    rf"(?<={_THAI})[ \t\n]+(?={_THAI})|(?:[।॥۔؟።፧။៕។։｡．]|[⋯…]{{2}})[」』”’）)\]]*\s*|།\s+"
)
_LIKELY_SENTENCE = regex.compile(r"(?<=[\p{L}\p{N})\]]{2})[.!?][\"'”’)\]]*\s+")
# Line breaks as JSON and other code writes them, in texts that were exported in one line.
_ESCAPED_LINES = regex.compile(r"(?:(?:\\r)?\\n)+(?!\p{Ll})")
_LINE = regex.compile(r"\n\s*")
_CLAUSE = regex.compile(rf"(?<={_KHMER})[ \t\n]+(?={_KHMER})|" r"[，、；：､،؛፣၊་]\s*|[,;:)\]}–—]\s+|\|\s*")
_SPACE = regex.compile(r"\s+")
_PATTERNS = (  # the best comes last and wins
    (_CLAUSE, CLAUSE),
    (_LINE, LINE),
    (_LIKELY_SENTENCE, LIKELY_SENTENCE),
    (_SENTENCE, SENTENCE),
    (_ESCAPED_LINES, LINE_END),
)
# A mark that belongs to the character before it; after a control character it stands alone.
_INSIDE_GRAPHEME = regex.compile(
    r"(?<!\p{Cc})[\p{Grapheme_Cluster_Break=Extend}\p{Grapheme_Cluster_Break=SpacingMark}\u200d]"
)


def breaks(text: str, start: int, end: int) -> list[Break]:
    """The ends of sentences, lines and clauses between two offsets, in ascending order.

    A part begins after the white space that parts it from the one before. No grapheme is cut.
    """
    found: dict[int, float] = {}
    for pattern, cost in _PATTERNS:
        found |= dict.fromkeys((match.end() for match in pattern.finditer(text, start, end)), cost)
    found |= dict.fromkeys((start + begin for begin, _ in sentences(text[start:end])), SENTENCE)
    return [
        (offset, LINE_END if found[offset] == SENTENCE and _starts_line(text, offset) else found[offset])
        for offset in sorted(found)
        if start < offset < end and not _INSIDE_GRAPHEME.match(text, offset)
    ]


def word_breaks(text: str, start: int, end: int, size: int) -> list[Break]:
    """Breaks between words, by a dictionary where there is no space, so that no part exceeds ``size``.

    A word longer than that is cut between graphemes, and a longer grapheme between characters.
    """
    from semantic_text_splitter import TextSplitter

    splitter = TextSplitter(size, trim=False)
    found: list[int] = []
    at = start
    while at < end:
        # In windows, for the splitter's time grows with the square of the text.
        window = text[at : min(end, at + _WINDOW * size)]
        found.extend(at + offset for offset, _ in splitter.chunk_indices(window))
        at += len(window)
        if at < end:  # the window may have cut its last part
            at = found.pop()
    return [(offset, WORD) for offset in found if offset > start]


def _starts_line(text: str, offset: int) -> bool:
    while offset and text[offset - 1].isspace():
        offset -= 1
        if text[offset] == "\n":
            return True
    return False
