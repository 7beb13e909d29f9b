"""Questions that point away from themselves: at a passage their reader does not see, or at nothing named.

Patterns for English, German, French, Spanish, Italian, Portuguese, Dutch, Chinese, Japanese and Russian,
written for folded text. They are made to be sure rather than complete: a judge that reads the question sees
more, and code is there for what it overlooks.
"""

import re

from goldgen.text.folding import fold

_INFORMATION_TECHNOLOGY = re.compile(r"\bIT\b")
_FORMAL_SIE = re.compile(r"(?<=\w )Sie\b")
_END = r"\s*(?:[?.!]|$)"

_EN_TEXT = (
    r"(?:passage|section|excerpt|snippet|paragraph|article|document|text|page|chapter|table|figure|diagram"
    r"|image|example|code|list|statement|context)s?"
)
_EN_SHOWN = rf"(?:{_EN_TEXT}|commands?|quer(?:y|ies)|configuration|output|steps?|options?|function|script)"
_EN_TOLD = r"(?:mentioned|described|listed|shown|stated|given|provided|specified|discussed|defined|explained)"
_EN_NOUN_OF_TIME = r"(?:year|month|week|day|morning|evening|night|time|century)"
# "It" that stands for what comes after it: is it safe to …, how long does it take to …, is it Foo that …
_EN_IS_HOLLOW = (
    r"(?! (?!able|used|going|supposed|about|ready|meant|intended|designed|similar|due|subject|related"
    r"|compared|called)(?:\w+ ){1,3}(?:to|that|if|whether|how|when|for)\b| .*\bthat\b| called (?:when|if)\b)"
)
_EN_DOES_HOLLOW = (
    r"(?! (?:\w+ )?(?:be (?!able)|take|takes|took|taken|cost|costs|mean|means|matter|matters|make|help"
    r"|hurt)\b.*\b(?:to|that|if|whether|when|for|before|until|which|what|how|where)\b)"
)
_EN_WH = (
    r"(?:how|why|when|where|who|what|what if|what happens (?:if|when|after|before)|how (?:long|often|much"
    r"|many|far|fast|big|large)|(?:which|what|how many|how much) \w+)"
)
_EN_AUX = (
    r"(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|must|may|might|has|have|had)(?:n't)?"
)

_ENGLISH = (
    rf"\bth(?:is|ese) (?:\w+ )?{_EN_SHOWN}\b",
    r"\b(?:the|this) passage\b(?! of)",
    rf"\b(?:according to|based on|as per) the (?:\w+ )?(?!code){_EN_TEXT}\b",
    r"\b(?:in|from|by|of) the (?:\w+ )?(?:passage|excerpt|snippet)\b",
    rf"\b{_EN_TOLD} (?:in|by|on) the (?:passage|section|excerpt|snippet|paragraph|article|document|text|table"
    rf"|figure|example|context){_END}",
    rf"\b(?:{_EN_SHOWN}|{_EN_TOLD}) (?:above|below)\b(?! (?:the|a|an|\W*\d))",
    r"\bthe (?:above|following|preceding|previous|aforementioned|given|provided|quoted) (?:\w+ )?"
    rf"{_EN_SHOWN}\b",
    r"\b(?:of|in) the (?:above|following)(?: (?:is|are|was|were|does|do|can|should)\b|\s*(?:[?.!:]|$))",
    rf"^(?:{_EN_WH} )?{_EN_AUX} (?:they|he|she)\b",
    rf"^(?:{_EN_WH} )?(?:is|was|isn't|wasn't) it\b{_EN_IS_HOLLOW}",
    rf"^(?:{_EN_WH} )?(?!is|was){_EN_AUX} it\b{_EN_DOES_HOLLOW}",
    r"^(?:how|why|when|where|what|what if|what happens (?:if|when|after|before)) (?:they|he|she"
    r"|it(?! (?:is|was) \w+ (?:to|that)\b)) \w+",
    rf"^(?:{_EN_WH} )?{_EN_AUX} (?:its|their|his|her)(?: \w+){{1,3}}{_END}",
    rf"^(?:{_EN_WH} )?{_EN_AUX} th(?:is|ese)\b(?! {_EN_NOUN_OF_TIME})",
    rf"^(?:{_EN_WH} )?{_EN_AUX} th(?:at|ose)(?:{_END}| (?:mean|work|happen|apply|do|cause|affect)\b)",
    rf"^(?:{_EN_WH} )?(?:{_EN_AUX} (?:i|you|we|one)|to) \w+ (?:(?:up|out|off|on|in|down|to|with|from|about"
    rf"|for|into|at) )?(?:them|him|(?:it|this|that|these|those)(?={_END}| (?:in|on|with|from|for|to|using|via"
    r"|by|when|if|after|before|again|up|off|down|out)\b))(?! (?:so|possible|easier)\b)",
    r"^who \w+ (?:it|them|him|her)\b",
    rf"^(?:it(?!'s\b){_EN_DOES_HOLLOW}|its|they|their|he|she) \w+",
    rf"^(?:it|they|this|that|these|those){_END}",
)

_DE_TEXT = (
    r"(?:abschnitt\w*|absatz\w*|absatzes|passage|textstelle|textausschnitt\w*|auszug\w*|dokument\w*|text\w{0,2}"
    r"|tabelle\w?|beispiel\w*|artikel\w?|kapitel\w?|abbildung|liste|befehl\w*|code)"
)
_GERMAN = (
    rf"\b(?:dies\w+|obig\w+|vorliegend\w+|nachfolgend\w+|folgend\w+|vorstehend\w+|gegeben\w+) {_DE_TEXT}\b",
    rf"\b(?:laut|gemäss|entsprechend) (?:dem|der|des|diesem|dieser) {_DE_TEXT}\b",
    r"\b(?:im|in der|in dem) (?:passage|textstelle|textausschnitt|auszug)\b",
    rf"\b(?:im|in der|in dem) {_DE_TEXT} (?:\w+ )?(?:erwähnt|genannt|beschrieben|gezeigt|aufgeführt"
    r"|angegeben)",
    rf"\b{_DE_TEXT} (?:oben|unten)\b|\b(?:oben|unten) (?:genannt|stehend|beschrieben|gezeigt|aufgeführt)",
    r"^(?:wie|was|wo|wann|warum|wozu|womit|woher|kann|soll|muss|darf) (?:\w+ )?(?:ich|man|wir|du) "
    r"(?:ihn|sie|ihm|ihnen|es|dies|diese[nmrs]?)\b(?!.*, (?:dass|ob|wenn)\b)",
    r"^(?:wie(?: (?:lange|oft|viel|schnell|gross))?|was|wo|wann|warum|wozu) (?!gibt)(?:\w+t|wird|kann|muss"
    r"|soll|darf) (?:er|sie|es(?! (?:\w+ )?(?:möglich|nötig|sinnvoll|sicher|ratsam|erlaubt|besser)\b))\b"
    r"(?!.*(?:, (?:dass|ob|wenn)|\b(?:zu|bis)\b))",
    r"^(?:ist|sind|hat|wird|kann|muss|soll) (?:er|sie) (?!bitte)\w+",
    rf"^(?:was|wie) (?:ist|bedeutet|macht|funktioniert) (?:das|dies){_END}",
)

_FR_TEXT = (
    r"(?:passage|texte|document|section|paragraphe|article|extrait|tableau|exemple|chapitre|figure|schéma)s?"
)
_FRENCH = (
    rf"\b(?:ce|cet|cette|ces) {_FR_TEXT}\b",
    rf"\b(?:selon|d'après) (?:le |la |les |l'){_FR_TEXT}\b",
    r"\bdans (?:le |la |l')(?:passage|extrait)\b",
    r"\bci-(?:dessus|dessous|après)\b|\b(?:susmentionné|précité)",
    r"^(?:comment|que|quand|où|pourquoi|à quoi|combien) (?!faut|existe|suffit|s'agit|convient|vaut"
    r"|fait-il \w)\w+-(?:t-)?(?:il|elle|ils|elles)\b(?! (?:possible|nécessaire|utile|préférable|conseillé"
    r"|permis|important|vrai|recommandé|obligatoire|que|de|des|du|d'|y))",
    rf"^comment (?:puis-je |peut-on |faire pour |dois-je )?(?:l'|le |la |les )(?:\w+(?:er|ir)|faire"
    rf"|mettre|lire)(?:{_END}| (?:sur|avec|sous)\b)",
    rf"^(?:comment|qu'est-ce que|à quoi|que|pourquoi) (?:\w+ )?(?:ça|cela|ceci)(?:{_END}| \w+{_END})",
)

_ES_TEXT = (
    r"(?:pasaje|texto|documento|sección|párrafo|artículo|extracto|fragmento|tabla|ejemplo|capítulo|figura)s?"
)
_SPANISH = (
    rf"\b(?:este|esta|estos|estas|ese|esa|dicho|dicha) {_ES_TEXT}\b",
    rf"\b(?:según|de acuerdo con) (?:el|la) {_ES_TEXT}\b",
    rf"\b{_ES_TEXT} (?:anterior|siguiente|de arriba|de abajo)\b",
    r"\bmencionad[oa]s? (?:anteriormente|arriba|antes)",
    rf"^(?:cómo|dónde|cuándo|por qué|quién) (?:lo|la|los|las) \w+{_END}",
    rf"^(?:cómo|dónde|cuándo) (?:(?:puedo|se puede|podemos|debo) )?\w+[aei]r(?:lo|la|los|las){_END}",
    rf"^(?:cómo|qué|para qué|por qué) \w+ (?:esto|eso){_END}",
)

_IT_TEXT = (
    r"(?:brano|testo|documento|sezione|paragrafo|articolo|estratto|tabella|esempio|capitolo|figura|passaggio)"
)
_ITALIAN = (
    rf"\b(?:quest[oa] |quest'|tale ){_IT_TEXT}\b",
    rf"\bsecondo (?:il |la |lo |l'){_IT_TEXT}\b|\b(?:nel|del) brano\b",
    rf"\b{_IT_TEXT} (?:precedente|seguente|sopra|sotto|sottostante|soprastante|qui sopra)\b",
    r"\bsopra (?:citat|indicat|descritt|riportat|menzionat)[oaie]\b|\bsuddett[oaie]\b",
    rf"^(?:come|dove|quando|perché|chi) (?:lo|la|li|le) \w+{_END}",
    rf"^(?:come|dove|quando) (?:(?:posso|si può|faccio a|devo) )?\w+[aei]r(?:lo|la|li|le){_END}",
    rf"^(?:come|cosa|che cosa|a cosa|perché) \w+ (?:questo|ciò|esso|essa){_END}",
)

_PT_TEXT = (
    r"(?:trecho|texto|documento|seção|secção|parágrafo|artigo|passagem|excerto|tabela|exemplo|capítulo"
    r"|figura)s?"
)
_PORTUGUESE = (
    rf"\b[dn]?(?:est|ess)[ea]s? {_PT_TEXT}\b",
    rf"\b(?:segundo|conforme|de acordo com) [oa] {_PT_TEXT}\b",
    rf"\b{_PT_TEXT} (?:acima|abaixo|anterior|seguinte)\b|\bmencionad[oa]s? (?:acima|anteriormente)\b",
    rf"^(?:como|onde|quando|por que|quem) (?:eu )?(?:posso |é que )?(?:o|a|os|as) \w+{_END}",
    rf"^(?:como|onde|quando) (?:(?:posso|devo|podemos) )?\w+-(?:lo|la|los|las|o|a){_END}",
    r"^(?:como|o que|quando|onde|por que) (?:\w+ )?(?:ele|ela|eles|elas|isso|isto)\b",
)

_NL_TEXT = (
    r"(?:passage|sectie|tekst|document|alinea|paragraaf|artikel|fragment|tabel|voorbeeld|hoofdstuk|figuur)"
)
_DUTCH = (
    rf"\b(?:deze|dit|bovenstaande|onderstaande|bovengenoemde) {_NL_TEXT}\b",
    rf"\bvolgens (?:de|het) {_NL_TEXT}\b",
    rf"\b{_NL_TEXT} (?:hierboven|hieronder)\b|\bhierboven (?:genoemd|beschreven|vermeld)",
    rf"^(?:hoe|waar|wanneer|waarom|wat|kan|moet) (?:\w+ )?(?:ik|je|we|men) (?:hem|ze|(?:het|dit|dat)"
    rf"(?={_END}| (?:op|in|met|via|aan|uit)\b))",
    rf"^(?:hoe|wat|waar|waarom|wanneer) \w+ (?:hij|ze|zij|het(?={_END}))",
)

_ZH_TEXT = (
    r"(?:段落?|段话|节|章节?|部分|文章|文档|文件|文本|表格?|例子|示例|片段|图片?|内容|代码"
    r"|命令|小节|篇文章)"
)
_ZH_ASKING = (
    r"(?:请问|如何|怎么样?|怎样|为什么|为何|什么时候|何时|在?哪里|在哪儿|能否|可以|是否|应该"
    r"|我们?|你|要|能|可|会|该)"
)
_CHINESE = (
    rf"(?:这一?|该|上述|上面的?|以上的?|下面的?|以下的?|前述){_ZH_TEXT}",
    r"(?:根据|依据|按照)(?:上文|下文|本文|文中)|^(?:上文|文中|本文|本节|本章|本段)",
    rf"^{_ZH_ASKING}*\w{{0,2}}?(?<![其吉利维])(?:它们?|他们?|她们?|这个|那个|这些|那些)(?:的|吗|呢|{_END}|\w{{1,3}}{_END})",
)

_JA_TEXT = (
    r"(?:文章|文書|段落|節|セクション|表|例|文|ドキュメント|記事|章|図|本文|テキスト|コード"
    r"|コマンド|手順|箇所|資料)"
)
_JAPANESE = (
    rf"(?:この|その|上記の|上の|下記の|以下の|前述の){_JA_TEXT}",
    r"(?:本文|文中|上記|下記)(?:に|の|で|から)",
    r"^(?:この|その(?!他)|これ(?!まで|から)|それ(?!ぞれ)|彼女?(?:は|が|の))",
    r"^(?:どうやって|どのように|どうすれば|いつ|なぜ|どこで|誰が)(?:これ|それ)(?!ぞれ|まで|から)",
)

_RU_TEXT = (
    r"(?:раздел\w*|текст\w*|отрыв\w+|документ\w*|абзац\w*|таблиц\w*|стать\w+|пример\w*|фрагмент\w*|глав\w{1,2}"
    r"|рисун\w+)"
)
_RUSSIAN = (
    rf"\b(?:эт(?:от|ого|ому|им|ом|а|ой|у)|данн(?:ый|ого|ому|ом|ая|ой|ую)|приведенн\w+|приведённ\w+"
    rf"|вышеуказанн\w+|указанн\w+|следующ\w+|предыдущ\w+) {_RU_TEXT}\b",
    rf"\b(?:согласно|судя по) {_RU_TEXT}\b",
    rf"\b{_RU_TEXT} (?:выше|ниже)\b|\b(?:указан|описан|привед[её]н|упомянут)\w* (?:выше|ниже)\b",
    rf"^(?:как|где|когда|почему|зачем|кто|можно ли) (?:мне |можно |нужно )?(?:его|её|ее|их|это) \w+{_END}",
    r"^(?:как|где|когда|почему|зачем|что) (?:он|она|оно|они) \w+",
    rf"^что (?:такое )?это(?: такое)?{_END}|^(?:он|она|оно|они) \w+",
)

_POINTERS = re.compile(
    "|".join(
        f"(?:{pattern})"
        for pattern in (
            *_ENGLISH,
            *_GERMAN,
            *_FRENCH,
            *_SPANISH,
            *_ITALIAN,
            *_PORTUGUESE,
            *_DUTCH,
            *_CHINESE,
            *_JAPANESE,
            *_RUSSIAN,
        )
    )
)


def points_away(question: str) -> bool:
    """Whether a question needs a text beside it to be understood.

    It names a passage ("according to the section", "in the table above"), or begins with a pronoun for which
    nothing stands before it ("How do I install it?").
    """
    # Folding takes capitals away, by which these two are told from pronouns.
    spoken = question if question.isupper() else _INFORMATION_TECHNOLOGY.sub("I.T.", question)
    spoken = _FORMAL_SIE.sub("man", spoken)
    return _POINTERS.search(fold(spoken).lstrip("¿¡\"'( ")) is not None
