"""The OpenAPI document: made from the code that serves, with examples taken from real answers."""

import json
import sys
from pathlib import Path
from typing import Any

from flask import Flask
from flask_smorest import Api

from service.api.examples import problem_example
from service.api.names import SHARED, named_by_game
from service.api.operations import Room
from service.api.problems import PROBLEMS, Problem
from service.api.schema import components
from service.api.shapes import Catalogue, CatalogueGame, ClaimRequest, Health, SeatToken
from service.api.waiting import News, WaitRequest

DESCRIPTION = """Play Wave, Onda and UFO Wave over HTTP.

Create a match, claim its seats, then move when a seat's `to_move` says so. Every answer to a move has all that the next
one needs. Errors have one shape, `application/problem+json`, with a stable `code`.

Every answer bears `X-Request-Id`: the request's own, if it sent one of 1 to 64 letters, digits and `._:+/=-`, else a
fresh one. The operator finds the request in the log by it.

Sets named `type` of events and `code` of problems are open: expect new members.
"""


class DocumentedApi(Api):  # type: ignore[misc]  # flask-smorest is untyped
    """flask-smorest's Api with our error shape in place of its own."""

    ERROR_SCHEMA = None

    def _register_error_handlers(self) -> None:
        """`problems.register` does that, for errors of every kind."""

    def _register_responses(self) -> None:
        """Every response is documented by its operation."""

    def _register_etag_headers(self) -> None:
        """So are headers."""

    def _register_pagination_header(self) -> None:
        """Pages carry their cursor in the body."""


def configure(app: Flask) -> None:
    """flask-smorest's settings."""
    app.config.update(API_TITLE="Shorebreak", API_VERSION="1", OPENAPI_VERSION="3.1.0")


def describe(api: Api, rooms: list[Room]) -> None:
    """Add what operations refer to: the types of all bodies, the error shape, the examples."""
    spec = api.spec
    spec.options["info"] = {"description": DESCRIPTION}
    spec.options["servers"] = [{"url": "/", "description": "Where this document is served."}]
    spec.components.security_scheme(
        "token",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "A seat's token, the host's token, or (to watch an unlisted match) its join code.",
        },
    )
    schemas = components(
        [Catalogue, CatalogueGame, SeatToken, Health, Problem, News], [ClaimRequest, WaitRequest], {}, SHARED
    )
    for room in rooms:
        schemas |= _of_a_game(room)
    for name, schema in sorted(schemas.items()):
        spec.components.schema(name, schema)
    for code, (_, title) in PROBLEMS.items():
        if example := problem_example(code):
            spec.components.example(code, {"summary": title, "value": example})


def _of_a_game(room: Room) -> dict[str, dict[str, Any]]:
    """The types of one game's bodies, by name."""
    game, wire = room.game, room.wire
    answers = [wire.match, wire.matches, wire.created, wire.state, wire.legal_moves, wire.played, wire.events]
    answers += [wire.replay, wire.knew]
    requests = [wire.create_request, wire.move_request]
    literals = {**SHARED, **named_by_game(wire.prefix, [*game.moves, game.options, game.view, game.ending])}
    return components(answers, requests, {f"{wire.prefix}Move": wire.move}, literals)


def encoded(api: Api) -> bytes:
    """The document as it is served and committed: indented, in a stable order."""
    return (json.dumps(api.spec.to_dict(), indent=2, ensure_ascii=False) + "\n").encode()


def write(api: Api, path: str) -> None:
    """Write the document to a file (`-`: print it), from the code alone: no store is asked."""
    if path == "-":
        sys.stdout.buffer.write(encoded(api))
    else:
        Path(path).write_bytes(encoded(api))
