"""Encoders that run on this machine: an embedder and a late-interaction scorer."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goldgen.errors import ModelError
from goldgen.models.scoring import LengthCounter, Lengths, require_finite, shown
from goldgen.models.weights import MINILM, FoundWeights, quiet_loading, require_weights
from goldgen.types import Embedder, Scores, Vectors

if TYPE_CHECKING:
    import torch

NO_WORDS = -1.0
"""The late-interaction score of a pair in which one side has no words: the lowest cosine."""

_BATCH = 32
_BLOCK = 512
"""Texts scored at a time, which bounds the memory of one call."""
_WINDOW = 254
"""Word pieces that MiniLM was trained to read at once: 256 less [CLS] and [SEP]."""
_OVERLAP = 64
"""Word pieces that two windows of a text share, so that a sentence on the border is whole in one."""
_CACHED_TOKENS = 250_000

TokenVectors = tuple[NDArray[np.float16], ...]
"""One array of L2-normalised token vectors, shape (tokens, dimensions), for each window of a text."""


class SentenceTransformerEmbedder:
    """Implements ``Embedder`` with sentence-transformers. Raises ModelError if it cannot be loaded.

    A text longer than the model's window is cut there, as wherever else the model retrieves.
    """

    def __init__(self, weights: FoundWeights, name: str) -> None:
        self._name = name
        with quiet_loading(weights, name):
            from sentence_transformers import SentenceTransformer

            self._model = SentenceTransformer(weights.path_or_name, local_files_only=weights.source != "hub")

    @property
    def name(self) -> str:
        return self._name

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """L2-normalised rows, shape (len(texts), dimensions). Raises ModelError on a value not finite."""
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension() or 0), dtype=np.float32)
        model: Any = self._model
        encode = model.encode_query if query else model.encode_document
        # The library itself sorts by length before it makes batches.
        found = encode(list(texts), batch_size=_BATCH, show_progress_bar=False, normalize_embeddings=True)
        vectors = np.asarray(found, dtype=np.float32)
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if bad.size:
            raise ModelError(
                f"{self._name} gave a vector that is not finite for {shown(texts[int(bad[0])])}: "
                "use another model"
            )
        return vectors


class LateInteractionScorer:
    """Implements ``PairScorer``: the mean over a question's tokens of the best cosine with a text's token.

    The MaxSim of ColBERT (Khattab and Zaharia 2020, arXiv:2004.12832), divided by the number of tokens, on
    the token vectors of a BERT encoder without [CLS] and [SEP]. Scores lie in [-1, 1]. A text beyond 256
    word pieces is read in overlapping windows, has the score of its best, and is counted in ``lengths``; a
    question of any length is read whole. Vectors of recent texts are kept, up to ``cached_tokens`` tokens
    (768 bytes each for MiniLM). Not for use by two threads at once.

    With ``token_direction``, shape (dimensions,), the mean is weighted: a question's token with the vector v
    counts exp(v · direction) times.
    """

    def __init__(
        self,
        weights: FoundWeights,
        name: str,
        *,
        token_direction: Vectors | None = None,
        cached_tokens: int = _CACHED_TOKENS,
    ) -> None:
        self._name = name
        self._direction = token_direction
        self._cache = _TokenCache(cached_tokens)
        self._counter = LengthCounter()
        with quiet_loading(weights, name):
            import torch
            from transformers import AutoModel, AutoTokenizer

            local = weights.source != "hub"
            self._tokenizer: Any = AutoTokenizer.from_pretrained(weights.path_or_name, local_files_only=local)
            self._device = torch.accelerator.current_accelerator() or torch.device("cpu")
            self._model: Any = AutoModel.from_pretrained(weights.path_or_name, local_files_only=local)
            self._model.to(self._device).eval()

    @property
    def name(self) -> str:
        return self._name

    @property
    def lengths(self) -> Lengths:
        return self._counter.lengths

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Shape (len(texts),), each in [-1, 1]; -1 where question or text has no words.

        Raises ModelError on a score that is not finite.
        """
        return self.weighted(question, texts, lambda asked: token_shares(asked, self._direction))

    def weighted(self, question: str, texts: Sequence[str], weigh: Callable[[Vectors], Scores]) -> Scores:
        """As ``score``, with the shares of the question's tokens by a rule of the caller's own.

        ``weigh`` takes their vectors, shape (tokens, dimensions), and gives their shares, (tokens,), sum 1.
        """
        scores = np.full(len(texts), NO_WORDS, dtype=np.float64)
        windows = self.token_vectors([question])[0]
        if not windows:
            return scores
        asked = np.concatenate(windows).astype(np.float32)
        shares = weigh(asked)
        for start in range(0, len(texts), _BLOCK):
            for index, windows in enumerate(self.token_vectors(texts[start : start + _BLOCK]), start):
                self._counter.count(texts[index], is_long=len(windows) > 1)
                if windows:
                    scores[index] = max(float(best_cosines(asked, window) @ shares) for window in windows)
        require_finite(self._name, question, texts, scores)
        return scores

    def windows(self, texts: Sequence[str]) -> list[list[Sequence[int]]]:
        """The word pieces of each text, by overlapping windows."""
        return [_windows(pieces) for pieces in self._pieces(list(texts))]

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Those of each text; what the cache lacks is encoded together."""
        known = {text: found for text in texts if (found := self._cache.get(text)) is not None}
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        if missing:
            windows = self.windows(missing)
            vectors = self._encode([window for of_text in windows for window in of_text])
            ends = np.cumsum([0, *(len(of_text) for of_text in windows)])
            for text, (start, end) in zip(missing, pairwise(ends), strict=True):
                known[text] = tuple(vectors[start:end])
                self._cache.put(text, known[text])
        return [known[text] for text in texts]

    def _pieces(self, texts: list[str]) -> list[list[int]]:
        # verbose: no warning about length, since windows take care of it.
        return self._tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]

    def _encode(self, windows: Sequence[Sequence[int]]) -> list[NDArray[np.float16]]:
        """One array a window, in their order; batches hold windows of like length."""
        import torch

        vectors: list[NDArray[np.float16]] = [np.empty((0, 0), dtype=np.float16)] * len(windows)
        by_length = sorted(range(len(windows)), key=lambda index: len(windows[index]))
        for start in range(0, len(by_length), _BATCH):
            batch = by_length[start : start + _BATCH]
            with torch.inference_mode():
                hidden = self._model(**self._padded([windows[index] for index in batch])).last_hidden_state
                unit = torch.nn.functional.normalize(hidden, dim=-1).to(torch.float16).cpu().numpy()
            for row, index in enumerate(batch):
                # A copy, because a view would keep the whole padded batch alive in the cache.
                vectors[index] = unit[row, 1 : 1 + len(windows[index])].copy()
        return vectors

    def _padded(self, windows: Sequence[Sequence[int]]) -> "dict[str, torch.Tensor]":
        import torch

        shape = (len(windows), 2 + max(len(window) for window in windows))
        ids = np.full(shape, self._tokenizer.pad_token_id, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, window in enumerate(windows):
            end = 2 + len(window)
            ids[row, :end] = [self._tokenizer.cls_token_id, *window, self._tokenizer.sep_token_id]
            mask[row, :end] = 1
        return {
            "input_ids": torch.from_numpy(ids).to(self._device),
            "attention_mask": torch.from_numpy(mask).to(self._device),
        }


class _TokenCache:
    """The token vectors of the texts used last, bounded by their tokens."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._size = 0
        self._entries: OrderedDict[str, TokenVectors] = OrderedDict()

    def get(self, text: str) -> TokenVectors | None:
        found = self._entries.get(text)
        if found is not None:
            self._entries.move_to_end(text)
        return found

    def put(self, text: str, vectors: TokenVectors) -> None:
        self._entries[text] = vectors
        self._size += _tokens(vectors)
        while self._size > self._capacity:
            self._size -= _tokens(self._entries.popitem(last=False)[1])


def open_embedder(name: str, *, offline: bool) -> Embedder:
    """The embedder of this name (a folder or a Hugging Face name). Raises ModelError if it is nowhere."""
    return SentenceTransformerEmbedder(require_weights(name, offline=offline), name)


def open_late_interaction(offline: bool, token_direction: Vectors | None = None) -> LateInteractionScorer:
    """The late-interaction scorer on all-MiniLM-L6-v2. Raises ModelError if the weights are nowhere."""
    weights = require_weights(MINILM, offline=offline)
    return LateInteractionScorer(weights, MINILM, token_direction=token_direction)


def _windows(pieces: Sequence[int]) -> list[Sequence[int]]:
    """Overlapping windows that cover all pieces; none if there are no pieces."""
    starts = range(0, max(len(pieces) - _OVERLAP, min(len(pieces), 1)), _WINDOW - _OVERLAP)
    return [pieces[start : start + _WINDOW] for start in starts]


def best_cosines(asked: Vectors, window: NDArray[np.float16]) -> Vectors:
    """Of each of the question's tokens with a token of the text; both have unit rows, shape (tokens, d)."""
    return (asked @ window.astype(np.float32).T).max(axis=1)


def token_shares(asked: Vectors, direction: Vectors | Scores | None) -> NDArray[np.float64]:
    """How much each of the question's tokens counts, shape (tokens,); they sum to 1."""
    found = np.zeros(len(asked)) if direction is None else (asked @ direction).astype(np.float64)
    shares = np.exp(found - found.max())
    return shares / shares.sum()


def _tokens(vectors: TokenVectors) -> int:
    return sum(len(window) for window in vectors)
