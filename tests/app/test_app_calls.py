from dataclasses import replace
from pathlib import Path

import pytest

from goldgen.app.calls import list_calls, show_call
from goldgen.errors import SettingsError, StoreError
from goldgen.store import StageTotals, open_store
from goldgen.store.calls import CallFilter
from goldgen.types import CallRecord, Message, Usage

ANY = CallFilter()
OK = CallRecord(
    key="ab120000000000000001",
    stage="synth",
    model="gen",
    endpoint="http://127.0.0.1/v1",
    prompt_hash="p",
    messages=(Message("system", "Ask."), Message("user", "[red]{{ x }}")),
    status="ok",
    reply='{"question": "How?"}',
    usage=Usage(100, 10, 1),
    seconds=0.5,
    usd=0.25,
)
FAILED = replace(
    OK,
    key="ab120000000000000002",
    stage="verify",
    model="ver",
    status="failed",
    reply="",
    failure_kind="timeout",
    failure_message="no reply in 120 s",
    usd=None,
)
LAST = replace(OK, key="cd340000000000000003")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Three calls that ended in this order."""
    path = tmp_path / "set.duckdb"
    with open_store(path) as store:
        for record in (OK, FAILED, LAST):
            store.calls.put(record)
    return path


def test_the_newest_come_first_and_totals_count_also_what_is_not_listed(db: Path) -> None:
    found = list_calls(db, ANY, limit=2)
    assert [call.key for call in found.calls] == [LAST.key, FAILED.key]
    assert found.totals == (
        StageTotals("synth", "gen", 2, 0, Usage(200, 20, 2), 1.0, 0.5, 0),
        StageTotals("verify", "ver", 1, 1, Usage(100, 10, 1), 0.5, 0.0, 1),
    )


def test_no_limit_lists_all(db: Path) -> None:
    with open_store(db) as store:
        for number in range(30):
            store.calls.put(replace(OK, key=f"{number:020}"))
    assert len(list_calls(db, ANY).calls) == 20
    assert len(list_calls(db, ANY, limit=0).calls) == 33


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        (CallFilter(stage="synth"), [LAST.key, OK.key]),
        (CallFilter(model="ver"), [FAILED.key]),
        (CallFilter(status="failed"), [FAILED.key]),
        (CallFilter(failure_kind="timeout"), [FAILED.key]),
        (CallFilter(failure_kind="refusal"), []),
        (CallFilter(stage="synth", status="failed"), []),
    ],
)
def test_a_filter_holds_for_the_list_and_the_totals(db: Path, wanted: CallFilter, keys: list[str]) -> None:
    found = list_calls(db, wanted)
    assert [call.key for call in found.calls] == keys
    assert sum(total.calls for total in found.totals) == len(keys)


def test_a_kind_of_failure_that_does_not_exist_names_those_that_do(db: Path) -> None:
    with pytest.raises(SettingsError, match=r"--failure is 'late'; give one of .*timeout"):
        list_calls(db, CallFilter(failure_kind="late"))


@pytest.mark.parametrize("key", [FAILED.key, "AB120000000000000002", " ab120000000000000002 "])
def test_a_call_is_shown_whole(db: Path, key: str) -> None:
    found = show_call(db, key)
    assert found.call == FAILED
    assert found.ended_at == list_calls(db, CallFilter(status="failed")).calls[0].ended_at


def test_a_prefix_that_only_one_key_has_is_enough(db: Path) -> None:
    assert show_call(db, "cd34").call == LAST


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("cd3", "'cd3' is too short for a call's key; give its first 4 digits"),
        ("ffff", "no call in .* has a key that begins with 'ffff'; `goldgen calls --limit 0` lists all"),
        ("%%%%", "no call in .* has a key that begins with '%%%%'"),
        ("ab12", f"2 calls begin with 'ab12': {OK.key}, {FAILED.key}; give more digits"),
    ],
)
def test_a_key_that_names_no_one_call_says_what_to_do(db: Path, key: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says) as raised:
        show_call(db, key)
    assert "\n" not in str(raised.value)


def test_many_keys_that_begin_alike_are_not_all_named(db: Path) -> None:
    with open_store(db) as store:
        for number in range(100):
            store.calls.put(replace(OK, key=f"eeee{number:016}"))
    with pytest.raises(SettingsError, match="100 calls begin with 'eeee'") as raised:
        show_call(db, "eeee")
    assert str(raised.value).count("eeee") == 6


def test_no_set_is_an_error_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "set.duckdb"
    with pytest.raises(StoreError, match="no golden set"):
        list_calls(path, ANY)
    with pytest.raises(StoreError, match="no golden set"):
        show_call(path, OK.key)
    assert not path.exists()


def test_looking_changes_nothing(db: Path) -> None:
    before = db.read_bytes()
    assert list_calls(db, ANY) == list_calls(db, ANY)
    assert show_call(db, OK.key).call == OK
    assert db.read_bytes() == before
