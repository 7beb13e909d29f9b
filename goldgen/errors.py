"""The one exception tree. The command line prints each as one line; anything else is a bug."""


class GoldgenError(Exception):
    """Something the user can act on. The message says what happened, to what, and what to do."""


class CorpusError(GoldgenError):
    """A path, file or table of chunks that cannot be read as a corpus."""


class TableError(GoldgenError):
    """A table (CSV, JSONL, Parquet) that cannot be read, or that lacks a column."""


class PromptError(GoldgenError):
    """A prompt file that is missing or does not have the placeholders it needs."""


class SettingsError(GoldgenError):
    """Settings that contradict each other or name something that does not exist."""


class StoreError(GoldgenError):
    """The golden-set file cannot be opened, is locked, or was written by another version."""


class ModelError(GoldgenError):
    """A model that cannot be found, loaded or reached."""


class EndpointError(ModelError):
    """An endpoint that refuses every call: wrong key, wrong model, no quota, nothing listening."""


class BudgetError(GoldgenError):
    """A run has reached its limit of money or requests. What was finished is kept."""


class RetrieverError(GoldgenError):
    """A retriever that cannot be built or gave an impossible answer, such as a NaN score."""


class EmptyResultError(GoldgenError):
    """A stage was asked for items and yielded none. The message counts the reasons."""
