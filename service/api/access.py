"""What is done around every request: its id, its line in the log, its counts. One hook, for each costs.

A request's id is the client's `X-Request-Id` if that is 1 to 64 letters, digits and `.` `_` `-` `:` `+` `/` `=`, else
one made here. Every answer bears it, and so does every log line that is written meanwhile.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter, time_ns
from typing import Any

from flask import Flask, Request, Response, has_request_context

from service import logs, metrics
from service.access_log import HEADER, Access, AccessLog, level, new_id
from service.api.lean import at_hand
from service.settings import Settings
from service.table.edge import rfc3339

ID = "shorebreak.request_id"
BEGUN = "shorebreak.begun"
TRACE = "shorebreak.trace_id"

METHODS = frozenset(("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"))
"""Others are all one in the counts: who asks could invent any number of them."""

_SAFE_ID = re.compile(r"[A-Za-z0-9._:+/=-]{1,64}")
_MATCH = re.compile(r"[0-9a-f]{24}")
_SEAT = re.compile(r"[0-9]{1,2}")


class Observed(Response):
    """An answer that says what is to be told of it: the problem's code, or the version that a move made."""

    code: str | None = None
    version: int | None = None


class Kind:
    """What answers of one kind have in common. `waits`: their route can hold them back."""

    __slots__ = ("level", "method", "route", "tally", "waits")

    def __init__(self, method: str, route: str, status: int, code: str | None) -> None:
        self.method = method
        self.route = route
        self.level = level(status)
        self.waits = route.endswith(("/events", "/wait"))
        self.tally = metrics.Tally(method, route, status, code)


def request_id() -> str:
    """The id of the request at hand."""
    environ = at_hand().environ
    known: str | None = environ.get(ID)
    if known is None:
        given = environ.get("HTTP_X_REQUEST_ID")
        known = given if given and _SAFE_ID.fullmatch(given) else new_id()
        environ[ID] = known
    return known


def route_of(asked: Request) -> tuple[str, str]:
    """Method and route, as the document has them."""
    rule, method = asked.url_rule, asked.method
    return method if method in METHODS else "other", "none" if rule is None else rule.rule


def place_of(asked: Request) -> tuple[str | None, int | None]:
    """The match and the seat that the path names, where it has what looks like one."""
    given = asked.view_args or {}
    match, seat = given.get("match"), given.get("seat")
    return (
        match if match is not None and _MATCH.fullmatch(match) else None,
        int(seat) if seat is not None and _SEAT.fullmatch(seat) else None,
    )


def add_to(app: Flask, settings: Settings) -> Callable[[], None]:
    """Put the hook around every request. What this gives has to be called now and then: it hands over the counts."""
    log = AccessLog(settings)
    kinds: dict[tuple[str, str, int, str | None], Kind] = {}
    answer_all = app.wsgi_app

    def begin(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ[BEGUN] = perf_counter()
        return answer_all(environ, start_response)

    def finish(response: Response) -> Response:
        asked = at_hand()
        status, code = response.status_code, response.code if isinstance(response, Observed) else None
        key = (*route_of(asked), status, code)
        kind = kinds.get(key)
        if kind is None:
            kind = kinds[key] = Kind(*key)
        response.headers.add("X-Content-Type-Options", "nosniff")
        response.headers.add(HEADER, request_id())
        if kind.waits and _waited(asked, response):
            took_s = 0.0
            kind.tally.add()
        else:
            took_s = perf_counter() - asked.environ[BEGUN]
            kind.tally.add_timed(took_s)
        if response.is_streamed:
            _tell_at_the_end(log, kind, asked, response)
        elif log.wants(status, took_s):
            log.tell(_access(log, kind, asked, response, sum(map(len, response.response))))
        return response

    def hand_over() -> None:
        for kind in list(kinds.values()):
            kind.tally.hand_over()

    app.wsgi_app = begin  # type: ignore[method-assign]  # Flask's own way to put something around it
    app.after_request(finish)
    logs.about_work = _about_request
    return hand_over


def _about_request() -> dict[str, Any]:
    """For other log lines: in which request they are written."""
    return {"request_id": request_id()} if has_request_context() else {}


def _waited(asked: Request, response: Response) -> bool:
    """Whether the client asked for an answer that comes later."""
    return asked.method == "POST" or response.is_streamed or "wait_s=" in asked.environ["QUERY_STRING"]


def _access(log: AccessLog, kind: Kind, asked: Request, response: Response, size: int) -> Access:
    """The line: of what the client sent nothing that is not known to be harmless."""
    environ = asked.environ
    match, seat = place_of(asked)
    return Access(
        event="request",
        level=kind.level,
        logger="shorebreak.access",
        timestamp=rfc3339(time_ns() // 1_000_000),
        method=kind.method,
        route=kind.route,
        status=response.status_code,
        duration_ms=round(1000 * (perf_counter() - environ[BEGUN]), 3),
        bytes=0 if kind.method == "HEAD" else size,
        request_id=environ[ID],
        code=response.code if isinstance(response, Observed) else None,
        match=match,
        seat=seat,
        version=response.version if isinstance(response, Observed) else None,
        address=asked.remote_addr if log.addresses else None,
        trace_id=environ.get(TRACE),
    )


def _tell_at_the_end(log: AccessLog, kind: Kind, asked: Request, response: Response) -> None:
    """Of a stream is told when it is over: how long it was and how much it said."""
    if not log.wants(response.status_code, 0.0):
        return
    line = _access(log, kind, asked, response, 0)
    begun = asked.environ[BEGUN]

    def counted(pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            line.bytes += len(piece)
            yield piece
            del piece  # thousands wait: none of them holds on to what it was told, nor to what it asked with

    def tell() -> None:
        line.timestamp = rfc3339(time_ns() // 1_000_000)
        line.duration_ms = round(1000 * (perf_counter() - begun), 3)
        log.tell(line)

    response.response = counted(response.response)  # type: ignore[arg-type]  # a stream's pieces are bytes
    response.call_on_close(tell)
