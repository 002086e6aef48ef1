"""The one error shape, RFC 9457, for every error whatever raised it."""

import logging
from typing import Annotated, Any

import msgspec
from flask import Flask, Response, request
from msgspec import UNSET, Meta, UnsetType
from werkzeug.exceptions import HTTPException

from engines.kit.errors import IllegalMove, InvalidOptions, NotYourTurn, RulesError
from service import metrics
from service.api.access import Observed
from service.store.errors import OutcomeUnknown, StoreError
from service.table.change import FeedEvent
from service.table.errors import Invalid, RateLimited, Refusal, StaleVersion

_log = logging.getLogger(__name__)

# code: (status, title). The order is that in which a request is judged.
PROBLEMS: dict[str, tuple[int, str]] = {
    "not_found": (404, "No such address"),
    "method_not_allowed": (405, "This address does not take this method"),
    "too_large": (413, "The body is too large"),
    "too_slow": (408, "The request came too slowly"),
    "unsupported_media_type": (415, "The body must be JSON"),
    "rate_limited": (429, "Too many tries"),
    "malformed": (400, "The body is not JSON"),
    "unknown_game": (404, "No such game"),
    "unknown_match": (404, "No such match"),
    "unknown_seat": (404, "No such seat"),
    "unauthenticated": (401, "A valid token is needed"),
    "wrong_seat": (403, "Not the token of this seat"),
    "invalid": (422, "The request does not fit the schema"),
    "wrong_join_code": (403, "Not the join code of this match"),
    "host_only": (403, "Only the host may do this"),
    "idempotency_mismatch": (422, "The key was used with another body"),
    "match_waiting": (409, "The match has not started"),
    "match_started": (409, "The match has started"),
    "match_over": (409, "The match is over"),
    "match_not_finished": (409, "The match is not over"),
    "seat_taken": (409, "The seat is taken"),
    "stale_version": (409, "The match has moved on"),
    "seat_given_up": (409, "The seat was given up"),
    "not_your_turn": (409, "Not this seat's turn"),
    "illegal_move": (422, "The rules forbid this move"),
    "draining": (503, "The server is about to stop"),
    "store_unavailable": (503, "The store does not answer"),
    "busy": (503, "Too many writers at once"),
    "outcome_unknown": (503, "It is not known whether this was stored"),
    "match_unreadable": (503, "This server cannot read the match"),
    "internal": (500, "The server failed"),
}

RETRY_AFTER_S = {"draining": 1, "store_unavailable": 1, "busy": 1, "outcome_unknown": 1, "match_unreadable": 60}

_FLASK_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}

_SENTENCES = {
    "not_found": "Nothing is at this address. /openapi.json lists all there are, /docs shows them.",
    "too_large": "Send a smaller body.",
    "unsupported_media_type": "Send the body as `Content-Type: application/json`, not packed.",
    "malformed": "The request could not be read.",
    "store_unavailable": "Nothing was changed. Try again in a moment.",
    "outcome_unknown": "The store went silent while writing. Look at the state, or repeat the request with the same "
    "Idempotency-Key: it is applied once at the most.",
    "internal": "Nothing was changed that you were not told of. The operator finds this failure in the log.",
}


class FieldFault(msgspec.Struct, frozen=True):
    """One field that does not fit: where (a JSON path into the body, or a parameter), and why."""

    path: Annotated[str, Meta(description="`$.options.rounds` in the body, `$.limit` in the query, or a header.")]
    detail: str


class Problem(msgspec.Struct, frozen=True):
    """Every error, RFC 9457. `code` is stable and the one to act on; `detail` is for people and may change."""

    type: Annotated[
        str, Meta(description="A page that explains the code.", extra_json_schema={"format": "uri-reference"})
    ]
    title: str
    status: Annotated[int, Meta(description="The HTTP status again.")]
    detail: Annotated[str, Meta(description="What was wrong here, and what to do.")]
    code: Annotated[str, Meta(description="One of an open set of words; see /docs/problems.")]
    errors: Annotated[list[FieldFault] | UnsetType, Meta(description="With `invalid`.")] = UNSET
    rule: Annotated[str | UnsetType, Meta(description="With `illegal_move`: an id of the game's `rules`.")] = UNSET
    version: Annotated[int | UnsetType, Meta(description="With `stale_version`: the match's version now.")] = UNSET
    events: Annotated[
        list[FeedEvent] | UnsetType, Meta(description="With `stale_version`: what has happened since, oldest first.")
    ] = UNSET
    events_truncated: Annotated[
        bool | UnsetType, Meta(description="With `stale_version`, true: there are more events than these.")
    ] = UNSET
    limit: Annotated[str | UnsetType, Meta(description="With `rate_limited`: which limit was met.")] = UNSET


def problem(code: str, detail: str | None = None, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """The answer for a code of `PROBLEMS`."""
    status, title = PROBLEMS[code]
    body = Problem(f"/docs/problems#{code}", title, status, detail or _SENTENCES[code], code, **more)
    response = Observed(msgspec.json.encode(body), status=status, mimetype="application/problem+json")
    response.code = code
    response.headers["Cache-Control"] = "no-store"
    if code in RETRY_AFTER_S:
        response.headers["Retry-After"] = str(RETRY_AFTER_S[code])
    for name, value in (headers or {}).items():
        response.headers[name] = value
    return response


def problem_of(refusal: Refusal) -> Problem:
    """The body for a refusal that is no answer of its own: part of one, or the last message of a stream."""
    status, title = PROBLEMS[refusal.code]
    return Problem(f"/docs/problems#{refusal.code}", title, status, refusal.sentence, refusal.code)


def register(app: Flask) -> None:
    """Answer every error in the one shape."""
    app.register_error_handler(Refusal, _refused)
    app.register_error_handler(RulesError, _against_the_rules)
    app.register_error_handler(StoreError, _store_failed)
    app.register_error_handler(HTTPException, http_problem)
    app.register_error_handler(Exception, _failed)


def _refused(refusal: Refusal) -> Response:
    if isinstance(refusal, Invalid):
        return problem("invalid", refusal.sentence, errors=[FieldFault(refusal.path, refusal.sentence)])
    if isinstance(refusal, StaleVersion):
        truncated = True if refusal.truncated else UNSET
        return problem(
            refusal.code,
            refusal.sentence,
            version=refusal.version,
            events=refusal.events,
            events_truncated=truncated,
        )
    if isinstance(refusal, RateLimited):
        metrics.RATE_LIMITED.labels(refusal.limit).inc()
        headers = {"Retry-After": str(refusal.retry_after_s)}
        return problem(refusal.code, refusal.sentence, headers, limit=refusal.limit)
    challenge = {"WWW-Authenticate": 'Bearer realm="shorebreak"'} if refusal.code == "unauthenticated" else None
    if refusal.code == "match_unreadable":
        _log.error("unreadable match: %s", (request.view_args or {}).get("match"))
    return problem(refusal.code, refusal.sentence, challenge)


def _against_the_rules(refusal: RulesError) -> Response:
    match refusal:
        case IllegalMove():
            return problem("illegal_move", refusal.sentence, rule=refusal.rule)
        case NotYourTurn():
            return problem("not_your_turn", refusal.sentence)
        case InvalidOptions():
            return problem("invalid", refusal.sentence, errors=[FieldFault(refusal.path, refusal.sentence)])
    raise refusal


def _store_failed(failure: StoreError) -> Response:
    unknown = isinstance(failure, OutcomeUnknown)
    metrics.STORE_ERRORS.labels("unknown" if unknown else "unavailable", "request").inc()
    _log.warning("store: %s", failure)
    return problem("outcome_unknown" if unknown else "store_unavailable")


def http_problem(failure: HTTPException) -> Response:
    """What Flask itself refuses: no such address, wrong method, body too large or not JSON."""
    status = failure.code or 500
    if status < 400:  # a redirect, not a failure
        return failure.get_response()  # type: ignore[return-value]  # werkzeug's Response; Flask takes it
    code = _FLASK_CODES.get(status, "malformed" if status < 500 else "internal")
    allowed = getattr(failure, "valid_methods", None)
    if code == "method_not_allowed" and allowed:
        allow = ", ".join(sorted(allowed))
        return problem(code, f"Allowed here: {allow}.", {"Allow": allow})
    return problem(code)


def _failed(failure: Exception) -> Response:
    _log.exception("failed at %s %s", request.method, request.url_rule, exc_info=failure)
    return problem("internal")
