"""A chunk's text as drafts refer to it: by the numbers of its sentences, in which their evidence is found."""

from collections.abc import Sequence
from dataclasses import dataclass

from goldgen.text.quotes import Wording, is_substantial, states
from goldgen.text.sentences import is_heading, sentences
from goldgen.text.words import telling_words, words

_FEWEST_WORDS = 3


def numbered(text: str) -> str:
    """The text with a number before each sentence that says something, so that a model can point at it."""
    pieces: list[str] = []
    at = 0
    for number, (start, end) in enumerate(sentences(text), 1):
        if not is_heading(text, start) and len(words(text[start:end])) >= _FEWEST_WORDS:
            pieces.append(f"{text[at:start]}[{number}] ")
            at = start
    return "".join(pieces) + text[at:]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text made ready once to be searched for the evidence of several drafts."""

    text: str
    spans: Sequence[tuple[int, int]]
    """Of its sentences."""
    wordings: Sequence[Wording | None]
    """Of each sentence; None for a heading, which names an answer and gives none."""

    @classmethod
    def of(cls, text: str) -> "Passage":
        spans = sentences(text)
        return cls(text, spans, [None if is_heading(text, a) else Wording.of(text[a:b]) for a, b in spans])

    def grounded(self, answer: str, sentence: int) -> tuple[str, str]:
        """Answer and evidence, the evidence verbatim from the text; the evidence is empty if there is none.

        Evidence is the sentence that states the answer: the one pointed at by its number, or else the only
        one that does, or the one pointed at with the next where both are needed. Where the model put the
        answer too freely for code to find it, but from the sentence it points at, that sentence itself
        becomes the answer.
        """
        stating = self._stating(answer)
        in_text = 0 < sentence <= len(self.spans) and self.wordings[sentence - 1] is not None
        pointed = sentence if in_text else 0
        if pointed in stating:
            quote = self._between(pointed, pointed)
        elif len(stating) == 1:
            quote = self._between(stating[0], stating[0])
        elif 0 < pointed < len(self.spans) and states(both := self._between(pointed, pointed + 1), answer):
            quote = both
        elif pointed and _paraphrases(answer, self._between(pointed, pointed)):
            answer = quote = self._between(pointed, pointed)
        else:
            return answer, ""
        return (answer, quote) if is_substantial(quote, answer) else (answer, "")

    def _stating(self, answer: str) -> list[int]:
        """Numbers of the sentences that state the answer."""
        wanted = Wording.of(answer)
        return [n for n, wording in enumerate(self.wordings, 1) if wording and wording.states(wanted)]

    def _between(self, first: int, last: int) -> str:
        """From the sentence of one number to that of another, which is included."""
        return self.text[self.spans[first - 1][0] : self.spans[last - 1][1]]


def _paraphrases(answer: str, sentence: str) -> bool:
    """Whether an answer has no number that the sentence lacks, and half of its longer words."""
    wanted = telling_words(answer)
    found = wanted & set(words(sentence))
    numbers = {word for word in wanted if word.isdigit()}
    return bool(wanted) and numbers <= found and 2 * len(found) >= len(wanted)
