"""Sentences that tell where something stands, or what a document is about, and nothing of the thing itself.

Patterns for English, German, French, Spanish and Portuguese, written for folded text. Only how a sentence
begins counts: "see limits" behind a fact takes nothing from it.
"""

import re

from goldgen.text.folding import fold
from goldgen.text.sentences import sentences

_EN_TEXT = (
    r"(?:document|page|section|guide|tutorial|article|chapter|post|proposal|specification|manual|walkthrough"
    r"|example)s?"
)
_EN_TELLS = (
    r"(?:specif|describ|explain|cover|show|introduc|provid|contain|list|outlin|discuss|defin|detail|present"
    r"|demonstrat|summari|walk|give|document|is|are|will|aim|assum)\w*"
)
# "Go to", "follow" and "check" are steps of instructions more often.
_EN_SEND = (
    rf"(?:see|refer to|consult|check out|take a look at|read (?:more|about|also)"
    rf"|read (?=.*\b(?:documentation|docs|{_EN_TEXT})\b))"
)
_STARTS = (
    rf"(?:please )?{_EN_SEND}.*",
    rf"(?:for|to) (?!example)(?:[^\s,]+,? ){{1,12}}?(?:please |you can )?(?:{_EN_SEND}|read|visit)\b.*",
    r"(?:once|after|when|if) [^.]{1,100}, (?:proceed|continue|move on|head) (?:to|with)\b.*",
    r"(?:we recommend (?:that you read|reading)|you should read|more (?:details|information|about))\b.*",
    r".{1,80} (?:can|may) be found (?:in|at|on|here|under|below)\b.*",
    r".{1,80} (?:is|are) (?:documented|described|explained|covered|discussed) (?:in|on|here|below)\b.*",
    rf"(?:this|these|the following|our) (?:\w+ )?{_EN_TEXT} {_EN_TELLS}\b.*",
    rf"(?:the )?{_EN_TEXT} in this {_EN_TEXT} .*",
    rf"in (?:this|the following|our) (?:\w+ )?{_EN_TEXT},? (?:we|you|i)(?:'ll|'re|'ve)?\b.*",
    r"(?:siehe|weitere (?:informationen|details|hinweise)|mehr (?:dazu|infos|informationen|details))\b.*",
    r"(?:lesen|beachten|sehen) sie (?:bitte |dazu |auch )?.*",
    r"dies(?:e|er|es) (?:dokument|abschnitt|seite|anleitung|kapitel|tutorial|artikel) \w+t\b.*",
    r"in dies(?:em|er) (?:dokument|abschnitt|seite|anleitung|kapitel|tutorial|artikel) .*",
    r"(?:voir|consultez|reportez-vous|pour (?:plus|en savoir plus)\b).*",
    r"(?:ce document|cette (?:page|section)|ce (?:guide|chapitre)) (?:décrit|explique|présente|montre).*",
    r"(?:véase|consulte|para (?:más|obtener más) información)\b.*",
    r"(?:este documento|esta (?:página|sección)|esta guía) (?:describe|explica|presenta|muestra).*",
    r"(?:veja|consulte|para (?:mais|saber mais|obter mais) ?(?:informações|detalhes)?)\b.*",
    r"(?:este documento|esta (?:página|seção)|este guia) (?:descreve|explica|apresenta|mostra).*",
)
_SIGNPOST = re.compile("|".join(f"(?:{start})" for start in _STARTS), re.S)
_MARK = re.compile(r"^(?:(?:[-*>#|•]|\d+[.)]|note:|tip:|hinweis:|info:)\s*)+")


def only_points(text: str) -> bool:
    """Whether each of its sentences tells where something stands or what a document is about."""
    parts = [fold(text[start:end]).strip() for start, end in sentences(text)]
    return bool(parts) and all(_SIGNPOST.fullmatch(_MARK.sub("", part)) for part in parts)
