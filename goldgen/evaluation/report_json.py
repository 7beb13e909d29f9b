"""A report as JSON and back, without loss: what the set keeps, ``--json`` prints and a gate compares with."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isfinite
from typing import cast

from pydantic import TypeAdapter, ValidationError

from goldgen.errors import SettingsError
from goldgen.evaluation.report import Report


def report_to_json(report: Report, indent: int | None = None) -> str:
    """Every field by its name; numbers in full precision."""
    return json.dumps(asdict(report), ensure_ascii=False, indent=indent, allow_nan=False)


def report_from_json(text: str | bytes, name: str) -> Report:
    """Read a report back. ``name`` says in messages where it came from.

    Raises SettingsError for text that is none, or that another version of goldgen wrote in another form.
    """
    try:
        report = TypeAdapter(Report).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise SettingsError(
            f"{name} is no report of this goldgen ({where}: {first['msg']}); "
            "write one with goldgen eval --json > FILE"
        ) from error
    problem = next(_problems(report), None)
    if problem:
        raise SettingsError(
            f"{name} is no sound report: {problem}; write one with goldgen eval --json > FILE"
        )
    return report


def _problems(report: Report) -> Iterator[str]:
    """What a report cannot be, though each of its fields has the right type."""
    labels = [result.label for result in report.retrievers]
    if not labels:
        yield "it has no retriever"
    if len(set(labels)) < len(labels):
        yield "two of its retrievers have one label"
    if len({outcome.question_id for outcome in report.outcomes}) < len(report.outcomes):
        yield "it has a question twice"
    for result in report.retrievers:
        drawn = result.curve
        if not len(drawn.precision) == len(drawn.recall) == len(drawn.ceiling) > 0:
            yield f"the curve of {result.label} has gaps"
    yield from (f"{where} is no finite number" for where in _not_finite(asdict(report), ""))


def _not_finite(value: object, where: str) -> Iterator[str]:
    if isinstance(value, float) and not isfinite(value):
        yield where
    elif isinstance(value, dict):
        for key, item in cast(dict[str, object], value).items():
            yield from _not_finite(item, f"{where}.{key}" if where else key)
    elif isinstance(value, list | tuple):
        for place, item in enumerate(cast(Sequence[object], value)):
            yield from _not_finite(item, f"{where}[{place}]")
