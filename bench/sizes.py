"""Bytes: stored matches, live and finished, and the tables and caches of the engines."""

import subprocess
import sys
from statistics import mean
from typing import Any

import msgspec
import redis

from bench.copies import copy, keys_of, pattern
from bench.matches import Prepared, post, prepare
from bench.results import Goal, Result, Say, table
from bench.shore import SHOREBREAK, Shore, running
from engines import GAMES
from engines.kit.game import Game
from service.store.port import Stored
from service.table.records import pack, read_record

SEATS = 4
EARLY = {"wave": 20, "onda": 60, "ufo-wave": 20}
"""Moves after which state and move log have a bound to keep."""
MATCHES = 5
"""So many are played of each game."""
COPIES = 1_000
"""So many the server holds when it is asked how much memory it has really taken."""
STORED_GOAL = 3_000
TABLES_GOAL_MB = 16
PARTS = ("state", "live", "log", "head", "feed")


class Held(msgspec.Struct, frozen=True):
    """Bytes of one match. `live` is the state with its version and times; `memory` is MEMORY USAGE of its keys, `taken`
    what the server's memory grew by for each of many such matches; `answer` is the same for one remembered answer."""

    moves: float
    state: float
    live: float
    log: float
    head: float
    feed: float
    memory: float
    taken: float
    answer: float


def measure_all(say: Say) -> Result:
    """Of each game: what Redis holds of a match early, at half and finished; and the engines' tables."""
    rows, goals, answers = [], [], []
    with running(SHOREBREAK) as shore:
        client = redis.Redis(unix_socket_path=str(shore.redis_socket))
        for game in GAMES.values():
            say(f"Sizes: {MATCHES} matches of {game.title}")
            matches = [prepare(shore, game, SEATS, f"size {n}", at_least=EARLY[game.key]) for n in range(MATCHES)]
            for when, held in _stages(shore, client, game, matches):
                row = [f"{game.title}, {when}", *(f"{getattr(held, part):,.0f}" for part in ("moves", *PARTS))]
                rows.append([*row, f"{held.memory:,.0f}", f"{held.taken:,.0f}"])
                answers.append(held.answer)
                if when == "early":
                    name = f"{game.title}: state and move log after {EARLY[game.key]} moves"
                    goals.append(Goal(name, held.live + held.log, STORED_GOAL, "bytes", less=True))
        client.close()
    heads = ["", "moves", "state", "state and its frame", "move log", "head", "feed"]
    heads += ["MEMORY USAGE of all", f"memory taken, of {COPIES:,}"]
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
    said = f"Each answer that is remembered for its `Idempotency-Key` takes {mean(answers):.0f} bytes of memory more."
    return Result(
        "Sizes", f"Bytes of a stored match. {said}\n\n{table(heads, rows)}\n\nOf the engines:\n\n{tables}", goals
    )


def _stages(shore: Shore, client: "redis.Redis", game: Game, matches: list[Prepared]) -> list[tuple[str, Held]]:
    """(when, bytes in the mean) early, at half and finished. Every move is made with an `Idempotency-Key`."""
    moves = {
        "early": [EARLY[game.key]] * len(matches),
        "half": [len(match.moves) // 2 for match in matches],
        "finished": [len(match.moves) for match in matches],
    }
    stages = []
    made = [0] * len(matches)
    for when in sorted(moves, key=lambda when: sum(moves[when])):  # half a match of Wave is less than its early
        for place, match in enumerate(matches):
            for number in range(made[place], moves[when][place]):
                post(shore, match, number, key=f"move-{number:03d}")
            made[place] = max(made[place], moves[when][place])
        stages.append((when, _held(client, [match.path.rpartition("/")[2] for match in matches])))
    return stages


def _held(client: "redis.Redis", matches: list[str]) -> Held:
    """What is held of these matches, in the mean."""
    parts = [_parts(client, match) for match in matches]
    return Held(
        **{name: mean(one[name] for one in parts) for name in ("moves", *PARTS, "memory")},
        taken=_taken(client, matches, answers=False) / COPIES,
        answer=_taken(client, matches, answers=True) / (COPIES * mean(part["answers"] for part in parts)),
    )


def _parts(client: "redis.Redis", match: str) -> dict[str, float]:
    record = f"sb:{{{match}}}"
    fields: Any = client.hgetall(record)
    keys = [key for key in keys_of(client, match) if not _is_answer(key)]
    stored = read_record(match, Stored(fields[b"write"], fields[b"head"], fields[b"live"]))
    return {
        "moves": stored.live.version,
        "state": len(pack(stored.state)),
        "live": len(fields[b"live"]) + len(fields[b"write"]),
        "log": sum(map(len, client.lrange(f"{record}:moves", 0, -1))),
        "head": len(fields[b"head"]),
        "feed": sum(map(len, client.lrange(f"{record}:feed", 0, -1))),
        "memory": sum(client.memory_usage(key, samples=0) for key in keys),
        "answers": len(keys_of(client, match)) - len(keys),
    }


def _taken(client: "redis.Redis", matches: list[str], answers: bool) -> int:
    """What the server's memory grows by for many copies of these matches: of their records, or of their answers."""
    patterns = [pattern(client, match, lambda key: _is_answer(key) == answers) for match in matches]
    before = client.info("memory")["used_memory"]
    copied = list(copy(client, patterns, COPIES))
    taken: int = client.info("memory")["used_memory"] - before
    assert copied
    return taken


def _is_answer(key: bytes) -> bool:
    return b":key:" in key


def _footprints() -> dict[str, tuple[int, int]]:
    """Bytes that each game's modules hold once imported, and after some matches, in a fresh process."""
    said = subprocess.run([sys.executable, "-m", "bench.footprint"], capture_output=True, check=True).stdout
    return msgspec.json.decode(said, type=dict[str, tuple[int, int]])
