"""Flask without what this service has no use for: sessions, signals, async views, hooks of blueprints, host names.

Each is a small part of every request; together they are a sixth of a move (bench/README.md).
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from flask import Flask, Request, Response
from flask.globals import request_ctx
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import MapAdapter

from service.api.routes import Routes


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
    """Flask for plain functions and addresses that hang on no host name, with hooks of the application alone.

    Signals are not sent, and hooks of blueprints not called.
    """

    session_interface = NoSessions()

    @cached_property
    def routes(self) -> Routes:
        """Made at the first request, when all addresses are there."""
        return Routes(self.url_map)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Every view and hook here is a plain function: there is nothing to look for."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Routes by path and method alone, decoded as werkzeug decodes them. None: the route is found already."""
        if request is None:
            return super().create_url_adapter(request)
        path = request.environ.get("PATH_INFO", "").encode("latin1").decode(errors="replace")
        found = self.routes.find(request.method, path)
        if found is not None:
            request.url_rule, request.view_args = found
            return None
        if path.startswith("//"):  # werkzeug looks it up with one slash: `//metrics` is no other name for `/metrics`
            path = "/\0"
        return self.url_map.bind("localhost", default_method=request.method, path_info=path)

    def full_dispatch_request(self) -> Response:
        """The answer of the view, or of whoever answers for what it raised."""
        self._got_first_request = True
        try:
            answer = self.preprocess_request()
            if answer is None:
                answer = self.dispatch_request()
        except Exception as failure:  # noqa: BLE001  # Flask's own way: it raises what nobody answers for
            answer = self.handle_user_exception(failure)
        return self.finalize_request(answer)

    def preprocess_request(self) -> Any:
        """The first answer of the hooks that come before the view, if any gives one."""
        for hook in self.before_request_funcs.get(None, ()):
            answer = hook()
            if answer is not None:
                return answer
        return None

    def finalize_request(self, rv: Any, from_error_handler: bool = False) -> Response:
        """The answer as it goes out. An answer to a failure goes out even if a hook fails on it."""
        response = rv if isinstance(rv, Response) else self.make_response(rv)
        try:
            return self.process_response(response)
        except Exception:
            if not from_error_handler:
                raise
            self.logger.exception("a hook failed on the answer to a failure")
            return response

    def process_response(self, response: Response) -> Response:
        """The answer, after the hooks of the request and then of the application."""
        for hook in request_ctx._after_request_functions:
            response = hook(response)  # type: ignore[assignment]
        for hook in reversed(self.after_request_funcs.get(None, ())):
            response = hook(response)
        return response

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Call the hooks of the application that come last."""
        for hook in reversed(self.teardown_request_funcs.get(None, ())):
            hook(exc)
