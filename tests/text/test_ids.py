import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from goldgen.text import stable_id


def test_the_id_is_the_same_on_every_machine_and_in_every_version() -> None:
    assert stable_id("corpus", "guides/übersicht.md") == "66e7b97ce72af32f8f43"
    assert stable_id("") != stable_id()


def test_the_id_does_not_depend_on_the_salt_of_hashes() -> None:
    code = "from goldgen.text import stable_id; print(stable_id('corpus', 'a.md', '0'))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {stable_id("corpus", "a.md", "0")}


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_give_different_ids(left: list[str], right: list[str]) -> None:
    assert (stable_id(*left) == stable_id(*right)) == (left == right)


@given(st.text(min_size=1), st.integers(0, 20))
def test_moving_a_boundary_changes_the_id(text: str, at: int) -> None:
    parts = (text[:at], text[at:])
    assert stable_id(*parts) != stable_id(text)


def test_half_of_a_surrogate_pair_has_an_id() -> None:
    assert stable_id("half \ud83d") != stable_id("half ")
    assert len(stable_id("half \ud83d")) == 20
