"""What goes out: msgspec's bytes, the headers of the contract."""

from typing import Any

import msgspec
from flask import Response
from werkzeug.datastructures import Headers

from service.api.access import Observed
from service.api.lean import at_hand

_encode = msgspec.json.Encoder().encode


class Complete(Observed):
    """An answer whose headers are complete: werkzeug need not look through them once more."""

    def get_wsgi_headers(self, environ: Any) -> Headers:
        del environ
        return self.headers

    def __call__(self, environ: Any, start_response: Any) -> Any:
        if environ["REQUEST_METHOD"] == "HEAD":
            return super().__call__(environ, start_response)
        start_response(self.status, self.headers.to_wsgi_list())
        return self.response


class Answer(Complete):
    """JSON. Nor need werkzeug look from all sides at what it is made of."""

    def __init__(self, body: bytes, status: int, cached: str) -> None:
        self.headers = Headers()
        self.headers.add("Content-Type", "application/json")
        self.headers.add("Content-Length", str(len(body)))
        self.headers.add("Cache-Control", cached)
        self.status = status
        self.response = [body]
        self.direct_passthrough = False
        self._on_close = []


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    """A JSON answer. Header names are given with `_` for `-`."""
    # What a token opens is for its holder alone, and every state is old at once.
    response = Answer(_encode(body), status, "no-store" if status == 201 else "private, no-cache")
    for name, value in headers.items():
        response.headers.add(name.replace("_", "-"), value)
    return response


def replayed(response: Response, repeat: bool) -> Response:
    """The answer, marked when it repeats an earlier one."""
    if repeat:
        response.headers["Idempotent-Replayed"] = "true"
    return response


def tag(seq: int, viewer: int | None) -> str:
    """The weak tag of what this viewer may know: the number of the newest event and who looks, nothing else."""
    return f'W/"{seq}-{"spectator" if viewer is None else viewer}"'


def not_modified(etag: str) -> Response | None:
    """304 where the client has this already, else None."""
    given = at_hand().environ.get("HTTP_IF_NONE_MATCH")
    if given is None or not _names(given, etag):
        return None
    return Response(status=304, headers={"ETag": etag, "Cache-Control": "private, no-cache"})


def _names(given: str, etag: str) -> bool:
    opaque = etag.removeprefix("W/")
    return any(one.strip().removeprefix("W/") in (opaque, "*") for one in given.split(","))
