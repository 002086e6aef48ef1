"""Operations: what the document says of one method at one address, and how a view is put there."""

from collections.abc import Callable, Sequence
from typing import Any

import marshmallow as ma
import msgspec
from flask_smorest import Blueprint

from engines.kit.game import Game
from service.api.examples import answer_example, problem_example, request_example
from service.api.links import links
from service.api.problems import PROBLEMS, RETRY_AFTER_S
from service.api.schema import reference
from service.api.wire import Wire, wire
from service.live.hub import Hub
from service.table.table import Table

View = Callable[..., Any]

PATH_PARAMETERS: dict[str, dict[str, Any]] = {
    "match": {"description": "The match's id.", "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$"}},
    "seat": {"description": "The seat, from 0.", "schema": {"type": "integer", "minimum": 0, "maximum": 9}},
    "game": {"description": "The game's key.", "schema": {"type": "string"}},
}

KEY_PARAMETER = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "description": "A fresh text for each new request that nobody can guess, such as a random UUID. The same key with "
    "the same body gives the first answer again and changes nothing; for a creation or a claim it gives a fresh token, "
    "for ten minutes.",
}

TAG_PARAMETER = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The `ETag` of an earlier answer: 304 when nothing has happened since.",
}

HEADERS: dict[str, dict[str, Any]] = {
    "ETag": {"schema": {"type": "string"}, "description": "Changes with every event of the match."},
    "Location": {"schema": {"type": "string"}, "description": "The address of what was made."},
    "Idempotent-Replayed": {
        "schema": {"type": "string", "enum": ["true"]},
        "description": "Present when this repeats an earlier answer.",
    },
    "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait before the next try."},
    "WWW-Authenticate": {"schema": {"type": "string"}, "description": "How to authenticate."},
    "Allow": {"schema": {"type": "string"}, "description": "The methods that this address takes."},
}

# What any operation on a match can meet.
_ALWAYS = ("store_unavailable", "internal")
_OF_A_MATCH = ("unknown_match", "match_unreadable")
_OF_A_WRITE = ("busy", "outcome_unknown")
_OF_A_BODY = ("too_large", "too_slow", "unsupported_media_type", "malformed", "invalid")


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One operation. `answer` is its type, `codes` are what it can refuse beside what follows from the rest.

    `auth`: a token is needed (True), possible (None), or of no use (False).
    """

    id: str
    links: dict[str, Any] = {}  # msgspec copies it
    summary: str
    description: str = ""
    tag: str
    status: int = 200
    answer: Any
    headers: Sequence[str] = ()
    body: Any = None
    query: type[ma.Schema] | None = None
    codes: Sequence[str] = ()
    auth: bool | None = False
    key: bool = False
    tagged: bool = False
    writes: bool = False
    of_match: bool = False


class Chapter(Blueprint):  # type: ignore[misc]  # flask-smorest is untyped
    """A blueprint whose operations say all there is to say of them: flask-smorest adds nothing of its own."""

    def __init__(self, name: str, description: str, url_prefix: str | None = None) -> None:
        super().__init__(name, __name__, url_prefix=url_prefix, description=description)
        self._prepare_doc_cbks: list[Any] = []


class Room:
    """Where one game is served: its types, the table, and the addresses under `/v1/games/<key>`."""

    def __init__(self, game: Game, table: Table, hub: Hub) -> None:
        self.game = game
        self.table = table
        self.hub = hub
        self.wire: Wire = wire(game)
        self.blueprint = Chapter(game.key, f"{game.title}: {game.summary}", f"/v1/games/{game.key}")

    def put(self, method: str, path: str, view: View, **told: Any) -> None:
        """Serve a view at this address and document it. `told` are the fields of `Operation`."""
        name = told.pop("id")
        of_match = "<match>" in path
        prefix = self.game.key.replace("-", "_")
        operation = Operation(
            id=f"{prefix}_{name}", tag=self.game.key, of_match=of_match, links=links(prefix, name), **told
        )
        place(self.blueprint, method, path, view, operation)


def place(blueprint: Chapter, method: str, path: str, view: View, operation: Operation) -> None:
    """Serve a view at this address, documented by the operation."""
    view.__dict__["_apidoc"] = {"manual_doc": _document(operation)}
    parameters = [
        {"in": "path", "name": name, "required": True, **PATH_PARAMETERS[name]}
        for name in PATH_PARAMETERS
        if f"<{name}>" in path
    ]
    blueprint.add_url_rule(path, operation.id, view, methods=[method], parameters=parameters, tags=[operation.tag])


def _document(operation: Operation) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = []
    if operation.query is not None:
        parameters.append({"in": "query", "schema": operation.query})
    if operation.key:
        parameters.append(KEY_PARAMETER)
    if operation.tagged:
        parameters.append(TAG_PARAMETER)
    document: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "description": operation.description or operation.summary,
        "parameters": parameters,
        "responses": _responses(operation),
        "security": {True: [{"token": []}], None: [{"token": []}, {}], False: []}[operation.auth],
    }
    if operation.body is not None:
        document["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": reference(operation.body), **request_example(operation.id)}},
        }
    return document


def _responses(operation: Operation) -> dict[str, Any]:
    headers = [*operation.headers, *(["Idempotent-Replayed"] if operation.key else [])]
    headers += ["ETag"] if operation.tagged else []
    responses: dict[str, Any] = {
        str(operation.status): {
            "description": operation.summary,
            "headers": {name: HEADERS[name] for name in headers},
            "content": {"application/json": {"schema": reference(operation.answer), **answer_example(operation.id)}},
        }
    }
    if operation.links:
        responses[str(operation.status)]["links"] = operation.links
    if operation.tagged:
        responses["304"] = {"description": "Nothing has happened since.", "headers": {"ETag": HEADERS["ETag"]}}
    by_status: dict[int, list[str]] = {}
    for code in _codes(operation):
        by_status.setdefault(PROBLEMS[code][0], []).append(code)
    for status in sorted(by_status):
        responses[str(status)] = _problems(by_status[status])
    return responses


def _codes(operation: Operation) -> list[str]:
    codes = {*operation.codes, *_ALWAYS}
    codes |= {*_OF_A_MATCH} if operation.of_match else set()
    codes |= {*_OF_A_WRITE} if operation.writes else set()
    codes |= {*_OF_A_BODY} if operation.body is not None else set()
    codes |= {"invalid"} if operation.query is not None or operation.key else set()
    codes |= {"idempotency_mismatch"} if operation.key else set()
    codes |= {"unauthenticated"} if operation.auth is not False else set()
    return [code for code in PROBLEMS if code in codes]


def _problems(codes: list[str]) -> dict[str, Any]:
    headers = ["Retry-After"] if any(code in RETRY_AFTER_S or code == "rate_limited" for code in codes) else []
    headers += ["WWW-Authenticate"] if "unauthenticated" in codes else []
    return {
        "description": "; ".join(f"`{code}`: {PROBLEMS[code][1]}" for code in codes),
        "headers": {name: HEADERS[name] for name in headers},
        "content": {
            "application/problem+json": {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {
                    code: {"$ref": f"#/components/examples/{code}"} for code in codes if problem_example(code)
                },
            }
        },
    }
