"""Which models a run uses, and how they are opened."""

from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from goldgen.app.dialects import Memory, recall, remember
from goldgen.app.paths import model_cache
from goldgen.app.reporting import Reporter
from goldgen.errors import SettingsError
from goldgen.models.endpoints import (
    DEFAULT_GENERATOR,
    DEFAULT_VERIFIER,
    EMBEDDED_GENERATOR,
    OPENAI_URL,
    Endpoint,
    family,
    joined_models,
    normalised_name,
    shown_url,
)
from goldgen.prompts import Prompt
from goldgen.types import Chat, Embedder, Ledger, OutputMode, Price

if TYPE_CHECKING:
    from goldgen.models.encoders import LateInteractionScorer
    from goldgen.models.likelihood import YesLikelihood
    from goldgen.models.scoring import WindowedScorer

EMBEDDED = "embedded"
"""As a model's name: the one that comes with goldgen and needs no endpoint."""
EMBEDDED_VERIFIER = "all-MiniLM-L6-v2"
RERANKER = "cross-encoder/ms-marco-MiniLM-L6-v2"
EMBEDDED_SLOTS = 4
_EMBEDDED_TIMEOUT = 900.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Models and endpoints as the user set them; empty means not set."""

    model: str = ""
    base_url: str = ""
    api_key: SecretStr = field(default=SecretStr(""), repr=False)
    verifier_model: str = ""
    verifier_base_url: str = ""
    verifier_api_key: SecretStr = field(default=SecretStr(""), repr=False)
    embedding_model: str = EMBEDDED_VERIFIER
    embedding_base_url: str = ""
    embedding_api_key: SecretStr = field(default=SecretStr(""), repr=False)
    reranker_model: str = RERANKER
    reranker_base_url: str = ""
    """Of a /rerank endpoint."""
    reranker_api_key: SecretStr = field(default=SecretStr(""), repr=False)
    gguf: str = ""
    judge_with_llm: bool = False
    """Whether the embedded generator's log-probability of yes is a signal of the embedded verifier."""
    offline: bool = False
    allow_same_model: bool = False
    timeout: float = 120.0
    concurrency: int = 8
    output_mode: OutputMode | None = None
    price: Price | None = None
    """Of the generator; None: by the packaged table."""
    verifier_price: Price | None = None
    max_usd: float | None = None
    max_calls: int | None = None
    """Requests that a run may send, those tried again included."""


def generator_endpoint(settings: ModelSettings) -> Endpoint | None:
    """The generator's endpoint; None for the embedded one."""
    configured = settings.base_url or settings.model or settings.api_key.get_secret_value()
    if settings.offline or settings.model == EMBEDDED or not configured:
        return None
    if not settings.base_url and not settings.api_key.get_secret_value():
        raise SettingsError(
            f"{settings.model} at which endpoint? give --base-url, OPENAI_API_KEY, or --offline"
        )
    base_url = settings.base_url or OPENAI_URL
    model = settings.model or (DEFAULT_GENERATOR if base_url == OPENAI_URL else "")
    if not model:
        raise SettingsError(f"{shown_url(base_url)} needs a model's name: give --model")
    return _endpoint(settings, model, base_url, settings.api_key, settings.price)


def verifier_endpoint(settings: ModelSettings) -> Endpoint | None:
    """The verifier's endpoint; None for the embedded one.

    With OpenAI and no verifier named, another small model of theirs; at another endpoint the embedded
    judge, since nobody but the user knows which second model stands there.
    """
    if settings.offline or settings.verifier_model == EMBEDDED:
        return None
    base_url = settings.verifier_base_url or settings.base_url or OPENAI_URL
    model = settings.verifier_model
    if not model:
        if settings.verifier_base_url:
            raise SettingsError(
                f"{shown_url(settings.verifier_base_url)} needs a model's name: give --verifier-model"
            )
        if base_url != OPENAI_URL or generator_endpoint(settings) is None:
            return None
        model = DEFAULT_VERIFIER
    shared = not settings.verifier_base_url or settings.verifier_base_url == settings.base_url
    key = settings.verifier_api_key
    if not key.get_secret_value() and shared:
        key = settings.api_key
    return _endpoint(settings, model, base_url, key, settings.verifier_price)


def _endpoint(
    settings: ModelSettings, model: str, base_url: str, key: SecretStr, price: Price | None
) -> Endpoint:
    return Endpoint(
        model,
        base_url,
        key,
        settings.timeout,
        settings.concurrency,
        output_mode=settings.output_mode,
        price=price,
    )


def relation(generators: frozenset[str], verifier: str) -> str:
    """How a verifier's name relates to the generators' ones: "same model", "same family" or "other".

    A judge made of several models relates as the nearest of them.
    """
    judges = joined_models(verifier)
    if any(normalised_name(name) == normalised_name(judge) for name in generators for judge in judges):
        return "same model"
    if any(family(name) == family(judge) for name in generators for judge in judges):
        return "same family"
    return "other"


def require_two_models(generators: frozenset[str], verifier: str, *, allow_same: bool) -> None:
    """Raises SettingsError if a model would judge its own questions and that was not asked for."""
    if relation(generators, verifier) == "same model" and not allow_same:
        raise SettingsError(
            f"{verifier} wrote these questions and would judge them too; give another --verifier-model, "
            f'"{EMBEDDED}" for the one that comes with goldgen, or --allow-same-model'
        )


@asynccontextmanager
async def open_generator(
    settings: ModelSettings, ledger: Ledger, memory: Memory, reporter: Reporter
) -> AsyncGenerator[Chat]:
    """The generator, ready to be asked. Raises ModelError."""
    async with AsyncExitStack() as stack:
        endpoint = generator_endpoint(settings)
        if endpoint is None:
            with reporter.phase("making the embedded generator ready", None):
                endpoint = stack.enter_context(_embedded_generator(settings, model_cache()))
        say_what_leaves(endpoint, "the chunks it is asked about", reporter)
        yield await stack.enter_async_context(_open_chat(settings, endpoint, ledger, memory))


@contextmanager
def _embedded_generator(settings: ModelSettings, cache: Path) -> Generator[Endpoint]:
    from goldgen.models.embedded import EmbeddedServer
    from goldgen.models.gguf import find_gguf

    weights = find_gguf(settings.gguf or None, cache, settings.offline)
    with EmbeddedServer(weights, slots=EMBEDDED_SLOTS) as served:
        yield Endpoint(
            model=weights.stem if settings.gguf else EMBEDDED_GENERATOR,
            base_url=served.base_url,
            api_key=SecretStr(served.api_key),
            timeout=_EMBEDDED_TIMEOUT,
            concurrency=EMBEDDED_SLOTS,
            embedded=True,
            output_mode="json_schema",
        )


@contextmanager
def open_likelihood(settings: ModelSettings, prompt: Prompt) -> "Generator[YesLikelihood]":
    """The embedded generator as a second opinion on what answers. Raises ModelError."""
    import httpx2

    from goldgen.models.likelihood import YesLikelihood

    with _embedded_generator(settings, model_cache()) as endpoint:
        key = endpoint.api_key.get_secret_value()
        with httpx2.Client(
            base_url=endpoint.base_url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=_EMBEDDED_TIMEOUT,
            trust_env=False,
        ) as client:
            yield YesLikelihood(client, endpoint.model, prompt)


@asynccontextmanager
async def open_verifier_chat(
    settings: ModelSettings, endpoint: Endpoint, ledger: Ledger, memory: Memory, reporter: Reporter
) -> AsyncGenerator[Chat]:
    """The verifier's chat model. Raises ModelError."""
    say_what_leaves(endpoint, "questions and the chunks judged for them", reporter)
    async with _open_chat(settings, endpoint, ledger, memory) as chat:
        yield chat


@asynccontextmanager
async def _open_chat(
    settings: ModelSettings, endpoint: Endpoint, ledger: Ledger, memory: Memory
) -> AsyncGenerator[Chat]:
    """A chat model that knows what earlier runs learnt about its endpoint, and passes on what it learns."""
    from goldgen.models.budget import Budget
    from goldgen.models.chat import EndpointChat

    budget = Budget(settings.max_usd, settings.max_calls)
    async with EndpointChat(endpoint, ledger, budget, recall(memory, endpoint)) as chat:
        try:
            yield chat
        finally:
            remember(memory, endpoint, chat.dialect)


def say_what_leaves(endpoint: Endpoint, what: str, reporter: Reporter) -> None:
    """Tell, before the first call, what goes to a remote endpoint."""
    if endpoint.remote:
        reporter.say(f"{what} will be sent from this machine to {endpoint.label} ({endpoint.model})")


def embedder_key(settings: ModelSettings) -> str:
    """Tells the vectors of one embedder from another's: a name alone may stand at two endpoints."""
    endpoint = "" if settings.offline else settings.embedding_base_url
    return f"{endpoint} {settings.embedding_model}".strip()


def open_embedder(settings: ModelSettings, reporter: Reporter) -> Embedder:
    """The dense retriever's model: local weights, or an /embeddings endpoint. Raises ModelError."""
    if settings.embedding_base_url and not settings.offline:
        if settings.embedding_model == EMBEDDED_VERIFIER:
            raise SettingsError(
                f"{shown_url(settings.embedding_base_url)} needs a model's name: give --embedding-model"
            )
        from goldgen.models.embeddings_endpoint import EndpointEmbedder

        key = settings.embedding_api_key
        endpoint = Endpoint(settings.embedding_model, settings.embedding_base_url, key)
        say_what_leaves(endpoint, "all chunks and questions", reporter)
        secret, seconds = key.get_secret_value(), settings.timeout
        return EndpointEmbedder(endpoint.base_url, secret, endpoint.model, deadline=seconds)
    from goldgen.models import encoders

    return encoders.open_embedder(settings.embedding_model, offline=settings.offline)


def open_reranker(settings: ModelSettings, reporter: Reporter) -> "WindowedScorer":
    """The reranker: a /rerank endpoint, or a cross-encoder. Raises NotHereError as that does, ModelError."""
    if settings.reranker_base_url and not settings.offline:
        return open_rerank_endpoint(settings, reporter)
    return open_cross_encoder(settings)


def has_stand_in(settings: ModelSettings) -> bool:
    """Whether late interaction may rerank where the reranker is not to be had.

    Not in place of a model that was named, unless that is its name at an endpoint left unasked offline.
    """
    return settings.reranker_model == RERANKER or bool(settings.reranker_base_url and settings.offline)


def open_rerank_endpoint(settings: ModelSettings, reporter: Reporter) -> "WindowedScorer":
    """The scorer behind the endpoint that is set. Raises SettingsError if its model is not."""
    if settings.reranker_model == RERANKER:
        raise SettingsError(
            f"{shown_url(settings.reranker_base_url)} needs a model's name: give --reranker-model"
        )
    from goldgen.models.rerank_endpoint import RerankEndpointScorer

    # Their documentation gives the whole address, and the scorer adds this part itself.
    base_url = settings.reranker_base_url.rstrip("/").removesuffix("/rerank")
    endpoint = Endpoint(settings.reranker_model, base_url, settings.reranker_api_key, settings.timeout)
    say_what_leaves(endpoint, "questions and the chunks found for them", reporter)
    return RerankEndpointScorer(endpoint)


def open_late_interaction(settings: ModelSettings) -> "LateInteractionScorer":
    """The embedded verifier's scorer. Raises ModelError."""
    from goldgen.models import encoders

    return encoders.open_late_interaction(settings.offline)


def open_cross_encoder(settings: ModelSettings) -> "WindowedScorer":
    """The cross-encoder. Raises NotHereError where its weights are nowhere to be had, ModelError."""
    from goldgen.models import cross_encoder

    return cross_encoder.open_cross_encoder(settings.reranker_model, offline=settings.offline)
