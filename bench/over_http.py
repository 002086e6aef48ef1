"""Requests a second over HTTP, and the CPU time of each, against a bare Flask site on the same gunicorn."""

import subprocess
import sys
from statistics import median

import msgspec

from bench.load import Load, Plan
from bench.matches import HELLO, advance, get_state, post_moves, prepare
from bench.results import Goal, Result, Say, table
from bench.shore import HELLO as HELLO_SITE
from bench.shore import SHOREBREAK, Shore, running
from engines import GAMES

CONNECTIONS = 32
SEATS = 4
MID_MATCH = {"onda": 30, "wave": 8}
"""The state that is asked for is that after so many moves."""
MOST_MOVES_A_SECOND = 3_000
"""So many are prepared: no machine of two cores makes more."""

HELLO_FIGURE = "hello"
GOALS = {"onda state": 0.47, "onda move": 0.36, "wave state": 0.47}
"""Matches of Wave are too short at random play to post moves for seconds."""
FIGURES = (HELLO_FIGURE, *GOALS)
NAMES = {
    "hello": "bare Flask hello",
    "onda state": "Onda, GET state",
    "onda move": "Onda, POST move",
    "wave state": "Wave, GET state",
}


class Sample(msgspec.Struct, frozen=True):
    """One figure, once: requests a second; CPU time a request, in microseconds, of web workers, Redis, generator."""

    rate: float
    web_us: float
    redis_us: float
    generator_us: float
    load: Load


def measure_all(rounds: int, seconds: float, say: Say) -> Result:
    """Every figure in every round, each on a fresh server; a ratio is that of two figures of one round."""
    samples: dict[str, list[Sample]] = {figure: [] for figure in FIGURES}
    for number in range(1, rounds + 1):
        for figure in FIGURES:
            sample = measure(figure, seconds)
            samples[figure].append(sample)
            say(f"HTTP, round {number} of {rounds}: {NAMES[figure]}: {sample.rate:,.0f}/s, {sample.web_us:.0f} us")
    hello = samples[HELLO_FIGURE]
    rows, goals = [], []
    for figure, taken in samples.items():
        ratio = median(one.rate / base.rate for one, base in zip(taken, hello, strict=True))
        cpu = median(base.web_us / (one.web_us + one.redis_us) for one, base in zip(taken, hello, strict=True))
        rows.append(
            [
                NAMES[figure],
                f"{median(one.rate for one in taken):,.0f}",
                f"{ratio:.2f}",
                f"{median(one.web_us for one in taken):.0f}",
                f"{median(one.redis_us for one in taken):.0f}",
                f"{cpu:.2f}",
                f"{median(one.generator_us for one in taken):.0f}",
                f"{median(one.load.median_ms for one in taken):.1f}",
                f"{median(one.load.p99_ms for one in taken):.1f}",
                f"{median(one.load.bytes_each for one in taken):,.0f}",
            ]
        )
        if figure in GOALS:
            goals.append(Goal(f"{NAMES[figure]}, of hello's requests/s", ratio, GOALS[figure]))
    heads = ["", "requests/s", "of hello's", "web CPU us", "Redis CPU us", "CPU: hello's / its"]
    heads += ["generator CPU us", "median ms", "p99 ms", "bytes"]
    return Result("Over HTTP", table(heads, rows), goals)


def measure(figure: str, measure_s: float) -> Sample:
    """The figure `hello`, `<game> state` or `<game> move`, on a fresh server."""
    game, _, what = figure.rpartition(" ")
    prepare_requests, status = {"hello": (_hello, 200), "state": (_states, 200), "move": (_moves, 201)}[what]
    with running(HELLO_SITE if what == "hello" else SHOREBREAK) as shore:
        plan = Plan(
            port=shore.port,
            status=status,
            requests=prepare_requests(shore, game, measure_s),
            again=what != "move",
            warm_s=measure_s / 4,
            measure_s=measure_s,
            watch=[*shore.web, *shore.redis],
        )
        load = _drive(plan)
    web, redis = sum(load.cpu_s[: len(shore.web)]), sum(load.cpu_s[len(shore.web) :])
    return Sample(
        rate=load.answers / load.seconds,
        web_us=1e6 * web / load.answers,
        redis_us=1e6 * redis / load.answers,
        generator_us=1e6 * load.own_cpu_s / load.answers,
        load=load,
    )


def _drive(plan: Plan) -> Load:
    """The load generator, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=msgspec.msgpack.encode(plan), stdout=subprocess.PIPE, check=True
    )
    return msgspec.json.decode(done.stdout, type=Load)


def _hello(_shore: Shore, _game: str, _measure_s: float) -> list[list[bytes]]:
    return [[HELLO]] * CONNECTIONS


def _states(shore: Shore, game: str, _measure_s: float) -> list[list[bytes]]:
    """Each connection looks at a match of its own, from all its seats in turn."""
    requests = []
    for line in range(CONNECTIONS):
        match = prepare(shore, GAMES[game], SEATS, f"state {line}", at_least=MID_MATCH[game] + 1)
        advance(shore, match, MID_MATCH[game])
        requests.append([get_state(match, seat) for seat in range(SEATS)])
    return requests


def _moves(shore: Shore, game: str, measure_s: float) -> list[list[bytes]]:
    """Each connection plays matches of its own, one after the other."""
    wanted = MOST_MOVES_A_SECOND * measure_s * 1.25 / CONNECTIONS
    requests: list[list[bytes]] = []
    for line in range(CONNECTIONS):
        moves: list[bytes] = []
        while len(moves) < wanted:
            moves += post_moves(prepare(shore, GAMES[game], SEATS, f"move {line} {len(moves)}"))
        requests.append(moves)
    return requests
