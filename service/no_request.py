"""What is answered where no request came about: in the one shape of errors, whole, without the application."""

from http import HTTPStatus

import msgspec
from gunicorn.http import errors

from service.access_log import HEADER, new_id
from service.patience import TooSlow

POLICY = "default-src 'none'; frame-ancestors 'none'"
"""As in every other answer: see `service.api.headers`, which needs Flask, and that is not loaded here."""


class Fault(msgspec.Struct, frozen=True):
    """A refusal made before there is a request."""

    status: HTTPStatus
    code: str
    detail: str
    limit: str | None = None
    retry_after_s: int | None = None

    def answer(self, request_id: str | None = None) -> bytes:
        """The whole response, to the last byte, and counted. Without an id it gets a fresh one."""
        from service import metrics  # only in a worker: counting begins with the folder that the master has emptied

        metrics.REQUESTS.labels("other", "none", self.status.value, self.code).inc()
        if self.limit is not None:
            metrics.RATE_LIMITED.labels(self.limit).inc()
        problem = {
            "type": f"/docs/problems#{self.code}",
            "title": self.status.phrase,
            "status": self.status.value,
            "detail": self.detail,
            "code": self.code,
        }
        body = msgspec.json.encode(problem if self.limit is None else {**problem, "limit": self.limit})
        more = "" if self.retry_after_s is None else f"Retry-After: {self.retry_after_s}\r\n"
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\n"
            "Content-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\n"
            f"{HEADER}: {request_id or new_id()}\r\n"
            f"{more}"
            "X-Content-Type-Options: nosniff\r\n"
            f"Content-Security-Policy: {POLICY}\r\n"
            "Connection: close\r\n\r\n"
        )
        return head.encode() + body


CROWDED = Fault(
    HTTPStatus.TOO_MANY_REQUESTS,
    "rate_limited",
    "Your address has too many connections open. Close some, or use each for more than one request.",
    "connections",
    5,
)


def fault_of(exc: BaseException) -> Fault:
    """What to answer to something that gunicorn could not read, or that the application let escape."""
    if isinstance(exc, TooSlow):
        return Fault(HTTPStatus.REQUEST_TIMEOUT, "too_slow", "The request came too slowly. Send all of it at once.")
    if isinstance(exc, errors.LimitRequestLine):
        return Fault(HTTPStatus.REQUEST_URI_TOO_LONG, "too_large", "The request line is too long.")
    if isinstance(exc, errors.LimitRequestHeaders):
        return Fault(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", "The headers are too long or too many.")
    application_wrote_it = isinstance(exc, errors.InvalidResponseHeader | errors.InvalidResponseHeaderName)
    if isinstance(exc, errors.ParseException) and not application_wrote_it:
        return Fault(HTTPStatus.BAD_REQUEST, "malformed", "This is not a well-formed HTTP/1.1 request.")
    return Fault(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "Something went wrong on our side.")
