from typing import Any

import numpy as np
import pytest
from tiny_bert import save_bert

from goldgen.models.encoders import LateInteractionScorer, best_cosines, token_shares
from goldgen.models.weights import FoundWeights

pytest.importorskip("sentence_transformers", reason='needs pip install "goldgen[dense]"')
transformers: Any = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> FoundWeights:
    return save_bert(tmp_path_factory.mktemp("bert"))


def test_tokens_count_alike_without_a_direction_and_by_it_with_one() -> None:
    asked = np.eye(3, dtype=np.float32)
    assert token_shares(asked, None) == pytest.approx([1 / 3] * 3)
    direction = np.log(np.array([1, 2, 5], dtype=np.float32))
    assert token_shares(asked, direction) == pytest.approx([1 / 8, 2 / 8, 5 / 8])


def test_the_score_is_the_weighted_mean_of_the_best_cosines(bert: FoundWeights) -> None:
    plain = LateInteractionScorer(bert, "tiny")
    question, text = "data kept", "the data kept for days"
    asked = plain.token_vectors([question])[0][0].astype(np.float32)
    cosines = best_cosines(asked, plain.token_vectors([text])[0][0])
    direction = 10 * (asked[0] - asked[-1])
    weighted = LateInteractionScorer(bert, "tiny", token_direction=direction)
    shares = token_shares(asked, direction)
    assert shares[0] > shares[-1]
    assert weighted.score(question, [text])[0] == pytest.approx(float(cosines @ shares), abs=1e-6)
    assert plain.score(question, [text])[0] == pytest.approx(float(cosines.mean()), abs=1e-6)
    assert weighted.score(question, [""])[0] == -1
