"""Whole requests inside one process, without a network: what the application itself takes, and in which rooms.

`python -m gevent.monkey --module bench.inside MATCHES` prints Inside as JSON. It is the application of `make run` on a
Redis server of its own, with gevent's sockets, called as gunicorn calls it.
"""

import gc
import io
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench import disk
from bench.matches import playout
from bench.stopwatch import Spot, Stopwatch
from engines import GAMES
from engines.kit.game import Game
from service.run import embedded
from service.serving import collect_garbage_seldom
from service.settings import Settings
from service.web_worker import WSGI

SEATS = 4

ROOMS = {
    "parse": "the request's body, token and key, to a checked move",
    "load": "what is stored, read from Redis",
    "unpack": "bytes to the record and the position",
    "token": "whose it is",
    "table": "the order of refusal, versions, keys",
    "apply": "the rules, with events",
    "swap": "pack, and one script in Redis",
    "view": "what the seat may see",
    "legal list": "what it may do next",
    "write": "the answer as JSON",
    "rest": "Flask: request, route, hooks, response",
}

SPOTS = [
    *(Spot("parse", "service.api.play", name) for name in ("read_body", "idempotency_key", "bearer_token", "convert")),
    Spot("parse", "service.api.requests:Body", "fingerprint"),
    Spot("load", "service.store.redis:RedisStore", "load"),
    Spot("unpack", "service.table.seats", "read_record"),
    Spot("token", "service.table.seats", "recognise"),
    Spot("table", "service.api.play", "sit"),
    Spot("table", "service.api.play", "play"),
    Spot("table", "service.api.play", "state_of"),
    Spot("apply", "service.table.change:Change", "play"),
    Spot("swap", "service.table.change:Change", "store"),
    *(Spot("view", f"engines:GAMES.{key}", "view_for") for key in GAMES),
    *(Spot("legal list", f"engines:GAMES.{key}", "legal_moves") for key in GAMES),
    Spot("write", "service.api.play", "answer"),
]
"""A spot that is gone is no fault: its time is then its caller's. tests/bench says which ones are."""


class Request(msgspec.Struct, frozen=True):
    """One kind of request: microseconds of CPU a request, unwatched, and by room, watched."""

    name: str
    count: int
    plain_us: float
    by_room_us: dict[str, float]


class Inside(msgspec.Struct, frozen=True):
    """All that was measured, and the spots that are no more."""

    requests: list[Request]
    missing: list[str]


def measured(matches: int, games: list[str]) -> Inside:
    """POST move in so many matches of each game, and Onda's GET state."""
    with redis_running() as url:
        from service.app import create_app

        app = create_app(Settings(redis_url=url))
        stopwatch = Stopwatch(SPOTS)
        collect_garbage_seldom(None)
        requests = [_moves(app, stopwatch, GAMES[game], matches) for game in games]
        requests.append(_states(app, stopwatch, GAMES["onda"], matches))
    return Inside(requests, [f"{spot.owner} {spot.name}" for spot in stopwatch.missing])


@contextmanager
def redis_running() -> Iterator[str]:
    """The embedded server, as `make run` starts it."""
    with tempfile.TemporaryDirectory(prefix="shorebreak-bench-", dir=disk.folder()) as folder:
        child, url = embedded.start(Path(folder), time.sleep)
        try:
            while not embedded.answers(child, url):
                time.sleep(0.05)
            yield url
        finally:
            child.stop()


def _moves(app: WSGI, stopwatch: Stopwatch, game: Game, matches: int) -> Request:
    """Every second match is watched, so that both kinds see the same machine."""
    plain: list[float] = []
    watched: list[float] = []
    stopwatch.forget()
    for number in range(-1, 2 * matches):  # the first is for warming up
        path, tokens = _seated(app, game, f"inside {number // 2}")
        environs = [
            _environ("POST", f"{path}/seats/{seat}/moves", {"move": move}, tokens[seat])
            for seat, move in playout(game, SEATS, f"inside {number // 2}")
        ]
        if number >= 0:
            _run(app, environs, stopwatch, number % 2 == 1, watched if number % 2 else plain)
        else:
            _run(app, environs, stopwatch, False, [])
    return _summed(f"{game.title}, POST move", stopwatch, plain, watched)


def _states(app: WSGI, stopwatch: Stopwatch, game: Game, matches: int) -> Request:
    """The state of a match in mid-play, from all seats in turn."""
    path, tokens = _seated(app, game, "inside 0")
    moves = playout(game, SEATS, "inside 0")
    for seat, move in moves[: len(moves) // 2]:
        answer(app, _environ("POST", f"{path}/seats/{seat}/moves", {"move": move}, tokens[seat]))
    plain: list[float] = []
    watched: list[float] = []
    stopwatch.forget()
    for number in range(2 * matches):
        asked = [_environ("GET", f"{path}/seats/{seat}/state", None, tokens[seat]) for seat in range(SEATS)] * 25
        _run(app, [dict(one) for one in asked], stopwatch, number % 2 == 1, watched if number % 2 else plain)
    return _summed(f"{game.title}, GET state", stopwatch, plain, watched)


def _run(app: WSGI, environs: list[dict[str, Any]], stopwatch: Stopwatch, watch: bool, taken: list[float]) -> None:
    """Make these requests one after the other; adds the CPU seconds of each."""
    if watch:
        stopwatch.put_on()
    try:
        for environ in environs:
            begun = time.process_time()
            if watch:
                stopwatch.start()
            answer(app, environ)
            if watch:
                stopwatch.stop()
            taken.append(time.process_time() - begun)
    finally:
        stopwatch.take_off()


def _summed(name: str, stopwatch: Stopwatch, plain: list[float], watched: list[float]) -> Request:
    rooms = {room: 1e6 * spent / len(watched) for room, spent in stopwatch.by_room().items()}
    return Request(name, len(plain), 1e6 * sum(plain) / len(plain), rooms)


def _seated(app: WSGI, game: Game, seed: str) -> tuple[str, list[str]]:
    """A match that has started: its path and its seats' tokens."""
    wish = {"seats": SEATS, "seed": seed, "legal_moves": "full"}
    created = _parsed(answer(app, _environ("POST", f"/v1/games/{game.key}/matches", wish)))
    path = f"/v1/games/{game.key}/matches/{created['match']['match']}"
    names = [{"name": f"Seat {seat}", "seat": seat} for seat in range(SEATS)]
    claims = [_parsed(answer(app, _environ("POST", f"{path}/seats", name))) for name in names]
    return path, [claim["token"] for claim in claims]


_parsed = msgspec.json.decode


def answer(app: WSGI, environ: dict[str, Any]) -> bytes:
    """The body that the application answers with. Fails unless it is a 2xx."""
    said = []

    def start_response(status: str, _headers: Any, _exc_info: Any = None) -> None:
        said.append(status)

    chunks = app(environ, start_response)
    body = b"".join(chunks)
    if hasattr(chunks, "close"):
        chunks.close()
    if not said[0].startswith("2"):
        raise SystemExit(f"{environ['PATH_INFO']}: {said[0]} {body.decode()}")
    return body


def _environ(method: str, path: str, body: Any = None, token: str | None = None) -> dict[str, Any]:
    """What gunicorn hands on for a request."""
    raw = b"" if body is None else msgspec.json.encode(body)
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "RAW_URI": path,
        "SCRIPT_NAME": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_SOFTWARE": "gunicorn",
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_PORT": "40000",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_ACCEPT": "*/*",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(raw),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
    }
    if token is not None:
        environ["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    if body is not None:
        environ["CONTENT_TYPE"] = "application/json"
        environ["CONTENT_LENGTH"] = str(len(raw))
    return environ


if __name__ == "__main__":
    gc.collect()
    said = measured(int(sys.argv[1]), sys.argv[2].split(","))
    sys.stdout.write(msgspec.json.encode(said).decode())
