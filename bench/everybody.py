"""Four seats that all want every move: told by streams and by long polls, against boardgame.io's push."""

import subprocess
import sys
from statistics import median

import msgspec

from bench import boardgame_io
from bench.followers import Follow, Followed, Match
from bench.matches import get_events, get_stream, post_moves, prepare
from bench.results import Result, Say, table
from bench.shore import SHOREBREAK, Shore, running
from bench.times import quantile
from engines import GAMES

SEATS = 4
TABLES = 32
MOST_MOVES_A_SECOND = 4_000
STREAMS, POLLS, PUSH = "Onda, streams with include=state", "Onda, long polls with include=state", "boardgame.io, push"


class Sample(msgspec.Struct, frozen=True):
    """One way, once: moves a second, CPU microseconds a move, pairs of (median, p99) in milliseconds, bytes a move."""

    rate: float
    server_us: float
    redis_us: float
    generator_us: float
    answered_ms: tuple[float, float]
    arrived_ms: tuple[float, float]
    told: float
    bytes: float


def measure_all(rounds: int, seconds: float, say: Say) -> Result:
    """Every way in every round, on a fresh server."""
    missing = boardgame_io.missing()
    ways = [STREAMS, POLLS, *([PUSH] if missing is None else [])]
    samples: dict[str, list[Sample]] = {way: [] for way in ways}
    for number in range(1, rounds + 1):
        for way in ways:
            sample = measure(way, seconds)
            samples[way].append(sample)
            say(f"Everybody, round {number} of {rounds}: {way}: {sample.rate:,.0f}/s, {sample.server_us:.0f} us")
    body = table(HEADS, [_row(way, taken) for way, taken in samples.items()])
    if missing is not None:
        return Result(TITLE, f"{body}\n\n**boardgame.io was LEFT OUT: {missing}.**", [])
    ratios = []
    for way in (STREAMS, POLLS):
        pairs = zip(samples[way], samples[PUSH], strict=True)
        ratios.append(f"{way}: {median(ours.rate / theirs.rate for ours, theirs in pairs):.2f}")
    return Result(TITLE, f"{body}\n\nMoves a second, of boardgame.io's. {', '.join(ratios)}.", [])


TITLE = f"Everybody is told: {TABLES} matches, all four seats of which want every move"
HEADS = (
    "",
    "moves/s",
    "server CPU us a move",
    "Redis CPU us",
    "generator CPU us",
    "answered: median ms",
    "p99 ms",
    "all four told: median ms",
    "p99 ms",
    "seats told a move",
    "bytes a move",
)


def _row(way: str, taken: list[Sample]) -> list[str]:
    return [
        way,
        f"{median(one.rate for one in taken):,.0f}",
        *(f"{median(getattr(one, name) for one in taken):.0f}" for name in ("server_us", "redis_us", "generator_us")),
        *(f"{median(one.answered_ms[place] for one in taken):.1f}" for place in (0, 1)),
        *(f"{median(one.arrived_ms[place] for one in taken):.1f}" for place in (0, 1)),
        f"{median(one.told for one in taken):.2f}",
        f"{median(one.bytes for one in taken):,.0f}",
    ]


def measure(way: str, seconds: float, tables: int = TABLES) -> Sample:
    """One way, on a fresh server."""
    if way == PUSH:
        moves = boardgame_io.moves(tables, seconds)
        times = moves.confirmed_ms, moves.told_ms
        return Sample(moves.rate, moves.server_us, 0, moves.seats_us, *times, moves.pushes, moves.bytes)
    with running(SHOREBREAK) as shore:
        wanted = MOST_MOVES_A_SECOND * 1.25 * seconds / tables
        plan = Follow(
            port=shore.port,
            streams=way == STREAMS,
            tables=[_matches(shore, way, f"everybody {number}", wanted) for number in range(tables)],
            warm_s=seconds / 4,
            measure_s=seconds,
            watch=[*shore.web, *shore.redis],
        )
        shore.hang_up()
        command = [sys.executable, "-m", "bench.followers"]
        done = subprocess.run(command, input=msgspec.msgpack.encode(plan), stdout=subprocess.PIPE, check=True)
    return _summed(msgspec.json.decode(done.stdout, type=Followed), len(shore.web))


def _matches(shore: Shore, way: str, seed: str, moves: float) -> list[Match]:
    """What one table plays: whole matches, and one more than should be needed."""
    matches: list[Match] = []
    while sum(len(match.moves) for match in matches[:-1]) < moves:
        match = prepare(shore, GAMES["onda"], SEATS, f"{seed} {len(matches)}", at_least=1)
        if way == STREAMS:
            feeds = [get_stream(match, seat, "?include=state") for seat in range(SEATS)]
        else:
            feeds = [get_events(match, seat, after=0) for seat in range(SEATS)]
        matches.append(Match(feeds, post_moves(match)))
    return matches


def _summed(followed: Followed, web: int) -> Sample:
    made = len(followed.answered)
    return Sample(
        rate=made / followed.seconds,
        server_us=1e6 * sum(followed.cpu_s[:web]) / made,
        redis_us=1e6 * sum(followed.cpu_s[web:]) / made,
        generator_us=1e6 * followed.own_cpu_s / made,
        answered_ms=(1000 * quantile(followed.answered, 0.5), 1000 * quantile(followed.answered, 0.99)),
        arrived_ms=(1000 * quantile(followed.arrived, 0.5), 1000 * quantile(followed.arrived, 0.99)),
        told=followed.told / made,
        bytes=followed.bytes / made,
    )
