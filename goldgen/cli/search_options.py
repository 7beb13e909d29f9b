"""Flags that tell how the built-in retrievers search."""

from typing import Annotated, Literal

import typer

Candidates = Annotated[int, typer.Option(min=1, help="How many of hybrid's results rerank scores anew.")]
Language = Annotated[str, typer.Option(help="Whose stems and stop words bm25 uses, such as en; plain: none.")]
FusionWeights = Annotated[
    tuple[float, float], typer.Option(metavar="BM25 DENSE", help="Weights of hybrid's two rankings.")
]
# The same names as goldgen.retrieve.Precision, whose module would make --help slow.
Precision = Annotated[Literal["float32", "float16"], typer.Option(help="Of dense's vectors.")]
