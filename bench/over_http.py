"""Requests a second over HTTP, and the CPU time of each, against a bare Flask site on the same gunicorn and against
boardgame.io's server."""

import subprocess
import sys
from statistics import median

import msgspec

from bench import boardgame_io
from bench.load import Load, Plan, Requests
from bench.matches import HELLO, advance, get_state, post_moves, prepare
from bench.results import Goal, Result, Say, table
from bench.shore import HELLO as HELLO_SITE
from bench.shore import SHOREBREAK, Shore, running
from engines import GAMES

SEATS = 4
FEW, MANY = 32, 128
"""Matches that are played at once."""
MID_MATCH = {"onda": 30, "wave": 8}
"""The state that is asked for is that after so many moves."""
MOST_MOVES_A_SECOND = 6_000
"""So many are prepared; a machine that makes more is measured for less long."""

WRITES = ("move", "claim")
STATE_GOAL, MOVE_GOAL = 0.47, 0.45
P99_GOAL_MS = 35


class Figure(msgspec.Struct, frozen=True):
    """What is measured: `what` is `hello`, `state`, `list`, `move`, `claim` or `boardgame.io`."""

    name: str
    what: str
    matches: int = FEW
    game: str = ""
    goal: float | None = None
    """The least share of the bare site's requests a second."""


HELLO_FIGURE = Figure("bare Flask hello", "hello")
PEER = Figure(f"boardgame.io, a move, {FEW} matches", "boardgame.io", FEW)
PEER_MANY = Figure(f"boardgame.io, a move, {MANY} matches", "boardgame.io", MANY)
MOVE = Figure(f"Onda, POST move, {FEW} matches", "move", FEW, "onda", MOVE_GOAL)
MOVE_MANY = Figure(f"Onda, POST move, {MANY} matches", "move", MANY, "onda")
# Matches of Wave are too short at random play to post moves for seconds.
STATES = (
    Figure("Onda, GET state", "state", FEW, "onda", STATE_GOAL),
    Figure("Wave, GET state", "state", FEW, "wave", STATE_GOAL),
)
FIGURES = (*STATES, HELLO_FIGURE, MOVE, PEER, MOVE_MANY, PEER_MANY)
"""In the order in which they are measured: what is compared is near each other."""


class Sample(msgspec.Struct, frozen=True):
    """One figure, once: requests a second; CPU time a request, in microseconds, of server, Redis, and generator."""

    rate: float
    server_us: float
    redis_us: float
    generator_us: float
    median_ms: float
    p99_ms: float
    bytes: float


Samples = dict[str, list[Sample]]
"""By the figure's name, one a round."""


def measure_all(rounds: int, seconds: float, say: Say) -> Result:
    """Every figure in every round, each on a fresh server; a ratio is that of two figures of one round."""
    missing = boardgame_io.missing()
    figures = [figure for figure in FIGURES if missing is None or figure.what != "boardgame.io"]
    samples: Samples = {figure.name: [] for figure in figures}
    for number in range(1, rounds + 1):
        for figure in figures:
            sample = measure(figure, seconds)
            samples[figure.name].append(sample)
            say(
                f"HTTP, round {number} of {rounds}: {figure.name}: {sample.rate:,.0f}/s, {sample.server_us:.0f} us "
                f"and Redis {sample.redis_us:.0f} us, p99 {sample.p99_ms:.1f} ms"
            )
    body = table(HEADS, [_row(figure.name, samples) for figure in figures])
    if missing is not None:
        body += f"\n\n**boardgame.io was LEFT OUT, and so were the goals that it sets: {missing}.**"
    return Result("A move, whole, over HTTP", body, _goals(figures, samples))


HEADS = (
    "",
    "requests/s",
    "of hello's",
    "server CPU us",
    "Redis CPU us",
    "CPU: hello's / its",
    "generator CPU us",
    "median ms",
    "p99 ms",
    "bytes",
)


def _row(name: str, samples: Samples) -> list[str]:
    taken, hello = samples[name], samples[HELLO_FIGURE.name]
    cpu = median(base.server_us / (one.server_us + one.redis_us) for one, base in zip(taken, hello, strict=True))
    return [
        name,
        f"{median(one.rate for one in taken):,.0f}",
        f"{of(samples, name, HELLO_FIGURE.name):.2f}",
        f"{median(one.server_us for one in taken):.0f}",
        f"{median(one.redis_us for one in taken):.0f}",
        f"{cpu:.2f}",
        f"{median(one.generator_us for one in taken):.0f}",
        f"{median(one.median_ms for one in taken):.1f}",
        f"{median(one.p99_ms for one in taken):.1f}",
        f"{median(one.bytes for one in taken):,.0f}",
    ]


def of(samples: Samples, name: str, base: str) -> float:
    """The median over the rounds of one figure's rate divided by another's."""
    return median(one.rate / other.rate for one, other in zip(samples[name], samples[base], strict=True))


def _goals(figures: list[Figure], samples: Samples) -> list[Goal]:
    goals = [
        Goal(f"{figure.name}, of hello's requests/s", of(samples, figure.name, HELLO_FIGURE.name), figure.goal)
        for figure in figures
        if figure.goal is not None
    ]
    for ours, theirs in ((MOVE, PEER), (MOVE_MANY, PEER_MANY)):
        if theirs in figures:
            goals.append(Goal(f"{ours.name}, of boardgame.io's rate", of(samples, ours.name, theirs.name), 1))
    p99 = median(sample.p99_ms for sample in samples[MOVE.name])
    return [*goals, Goal(f"{MOVE.name}, p99", p99, P99_GOAL_MS, "ms", less=True)]


def measure(figure: Figure, measure_s: float) -> Sample:
    """One figure on a fresh server."""
    if figure.what == "boardgame.io":
        moves = boardgame_io.moves(figure.matches, measure_s)
        times = moves.confirmed_ms
        return Sample(moves.rate, moves.server_us, 0, moves.seats_us, times[0], times[1], moves.bytes)
    with running(HELLO_SITE if figure.what == "hello" else SHOREBREAK) as shore:
        return driven(shore, lines_of(shore, figure, measure_s), figure, measure_s)


def driven(shore: Shore, lines: list[Requests], figure: Figure, measure_s: float) -> Sample:
    """Send these requests, by a load generator in a process of its own."""
    shore.hang_up()
    plan = Plan(
        port=shore.port,
        status=201 if figure.what in WRITES else 200,
        lines=lines,
        again=figure.what not in WRITES,
        warm_s=measure_s / 4,
        measure_s=measure_s,
        watch=[*shore.web, *shore.redis],
    )
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=msgspec.msgpack.encode(plan), stdout=subprocess.PIPE, check=True
    )
    load = msgspec.json.decode(done.stdout, type=Load)
    web, redis = sum(load.cpu_s[: len(shore.web)]), sum(load.cpu_s[len(shore.web) :])
    return Sample(
        rate=load.answers / load.seconds,
        server_us=1e6 * web / load.answers,
        redis_us=1e6 * redis / load.answers,
        generator_us=1e6 * load.own_cpu_s / load.answers,
        median_ms=load.median_ms,
        p99_ms=load.p99_ms,
        bytes=load.bytes_each,
    )


def lines_of(shore: Shore, figure: Figure, measure_s: float, most_moves: int = MOST_MOVES_A_SECOND) -> list[Requests]:
    """What is sent for a figure of ours or the bare site's, whose matches are made here."""
    if figure.what == "hello":  # as many connections as the seats have, and as many requests under way
        return [[(seat, HELLO) for seat in range(SEATS)]] * figure.matches
    if figure.what == "state":
        return [_states(shore, figure.game, f"state {number}") for number in range(figure.matches)]
    moves = most_moves * measure_s * 1.25 / figure.matches
    return [_moves(shore, figure.game, f"move {number}", moves) for number in range(figure.matches)]


def _states(shore: Shore, game: str, seed: str) -> Requests:
    """A line that looks at a match of its own, from all its seats in turn."""
    match = prepare(shore, GAMES[game], SEATS, seed, at_least=MID_MATCH[game] + 1)
    advance(shore, match, MID_MATCH[game])
    return [(seat, get_state(match, seat)) for seat in range(SEATS)]


def _moves(shore: Shore, game: str, seed: str, moves: float) -> Requests:
    """A line that plays whole matches of its own, one after the other, at least so many moves."""
    requests: Requests = []
    number = 0
    while len(requests) < moves:
        requests += post_moves(prepare(shore, GAMES[game], SEATS, f"{seed} {number}", at_least=1))
        number += 1
    return requests
