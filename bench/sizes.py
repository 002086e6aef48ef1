"""Bytes: a stored match after 60 moves, and the tables and caches of the engines."""

import subprocess
import sys
from statistics import mean
from typing import Any

import msgspec
import redis

from bench.matches import Prepared, prepare
from bench.results import Goal, Result, Say, table
from bench.shore import SHOREBREAK, Shore, running
from engines import GAMES
from service.store.port import Stored
from service.table.records import pack, read_record

MOVES = 60
SEATS = 4
MATCHES = 5
STORED_GOAL = 3_000
TABLES_GOAL_MB = 16
PARTS = ("state", "live", "log", "head", "feed", "answers")


def measure_all(say: Say) -> Result:
    """Of each game: what Redis holds of a match, every move made with an Idempotency-Key; and the engines' tables."""
    rows, goals = [], []
    with running(SHOREBREAK) as shore:
        client = redis.Redis(unix_socket_path=str(shore.redis_socket))
        for key, game in GAMES.items():
            say(f"Sizes: {MATCHES} matches of {game.title}, {_moves(key)} moves each")
            played = [
                _play(shore, prepare(shore, game, SEATS, f"size {n}", at_least=_moves(key))) for n in range(MATCHES)
            ]
            held = [_held(client, match.path.rpartition("/")[2]) for match in played]
            part = {name: mean(one[name] for one in held) for name in held[0]}
            rows.append([f"{game.title}, {_moves(key)} moves", *(f"{part[name]:,.0f}" for name in (*PARTS, "memory"))])
            goals.append(
                Goal(f"{game.title}: state and move log", part["live"] + part["log"], STORED_GOAL, "bytes", less=True)
            )
    heads = [
        "",
        "state",
        "state and its frame",
        "move log",
        "head",
        "feed",
        "remembered answers",
        "MEMORY USAGE of all",
    ]
    footprints = _footprints()
    total = sum(after for _, after in footprints.values()) / 2**20
    goals.append(Goal("Tables and caches of the engines", total, TABLES_GOAL_MB, "MiB", less=True))
    tables = table(
        ["", "tables, MiB", "and caches after play, MiB"],
        [
            [GAMES[key].title, f"{before / 2**20:.2f}", f"{after / 2**20:.2f}"]
            for key, (before, after) in footprints.items()
        ],
    )
    return Result("Sizes", f"Bytes of a stored match:\n\n{table(heads, rows)}\n\nOf the engines:\n\n{tables}", goals)


def _moves(game: str) -> int:
    """Matches of Wave are shorter: at random play few get beyond this."""
    return MOVES if game == "onda" else 20


def _play(shore: Shore, match: Prepared) -> Prepared:
    game = match.path.split("/")[3]
    for number, (seat, move) in enumerate(match.moves[: _moves(game)]):
        shore.ask(
            "POST", f"{match.path}/seats/{seat}/moves", {"move": move}, match.tokens[seat], key=f"move-{number:03d}"
        )
    return match


def _held(client: "redis.Redis", match: str) -> dict[str, int]:
    """Bytes by part. `live` is the state with its version and times; `memory` all that the server spends on it."""
    record = f"sb:{{{match}}}"
    fields: Any = client.hgetall(record)
    answers = list(client.scan_iter(match=f"{record.replace('{', '[{]').replace('}', '[}]')}:key:*", count=1_000))
    keys = [record, f"{record}:moves", f"{record}:feed", *answers]
    return {
        "state": len(pack(read_record(match, Stored(fields[b"write"], fields[b"head"], fields[b"live"])).state)),
        "live": len(fields[b"live"]) + len(fields[b"write"]),
        "log": sum(map(len, client.lrange(f"{record}:moves", 0, -1))),
        "head": len(fields[b"head"]),
        "feed": sum(map(len, client.lrange(f"{record}:feed", 0, -1))),
        "answers": sum(len(key) + len(client.get(key)) for key in answers),
        "memory": sum(client.memory_usage(key, samples=0) for key in keys),
    }


def _footprints() -> dict[str, tuple[int, int]]:
    """Bytes that each game's modules hold once imported, and after some matches, in a fresh process."""
    said = subprocess.run([sys.executable, "-m", "bench.footprint"], capture_output=True, check=True).stdout
    return msgspec.json.decode(said, type=dict[str, tuple[int, int]])
