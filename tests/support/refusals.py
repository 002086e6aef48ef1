"""What every refusal looks like."""

from typing import Any

from service.api.problems import PROBLEMS

ALWAYS = {"type", "title", "status", "detail", "code"}
WITH_CODE = {
    "invalid": {"errors"},
    "illegal_move": {"rule"},
    "stale_version": {"version", "events"},
    "rate_limited": {"limit"},
}


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    """Asserts that the answer is this refusal, in the one shape and with its headers; gives its body."""
    said = f"{answer.status_code} {answer.get_data(as_text=True)[:400]}"
    assert answer.status_code == status, said
    body: dict[str, Any] = answer.get_json()
    assert body["code"] == code, said
    assert answer.headers["Content-Type"] == "application/problem+json", said
    assert set(body) - {"events_truncated"} == ALWAYS | WITH_CODE.get(code, set()), said
    assert body["status"] == status == PROBLEMS[code][0], said
    assert body["type"] == f"/docs/problems#{code}", said
    assert body["title"] == PROBLEMS[code][1], said
    assert body["detail"].endswith((".", "`")), said
    assert ("Allow" in answer.headers) == (status == 405), said
    assert ("WWW-Authenticate" in answer.headers) == (status == 401), said
    assert ("Retry-After" in answer.headers) == (status in (429, 503)), said
    return body
