"""Checks of what lies on this machine: the embedded generator, the encoders, the golden-set file."""

import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeVar

from goldgen.app.models import (
    EMBEDDED_VERIFIER,
    ModelSettings,
    has_stand_in,
    open_cross_encoder,
    open_embedder,
    open_late_interaction,
    open_rerank_endpoint,
)
from goldgen.app.paths import model_cache
from goldgen.app.reporting import Silent
from goldgen.errors import GoldgenError, ModelError, StoreError
from goldgen.models.gguf import QWEN_BYTES, QWEN_FILE, QWEN_PACKAGES, find_gguf
from goldgen.models.weights import find_weights
from goldgen.store import open_store
from goldgen.store.schema import load_migrations
from goldgen.types import PairScorer

Result = TypeVar("Result")

_INSTALL_LOCAL = 'pip install "goldgen[local]", or use an endpoint: --base-url and --model'
_INSTALL_DENSE = 'pip install "goldgen[dense]"'
_NO_RERANKER = "check that --reranker-model names a reranker"
_NOWHERE = "neither on this machine nor to be had from the hub"
_PACKAGES_NAMED = 3
_TEXT = "The lamp on the left is green, the one on the right is red."
_OTHER_TEXT = "The lamp in the middle is blue."
_QUESTION = "Which lamp is green?"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. ``advice`` says what to do, and is empty if nothing is to be done."""

    name: str
    state: Literal["ok", "warning", "failed"]
    found: str
    advice: str = ""


def failed(name: str, error: GoldgenError, advice: str = "") -> Check:
    """A check that met an error; what goldgen's errors tell to do stands in their last clause."""
    parts = re.fullmatch(r"(.*)(?:[;:]|(?<=\?)) (.*)", str(error))
    found, own = parts.groups() if parts else (str(error), "")
    return Check(name, "failed", found, advice or own)


def check_weights(settings: ModelSettings) -> Check:
    """Whether the embedded generator could start: its library, its weights or what they are joined of."""
    name, target = "embedded generator", model_cache() / QWEN_FILE
    if find_spec("xllamacpp") is None:
        return Check(name, "failed", "xllamacpp is not installed", _INSTALL_LOCAL)
    if settings.gguf:
        return _check_given_weights(name, settings)
    if target.is_file() and target.stat().st_size == QWEN_BYTES:
        return Check(name, "ok", f"installed, its weights stand ready at {target}")
    missing = [package for package in ("filelock", *QWEN_PACKAGES) if find_spec(package) is None]
    if missing:
        more = ", …" if len(missing) > _PACKAGES_NAMED else ""
        named = ", ".join(missing[:_PACKAGES_NAMED])
        return Check(
            name, "failed", f"{len(missing)} of its packages are missing: {named}{more}", _INSTALL_LOCAL
        )
    free, needed = shutil.disk_usage(_existing(target.parent)).free / 1e9, QWEN_BYTES / 1e9
    if free < needed:
        return Check(
            name,
            "failed",
            f"{target.parent} has {free:.1f} GB free, and its weights need {needed:.1f} GB",
            "free space, or name another cache folder by XDG_CACHE_HOME",
        )
    return Check(
        name,
        "ok",
        f"installed; the first run joins its weights in {target.parent} ({needed:.1f} of {free:.0f} GB free)",
    )


def _check_given_weights(name: str, settings: ModelSettings) -> Check:
    try:
        # Offline, because looking must not download gigabytes.
        return Check(
            name, "ok", f"installed, its weights are {find_gguf(settings.gguf, model_cache(), True)}"
        )
    except ModelError as error:
        is_file = settings.gguf.endswith(".gguf") and ":" not in settings.gguf
        if settings.offline or is_file:
            return failed(name, error)
        return Check(
            name,
            "warning",
            f"{settings.gguf} is not on this machine",
            "the first run looks for it on the Hugging Face hub and downloads it",
        )


def check_embedder(settings: ModelSettings) -> Check:
    """Whether the dense retriever's model gives vectors; loads it, or asks its endpoint once."""
    name = "embeddings"

    def measured() -> str:
        embedder = open_embedder(settings, Silent())
        first, seconds = _timed(lambda: embedder.encode([_TEXT], query=False))
        if not settings.embedding_base_url:
            _, seconds = _timed(lambda: embedder.encode([_OTHER_TEXT], query=False))
        return f"{embedder.name} works: {first.shape[1]} dimensions, {seconds * 1e3:.0f} ms a text"

    if settings.embedding_base_url:
        try:
            return Check(name, "ok", measured())
        except GoldgenError as error:
            return failed(name, error)
    nowhere = Check(
        name,
        "failed",
        f"{settings.embedding_model} is no folder with weights, not in the Hugging Face cache, not packaged, "
        "and not to be had from the hub",
        "check --embedding-model, go online, name a folder, or use an endpoint by --embedding-base-url",
    )
    return _check_encoder(settings.embedding_model, settings, measured, nowhere)


def check_late_interaction(settings: ModelSettings, *, judges: bool) -> Check:
    """Whether the embedded verifier's scorer works; ``judges`` if a run needs it as the verifier."""
    role = "judges" if judges else "can judge and rerank"

    def measured() -> str:
        scorer = open_late_interaction(settings)
        return f"{scorer.name} works and {role}: {_scoring_time(scorer)}"

    nowhere = Check(
        "late interaction",
        "failed" if judges else "warning",
        f"the weights of {EMBEDDED_VERIFIER} are not on this machine, nor to be had from the hub",
        _INSTALL_DENSE,
    )
    return _check_encoder(EMBEDDED_VERIFIER, settings, measured, nowhere, needed=judges)


def check_cross_encoder(settings: ModelSettings) -> Check:
    """Whether the reranker's own model is on this machine, and works."""
    name, hub = "cross-encoder", "not on this machine" if settings.offline else _NOWHERE
    if has_stand_in(settings):
        advice = (
            "run `goldgen eval` with it once while the hub is reachable, or give --reranker-model a folder"
        )
        found = f"{settings.reranker_model} is {hub}: late interaction reranks in its place"
        nowhere = Check(name, "warning", found, advice)
    else:
        found = f"{settings.reranker_model} is {hub}"
        nowhere = Check(name, "failed", found, "check --reranker-model, go online, or name a folder")

    def measured() -> str:
        scorer = open_cross_encoder(settings)
        return f"{scorer.name} works and reranks: {_scoring_time(scorer)}"

    return _check_encoder(settings.reranker_model, settings, measured, nowhere)


def check_rerank_endpoint(settings: ModelSettings) -> Check:
    """Whether the /rerank endpoint gives scores; asks it about two fixed texts."""
    name = "reranking"
    try:
        scorer = open_rerank_endpoint(settings, Silent())
        scores, seconds = _timed(lambda: scorer.score(_QUESTION, [_TEXT, _OTHER_TEXT]))
    except GoldgenError as error:
        return failed(name, error)
    answering, other = scores.tolist()
    shown = (
        f"{scorer.name} works: {seconds * 1e3:.0f} ms for two texts, scores {answering:.3g} and {other:.3g}"
    )
    if answering > other:
        return Check(name, "ok", shown)
    return Check(name, "warning", f"{shown}, the text that answers below the one that does not", _NO_RERANKER)


def _check_encoder(
    model: str,
    settings: ModelSettings,
    measured: Callable[[], str],
    nowhere: Check,
    *,
    needed: bool = False,
) -> Check:
    """Loads the model if it is on this machine, and downloads nothing."""
    name = nowhere.name
    if find_spec("sentence_transformers") is None:
        advice = _INSTALL_DENSE if needed else f"{_INSTALL_DENSE}; without it bm25 retrieves"
        state = "failed" if needed else "warning"
        return Check(name, state, "sentence-transformers is not installed", advice)
    try:
        weights = find_weights(model, offline=settings.offline)
        if weights is None:
            return nowhere
        if weights.source == "hub":
            found = f"{model} is not on this machine, but the hub answers"
            return Check(name, "ok", f"{found}: the first run that needs it downloads it")
        return Check(name, "ok", measured())
    except ModelError as error:
        return failed(name, error)


def check_store(db: Path) -> Check:
    """Whether the golden set can be read and written; it is neither made nor changed."""
    name = "golden set"
    try:
        folder = _existing(db.parent)
        if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
            return Check(name, "failed", f"nothing can be written in {folder}", "name another file by --db")
        if not db.exists():
            return Check(name, "ok", f"none yet at {db}, whose folder can be written: goldgen synth makes it")
        with open_store(db, read_only=True, wait_seconds=0) as store:
            held = f"{store.corpus.document_count()} documents, {store.corpus.chunk_count()} chunks"
    except StoreError as error:
        return failed(name, error)
    except OSError as error:
        return Check(name, "failed", f"cannot look at {db}: {error.strerror}", "name another file by --db")
    if not os.access(db, os.W_OK):
        return Check(
            name, "failed", f"{db} can be read and not written", "allow it, or name another file by --db"
        )
    return Check(name, "ok", f"{db} can be read and written: schema {load_migrations()[-1].version}, {held}")


def _scoring_time(scorer: PairScorer) -> str:
    # The first call pays for what the library makes ready.
    scorer.score(_QUESTION, [_TEXT])
    _, seconds = _timed(lambda: scorer.score(_QUESTION, [_OTHER_TEXT]))
    return f"{seconds * 1e3:.0f} ms a text"


def _timed(act: Callable[[], Result]) -> tuple[Result, float]:
    started = time.perf_counter()
    found = act()
    return found, time.perf_counter() - started


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
