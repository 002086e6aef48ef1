"""The jobs of a worker go on, whatever happens to them."""

import logging

import pytest

from service.store.news import Line
from service.worker.main import again_and_again
from service.worker.wake import Wake


def nobody_listens() -> Line:
    raise AssertionError("no job of this test listens")


def test_a_job_that_fails_is_in_the_log_and_begins_anew(caplog: pytest.LogCaptureFixture) -> None:
    wake, begun = Wake(nobody_listens, []), []

    def job() -> None:
        begun.append(len(begun))
        if len(begun) < 3:
            raise ValueError(f"the {len(begun)}. time")
        wake.stop()

    with caplog.at_level(logging.ERROR):
        again_and_again(job, wake)
    assert begun == [0, 1, 2]
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["the 1. time", "the 2. time"]


def test_a_worker_that_is_to_stop_begins_nothing_anew() -> None:
    wake, begun = Wake(nobody_listens, []), []

    def job() -> None:
        begun.append(True)
        wake.stop()
        raise ValueError("at the end")

    again_and_again(job, wake)
    assert begun == [True]
