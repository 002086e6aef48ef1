"""A Flask test client that holds every answer against the committed document, and the app that it asks."""

from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.settings import Settings
from service.table.edge import Edge
from service.table.shared import Shared
from tests.support.document import committed
from tests.support.server import RedisServer


class CheckedClient(FlaskClient):
    """Every answer that it gets must be as the document says."""

    def open(self, *args: Any, **kwargs: Any) -> Any:
        answer = super().open(*args, **kwargs)
        request = answer.request
        committed().check(request.method, request.path, answer.status_code, answer.headers, answer.data)
        return answer


def checked_app(
    redis: RedisServer | str, edge: Edge | None = None, shared: Shared | None = None, **settings: Any
) -> Flask:
    """The product's application on that Redis; its test clients are checked."""
    url = redis if isinstance(redis, str) else redis.url
    app = create_app(Settings(redis_url=url, **settings), edge, shared=shared)
    app.test_client_class = CheckedClient
    return app


def checked_client(
    redis: RedisServer | str, edge: Edge | None = None, shared: Shared | None = None, **settings: Any
) -> FlaskClient:
    """A client of such an application."""
    return checked_app(redis, edge, shared, **settings).test_client(use_cookies=False)
