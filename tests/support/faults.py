"""What a failing store has to look like from outside."""

from tests.support.play import Answer


def assert_unavailable(answer: Answer, code: str, within_s: float) -> None:
    """A 503 of this code, in the one shape of errors, with a moment to wait, in time."""
    assert (answer.status, answer.code) == (503, code), answer
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.json["status"] == 503
    assert answer.json["detail"]
    assert answer.took_s <= within_s, f"the answer took {answer.took_s:.2f} s, allowed are {within_s:.2f} s"
