"""Flags that several commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

_MODELS = "Models"
_MONEY = "Money"

# Not readable is an error of goldgen's own, in one line, and none of usage: hence readable=False.
Db = Annotated[Path, typer.Option("--db", readable=False, help="The golden-set file.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Prompts = Annotated[
    Path | None,
    typer.Option("--prompts", readable=False, help="A folder of prompts to use instead of goldgen's own."),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help='The generator\'s name at the endpoint, or "embedded".',
        rich_help_panel=_MODELS,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        help="An OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1; its key is OPENAI_API_KEY.",
        rich_help_panel=_MODELS,
    ),
]
VerifierModel = Annotated[
    str | None,
    typer.Option(
        "--verifier-model",
        help="The verifier's name, another one than the generator's, or \"embedded\".",
        rich_help_panel=_MODELS,
    ),
]
VerifierBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--verifier-base-url",
        help="The verifier's endpoint, if it is another one. Its key is GOLDGEN_VERIFIER_API_KEY.",
        rich_help_panel=_MODELS,
    ),
]
AllowSameModel = Annotated[
    bool | None,
    typer.Option(
        "--allow-same-model",
        help="Let the model that wrote the questions judge them; the set is marked.",
        rich_help_panel=_MODELS,
    ),
]
EmbeddingModel = Annotated[
    str | None,
    typer.Option(
        "--embedding-model",
        help="Of the dense retriever: a folder or a sentence-transformers name.",
        rich_help_panel=_MODELS,
    ),
]
EmbeddingBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--embedding-base-url",
        help="An OpenAI-compatible endpoint with /embeddings for the dense retriever.",
        rich_help_panel=_MODELS,
    ),
]
RerankerModel = Annotated[
    str | None,
    typer.Option(
        "--reranker-model",
        help="A cross-encoder, a folder or a Hugging Face name, in whose place no other stands; or the "
        "model's name at --reranker-base-url.",
        rich_help_panel=_MODELS,
    ),
]
RerankerBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--reranker-base-url",
        help="A server with /rerank (vLLM, llama.cpp, TEI, Cohere, Jina), such as http://127.0.0.1:8080/v1. "
        "Its key is GOLDGEN_RERANKER_API_KEY.",
        rich_help_panel=_MODELS,
    ),
]
JudgeWithLlm = Annotated[
    bool | None,
    typer.Option(
        "--judge-with-llm",
        help="The embedded verifier also asks the embedded generator whether a text answers, which takes a "
        "second or more a pair. If that wrote the questions, the set and every report are marked.",
        rich_help_panel=_MODELS,
    ),
]
Gguf = Annotated[
    str | None,
    typer.Option(
        "--gguf",
        help="Weights of the embedded generator: a .gguf file or a Hugging Face repository.",
        rich_help_panel=_MODELS,
    ),
]
Offline = Annotated[
    bool | None,
    typer.Option(
        "--offline",
        help="Only models on this machine, whatever endpoint is configured.",
        rich_help_panel=_MODELS,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", help="Seconds for one call, retries included.", rich_help_panel=_MODELS),
]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", help="Calls at once.", rich_help_panel=_MODELS)
]
# The same names as goldgen.types.OutputMode, whose module would make --help slow.
OutputMode = Annotated[
    Literal["json_schema", "tools", "json", "text"] | None,
    typer.Option(
        "--output-mode",
        help="How structured output is asked for; by default what works is found by trying.",
        rich_help_panel=_MODELS,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Tell the calls to make, their tokens and their price; send nothing, change nothing.",
        rich_help_panel=_MONEY,
    ),
]
MaxUsd = Annotated[
    float | None,
    typer.Option(
        "--max-usd",
        min=0,
        help="US dollars that this run may spend; it stops before the call that would pass it.",
        rich_help_panel=_MONEY,
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        min=0,
        help="Requests that this run may send, those tried again included.",
        rich_help_panel=_MONEY,
    ),
]
_PRICE_HELP = (
    "price in US dollars for a million prompt and completion tokens, where goldgen does not know it."
)
Price = Annotated[
    str | None,
    typer.Option("--price", metavar="IN,OUT", help=f"The generator's {_PRICE_HELP}", rich_help_panel=_MONEY),
]
VerifierPrice = Annotated[
    str | None,
    typer.Option(
        "--verifier-price", metavar="IN,OUT", help=f"The verifier's {_PRICE_HELP}", rich_help_panel=_MONEY
    ),
]
