"""Flask without what this service has no use for: sessions, async views, and looking at the Host header.

Each is a small part of every request; together they are a tenth of a move (bench/README.md).
"""

from collections.abc import Callable
from typing import Any

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import MapAdapter


class NoSessions(SessionInterface):
    """Nobody is remembered by a cookie: one empty session, never written, serves all."""

    def __init__(self) -> None:
        self._none = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        del app, request
        return self._none

    def is_null_session(self, obj: object) -> bool:
        del obj
        return True

    def save_session(self, app: Flask, session: Any, response: Any) -> None:
        """Nothing is kept."""
        del app, session, response


class LeanFlask(Flask):
    """Flask for plain functions and addresses that hang on no host name."""

    session_interface = NoSessions()

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Every view and hook here is a plain function: there is nothing to look for."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Routes by path and method alone, decoded as werkzeug decodes them."""
        if request is None:
            return super().create_url_adapter(request)
        path = request.environ.get("PATH_INFO", "").encode("latin1").decode(errors="replace")
        return self.url_map.bind("localhost", default_method=request.method, path_info=path)
