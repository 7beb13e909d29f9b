"""A table, and the same as a frame of the user's own library."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldgen.errors import SettingsError

if TYPE_CHECKING:
    import pandas
    import polars

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name, all of one length."""

    columns: Mapping[str, tuple[Cell, ...]]

    def to_polars(self) -> "polars.DataFrame":
        """Raises SettingsError if polars is not installed."""
        try:
            import polars
        except ImportError as error:
            raise _missing("polars") from error
        return polars.DataFrame({name: list(column) for name, column in self.columns.items()})

    def to_pandas(self) -> "pandas.DataFrame":
        """Raises SettingsError if pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise _missing("pandas") from error
        return pandas.DataFrame({name: list(column) for name, column in self.columns.items()})


def _missing(library: str) -> SettingsError:
    return SettingsError(
        f"{library} is not installed; pip install 'goldgen[frames]', or pip install {library}"
    )
