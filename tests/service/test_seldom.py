"""A trouble that lasts does not fill the log."""

import logging

import pytest

from service.seldom import AGAIN_AFTER_S, Seldom


class Hands:
    """A clock that stands still until somebody turns it."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def test_the_same_line_is_written_once_until_a_while_has_passed(caplog: pytest.LogCaptureFixture) -> None:
    clock = Hands()
    lasting = Seldom(logging.getLogger("seldom"), clock)
    for _ in range(40):
        lasting.warning("%s: %s", "matches", "refused")
    assert caplog.messages == ["matches: refused"]
    clock.at += AGAIN_AFTER_S - 0.1
    lasting.warning("%s: %s", "matches", "refused")
    assert len(caplog.messages) == 1
    clock.at += 0.1
    lasting.warning("%s: %s", "matches", "refused")
    assert caplog.messages == ["matches: refused"] * 2


def test_another_line_is_written_at_once(caplog: pytest.LogCaptureFixture) -> None:
    lasting = Seldom(logging.getLogger("seldom"), Hands())
    lasting.warning("%s: %s", "matches", "refused")
    lasting.warning("%s: %s", "matches", "50 % lost")
    assert caplog.messages == ["matches: refused", "matches: 50 % lost"]
