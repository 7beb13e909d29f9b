"""Names of people in queries, found by presidio with a spaCy model that the user has.

Nothing is downloaded: presidio, which would fetch a model that is missing, gets one that is loaded already.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldgen.errors import SettingsError
from goldgen.logs.spans import Span

if TYPE_CHECKING:
    from spacy.language import Language

NameFinder = Callable[[Sequence[str]], list[list[Span]]]
"""Where names stand in each of some texts: many at once, for a model is several times faster so."""

_PERSON = "PERSON"
_PERSON_LABELS = {_PERSON, "PER", "persName", "PRS", "PS"}
"""What spaCy's pipelines call a person: most; German and others; Polish; Swedish; Korean."""
_PLACEHOLDER = re.compile(r"<[A-Z]+>")
_AT_ONCE = 128


def person_finder(model: str) -> NameFinder:
    """Where names of people stand in texts, as far as the model sees it; placeholders are none.

    ``model``: an installed package, such as ``en_core_web_sm``, or a folder. It is asked whatever language a
    text is in. Raises SettingsError if the extra or the model is not there, or if the model does not look
    for people.
    """
    if find_spec("presidio_analyzer") is None:
        raise SettingsError('names of people need presidio: pip install "goldgen[names]"')
    pipeline = _load(model)
    labels = _labels(pipeline)
    if not labels & _PERSON_LABELS:
        raise SettingsError(
            f"the spaCy model {model!r} looks for no people (for {', '.join(sorted(labels)) or 'nothing'}); "
            "give another"
        )
    # After the model's checks, since presidio takes seconds to load.
    from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    language = str(pipeline.lang)
    engine: Any = SpacyNlpEngine(
        ner_model_configuration=NerModelConfiguration(
            labels_to_ignore=labels - _PERSON_LABELS,
            model_to_presidio_entity_mapping=dict.fromkeys(_PERSON_LABELS, _PERSON),
        )
    )
    engine.nlp = {language: pipeline}
    recognizer = SpacyRecognizer(supported_language=language, supported_entities=[_PERSON])
    registry = RecognizerRegistry(recognizers=[recognizer], supported_languages=[language])
    analyzer: Any = BatchAnalyzerEngine(AnalyzerEngine(registry, engine, supported_languages=[language]))

    def find(texts: Sequence[str]) -> list[list[Span]]:
        found = analyzer.analyze_iterator(texts, language, _AT_ONCE, entities=[_PERSON])
        return [
            [part for name in names for part in _beside_placeholders(text, name.start, name.end)]
            for text, names in zip(texts, found, strict=True)
        ]

    return find


def _beside_placeholders(text: str, start: int, end: int) -> Iterator[Span]:
    """What a name spans without the placeholders in it, or that it cuts: ``Ada <EMAIL>`` is ``Ada``."""
    taken = [match.span() for match in _PLACEHOLDER.finditer(text)]
    bounds = [start, *(at for span in taken for at in span if start < at < end), end]
    for first, last in pairwise(bounds):
        part = text[first:last]
        inside = any(opened <= first and last <= closed for opened, closed in taken)
        if not inside and any(map(str.isalnum, part)):
            yield first + len(part) - len(part.lstrip()), last - len(part) + len(part.rstrip())


def _load(model: str) -> "Language":
    """The pipeline, if it is there."""
    import spacy

    if not spacy.util.is_package(model) and not (Path(model) / "config.cfg").is_file():
        raise SettingsError(
            f"there is no spaCy model {model!r}: install one, as by `python -m spacy download "
            "en_core_web_sm`, or name a folder"
        )
    try:
        return spacy.load(model)
    except (OSError, ValueError, ImportError) as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise SettingsError(f"cannot load the spaCy model {model!r} ({said}): install it anew") from error


def _labels(pipeline: "Language") -> set[str]:
    """Of all that the parts of a pipeline name in a text."""
    names = [name for name in pipeline.pipe_names if "doc.ents" in pipeline.get_pipe_meta(name).assigns]
    return {str(label) for name in names for label in pipeline.pipe_labels.get(name, ())}
