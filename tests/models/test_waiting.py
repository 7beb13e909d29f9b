import time

import pytest

from goldgen.models.waiting import within


def test_what_comes_in_time_is_given_on_and_so_is_what_is_raised() -> None:
    assert within(5, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 / 0)


@pytest.mark.parametrize("seconds", [0.1, 0.0, -1.0])
def test_nothing_is_waited_for_longer(seconds: float) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        within(seconds, lambda: time.sleep(60))
    assert time.monotonic() - started < 20
