"""Words that make a question this one and no other, and words that only frame it: English, German, Chinese.

Casefolded, with straight apostrophes. Of languages without a list every word counts as it stands.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

HOW = "how"
WHAT = "what"
CAN = "can"


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """One language's words."""

    frames: re.Pattern[str]
    """Greetings, thanks, "can you tell me": they ask nothing."""
    goals: re.Pattern[str]
    """"I want to …", "is there a way to …": they ask how."""
    asking: Mapping[str, str]
    """Question word, of one or two words, to what it asks for."""
    modals: Mapping[str, str]
    """Word to what it makes of a question: whether one can, may, must or should."""
    openers: frozenset[str]
    """Verbs that begin a question to be answered by yes or no; they carry no topic."""
    pronouns: frozenset[str]
    """Words for people and things, and articles: a text with one is no mere list of search words."""
    fillers: frozenset[str]
    """Further words without a topic, and prepositions that go with whatever verb."""
    fixed: frozenset[str]
    """Words that nothing stands in for: negation, direction, order, quantity."""
    opposites: tuple[frozenset[str], ...]
    """Words that stand in the same places and mean something else."""
    endings: tuple[str, ...]
    """Of inflected words, the longest first."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _classes(text: str) -> dict[str, str]:
    """ "how: how; what: what which" as word to class; "_" joins two words."""
    return {
        word.replace("_", " "): " ".join(kind.split())
        for kind, _, members in (part.partition(":") for part in text.split(";"))
        for word in members.split()
    }


def _groups(text: str) -> tuple[frozenset[str], ...]:
    return tuple(_words(group) for group in text.split("|"))


ENGLISH = QuestionWords(
    frames=re.compile(
        r"^(?:hi|hey|hello|dear|good (?:morning|evening|day|afternoon))\b"
        r"(?: there| all| everyone| team)?[,!.:]*"
        r"|\b(?:please|pls|plz|thanks(?: a lot)?|thank you|thx|kindly)\b[,!.]*"
        r"|\bi(?:'m| am| was) (?:just )?wondering(?: if| whether)?\b|\bi wonder(?: if| whether)?\b"
        r"|\b(?:do you know|any idea|any ideas|let me know)(?: if| whether)?\b"
        r"|\b(?:can|could|would|will) (?:you|someone|anyone)(?: please)? "
        r"(?:tell|explain|show|describe)(?: to)?(?: me| us)?(?: about)?\b"
        r"|\b(?:can|could|would|will) (?:you|someone|anyone)(?: please)? help(?: me| us)?"
        r"(?: out)?(?: with (?:this|that|it|something))?(?: (?:to )?(?:understand|find out)| to)?\b"
        r"|\b(?:i|we) (?:want|need|would like|have|wish|'d like) to "
        r"(?:know|understand|learn|find out)(?: about)?\b"
        r"|\bi'd like to (?:know|understand|learn|find out)(?: about)?\b"
        r"|\b(?:tell|help|show) me(?: about| understand| to understand)?\b"
        r"|\bhow (?:do|can) i do (?:this|that|it)\b"
        r"|\bhow to do (?:this|that|it)\b",
        re.IGNORECASE,
    ),
    goals=re.compile(
        r"\b(?:i|we) (?:(?:just )?(?:want|need|have|wish|am trying|are trying)|would like) to\b"
        r"|\b(?:i'd|we'd) like to\b|\b(?:i'm|we're) trying to\b"
        r"|\b(?:i'm|i am|we're|we are)? ?looking for (?:a|some|any) way to\b"
        r"|\b(?:is|are) there (?:a|any|some) ways? to\b|\bwhat (?:is|are|'s) the (?:way|steps?) to\b"
        r"|\bways? to\b|\bwhat's the way to\b|\bwhat (?:can|could|should|do|must) (?:i|we|you|one) do to\b"
        r"|\bwhat (?:can|could|should|must) be done to\b",
        re.IGNORECASE,
    ),
    asking=_classes(
        """
        how: how how's; what: what what's which; who: who who's whom whose; when: when when's; where:
        where where's; why: why why's how_come; how long: how_long; how many: how_many how_much; how
        often: how_often; how far: how_far; how old: how_old; how large: how_big how_large how_high
        """
    ),
    modals=_classes(
        """
        can: can could able possible; may: may might allowed permitted; must: must need needs needed
        required necessary has_to have_to had_to; should: should shall ought
        """
    ),
    openers=_words(
        """
        is are was were am be been being do does did has have had will would isn't aren't don't doesn't
        didn't
        """
    ),
    pronouns=_words(
        """
        i we you it me us my our your its they them their myself one a an the this that these those
        there here i'm i've we're you're it's that's there's
        """
    ),
    fillers=_words(
        """
        to of for in on at as about with so also just really actually exactly and get gets using some
        any way mean means help
        """
    ),
    fixed=_words(
        """
        not no never cannot without nor neither none nothing nobody non only all every each both except
        before after until since from by than into over under up down off out or if unless instead again
        most least more less first last other another same still already vs versus between during was
        were did had will
        """
    ),
    opposites=_groups(
        """
        enable disable | encode decode |
        start stop | start end | start pause | begin end | begin finish | begin stop | open close |
        create delete | create remove | add delete | add remove | create drop | add drop | insert delete
        | send receive | get set | push pull | read write | allow deny | allow block | allow forbid |
        accept reject | accept deny | grant revoke | permit forbid | show hide | save load | backup
        restore | min max minimum maximum | low high lower higher lowest highest | small large short
        long big | old new | early late earlier later | fast slow | left right | top bottom | public
        private | client server | local remote | source target destination origin | sender receiver
        recipient | parent child children adult infant | buy sell | admin administrator user owner
        member guest | join leave | success failure error | pass fail | true false | second minute hour
        day week month quarter year | hourly daily weekly monthly quarterly yearly annual | monday
        tuesday wednesday thursday friday saturday sunday | north south east west | primary secondary
        replica | january february march april may june july august september october november december
        | staging production development test | manual automatic | required optional | positive negative
        | win lose | cause prevent cure treat diagnose | symptom treatment cause risk | raise lower |
        man woman men women | male female | mother father | boy girl | input output | row column | key
        value | one two three four five six seven eight nine ten | half double single | give take | lend
        borrow | import export | upload download | advantage disadvantage benefit cost | red green blue
        black white yellow | free paid | cheap expensive | alive dead | many few | always never | rise
        fall
        """
    ),
    endings=("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s"),
)
GERMAN = QuestionWords(
    frames=re.compile(
        r"^(?:hi|hey|hallo|moin|servus|guten (?:tag|morgen|abend)|liebes? team)\b[,!.:]*"
        r"|\b(?:bitte|danke(?: schön)?|vielen dank)\b[,!.]*"
        r"|\b(?:können sie|kannst du|könnten sie|könntest du|kann|könnte)"
        r"(?: mir| uns| mir jemand)?(?: bitte)? "
        r"(?:sagen|erklären|zeigen|helfen)\b,?"
        r"|\b(?:ich|wir) (?:möchten?|will|wollen|würden? gerne?)(?: gerne?)? "
        r"(?:wissen|verstehen|erfahren)\b,?"
        r"|\bwissen sie\b|\bweißt du\b|\bweiß jemand\b",
        re.IGNORECASE,
    ),
    goals=re.compile(
        r"\b(?:ich|wir) (?:möchten?|will|wollen|würden? gerne?)\b"
        r"|\bgibt es (?:eine|irgendeine) möglichkeit\b,?",
        re.IGNORECASE,
    ),
    asking=_classes(
        """
        how: wie; what: was welche welcher welches welchen welchem; who: wer wem wen wessen; when: wann;
        where: wo; where from: woher; where to: wohin; why: warum wieso weshalb; what with: womit; what
        for: wofür wozu; through what: wodurch; how long: wie_lange wie_lang; how many: wie_viele
        wie_viel wieviel wieviele; how often: wie_oft; how far: wie_weit; how old: wie_alt; how large:
        wie_hoch wie_groß
        """
    ),
    modals=_classes(
        """
        can: kann können kannst könnte könnten möglich; may: darf dürfen darfst dürfte erlaubt; must:
        muss müssen musst müsste nötig notwendig erforderlich brauche brauchen braucht; should: soll
        sollen sollte sollten
        """
    ),
    openers=_words(
        """
        ist sind war waren bin bist sein wird werden wurde wurden hat haben habe hatte gibt es
        """
    ),
    pronouns=_words(
        """
        ich du er sie es wir ihr man mich mir dich dir uns euch ihm ihn ihnen sich mein meine meinen
        meinem meiner unser unsere unseren unserem ihre ihren ihrem der die das den dem des ein eine
        einen einem einer eines dies diese dieser dieses diesen diesem da dort hier
        """
    ),
    fillers=_words(
        """
        in im an am auf bei beim zu zum zur für mit über um so auch denn eigentlich genau mal und dass
        von vom ins
        """
    ),
    fixed=_words(
        """
        nicht kein keine keinen keinem keiner nie niemals ohne weder noch nichts niemand nur alle alles
        jede jeder jedes beide außer vor nach bis seit durch als gegen aus ab hoch runter oder wenn
        falls statt wieder mehr weniger meisten wenigsten erste ersten letzte letzten andere anderen
        gleiche immer schon zwischen während trotz wegen war waren hatte wurde wurden
        """
    ),
    opposites=_groups(
        """
        starten stoppen | starten beenden | beginnen beenden | beginnen enden | öffnen schließen |
        erstellen löschen | erstellen entfernen | hinzufügen löschen | hinzufügen entfernen | anlegen
        löschen | senden empfangen | lesen schreiben | erlauben verbieten sperren | sichern
        wiederherstellen | laden speichern | groß klein kurz lang | alt neu | früh spät | schnell
        langsam | links rechts | oben unten | kaufen verkaufen | anfang ende | heben senken | täglich
        wöchentlich monatlich jährlich stündlich | positiv negativ | aktivieren deaktivieren | anmelden
        abmelden | erhöhen verringern senken | gewinnen verlieren | geben nehmen | minimal maximal
        """
    ),
    endings=("ern", "en", "er", "es", "em", "n", "e", "s"),
)
CHINESE_ASKING: Mapping[str, str] = _classes(
    """
    why: 为什么 为何 为啥; when: 什么时候 何时 几时; how long: 多久 多长时间; how many: 多少 几个;
    how: 怎么样 怎么 如何 怎样; what: 什么 哪些 哪个 哪种; who: 谁 哪位; where: 在哪里 哪里 哪儿 何处 在哪
    """
)
CHINESE_MODALS: Mapping[str, str] = _classes(
    "can: 可以 能够 能否 可否 能 会; must: 必须 需要 得; should: 应该 应当"
)
CHINESE_FILLERS = ("请问", "一下", "吗", "呢", "啊", "的", "了", "是", "请", "我们", "我", "你", "您")
LANGUAGES: Mapping[str, QuestionWords] = {"en": ENGLISH, "de": GERMAN}
