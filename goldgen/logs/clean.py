"""Which queries ask nothing that documents could answer: ways to a page, and tries of what breaks."""

import re
from dataclasses import dataclass

from goldgen.text import fold

_NAVIGATION = re.compile(
    r"(?:log|sign)[ -]?(?:in|out|up|off)|register|home(?: ?page)?|start ?page|main page|dashboard"
    r"|(?:my )?account|profile|contact(?: us)?|about(?: us)?|help|faq|menu|index|anmeld(?:en|ung)|einloggen"
    r"|startseite|mein konto|kontakt|impressum|hilfe|connexion|accueil|contacto|inicio|iniciar sesión"
)
_TRIES = re.compile(
    r"(?:test(?:s|ing)? ?){1,3}|(?:asdf ?){1,3}|qwert[yz](?:uiop)?|foo|bar|foo ?bar|x{3,}|hello(?: world)?|hi"
    r"|abcd?|abc ?123|123(?:4(?:5(?:6(?:7(?:89?)?)?)?)?)?|lorem ipsum(?: .*)?|(?:bla ?){2,}|blah|a{3,}"
    r"|(.)\1{3,}|([^\W\d_]{2,3})\2{2,}"
)
_ATTACKS = re.compile(
    r"""
      ['"]\s*(?:\)|;|--|\#)*\s*(?:or|and)\s+['"(]*\w+['"]*\s*(?:=|like)\s*['"]*\w*  # ' or 1=1
    | ['"]\s*;\s*(?:drop|delete|insert|update|exec)\b
    | \bunion\s+(?:all\s+)?select\s+(?:null|\d|@@|concat|char\()
    | \b(?:sleep|benchmark|pg_sleep)\s*\(\s*\d | \bwaitfor\s+delay\b | \bxp_cmdshell\b
    | <script\b | \bon(?:error|load|mouseover)\s*=\s*["']?\w+\( | \bjavascript:\s*\w+\(
    | \$\{jndi: | \{\{\s*\d+\s*[*+]\s*['"]?\d+ | \$\{\s*\d+\s*[*+]\s*\d+ | <%=\s*\d+\s*[*+] | \#\{\s*\d+\s*\*
    | (?:\.\./){2,} | (?:\.\.\\){2,} | %2e%2e%2f | /etc/(?:passwd|shadow)\b.*(?:\x00|%00|\.\.)
    | ;\s*(?:cat|ls|id|wget|curl)\s+[/h-] | \|\s*(?:id|whoami)\s*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_AROUND = " .,;:!?\"'"


@dataclass(frozen=True, slots=True)
class Cleaning:
    """Which queries are turned down."""

    languages: frozenset[str] = frozenset()
    """ISO 639-1 codes of those to keep; empty: all. A query whose language is not clear is kept."""
    keep_all: bool = False
    """Count what would be turned down, and keep it."""


def asks_nothing(text: str) -> str | None:
    """Why a scrubbed query is no question to documents: "navigation", "probe", or None."""
    folded = fold(text).strip(_AROUND)
    if _NAVIGATION.fullmatch(folded):
        return "navigation"
    if _TRIES.fullmatch(folded) or _ATTACKS.search(text):
        return "probe"
    return None
