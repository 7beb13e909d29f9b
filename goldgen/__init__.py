"""Golden sets for retrieval: made from your own documents and query logs, and proven."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldgen.app.evaluate import EvalOptions, evaluate
    from goldgen.evaluation import Report

__all__ = ["EvalOptions", "Report", "__version__", "evaluate"]
__version__ = "0.1.0"

_HOMES = {
    "EvalOptions": "goldgen.app.evaluate",
    "evaluate": "goldgen.app.evaluate",
    "Report": "goldgen.evaluation",
}


def __getattr__(name: str) -> object:
    """What Python asks for a name that is not there yet: so ``import goldgen`` loads no library."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
