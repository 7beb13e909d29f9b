"""The verifier of a run, whichever it is, and what was settled about it."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from goldgen.app.counting import CountedChat
from goldgen.app.models import (
    EMBEDDED_VERIFIER,
    ModelSettings,
    open_late_interaction,
    open_verifier_chat,
    require_two_models,
    verifier_endpoint,
)
from goldgen.app.planning import PlanningChat, embedded_endpoint
from goldgen.app.reporting import Reporter
from goldgen.errors import ModelError
from goldgen.models.endpoints import Endpoint
from goldgen.prompts import Prompt, PromptLibrary
from goldgen.store import Store
from goldgen.types import PairScorer
from goldgen.verify import Calibration, ChatJudge, EmbeddedJudge, Judge

_CALIBRATION_KEY = "calibration"


@dataclass(frozen=True, slots=True)
class Verifier:
    """Either a chat model or, with ``scorer`` set, the embedded judge, which needs a calibration."""

    name: str
    concurrency: int
    chat: CountedChat | None = None
    scorer: PairScorer | None = None
    prompts: PromptLibrary | None = None
    endpoint: Endpoint | None = None
    """Of the chat model."""

    def judge(self, calibration: Calibration | None, *, strict: bool = False) -> Judge:
        """The judge for pairs that were named, or the ``strict`` one for pairs that search proposed."""
        if self.scorer is not None:
            if calibration is None:
                raise ModelError(f"{self.name} is not calibrated for this set; run goldgen verify")
            if strict:
                return EmbeddedJudge(self.scorer, calibration.strict_threshold)
            return EmbeddedJudge(self.scorer, calibration.threshold, calibration.by_document)
        assert self.chat is not None and self.prompts is not None
        return ChatJudge(self.chat, self.prompts.load("verify"))

    def planned(self, store: Store) -> "PlannedVerifier | None":
        """Its stand-in, to tell what it will ask before it does; None for the embedded judge: it is free."""
        if self.endpoint is None or self.prompts is None:
            return None
        return PlannedVerifier(PlanningChat(self.endpoint, store.calls), self.prompts.load("verify"))


@dataclass(frozen=True, slots=True)
class PlannedVerifier:
    """Stands for a verifier, and counts what it would ask."""

    chat: PlanningChat
    prompt: Prompt

    @property
    def judge(self) -> ChatJudge:
        return ChatJudge(self.chat, self.prompt)


@asynccontextmanager
async def open_verifier(
    settings: ModelSettings, prompts: Path | None, store: Store, reporter: Reporter
) -> AsyncGenerator[Verifier]:
    """The verifier; raises SettingsError if it is the model that wrote the questions."""
    endpoint = _other_than_generator(settings, store)
    if endpoint is None:
        with reporter.phase("loading the embedded verifier", None):
            scorer = open_late_interaction(settings)
        yield Verifier(scorer.name, 1, scorer=scorer)
        return
    async with open_verifier_chat(settings, endpoint, store.calls, store.meta, reporter) as chat:
        counted, library = CountedChat(chat), _library(prompts)
        yield Verifier(chat.model, endpoint.concurrency, counted, prompts=library, endpoint=endpoint)


def planned_verifier(settings: ModelSettings, prompts: Path | None, store: Store) -> PlannedVerifier:
    """The verifier of a dry run: nothing is sent or loaded. Raises what ``open_verifier`` does."""
    endpoint = _other_than_generator(settings, store)
    chat = PlanningChat(
        endpoint or embedded_endpoint(EMBEDDED_VERIFIER), store.calls, has_tokens=endpoint is not None
    )
    return PlannedVerifier(chat, _library(prompts).load("verify"))


def _other_than_generator(settings: ModelSettings, store: Store) -> Endpoint | None:
    generators = frozenset(q.model for q in store.questions.all("synthetic") if q.model)
    endpoint = verifier_endpoint(settings)
    name = endpoint.model if endpoint else EMBEDDED_VERIFIER
    require_two_models(generators, name, allow_same=settings.allow_same_model)
    return endpoint


def _library(prompts: Path | None) -> PromptLibrary:
    return PromptLibrary(prompts) if prompts else PromptLibrary.packaged()


def save_calibration(store: Store, verifier: str, calibration: Calibration) -> None:
    """Keep what the embedded judge's thresholds are, for label completion of log queries."""
    store.meta.set(_CALIBRATION_KEY, json.dumps({"verifier": verifier} | asdict(calibration)))


def load_calibration(store: Store, verifier: str) -> Calibration | None:
    """The calibration of this verifier, or None if it has none yet."""
    stored = store.meta.get(_CALIBRATION_KEY)
    if stored is None:
        return None
    values = json.loads(stored)
    return Calibration(**values) if values.pop("verifier") == verifier else None
