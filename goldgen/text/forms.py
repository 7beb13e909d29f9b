"""The form of a question, by rules: how it is put, and which style of question it is.

Made for what people type into a search box or a chat, in English and German. A text in another script, or one
that no rule fits, has no form: that is told, and nothing is guessed.
"""

import re
from dataclasses import dataclass
from typing import Literal

from goldgen.text.folding import fold

Form = Literal["comparison", "conversational", "fact", "goal", "how", "keywords", "symptom"]
"""The styles that goldgen asks for by default."""

_MOST_KEYWORDS = 6
_CHAT_WORDS = 8
"""From so many words on, a reason and then a question is a chat message."""
_LAST_LATIN = "\u024f"

_QUESTION_WORDS = (
    "how|why|what|which|who|whom|whose|when|where|wie|warum|wieso|weshalb|was|welche[mnrs]?|wer|wem|wen|wessen"
    "|wann|wo|woher|wohin|womit|wofür|wodurch"
)
_AMOUNTS = (
    r"how (?:long|many|much|often|old|big|large|far)|wie (?:lange?|viele?|oft|groß|gross|alt|hoch|weit)"
)
# Articles, pronouns and auxiliaries: search words come without them. Prepositions say nothing of it.
_GRAMMAR = re.compile(
    r"(?:the|an?|is|are|am|was|were|be|been|do|does|did|doesn|don|didn|has|have|had|can|could|should|would"
    r"|will|won|may|must|i|i'm|we|you|it|they|my|our|your|its|this|that|these|there|if|because|but"
    r"|der|die|das|den|dem|des|eine?[mnrs]?|ist|sind|war|waren|bin|wird|werden|wurde|hat|haben|kann|können"
    r"|soll|sollte|muss|müssen|darf|ich|wir|man|du|sie|es|mein[emnrs]*|unser[emns]*|wenn|weil|aber|dass)"
)
_GREETING = re.compile(
    r"(?:hi|hey|hello|hallo|moin|servus|dear|good (?:morning|evening|day)"
    r"|guten (?:tag|morgen|abend)|liebe[rs]?)\b"
)
_POLITE = re.compile(r"\b(?:thanks|thank you|thx|danke|please|pls|plz|bitte|sorry)\b")
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|we|we're|we've|my|our|us|me|ich|wir|mein[emnrs]*|unser[emns]*|mir|uns)\b"
)
_GOAL = re.compile(
    r"(?:(?:i|we)(?:'d| would)? (?:just )?(?:want|need|like|have to|wish|try|am trying|are trying|am looking"
    r"|are looking)\b|(?:i'm|we're) (?:trying|looking)\b|(?:need|want|trying|try|looking) (?:to|for)\b"
    r"|(?:is|are) there (?:a|any|some) way|is it possible|any way to|can (?:i|we|you|one)\b"
    r"|(?:ich|wir) (?:möchten?|will|wollen|muss|müssen|brauchen?|versuchen?|würden? gern\w*)\b"
    r"|gibt es (?:eine|irgendeine) möglichkeit|ist es möglich|(?:kann|können) (?:ich|man|wir)\b)"
)
_COMPARISON = re.compile(
    r"\bvs\b|\bversus\b|\bdifferences?\b.*\bbetween\b|\bdifferent (?:between|from)\b|\bdiffers? from\b"
    r"|\bcompar(?:e|ed|es|ison)\b|\bbetter than\b|\bunterschiede?\b|\bvergleich\b|\bbesser als\b"
    r"|\b(?:should|which|shall|prefer)\b.+\bor\b|\b(?:soll|sollte|welche[mnrs]?|lieber|besser)\b.+\boder\b"
    r"|^[\w.-]+ (?:or|oder) [\w.-]+\??$"
)
_TROUBLE = re.compile(
    r"\berrors?\b|\bfail(?:s|ed|ing|ure)?\b|n't\b|\bcannot\b|\bcant\b|\bdoesnt\b|\bwont\b|\bdont\b|\bunable\b"
    r"|\b(?:do|does|did|is|are|was|were|will|can|could|has|have) (?:not|never|no longer)\b"
    r"|\b(?:not|never|no longer) \w+ing\b|\bis(?:nt)? (?:down|not|gone|missing|empty|stuck|slow|wrong)\b"
    r"|\b(?:broken|broke|crash\w*|stuck|hangs|freez\w+|missing|wrong|disappear\w*|vanish\w*|timed? ?out"
    r"|timeouts?|refused|denied|oom\w*|leaks?|weird|strange|nothing happens|greyed out|eats"
    r"|stop(?:s|p?ed) working)\b"
    r"|\btoo (?:high|low|slow|large|big|much|long|often)\b|\b[45]\d\d (?:error|status)\b"
    r"|\bfehler\b|\bfehl(?:t|en|schl\w+)\b"
    r"|\b(?:geht|funktioniert|klappt|läuft|startet|kommt|lädt)\b.*\b(?:nicht|mehr)\b"
    r"|\b(?:kaputt|falsch|hängt|abgestürzt|stürzt|langsam|leer|weg|verschwunden)\b"
    r"|\bzu (?:hoch|niedrig|langsam|viele?|groß)\b"
)
_IMPERATIVE = re.compile(
    r"(?:please |bitte )?(?:show|list|explain|tell|give|describe|summari[sz]e|provide|help|find|outline"
    r"|zeig|zeige|nenne|erklär|erkläre|gib|liste|beschreibe|hilf|finde)\b"
)
_ASKS_AMOUNT = re.compile(_AMOUNTS)
_ASKS_HOW = re.compile(r"how|why|wie|warum|wieso|weshalb|howto")
_HOW_INSIDE = re.compile(
    r"\bhow (?:to|do|does|can|should|did|would)\b|\bhowto\b|\bwhy (?:do|does|is|are|did|would)\b"
)
_OPENS = re.compile(rf"(?:{_QUESTION_WORDS})\b")
_OPENS_AS_FACT = re.compile(
    rf"(?:{_QUESTION_WORDS}|{_AMOUNTS}|is|are|do|does|did|can|could|should|may|must|has|have|will|was|were"
    r"|ist|sind|hat|haben|kann|können|darf|dürfen|muss|müssen|sollte?n?|gibt|wird|werden|besteht|gilt|gelten)\b"
)
_STATES = re.compile(
    r"\b(?:is|isn't|are|aren't|was|were|has|have|had|gets?|keeps?|i|we|ist|sind|war|waren|hat|haben|wird|ich|wir)\b"
)
_ASKS_INSIDE = re.compile(
    r"\b(?:is|are|can|could|does|do|will|should|kann|ist|hat|muss|darf)"
    r" (?:it|i|we|there|you|ich|man|wir|es)\b"
)
_CONDITION = re.compile(r"(?:if|when|wenn|falls|assuming)\b")
_CLAUSES = re.compile(r"[,;.!?:]\s+(?=\w)|\s[-–]\s")
_WORD = re.compile(r"[^\W_][\w'’.+-]*")


@dataclass(frozen=True, slots=True)
class Surface:
    """How a question is put. The first four ways exclude each other; "other" is none of them."""

    words: int
    characters: int
    way: Literal["question word", "keywords", "imperative", "sentence", "other"]
    question_mark: bool
    lower_case: bool
    """No capital letter in it, though it has letters that could be one."""
    first_person: bool


def word_count(text: str) -> int:
    """Words between spaces; in scripts without spaces, characters."""
    return sum(
        1 if piece <= _LAST_LATIN or not _is_unspaced(piece) else len(piece)
        for piece in text.split()
        if any(map(str.isalnum, piece))
    )


def surface_of(text: str) -> Surface:
    """How ``text`` is put; in a language other than English and German the way is mostly "other"."""
    folded = fold(text)
    return Surface(
        word_count(text),
        len(text),
        _way(text, folded),
        question_mark=text.rstrip().endswith(("?", "？", "؟")),
        lower_case=text == text.lower() and text != text.upper(),
        first_person=bool(_FIRST_PERSON.search(folded)),
    )


def form_of(text: str) -> Form | None:
    """The style that a question has; None where no rule fits. The first that fits decides:

    comparison: two things against each other ("a vs b", "difference between", "Unterschied zwischen");
    conversational: a greeting, a thank-you, or a reason in the first person and then a question;
    goal: starts from what is wanted ("I want to", "is there a way to", "kann man");
    symptom: names a trouble ("fails", "does not …", "geht nicht"), unless it is asked as how or why of nobody
    in particular; or tells how things are and asks nothing, which comes last;
    how: asks how or why, not how many or how long;
    fact: begins with any other question word or auxiliary verb;
    keywords: up to six words without articles, pronouns, auxiliary verbs and question mark; a trouble in such
    words is keywords too, for there it is the form that tells.
    """
    folded = fold(text).strip()
    if not _is_latin(folded):
        return None
    if _COMPARISON.search(folded):
        return "comparison"
    if _GREETING.match(folded) or _POLITE.search(folded):
        return "conversational"
    if _GOAL.match(folded):
        return "goal"
    if _is_chat(folded):
        return "conversational"
    if _is_keywords(text, folded):
        return "keywords"
    asks_how = bool(_ASKS_HOW.match(folded)) and not _ASKS_AMOUNT.match(folded)
    if _TROUBLE.search(folded) and (not asks_how or _FIRST_PERSON.search(folded)):
        return "symptom"
    if asks_how or _HOW_INSIDE.search(folded):
        return "how"
    if _OPENS_AS_FACT.match(folded):
        return "fact"
    return "symptom" if _is_statement(text, folded) else None


def _way(text: str, folded: str) -> Literal["question word", "keywords", "imperative", "sentence", "other"]:
    if not _is_latin(folded):
        return "other"
    if _OPENS.match(folded):
        return "question word"
    if _IMPERATIVE.match(folded):
        return "imperative"
    if _is_keywords(text, folded):
        return "keywords"
    return "sentence" if _has_grammar(folded) else "other"


def _is_chat(folded: str) -> bool:
    """A reason in the first person, and then what is asked."""
    clauses = _CLAUSES.split(folded)
    return (
        len(clauses) > 1
        and len(_WORD.findall(folded)) >= _CHAT_WORDS
        and not _OPENS.match(folded)
        and not _CONDITION.match(folded)
        and bool(_FIRST_PERSON.search(clauses[0]))
    )


def _is_statement(text: str, folded: str) -> bool:
    """Whether it tells how things are and asks nothing: what somebody types who sees something wrong."""
    return bool(_STATES.search(folded)) and "?" not in text and not _ASKS_INSIDE.search(folded)


def _is_keywords(text: str, folded: str) -> bool:
    count = word_count(text)
    return (
        0 < count <= _MOST_KEYWORDS
        and not text.rstrip().endswith("?")
        and not _OPENS.match(folded)
        and not _HOW_INSIDE.search(folded)
        and not _IMPERATIVE.match(folded)
        and not _has_grammar(folded)
    )


def _has_grammar(folded: str) -> bool:
    return any(_GRAMMAR.fullmatch(word) for word in _WORD.findall(folded))


def _is_latin(folded: str) -> bool:
    """Whether there are letters, and all of them are Latin."""
    letters = [character for character in folded if character.isalpha()]
    return bool(letters) and max(letters) <= _LAST_LATIN


def _is_unspaced(piece: str) -> bool:
    """Han, Kana, Thai and what lies between: a word there is about a character or two."""
    return any(
        "\u0e00" <= c <= "\u0eff" or "\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" for c in piece
    )
