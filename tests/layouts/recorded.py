"""A recorded set: matches as one version of Shorebreak stored them, key by key, and what it answered about them.

A set is a folder beside this file, named after the version. `shapes.json` says what its stored classes look like
(`schemas.py`), and every other file is a match: the store as it was with it alone, its tokens, and requests with the
very bytes of their answers.
"""

import base64
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import redis

from tests.layouts.schemas import Shapes

FOLDER = Path(__file__).parent
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


class Key(msgspec.Struct, frozen=True, omit_defaults=True):
    """One key of the store. Bytes that are no text are written as `base64:` and that."""

    type: str
    value: Any
    """hash: fields by name; list: items, the first first; zset: scores by member; string: itself."""


Keys = dict[str, Key]


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request that changes nothing, and its answer. `token` is a seat's number, `host`, or None."""

    method: str = "GET"
    path: str
    token: int | str | None = None
    key: str | None = None
    body: Any = None
    status: int
    etag: str | None = None
    answer: str


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """A match. `now_ms` is when it was asked about; `tokens` holds None for a seat without a player.

    `keys` are all that the store held: schedules, lists and the workers' pulse as well.
    """

    what: str
    game: str
    match: str
    layout: int
    rules_version: int
    now_ms: int
    join_code: str
    host_token: str
    tokens: list[str | None]
    asked: list[Asked]
    keys: Keys

    @property
    def path(self) -> str:
        """Where it stands in the API."""
        return f"/v1/games/{self.game}/matches/{self.match}"


class Set(msgspec.Struct, frozen=True):
    """All of one version, matches by the names of their files."""

    version: str
    shapes: dict[str, Shapes]
    matches: dict[str, Recorded]


def version_now() -> str:
    """The version of this code, after which its set is named."""
    version: str = tomllib.loads(PYPROJECT.read_text())["project"]["version"]
    return version


def versions() -> list[str]:
    """All that have a set, the oldest first."""
    found = [path.parent.name for path in FOLDER.glob("*/shapes.json")]
    return sorted(found, key=lambda version: [int(part) for part in version.split(".")])


def read_set(version: str) -> Set:
    """The set of that version."""
    folder = FOLDER / version
    shapes = folder / "shapes.json"
    return Set(
        version,
        msgspec.json.decode(shapes.read_bytes(), type=dict[str, Shapes]),
        {
            path.stem: msgspec.json.decode(path.read_bytes(), type=Recorded)
            for path in sorted(folder.glob("*.json"))
            if path != shapes
        },
    )


def write_set(made: Set) -> Path:
    """Write it in place of what is there; gives the folder."""
    folder = FOLDER / made.version
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.json"):
        path.unlink()
    for name, value in (("shapes", made.shapes), *made.matches.items()):
        text = msgspec.json.format(msgspec.json.encode(value), indent=1)
        (folder / f"{name}.json").write_bytes(text + b"\n")
    return folder


def load(client: "redis.Redis", keys: Keys) -> None:
    """Put keys into a store, as they were, without a time to live."""
    with client.pipeline(transaction=False) as into:
        for name, key in keys.items():
            value = _packed(key.value)
            if key.type == "hash":
                into.hset(name, mapping=value)
            elif key.type == "list":
                into.rpush(name, *value)
            elif key.type == "zset":
                into.zadd(name, value)
            else:
                into.set(name, value)
        into.execute()


def stored(client: "redis.Redis") -> Keys:
    """All that a store holds now, but for counters of tries, which are forgotten within a minute."""
    names = [name for name in sorted(client.scan_iter()) if not name.startswith(b"sb:try:")]
    return {name.decode(): _key(client, name) for name in names}


def _key(client: "redis.Redis", name: bytes) -> Key:
    kind = client.type(name).decode()
    value: Any
    if kind == "hash":
        value = client.hgetall(name)
    elif kind == "list":
        value = client.lrange(name, 0, -1)
    elif kind == "zset":
        value = dict(client.zrange(name, 0, -1, withscores=True))
    else:
        value = client.get(name)
    return Key(kind, _written(value))


def _written(value: Any) -> Any:
    if isinstance(value, dict):
        return {_written(name): _written(item) for name, item in sorted(value.items())}
    if isinstance(value, list):
        return [_written(item) for item in value]
    if not isinstance(value, bytes):
        return value
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = ""
    if text.isprintable() and bool(text) == bool(value) and not text.startswith("base64:"):
        return text
    return f"base64:{base64.b64encode(value).decode()}"


def _packed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _packed(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_packed(item) for item in value]
    if isinstance(value, str):
        return base64.b64decode(value[7:]) if value.startswith("base64:") else value.encode()
    return value
