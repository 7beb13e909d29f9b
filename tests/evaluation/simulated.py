"""Paired differences as retrieval gives them, for what statistics have to be right about on average."""

import numpy as np

from goldgen.types import Scores


def clustered_differences(
    generator: np.random.Generator, clusters: int, mean: float
) -> tuple[Scores, list[str]]:
    """1 to 6 questions a document; most tie, the rest differ by steps; a document has an effect of its own.

    The expected mean is ``mean``, whatever the sizes of the clusters.
    """
    sizes = generator.integers(1, 7, clusters)
    shared = np.repeat(generator.choice((-0.15, 0.0, 0.15), clusters), sizes)
    own = generator.choice((-0.37, 0.0, 0.0, 0.0, 0.37), len(shared))
    names = [f"d{cluster}" for cluster in np.repeat(np.arange(clusters), sizes).tolist()]
    return mean + shared + own, names
