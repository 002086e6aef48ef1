"""Whatever a client can send has a bound, and the document says so of every field. Odd bodies are refused."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.contract import begun, told
from tests.support.document import COMMITTED
from tests.support.playing import Match
from tests.support.refusals import refused

DOCUMENT = json.loads(COMMITTED.read_text())
PATH = "/v1/games/onda/matches"
SEED = 20_261_130


def bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation that takes a body, with its schema."""
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            if method != "parameters" and "requestBody" in operation:
                yield f"{method} {path}", operation["requestBody"]["content"]["application/json"]["schema"]


def unbounded(schema: dict[str, Any], where: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The places in a schema at which something could be of any size."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        assert name not in seen, f"{where}: {name} holds itself"
        yield from unbounded(DOCUMENT["components"]["schemas"][name], where, seen | {name})
        return
    if "enum" in schema or "const" in schema:
        return
    parts = [part for kind in ("anyOf", "oneOf", "allOf") for part in schema.get(kind, ())]
    for part in parts:
        yield from unbounded(part, where, seen)
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        match kind:
            case "string" if "maxLength" not in schema:
                yield f"{where}: a text of any length"
            case "integer" | "number" if not {"minimum", "maximum"} <= schema.keys():
                yield f"{where}: a number of any size"
            case "array":
                if "maxItems" not in schema:
                    yield f"{where}: a list of any length"
                yield from unbounded(schema.get("items", {}), f"{where}[]", seen)
                for at, item in enumerate(schema.get("prefixItems", ())):
                    yield from unbounded(item, f"{where}[{at}]", seen)
            case "object":
                if schema.get("additionalProperties", True) is not False and "maxProperties" not in schema:
                    yield f"{where}: an object of any names"
                for name, part in schema.get("properties", {}).items():
                    yield from unbounded(part, f"{where}.{name}", seen)
    if not parts and not kinds:
        yield f"{where}: anything"


@pytest.mark.parametrize(
    ("operation", "schema"), list(bodies()), ids=lambda part: part if isinstance(part, str) else ""
)
def test_every_field_of_every_body_has_a_bound(operation: str, schema: dict[str, Any]) -> None:
    assert list(unbounded(schema, "$")) == []


def test_every_parameter_of_every_query_has_a_bound() -> None:
    asked = [
        (f"{method} {path} {parameter['name']}", parameter["schema"])
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    ]
    assert asked
    assert [fault for where, schema in asked for fault in unbounded(schema, where)] == []


def post(client: FlaskClient, path: str, data: bytes, **headers: str) -> Any:
    return client.post(path, data=data, content_type="application/json", headers=headers)


DEEP = 30_000


@pytest.mark.parametrize(
    "data",
    [
        b"[" * DEEP,
        b"[" * 1_000 + b"]" * 1_000,
        b"[" * DEEP + b"]" * DEEP,
        b'{"a":' * (DEEP // 3),
        b'{"seats": 2, "options": ' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"move": ' + b'{"type": ' * 5_000 + b"1" + b"}" * 5_001,
        b"\x00",
        b"\xff\xfe{}",
        b'{"seats": 2}\x00',
        b'{"seats": 2} {}',
        b"NaN",
        b'{"seats": Infinity}',
    ],
    ids=lambda data: data[:24].decode(errors="replace"),
)
@pytest.mark.parametrize("path", [PATH, "/v1/wait"])
def test_json_that_is_deep_or_broken_is_400(client: FlaskClient, path: str, data: bytes) -> None:
    refused(post(client, path, data), 400, "malformed")


@pytest.mark.parametrize(
    "data",
    [
        b'{"seats": 1' + b"0" * 5_000 + b"}",
        b'{"seats": -1' + b"0" * 300 + b"}",
        b'{"seats": 1e400}',
        b'{"seats": 2.0000000001}',
        b'{"seats": 18446744073709551616}',
        b'{"seats": "2"}',
        b'{"seats": true}',
        b'{"seats": 2, "seed": "\\ud800"}',
        b'{"seats": 2, "seed": "a\\u0000b"}',
        b'{"seats": 2, "__proto__": {}}',
        b'{"seats": 2, "' + b"x" * 60_000 + b'": 1}',
        b'{"seats": 2, "clock": {"turn_s": 1e308}}',
        b'{"seats": 2, "a - at `$.b` - at `$.' + b"c" * 5_000 + b'`": 1}',
        b'{"seats": 2, "' + b" - at `" * 8_000 + b'": 1}',
        b"null",
        b"7",
        b'"seats"',
    ],
    ids=lambda data: data[:24].decode(errors="replace"),
)
def test_json_that_fits_nothing_is_422(client: FlaskClient, data: bytes) -> None:
    body = refused(post(client, PATH, data), 422, "invalid")
    assert len(json.dumps(body)) < 1_000, "an answer is not as long as what it refuses"


@pytest.mark.parametrize(
    "name",
    ["", "x" * 41, "a\nb", "a\tb", "\x7f", "\x85", "a\x00", "Ana\n", "\ud800", 7, ["Ana"], {"Ana": 1}],
    ids=repr,
)
def test_names_are_text_of_forty_characters_without_control_characters(client: FlaskClient, name: Any) -> None:
    match = begun(client, "onda", 2)
    claim = json.dumps({"name": name}).encode()
    refused(post(client, f"{match.path}/seats", claim), 422, "invalid")


@pytest.mark.parametrize("coding", ["gzip", "br", "x"])
def test_a_body_that_is_packed_is_415(client: FlaskClient, coding: str) -> None:
    packed = post(client, PATH, b'{"seats": 2}', **{"Content-Encoding": coding})
    refused(packed, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "query", ["limit=1&limit=2", "limit=", "limit=1.0", "limit=-1", "limit=٣", "x=1", "limit=1%00"]
)
def test_a_query_is_read_strictly(client: FlaskClient, query: str) -> None:
    refused(client.get(f"{PATH}?{query}"), 422, "invalid")


def test_the_longest_that_is_allowed_is_taken(client: FlaskClient) -> None:
    made = client.post(PATH, json={"seats": 2, "seed": "é" * 128})
    assert made.status_code == 201
    path = f"{PATH}/{made.json['match']['match']}/seats"
    assert client.post(path, json={"name": "𝔸" * 40, "nonce": "n" * 64}).status_code == 201
    refused(client.post(path, json={"name": "Bo", "nonce": "é" * 33}), 422, "invalid")
    refused(client.post(PATH, json={"seats": 2, "seed": "é" * 129}), 422, "invalid")


EVENT_MOST = 4_000


def test_no_event_of_a_whole_match_is_longer_than_a_few_kilobytes(client: FlaskClient, game: Game) -> None:
    """With names of the longest, in the widest characters, and every seat there is."""
    rng = random.Random(SEED)
    match = Match(client, game.key, game.max_seats, seed=f"bounds {SEED}")
    match.sit(name="𝔸" * 40)
    match.play_on(rng)
    longest = max(len(json.dumps(event, ensure_ascii=False).encode()) for event in told(match))
    assert longest <= EVENT_MOST, f"seed {SEED}"
