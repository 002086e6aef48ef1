"""Waiting in tests: ask again and again, with a deadline, never a fixed sleep."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(ask: Callable[[], T], what: str, within_s: float = 15.0) -> T:
    """The first true answer. Fails, saying what was waited for, when the time is up."""
    give_up_at = time.monotonic() + within_s
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < give_up_at, f"waited {within_s:g} s in vain: {what} (last answer: {answer!r})"
        time.sleep(0.01)
