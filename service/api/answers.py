"""What goes out: msgspec's bytes, the headers of the contract."""

from typing import Any

import msgspec
from flask import Response, request
from werkzeug.datastructures import Headers

from service.api.access import Observed

_encode = msgspec.json.Encoder().encode


class Answer(Observed):
    """An answer whose headers and body are complete: werkzeug need not look through them once more."""

    def get_wsgi_headers(self, environ: Any) -> Headers:
        del environ
        return self.headers

    def __call__(self, environ: Any, start_response: Any) -> Any:
        if environ["REQUEST_METHOD"] == "HEAD":
            return super().__call__(environ, start_response)
        start_response(self.status, self.headers.to_wsgi_list())
        return self.response


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    """A JSON answer. Header names are given with `_` for `-`."""
    response = Answer(_encode(body), status=status, content_type="application/json")
    for name, value in headers.items():
        response.headers[name.replace("_", "-")] = value
    # What a token opens is for its holder alone, and every state is old at once.
    response.headers["Cache-Control"] = "no-store" if status == 201 else "private, no-cache"
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
    given = request.environ.get("HTTP_IF_NONE_MATCH")
    if given is None or not _names(given, etag):
        return None
    return Response(status=304, headers={"ETag": etag, "Cache-Control": "private, no-cache"})


def _names(given: str, etag: str) -> bool:
    opaque = etag.removeprefix("W/")
    return any(one.strip().removeprefix("W/") in (opaque, "*") for one in given.split(","))
