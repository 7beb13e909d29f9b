"""Trains the weights of the embedded judge, and measures them on collections that they were not trained on.

    OMP_NUM_THREADS=1 python bench/train_judge.py --out goldgen/verify/data/embedded_judge.json

For each collection the model is trained on all others whose licence allows it, so that no document is on both
sides. Printed: AUC by kind of wrong text, the false accepts where 85% and 90% of gold are kept, and the mean
squared error of the probability (Brier; 0.25 is a guess). Each of these models is kept in --work, for
bench/judges.py. What is written to --out is trained on all of ``TRAINED_ON``. Numpy alone: Adam on the loss
of each question, half of it whether each text answers, half whether gold scores above the others. Signals are
kept in --work, outside the checkout.
"""

import argparse
import json
import pickle
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import exp, log1p
from pathlib import Path

import numpy as np
from judging_data import NEGATIVES, SETS, TRAINED_ON, Kind, left_out_path, load_trios, require_data
from judging_figures import RECALLS, auc, false_accepts
from numpy.typing import NDArray

from goldgen.models.encoders import (
    MINILM,
    LateInteractionScorer,
    best_cosines,
    open_embedder,
    open_late_interaction,
    token_shares,
)
from goldgen.text.sentences import windows
from goldgen.text.words import shared_stems
from goldgen.types import Scores, Vectors
from goldgen.verify import Passage
from goldgen.verify.signals import Weights

_Floats = NDArray[np.float64]
_NAMES = tuple(part.name for part in fields(Weights))
_START = (15.0, -5.0, 3.0, -1.0, 3.0, -8.0)
_EPOCHS, _BATCH = 4, 8
_DIRECTION_RATE, _WEIGHT_RATE, _DECAY = 0.02, 0.1, 0.05


@dataclass(frozen=True, slots=True)
class Text:
    """One text for one question."""

    cosines: Vectors
    """Of each question token with the likest of each window, shape (windows, tokens)."""
    words: _Floats
    passage_words: float


@dataclass(frozen=True, slots=True)
class Example:
    question: Vectors
    """Its token vectors, shape (tokens, dimensions)."""
    texts: Mapping[Kind, Text]


@dataclass(slots=True)
class Model:
    direction: _Floats
    weights: _Floats
    """In the order of ``_NAMES``."""

    @classmethod
    def start(cls, dimensions: int) -> "Model":
        return cls(np.zeros(dimensions), np.array(_START))

    def log_odds(self, example: Example, text: Text) -> float:
        return self._look(token_shares(example.question, self.direction), text)[0]

    def slope(self, example: Example, text: Text) -> tuple[float, _Floats, _Floats]:
        """The log odds and how they change with direction and weights."""
        shares = token_shares(example.question, self.direction)
        odds, signals, cosines = self._look(shares, text)
        about = shares * (cosines - cosines @ shares)
        return odds, example.question.astype(np.float64).T @ about, signals

    def _look(self, shares: _Floats, text: Text) -> tuple[float, _Floats, _Floats]:
        late = text.cosines @ shares
        best = int((self.weights[0] * late + self.weights[2] * text.words).argmax())
        of_window = (late[best], late.mean(), text.words[best], text.words.mean(), text.passage_words, 1.0)
        signals = np.array(of_window)
        cosines = self.weights[0] * text.cosines[best] + self.weights[1] * text.cosines.mean(axis=0)
        return float(signals @ self.weights), signals, cosines


def train(examples: Sequence[Example], seed: int = 0) -> Model:
    model = Model.start(examples[0].question.shape[1])
    order, batches = list(examples), -(-len(examples) // _BATCH)
    moments = [np.zeros((2, len(values))) for values in (model.direction, model.weights)]
    for step in range(_EPOCHS * batches):
        if step % batches == 0:
            random.Random(seed + step).shuffle(order)
        at = step % batches * _BATCH
        slopes = [_slope_of_loss(model, example) for example in order[at : at + _BATCH]]
        rest = 1 - step / (_EPOCHS * batches)
        model.direction *= 1 - _DIRECTION_RATE * rest * _DECAY
        rates = (_DIRECTION_RATE, _WEIGHT_RATE)
        for values, moment, rate, part in zip(
            (model.direction, model.weights), moments, rates, zip(*slopes, strict=True), strict=True
        ):
            values -= rate * rest * _adam(moment, np.mean(part, axis=0), step + 1)
    return model


def _slope_of_loss(model: Model, example: Example) -> tuple[_Floats, _Floats]:
    gold, of_direction, of_weights = model.slope(example, example.texts["gold"])
    wrong = [model.slope(example, text) for kind, text in example.texts.items() if kind != "gold"]
    pull = -0.5 * _share(-gold)
    direction, weights = pull * of_direction, pull * of_weights
    for odds, wrong_direction, wrong_weights in wrong:
        apart, push = _share(odds - gold) / len(wrong), 0.5 * _share(odds) / len(wrong)
        direction += (apart + push) * wrong_direction - apart * of_direction
        weights += (apart + push) * wrong_weights - apart * of_weights
    return direction, weights


def _share(odds: float) -> float:
    return exp(-log1p(exp(-odds))) if odds > -30 else 0.0


def _adam(moment: _Floats, slope: _Floats, step: int) -> _Floats:
    moment[0] = 0.9 * moment[0] + 0.1 * slope
    moment[1] = 0.999 * moment[1] + 0.001 * slope**2
    return moment[0] / (1 - 0.9**step) / (np.sqrt(moment[1] / (1 - 0.999**step)) + 1e-8)


def examples_of(name: str, count: int, work: Path) -> list[Example]:
    """Those of a collection, kept in ``work``. The file is our own, so that it may be unpickled."""
    path = work / f"signals-{name}-{count}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())
    embedder, scorer = open_embedder(MINILM, offline=True), open_late_interaction(offline=True)
    found: list[Example] = []
    for trio in load_trios(name, count, 1, embedder, work / "vectors"):
        question = np.concatenate(scorer.token_vectors([trio.question.text])[0]).astype(np.float32)
        texts: dict[Kind, Text] = {}
        for kind, passage in trio.pairs.items():
            if (text := _read(scorer, trio.question.text, question, passage)) is not None:
                texts[kind] = text
        if "gold" in texts and len(texts) > 1:
            found.append(Example(question, texts))
    path.write_bytes(pickle.dumps(found))
    return found


def _read(scorer: LateInteractionScorer, question: str, tokens: Vectors, passage: Passage) -> Text | None:
    texts = [passage.text[start:end] for start, end in windows(passage.text)]
    vectors = scorer.token_vectors(texts)
    pairs = [(text, found) for text, found in zip(texts, vectors, strict=True) if found]
    if not pairs:
        return None
    cosines = np.array([np.max([best_cosines(tokens, part) for part in found], axis=0) for _, found in pairs])
    words = np.array([shared_stems(question, text) for text, _ in pairs])
    return Text(cosines, words, shared_stems(question, passage.full_text))


def row(name: str, model: Model, examples: Sequence[Example]) -> str:
    kinds: tuple[Kind, ...] = ("gold", *NEGATIVES)
    odds: dict[Kind, Scores] = {
        kind: np.array([model.log_odds(e, e.texts[kind]) for e in examples if kind in e.texts])
        for kind in kinds
    }
    cells: list[str] = []
    for kind in NEGATIVES:
        gold, wrong = odds["gold"], odds[kind]
        if wrong.size:
            shares = ", ".join(f"{false_accepts(recall)(gold, wrong):.0%}" for recall in RECALLS)
            cells.append(f"{auc(gold, wrong):.3f}; {shares}")
        else:
            cells.append("–")
    return f"| {name}, {len(examples)} | {' | '.join(cells)} | {_brier(odds):.3f} |"


def _brier(odds: Mapping[Kind, Scores]) -> float:
    """As many golds as wrong texts, as in training."""
    gold = float(np.mean([(1 - _share(value)) ** 2 for value in odds["gold"]]))
    wrong = np.concatenate([odds[kind] for kind in NEGATIVES])
    return (gold + float(np.mean([_share(value) ** 2 for value in wrong]))) / 2


def written(model: Model, left_out: str = "") -> str:
    weights = {name: round(float(value), 3) for name, value in zip(_NAMES, model.weights, strict=True)}
    return json.dumps(
        {
            "encoder": MINILM,
            "trained_on": [name for name in TRAINED_ON if name != left_out],
            "weights": weights,
            "token_direction": [round(float(value), 4) for value in model.direction],
        },
        indent=1,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=250, help="of each collection")
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "goldgen-bench")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    require_data()
    names = dict.fromkeys((*SETS, *TRAINED_ON))
    examples = {name: examples_of(name, given.questions, given.work) for name in names}
    print("| left out | neighbour: AUC; at 85%, 90% recall | answer deleted | Brier |\n|---|---|---|---|")
    for name in SETS:
        model = train([example for other in TRAINED_ON if other != name for example in examples[other]])
        print(row(name, model, examples[name]), flush=True)
        left_out_path(given.work, name).write_text(written(model, name), encoding="utf-8")
    if given.out:
        model = train([example for name in TRAINED_ON for example in examples[name]])
        given.out.write_text(written(model) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
