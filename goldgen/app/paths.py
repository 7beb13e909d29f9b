"""Folders outside the golden-set file."""

from pathlib import Path

from platformdirs import user_cache_path


def model_cache() -> Path:
    """Where the embedded generator's weights are joined, once for each user."""
    return user_cache_path("goldgen")
