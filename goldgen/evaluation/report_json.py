"""A report as JSON and back, without loss: what the set keeps, ``--json`` prints and a gate compares with."""

import json
from dataclasses import asdict

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
        return TypeAdapter(Report).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise SettingsError(
            f"{name} is no report of this goldgen ({where}: {first['msg']}); "
            "write one with goldgen eval --json > FILE"
        ) from error
