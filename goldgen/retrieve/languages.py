"""Function words of some languages, and the language of a corpus by counting them."""

from collections.abc import Iterable

from goldgen.text.words import words

# What an apostrophe parts off stands in the lists too: "don't" is "don" and "t", "l'eau" is "l" and "eau".
_LISTS = {
    "da": (
        "ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse "
        "dog du efter eller en end er et for fra før gennem han hans har havde have hende hendes her hos "
        "hun hvad hvem hver hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg jer kan "
        "kunne man mange med meget men mig min mod må ned nogen noget nogle nu når og også om op os over "
        "på sig sin sit skal skulle som så til ud under var vi vil ville vor være været"
    ),
    "de": (
        "ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin "
        "bis bist da dadurch daher damit dann das dass dein dem den denn der deren des dessen dich die "
        "dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines "
        "er es etwas euch euer für gegen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn "
        "ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jedoch kann kein "
        "keine keinen können könnte man mein mit muss müssen nach nicht noch nun nur ob oder ohne sehr "
        "sein seine seinem seinen seiner sich sie sind so solche soll sollte sondern sowie um und uns "
        "unser unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches "
        "wem wen wenn wer werden weshalb wessen wie wieder wieso will wir wird wo woher wohin wurde "
        "wurden während zu zum zur zwischen über"
    ),
    "en": (
        "a about after again all also am an and any are aren as at be because been before being between "
        "both but by can could couldn d did didn do does doesn doing don for from had hadn has hasn have "
        "haven having he her here hers him his how i if in into is isn it its itself just ll m may me "
        "might must my no nor not of on or other our ours out re s shall she should shouldn so some such "
        "t than that the their theirs them then there these they this those to too us ve very was wasn "
        "we were weren what when where which while who whom whose why will with won would wouldn you "
        "your yours"
    ),
    "es": (
        "a al algo algunas algunos ante antes aquel como con contra cual cuando cuál cuáles cuándo "
        "cuánto cómo de del desde donde dos durante dónde e el ella ellas ellos en entre era es esa esas "
        "ese eso esos esta estas este esto estos está están fue fueron ha había han hasta hay la las le "
        "les lo los me mi muy más ni no nos o otra otro otros para pero por porque puede qu que quien "
        "quién qué se ser si sin sino sobre son su sus sí también tan tanto te tiene tienen todo todos "
        "tu un una uno unos y ya yo"
    ),
    "fi": (
        "ei eivät eli emme en enemmän ennen ero et että he heidän hän hänen ja jo joka jonka jos jossa "
        "jotka kanssa kautta ketkä koska kuin kuinka kuka kun kuten me mihin miksi mikä millainen "
        "milloin minkä minä missä mistä mitkä mitä mukaan mutta myös ne niiden niin niitä noin nyt "
        "näiden nämä olen oli olivat olla on ovat se sekä sen siitä sille sillä sinä sitä tai te tämä "
        "tämän tässä tätä vaan vai vain voi voivat yli"
    ),
    "fr": (
        "a ai ainsi alors après au aucun aussi autre aux avait avant avec avoir c ce cela celle celui "
        "ces cet cette chez ci comme comment d dans de depuis des donc dont du elle elles en entre es "
        "est et eu eux fait il ils j je l la le les leur leurs lors lui m ma mais me mes moi mon même n "
        "ne ni nos notre nous on ont ou où par pas peut plus pour pourquoi qu quand que quel quelle "
        "quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tous tout toute très "
        "tu un une vos votre vous y à été être"
    ),
    "it": (
        "a ad agli ai al alla alle allo anche avere c che chi ci come con contro cosa cui d da dagli dai "
        "dal dalla dalle degli dei del dell della delle dello di dopo dove e ed era erano essere fu gli "
        "ha hanno i il in io l la le lei li lo loro lui ma mentre mi mio ne negli nei nel nella nelle "
        "nello noi non nostro o ogni per perché più poi prima può qual quale quali quando quanto quella "
        "quelle quelli quello questa queste questi questo qui sarà se senza si sia sono sopra sotto "
        "stato su sua sue sugli sui sul sulla suo suoi tra tu tutti tutto un una uno vi è"
    ),
    "nl": (
        "aan al alle als altijd andere ben bij daar dan dat de deze die dit doch doen door dus een en er "
        "ge geen had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen "
        "maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons ook "
        "op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was "
        "wat we welk welke werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou"
    ),
    "no": (
        "alle at av blant ble bli blir både da de deg dem den denne der deres det dette din disse du "
        "eller en enn er et etter for fordi fra før ha hadde han hans har hva hvem hver hvilke hvilken "
        "hvis hvor hvordan hvorfor i ikke inn ja jeg kan kun kunne man mange med meg mellom men mer min "
        "mot må nei noe noen nå når og også om opp oss over på samme seg selv sin sitt skal skulle slik "
        "som så til under ut var ved vi vil ville vår være vært"
    ),
    "pt": (
        "a ao aos aquela aquele as até com como da das de dela dele deles depois do dos e ela elas ele "
        "eles em entre era essa essas esse esses esta estas este estes está estão eu foi foram há isso "
        "isto já lhe mais mas me mesmo meu minha muito na nas nem no nos nossa nosso não nós o onde os "
        "ou para pela pelas pelo pelos pode por porque quais qual quando quanto que quem se sem ser seu "
        "seus sobre sua suas são só também te tem teve tinha todo todos tu têm um uma você vocês à às é"
    ),
    "ru": (
        "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для "
        "до его ее ей ему если есть еще же за здесь и из или им их к как какая какие какой когда кто "
        "куда ли либо мне может мы на над надо нас не него нее нет ни них но ну о об однако он она они "
        "оно от очень по под при с со так также такой там те тем то того тоже той только том ту ты у уже "
        "чего чем через что чтобы чье эта эти это этого этой этом этот я"
    ),
    "sv": (
        "alla allt att av blev bli blir både de dem den denna deras dess det detta dig din dock du där "
        "då efter eller en er ett från för genom ha hade han hans har hela henne hennes hon honom hos "
        "hur här i icke in inte jag ju kan kunde man med mellan men mer mig min mot mycket ni nu när "
        "någon något några och också om oss på samma sedan sig sin sitt ska skall skulle som så till "
        "under upp ut utan vad var varför varje vem vi vid vilka vilken vilket vill vår än är även över"
    ),
}
STOP_WORDS = {language: frozenset(text.split()) for language, text in _LISTS.items()}
"""By ISO 639-1 code: the words that carry no topic, in the form that ``words`` gives."""

_SAMPLE_OF_WORDS = 20_000
_LEAST_SHARE = 0.1
_LEAST_LEAD = 1.1


def detected_language(texts: Iterable[str]) -> str | None:
    """The language whose function words are most of the first 20,000 words; None where that is not clear.

    Clear means a tenth of the words at least, and a tenth more than in the next language. Made for whole
    corpora: texts in many languages, code, or a script without spaces give None.
    """
    seen = 0
    counts = dict.fromkeys(STOP_WORDS, 0)
    for text in texts:
        found = words(text)
        seen += len(found)
        for language, listed in STOP_WORDS.items():
            counts[language] += sum(map(listed.__contains__, found))
        if seen >= _SAMPLE_OF_WORDS:
            break
    second, first = sorted(counts, key=lambda language: counts[language])[-2:]
    if counts[first] < max(1, _LEAST_SHARE * seen) or counts[first] < _LEAST_LEAD * counts[second]:
        return None
    return first
