"""Flask without what this service has no use for: sessions, signals, async views, hooks of blueprints, host names.

Each is a small part of every request; together they are a sixth of a move (bench/README.md).
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

from flask import Flask, Request, Response
from flask.ctx import AppContext, RequestContext
from flask.globals import _cv_app, _cv_request
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import MapAdapter

from service.api.routes import Routes


def at_hand() -> Request:
    """The request that is being answered. Flask's `request` finds it anew for each attribute, and takes ten times as
    long: for what every request needs."""
    return _cv_request.get().request


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


class LeanRequest(Request):
    """A request that looks at what came only when it is asked for it: most of ours read the method and the environ."""

    looked_at = False
    """Whether it was made whole, as werkzeug makes it."""

    def __init__(self, environ: dict[str, Any], *_more: Any) -> None:
        self.environ = environ
        self.shallow = False
        self.method = environ.get("REQUEST_METHOD", "GET")

    def __getattr__(self, name: str) -> Any:
        if name not in _LOOKED_AT:
            raise AttributeError(name)
        self.looked_at = True
        Request.__init__(self, self.environ)
        return self.__dict__[name]


_LOOKED_AT = frozenset(("scheme", "server", "root_path", "path", "query_string", "headers", "remote_addr"))
"""What werkzeug reads out of the environ when it makes a request."""


class _Work(RequestContext):
    """A request that is being answered, as far as Flask's `request` and our hooks look. It is bound, never pushed."""

    def __init__(self, app: Flask, request: Request) -> None:
        self.app = app
        self.request = request
        self.url_adapter = None
        self._after_request_functions = []


def _path(environ: dict[str, Any]) -> str:
    """The path that is asked for, decoded as werkzeug decodes it."""
    path: str = environ.get("PATH_INFO", "")
    return path.encode("latin1").decode(errors="replace")


class LeanFlask(Flask):
    """Flask for plain functions and addresses that hang on no host name, with hooks of the application alone.

    Signals are not sent, and hooks of blueprints not called.
    """

    session_interface = NoSessions()
    request_class = LeanRequest

    def wsgi_app(self, environ: Any, start_response: Any) -> Any:
        """Answer a request: by the short way where its address is one of the many of a match, else by Flask's own.

        The short way binds the same two contexts, and makes nothing that no view of ours looks at.
        """
        found = self.routes.find(environ["REQUEST_METHOD"], _path(environ))
        if found is None or "werkzeug.debug.preserve_context" in environ:
            return super().wsgi_app(environ, start_response)
        asked = self.request_class(environ)
        asked.url_rule, asked.view_args = found
        asked.max_content_length = self.config["MAX_CONTENT_LENGTH"]  # or Flask looks it up by way of three others
        application = _cv_app.set(self._bound)
        work = _cv_request.set(_Work(self, asked))
        try:
            try:
                response = self.full_dispatch_request()
            except Exception as failure:  # noqa: BLE001  # whatever it is, it is answered: as in Flask
                response = self.handle_exception(failure)
            return response(environ, start_response)
        finally:
            if asked.looked_at:
                asked.close()
                environ.pop("werkzeug.request", None)  # or the two would hold each other
            _cv_request.reset(work)
            _cv_app.reset(application)

    @cached_property
    def _bound(self) -> AppContext:
        """What says for which application a request is answered: one for all, since nothing is kept in it."""
        return AppContext(self)

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
                answer = self._view()
        except Exception as failure:  # noqa: BLE001  # whatever a view raises; what nobody answers for is raised again
            answer = self.handle_user_exception(failure)
        return self.finalize_request(answer)

    def _view(self) -> Any:
        """What the view says, if there is one. Flask also answers OPTIONS by itself."""
        asked = at_hand()
        if asked.url_rule is None or asked.method == "OPTIONS":
            return self.dispatch_request()
        view: Callable[..., Any] = self.view_functions[asked.url_rule.endpoint]
        return view(**(asked.view_args or {}))

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
        for hook in _cv_request.get()._after_request_functions:
            response = cast(Response, hook(response))  # typed as perhaps awaitable: no hook here is
        for hook in reversed(self.after_request_funcs.get(None, ())):
            response = hook(response)
        return response

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Call the hooks of the application that come last."""
        for hook in reversed(self.teardown_request_funcs.get(None, ())):
            hook(exc)
