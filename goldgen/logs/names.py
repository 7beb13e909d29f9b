"""Names of people in a query, found by presidio with a spaCy model that the user has."""

import logging
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from goldgen.errors import SettingsError
from goldgen.logs.spans import Finder, Span

_PERSON = "PERSON"
_PLACEHOLDER = re.compile(r"<[A-Z]+>")
_FINDS_NAMES = {"ner", "entity_ruler", "span_ruler"}
"""Parts of a pipeline that name things."""


def person_finder(model: str) -> Finder:
    """Where names of people stand in a text, as far as the model sees it.

    ``model``: an installed package, such as ``en_core_web_sm``, or a folder. Nothing is downloaded. The model
    is asked whatever language a text is in. Raises SettingsError if the extra or the model is not there, or
    if the model does not look for people.
    """
    if find_spec("presidio_analyzer") is None:
        raise SettingsError('names of people need presidio: pip install "goldgen[names]"')
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    language = _language(model)
    # It warns of each kind of thing that is no personal data.
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    engine = SpacyNlpEngine(models=[{"lang_code": language, "model_name": model}])
    engine.load()
    recognizer = SpacyRecognizer(supported_language=language, supported_entities=[_PERSON])
    registry = RecognizerRegistry(recognizers=[recognizer], supported_languages=[language])
    analyzer: Any = AnalyzerEngine(registry, engine, supported_languages=[language])

    def find(text: str) -> Iterator[Span]:
        taken = [match.span() for match in _PLACEHOLDER.finditer(text)]
        for found in analyzer.analyze(text, language=language, entities=[_PERSON]):
            if all(found.end <= start or end <= found.start for start, end in taken):
                yield found.start, found.end

    return find


def _language(model: str) -> str:
    """That of a model that is there and names things. presidio would download one that is missing."""
    import spacy

    if not spacy.util.is_package(model) and not (Path(model) / "config.cfg").is_file():
        raise SettingsError(
            f"there is no spaCy model {model!r}: install one, as by `python -m spacy download "
            "en_core_web_sm`, or name a folder"
        )
    try:
        pipeline: Any = spacy.load(model)
    except (OSError, ValueError, ImportError) as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise SettingsError(f"cannot load the spaCy model {model!r} ({said}): install it anew") from error
    if not _FINDS_NAMES & set(pipeline.pipe_names):
        parts = ", ".join(pipeline.pipe_names) or "nothing"
        raise SettingsError(
            f"the spaCy model {model!r} names nothing in a text (it has {parts}); give another"
        )
    return str(pipeline.lang)
