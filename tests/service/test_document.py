"""The OpenAPI document: it comes from the code that serves, and linters and readers are content with it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from engines import GAMES
from service.api.problems import PROBLEMS
from tests.support.document import COMMITTED
from tests.support.play import Api
from tests.support.server import RedisServer, web_server

ROOT = COMMITTED.parents[1]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(COMMITTED.read_text())
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Method, path and operation, one after another."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield method.upper(), path, operation


def test_the_committed_document_is_what_the_code_makes(tmp_path: Path) -> None:
    made = tmp_path / "openapi.json"
    subprocess.run([sys.executable, "-m", "service", "openapi", str(made)], cwd=ROOT, check=True)
    assert made.read_bytes() == COMMITTED.read_bytes(), "run `make openapi`"


def test_the_running_service_publishes_the_committed_document(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1) as server:
        answer = Api(server.url).get("/openapi.json")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.body == COMMITTED.read_bytes(), "run `make openapi`"


def test_it_is_a_valid_document_of_version_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()


@pytest.mark.node
def test_redocly_finds_nothing(tmp_path: Path) -> None:
    environ = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    line = [ROOT / "node_modules/.bin/redocly", "lint", COMMITTED, "--format", "json"]
    run = subprocess.run(line, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads(run.stdout)["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}, run.stdout


def test_every_address_that_is_served_is_in_it(client: FlaskClient, document: dict[str, Any]) -> None:
    beside_it = {"/openapi.json", "/docs", "/docs/", "/docs/problems", "/metrics"}  # for people and operators
    served = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in client.application.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not rule.rule.startswith(("/docs", "/v1/games/<game>/"))
    }
    told = {(method, path) for method, path, _ in operations(document)}
    assert {place for place in served if place[1] not in beside_it} == told


def test_each_game_has_its_own_literal_paths_and_types(document: dict[str, Any]) -> None:
    for game in GAMES.values():
        prefix = "".join(part.capitalize() for part in game.key.split("-"))
        path = f"/v1/games/{game.key}/matches/{{match}}/seats/{{seat}}/moves"
        body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert body == {"$ref": f"#/components/schemas/{prefix}MoveRequest"}
        move = document["components"]["schemas"][f"{prefix}Move"]
        tags = [kind.__struct_config__.tag for kind in game.moves]
        assert len(move["oneOf"]) == len(tags)
        assert list(move["discriminator"]["mapping"]) == tags
        assert move["discriminator"]["propertyName"] == "type"


def test_operations_have_names_that_make_good_methods(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)


def test_everything_is_described(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        assert operation["summary"], f"{method} {path}"
        assert operation["description"], f"{method} {path}"
    for name, schema in document["components"]["schemas"].items():
        assert schema.get("description") or "enum" in schema or "oneOf" in schema, name


def test_every_event_type_of_every_game_is_told(document: dict[str, Any]) -> None:
    for game in GAMES.values():
        prefix = "".join(part.capitalize() for part in game.key.split("-"))
        told = document["components"]["schemas"][f"{prefix}FeedEvent"]["description"]
        assert all(f"| `{type}` |" in told for type in game.events)
        assert "| `seat_claimed` |" in told


def test_every_problem_is_told_by_some_operation(document: dict[str, Any]) -> None:
    told = str([operation["responses"] for _, _, operation in operations(document)])
    of_no_operation = {"not_found", "method_not_allowed"}
    assert {code for code in PROBLEMS if f"`{code}`" not in told} == of_no_operation


def test_references_and_links_lead_somewhere(document: dict[str, Any]) -> None:
    for reference in set(re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document))):
        node: Any = document
        for part in reference.split("/"):
            node = node[part]
    used = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert set(document["components"]["schemas"]) == used
    names = {operation["operationId"] for _, _, operation in operations(document)}
    for _, _, operation in operations(document):
        for answer in operation["responses"].values():
            assert {link["operationId"] for link in answer.get("links", {}).values()} <= names


def test_the_game_that_is_asked_for_is_open_in_the_catalogue_alone(document: dict[str, Any]) -> None:
    assert [path for path in document["paths"] if "{game}" in path] == ["/v1/games/{game}"]
