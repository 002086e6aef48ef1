"""A hundred thousand matches in the store: whether listing, claiming and moving stay as fast as with a hundred.

Two servers run side by side, one with few matches, one with many, and are asked in turns.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

import redis

from bench.copies import Pattern, copy, pattern
from bench.load import Requests
from bench.matches import advance, get_list, post_claim, prepare
from bench.over_http import SEATS, Figure, Sample, driven, lines_of
from bench.results import Goal, Result, Say, table
from bench.shore import SHOREBREAK, Shore, running
from engines import GAMES

FEW, MANY = 100, 100_000
PATTERNS = 20
"""So many matches of each kind are really played; the others are copies of what the store then holds."""
SHARES = {"waiting": 0.25, "playing": 0.5, "finished": 0.25}
MOVES = 20
"""Of a match in play."""
LINES = 8
GOAL = 0.9
ASKED = "listing", "claiming", "moving"


def measure_all(rounds: int, seconds: float, many: int, say: Say) -> Result:
    """The rate of each request with many matches, divided by that with few in the same round."""
    samples: dict[tuple[str, int], list[Sample]] = {(what, count): [] for what in ASKED for count in (FEW, many)}
    with ExitStack() as stack:
        shores = {count: stack.enter_context(running(SHOREBREAK)) for count in (FEW, many)}
        sizes = {count: fill(shore, count, say) for count, shore in shores.items()}
        for number in range(1, rounds + 1):
            for what in ASKED:
                for count in (FEW, many) if number % 2 else (many, FEW):
                    sample = measure(shores[count], what, seconds)
                    samples[what, count].append(sample)
                    say(f"Loaded, round {number} of {rounds}: {what}, {count:,} matches: {sample.rate:,.0f}/s")
    rows, goals = [], []
    for what in ASKED:
        few, lots = samples[what, FEW], samples[what, many]
        ratio = median(one.rate / base.rate for one, base in zip(lots, few, strict=True))
        rows.append([what, *_cells(few), *_cells(lots), f"{ratio:.2f}"])
        goals.append(Goal(f"{what.capitalize()} with {many:,} matches, of the rate with {FEW}", ratio, GOAL))
    heads = ["", *(f"{count:,}: {head}" for count in (FEW, many) for head in ("requests/s", "median ms", "CPU us"))]
    said = (
        f"{many:,} matches take {sizes[many] / 2**20:,.0f} MiB of Redis's memory, {FEW} take {sizes[FEW] / 2**20:.1f}."
    )
    return Result(f"{many:,} matches", f"{said}\n\n{table([*heads, 'ratio'], rows)}", goals)


def _cells(taken: list[Sample]) -> list[str]:
    return [
        f"{median(one.rate for one in taken):,.0f}",
        f"{median(one.median_ms for one in taken):.2f}",
        f"{median(one.server_us + one.redis_us for one in taken):.0f}",
    ]


def measure(shore: Shore, what: str, seconds: float) -> Sample:
    """The rate of one kind of request, on few connections."""
    if what == "moving":
        figure = Figure(what, "move", LINES, "onda")
        return driven(shore, lines_of(shore, figure, seconds, 4_000), figure, seconds)
    if what == "claiming":
        return driven(shore, list(_claims(shore, round(seconds * 3_000 / LINES))), Figure(what, "claim"), seconds)
    return driven(shore, [_lists()] * LINES, Figure(what, "list"), seconds)


def _lists() -> Requests:
    """The first page of matches that wait, of those in play, and of all."""
    return [(0, get_list(f"onda/matches{query}")) for query in ("?status=waiting", "?status=playing", "")]


def _claims(shore: Shore, each: int) -> Iterator[Requests]:
    """For each line, claims of all seats of matches of its own."""
    for _ in range(LINES):
        paths = [_waiting(shore) for _ in range(-(-each // SEATS))]
        yield [(0, post_claim(path, seat)) for path in paths for seat in range(SEATS)]


def _waiting(shore: Shore) -> str:
    created = shore.ask("POST", "/v1/games/onda/matches", {"seats": SEATS})
    return f"/v1/games/onda/matches/{created['match']['match']}"


def fill(shore: Shore, count: int, say: Say) -> int:
    """Bring the store to so many matches: gives the bytes of memory that they take."""
    client = redis.Redis(unix_socket_path=str(shore.redis_socket))
    kinds = {kind: [pattern(client, match) for match in _played(shore, kind)] for kind in SHARES}
    # While nothing is measured: each sync would be waited for, and there are hundreds of thousands.
    client.config_set("appendfsync", "everysec")
    before = client.info("memory")["used_memory"]
    for kind, patterns in kinds.items():
        _copies(client, patterns, round(count * SHARES[kind]), kind, say)
    client.config_set("appendfsync", "always")
    while client.info("persistence")["aof_rewrite_in_progress"]:
        time.sleep(0.1)
    taken: int = client.info("memory")["used_memory"] - before
    client.close()
    return taken


def _copies(client: "redis.Redis", patterns: list[Pattern], count: int, kind: str, say: Say) -> None:
    for done in copy(client, patterns, count):
        if done % 10_000 == 0:
            say(f"Loading: {done:,} of {count:,} matches: {kind}")


def _played(shore: Shore, kind: str) -> Iterator[str]:
    """A few real matches that wait, are in play, or are finished (of Wave, whose matches are short)."""
    for number in range(PATTERNS):
        if kind == "waiting":
            yield _waiting(shore).rpartition("/")[2]
            continue
        game = "onda" if kind == "playing" else "wave"
        match = prepare(shore, GAMES[game], SEATS, f"{kind} {number}", at_least=MOVES if kind == "playing" else 1)
        advance(shore, match, MOVES if kind == "playing" else len(match.moves))
        yield match.path.rpartition("/")[2]
