"""The verifier of a run, whichever it is, and what was settled about it."""

import json
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from goldgen.app.counting import CountedChat
from goldgen.app.models import (
    EMBEDDED_VERIFIER,
    ModelSettings,
    open_likelihood,
    open_verifier_chat,
    require_two_models,
    verifier_endpoint,
)
from goldgen.app.planning import PlanningChat, embedded_endpoint
from goldgen.app.reporting import Reporter
from goldgen.errors import ModelError, SettingsError
from goldgen.models.endpoints import Endpoint, joined_models
from goldgen.prompts import PromptLibrary
from goldgen.store import Store
from goldgen.types import Chat, Question
from goldgen.verify import (
    AnswerModel,
    AnswerScorer,
    Calibration,
    ChatJudge,
    EmbeddedJudge,
    Judge,
    Passage,
    StrictJudge,
    VotingJudge,
)

_CALIBRATION_KEY = "calibration"
_PROMPT = "verify"
_STRICT_PROMPT = "verify_strict"
_LIKELIHOOD_PROMPT = "likelihood"


@dataclass(frozen=True, slots=True)
class Verifier:
    """Either a chat model or, with ``scorer`` set, the embedded judge, which needs a calibration."""

    name: str
    concurrency: int
    chat: CountedChat | None = None
    scorer: AnswerScorer | None = None
    prompts: PromptLibrary | None = None
    endpoint: Endpoint | None = None
    """Of the chat model."""
    votes: int = 1
    """How often the chat model is asked about each pair."""

    @property
    def asked(self) -> dict[str, str]:
        """How a pair is put to it. What controls prove holds for this alone."""
        if self.scorer is not None:
            return {"weights": self.scorer.digest}
        if self.endpoint is None or self.prompts is None:
            return {}
        hashes = {name: self.prompts.load(name).hash for name in (_PROMPT, _STRICT_PROMPT)}
        return hashes | {"endpoint": self.endpoint.label, "votes": str(self.votes)}

    def judge(self, calibration: Calibration | None, *, strict: bool = False) -> Judge:
        """The judge for pairs that were named, or the ``strict`` one for pairs that search proposed."""
        if self.scorer is not None:
            if calibration is None:
                raise ModelError(f"{self.name} is not calibrated for this set; run goldgen verify")
            if strict:
                return EmbeddedJudge(self.scorer, calibration.strict_threshold)
            return EmbeddedJudge(self.scorer, calibration.threshold, calibration.by_document)
        assert self.chat is not None and self.prompts is not None
        judge = _voting(_ballots(self.chat, self.prompts, self.votes))
        return StrictJudge(judge, self.chat, self.prompts.load(_STRICT_PROMPT)) if strict else judge

    def planned(self, store: Store) -> "PlannedVerifier | None":
        """Its stand-in, to tell what it will ask before it does; None for the embedded judge: it is free."""
        if self.endpoint is None or self.prompts is None:
            return None
        return PlannedVerifier(PlanningChat(self.endpoint, store.calls), self.prompts, self.votes)


@dataclass(frozen=True, slots=True)
class PlannedVerifier:
    """Stands for a verifier, and counts what it would ask."""

    chat: PlanningChat
    prompts: PromptLibrary
    votes: int = 1

    @property
    def judge(self) -> Judge:
        """Notes the calls for each pair that it is given, one a vote; the ledger's replies are verdicts."""
        return _voting(self._ballots)

    @property
    def strict(self) -> StrictJudge:
        """Notes the calls for both looks."""
        return StrictJudge(self.judge, self.chat, self.prompts.load(_STRICT_PROMPT))

    def may_judge(self, question: Question, passage: Passage) -> None:
        """Note the calls for a pair that may or may not come to be judged."""
        for ballot in self._ballots:
            self.chat.may_ask(ballot.request(question, passage))

    def may_look_again(self, question: Question, passage: Passage) -> None:
        """Note the strict judge's second call for a pair, which it makes if the first says gold."""
        self.chat.may_ask(self.strict.request(question, passage))

    @property
    def _ballots(self) -> tuple[ChatJudge, ...]:
        return _ballots(self.chat, self.prompts, self.votes)


def _ballots(chat: Chat, prompts: PromptLibrary, votes: int) -> tuple[ChatJudge, ...]:
    prompt = prompts.load(_PROMPT)
    return tuple(ChatJudge(chat, prompt, repeat) for repeat in range(votes))


def _voting(ballots: tuple[ChatJudge, ...]) -> Judge:
    return ballots[0] if len(ballots) == 1 else VotingJudge(ballots)


@asynccontextmanager
async def open_verifier(
    settings: ModelSettings, prompts: Path | None, store: Store, reporter: Reporter, votes: int = 1
) -> AsyncGenerator[Verifier]:
    """The verifier; raises SettingsError if it is the model that wrote the questions, or cannot vote."""
    endpoint = _other_than_generator(settings, store)
    require_votes(votes, embedded=endpoint is None)
    if endpoint is None:
        with ExitStack() as stack:
            with reporter.phase("loading the embedded verifier", None):
                scorer = open_answer_scorer(settings)
                if settings.judge_with_llm:
                    prompt = _library(prompts).load(_LIKELIHOOD_PROMPT)
                    second = stack.enter_context(open_likelihood(settings, prompt))
                    scorer = replace(scorer, second=second)
            yield Verifier(scorer.name, 1, scorer=scorer)
        return
    async with open_verifier_chat(settings, endpoint, store.calls, store.meta, reporter) as chat:
        counted, library = CountedChat(chat), _library(prompts)
        yield Verifier(
            chat.model, endpoint.concurrency, counted, prompts=library, endpoint=endpoint, votes=votes
        )


def open_answer_scorer(settings: ModelSettings) -> AnswerScorer:
    """The embedded judge's. Raises ModelError if the encoder is nowhere."""
    from goldgen.models import encoders

    model = AnswerModel.packaged()
    return AnswerScorer(encoders.open_late_interaction(settings.offline, model.token_direction), model)


def planned_verifier(
    settings: ModelSettings, prompts: Path | None, store: Store, votes: int = 1
) -> PlannedVerifier:
    """The verifier of a dry run: nothing is sent or loaded. Raises what ``open_verifier`` does."""
    endpoint = _other_than_generator(settings, store)
    require_votes(votes, embedded=endpoint is None)
    chat = PlanningChat(
        endpoint or embedded_endpoint(EMBEDDED_VERIFIER), store.calls, has_tokens=endpoint is not None
    )
    return PlannedVerifier(chat, _library(prompts), votes)


def require_votes(votes: int, *, embedded: bool) -> None:
    """Raises SettingsError for an even number of votes, and for several of a judge that never disagrees."""
    if votes < 1 or votes % 2 == 0:
        raise SettingsError(f"{votes} votes can end in a tie; give --votes an odd number")
    if votes > 1 and embedded:
        raise SettingsError(
            "the embedded verifier gives the same verdict however often it is asked; --votes needs a chat "
            "model: name one with --verifier-model"
        )


def _other_than_generator(settings: ModelSettings, store: Store) -> Endpoint | None:
    generators = frozenset(q.model for q in store.questions.all("synthetic") if q.model)
    endpoint = verifier_endpoint(settings)
    name = endpoint.model if endpoint else EMBEDDED_VERIFIER
    require_two_models(generators, name, allow_same=settings.allow_same_model)
    return endpoint


def _library(prompts: Path | None) -> PromptLibrary:
    """The prompts; raises PromptError at once if one that is needed only late in a run is not there."""
    library = PromptLibrary.of(prompts)
    for name in (_PROMPT, _STRICT_PROMPT):
        library.load(name)
    return library


def save_calibration(store: Store, verifier: str, calibration: Calibration, weights: str = "") -> None:
    """Keep what the embedded judge's thresholds are, for label completion of log queries.

    ``weights``: digest of what its scores depend on; empty for the packaged model alone.
    """
    of = {"verifier": verifier, "weights": weights or AnswerModel.packaged().digest}
    store.meta.set(_CALIBRATION_KEY, json.dumps(of | asdict(calibration)))


def load_calibration(store: Store, verifier: str, weights: str = "") -> Calibration | None:
    """The calibration of this verifier, or None if it has none yet for the scores that it gives now."""
    stored = store.meta.get(_CALIBRATION_KEY)
    if stored is None:
        return None
    values = json.loads(stored)
    of = values.pop("verifier"), values.pop("weights", "")
    return Calibration(**values) if of == (verifier, weights or AnswerModel.packaged().digest) else None


def calibration_problem(store: Store, verifier: str) -> str:
    """Why ``load_calibration`` found none for it: there never was one, or the scores are others now."""
    stored = json.loads(store.meta.get(_CALIBRATION_KEY) or "{}")
    return f"not calibrated {'for this version' if stored.get('verifier') == verifier else 'yet'}"


def will_be_calibrated(store: Store, settings: ModelSettings) -> bool:
    """Whether the embedded verifier of these settings has a calibration, told without loading a model."""
    stored = json.loads(store.meta.get(_CALIBRATION_KEY) or "{}")
    judges = joined_models(stored.get("verifier", ""))
    is_alike = judges[0] == EMBEDDED_VERIFIER and (len(judges) > 1) == settings.judge_with_llm
    return is_alike and joined_models(stored.get("weights", ""))[0] == AnswerModel.packaged().digest
