"""A report as a gate reads it: retrievers by label, values by question."""

from collections.abc import Mapping
from dataclasses import dataclass

from goldgen.errors import SettingsError
from goldgen.evaluation import Report


@dataclass(frozen=True, slots=True)
class NamedReport:
    """A report with the name that messages call it by."""

    name: str
    report: Report

    @property
    def labels(self) -> tuple[str, ...]:
        """Of its retrievers."""
        return tuple(result.label for result in self.report.retrievers)

    @property
    def clusters(self) -> Mapping[str, str]:
        """Question id to its cluster."""
        return {outcome.question_id: outcome.cluster for outcome in self.report.outcomes}

    def label(self, name: str) -> str:
        """The label of the retriever with this label or, if only one has it, this name.

        Raises SettingsError if there is none.
        """
        if name in self.labels:
            return name
        named = [result.label for result in self.report.retrievers if result.name == name]
        if len(named) != 1:
            raise SettingsError(
                f"{self.name} has no retriever {name!r}, only {', '.join(self.labels) or 'none at all'}; "
                "evaluate it too, or name another with --retriever"
            )
        return named[0]

    def values(self, label: str, measure: str) -> dict[str, float]:
        """Question id to the value of one measure. Raises SettingsError if it was not measured."""
        values: dict[str, float] = {}
        for outcome in self.report.outcomes:
            measured = outcome.values.get(label, {})
            value = measured.get(measure)
            if value is None:
                raise SettingsError(
                    f"{self.name} has no {measure} of {label}, only {', '.join(measured) or 'nothing'}; "
                    "choose one of these, or measure it with goldgen eval --measure"
                )
            # Not so for NaN either.
            if not 0 <= value <= 1:
                raise SettingsError(
                    f"{self.name} has a {measure} of {value:g} for question {outcome.question_id}, which no "
                    "measure can be; write the file anew with goldgen eval --json"
                )
            values[outcome.question_id] = value
        return values
