"""What of a run would work here, found by trying the least of everything, and what to do about the rest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from goldgen.app.checks import (
    Check,
    check_cross_encoder,
    check_embedder,
    check_late_interaction,
    check_rerank_endpoint,
    check_store,
    failed,
)
from goldgen.app.endpoint_checks import check_embedded, check_endpoint
from goldgen.app.models import (
    EMBEDDED_VERIFIER,
    ModelSettings,
    generator_endpoint,
    relation,
    require_two_models,
    verifier_endpoint,
)
from goldgen.app.reporting import Reporter, Silent
from goldgen.errors import SettingsError
from goldgen.models.endpoints import EMBEDDED_GENERATOR, Endpoint

if TYPE_CHECKING:
    from goldgen.models.budget import Budget


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    db: Path
    models: ModelSettings = field(default_factory=ModelSettings)
    load: bool = False
    """Start the embedded generator, if a run would use it, and measure it."""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    checks: tuple[Check, ...]
    conclusion: str

    @property
    def works(self) -> bool:
        return all(check.state != "failed" for check in self.checks)


async def doctor(options: DoctorOptions, reporter: Reporter | None = None) -> DoctorReport:
    """Look at everything that a run needs; what fails is a check in the report, and stops no other.

    Sends one fixed question to each chat endpoint and a fixed sentence to an embedding endpoint, and writes
    nothing to the golden set.
    """
    reporter = reporter or Silent()
    settings = options.models
    if settings.offline:
        # Whatever endpoint is configured, nothing leaves this machine.
        settings = replace(settings, embedding_base_url="")
    rerank_url = "" if settings.offline else settings.reranker_base_url
    generator = _choose("generator", generator_endpoint, settings, settings.gguf or EMBEDDED_GENERATOR)
    verifier = _choose("verifier", verifier_endpoint, settings, EMBEDDED_VERIFIER)
    checks = [generator.check, verifier.check, *_two_models(settings, generator.model, verifier.model)]
    embedding = _encoder_setting(
        "embedding model",
        settings.embedding_model,
        settings.embedding_base_url,
        settings.embedding_api_key,
    )
    reranker = _encoder_setting("reranker", settings.reranker_model, rerank_url, settings.reranker_api_key)
    checks += [embedding, reranker]
    budget = _budget(settings)
    for role, endpoint in _endpoints(generator, verifier):
        checks += await check_endpoint(role, endpoint, budget, reporter)
    if generator.is_embedded:
        checks += await check_embedded(settings, options.load, reporter)
    reporter.say("loading the encoders, which takes some seconds")
    if embedding.state == "ok":
        if settings.embedding_base_url:
            reporter.say(f"a fixed test sentence goes to the embedding model {settings.embedding_model}")
        checks.append(check_embedder(settings))
    checks.append(check_late_interaction(settings, judges=verifier.is_embedded))
    if not rerank_url:
        checks.append(check_cross_encoder(settings))
    elif reranker.state == "ok":
        reporter.say(f"two fixed test sentences go to the reranker {settings.reranker_model}")
        checks.append(check_rerank_endpoint(settings))
    checks.append(check_store(options.db))
    return DoctorReport(tuple(checks), _conclusion(checks))


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The model that a run would use; ``model`` is empty if the settings name none that can be used."""

    check: Check
    model: str
    endpoint: Endpoint | None

    @property
    def is_embedded(self) -> bool:
        return bool(self.model) and self.endpoint is None


def _choose(
    name: str, choose: Callable[[ModelSettings], Endpoint | None], settings: ModelSettings, embedded: str
) -> _Chosen:
    try:
        endpoint = choose(settings)
    except SettingsError as error:
        return _Chosen(failed(name, error), "", None)
    if endpoint is None:
        return _Chosen(Check(name, "ok", f"{embedded}, embedded"), embedded, None)
    return _Chosen(Check(name, "ok", _described(endpoint)), endpoint.model, endpoint)


def _described(endpoint: Endpoint) -> str:
    key = "key set" if endpoint.api_key.get_secret_value() else "no key set"
    return f"{endpoint.model} at {endpoint.label}, {key}"


def _encoder_setting(name: str, model: str, base_url: str, key: SecretStr) -> Check:
    if not base_url:
        return Check(name, "ok", f"{model}, no endpoint")
    try:
        endpoint = Endpoint(model, base_url, key)
    except SettingsError as error:
        return failed(name, error)
    return Check(name, "ok", _described(endpoint))


def _two_models(settings: ModelSettings, generator: str, verifier: str) -> Iterator[Check]:
    """Nothing if one of the two isn't known."""
    name = "two models"
    if not generator or not verifier:
        return
    try:
        require_two_models(frozenset({generator}), verifier, allow_same=settings.allow_same_model)
    except SettingsError as error:
        yield failed(name, error)
        return
    found = relation(frozenset({generator}), verifier)
    if found == "other":
        yield Check(name, "ok", "generator and verifier are of different families")
    else:
        advice = "a verifier of another family is a stricter one; the set and every report are marked"
        yield Check(name, "warning", f"generator and verifier are of the {found}", advice)


def _budget(settings: ModelSettings) -> "Budget":
    from goldgen.models.budget import Budget

    return Budget(settings.max_usd, settings.max_calls)


def _endpoints(generator: _Chosen, verifier: _Chosen) -> Iterator[tuple[str, Endpoint]]:
    """Each chat endpoint with its role; one that has both comes once."""
    if generator.endpoint and verifier.endpoint:
        alike = replace(verifier.endpoint, price=generator.endpoint.price) == generator.endpoint
        if alike:
            yield "generator and verifier", generator.endpoint
            return
    for role, chosen in (("generator", generator), ("verifier", verifier)):
        if chosen.endpoint:
            yield role, chosen.endpoint


def _conclusion(checks: Sequence[Check]) -> str:
    wrong = [check.name for check in checks if check.state == "failed"]
    warned = [check.name for check in checks if check.state == "warning"]
    if wrong:
        named = ", ".join(wrong)
        return f"{len(wrong)} of {len(checks)} checks failed ({named}): a run that needs them would, too."
    if warned:
        return f"Everything that a run needs works; worth a look: {', '.join(warned)}."
    return "Everything works."
