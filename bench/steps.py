"""Where the time of a move goes: each step of a POST on its own, in microseconds of CPU time of this process.

Without HTTP and Flask: those are what a request costs beyond the sum of these. It runs in a process of its own, with
gevent's sockets, as the service does.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from bench.matches import playout
from bench.results import Result, Say, table
from engines import GAMES
from engines.kit.game import Game
from service.api.requests import Body, convert
from service.api.wire import wire
from service.run import embedded
from service.store.link import Link
from service.store.redis import RedisStore
from service.table.change import Change
from service.table.claim import Wanted, claim
from service.table.create import Wish, create
from service.table.edge import Edge
from service.table.look import legal_moves_at
from service.table.play import Played
from service.table.records import read_record
from service.table.seats import GUEST, find, recognise
from service.table.table import Table

SEATS = 4
STEPS = {
    "parse": "JSON to a checked move",
    "load": "one read from Redis",
    "unpack": "bytes to the record and the position",
    "recognise": "whose token it is",
    "apply": "the rules, with events",
    "swap": "pack, and one script in Redis",
    "view": "what the seat may see",
    "legal list": "what it may do next",
    "encode": "the answer as JSON",
}


def measure_all(matches: int, say: Say) -> Result:
    """The median of each step over all moves of some matches of each game."""
    say(f"Steps: {matches} matches of each game")
    command = [sys.executable, "-m", "gevent.monkey", "--module", "bench.steps", str(matches)]
    body = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Result("The steps of a move", body.strip(), [])


def measured(matches: int) -> str:
    """The table of all steps."""
    columns = []
    with redis_running() as url:
        link = Link(url, timeout_s=5, connections=1)
        with closing(link):
            table_ = Table(RedisStore(link), Edge())
            for key, game in GAMES.items():
                columns.append((key, _medians(table_, game, matches)))
    rows = [[name, STEPS[name], *(f"{cell:.1f}" for _, medians in columns for cell in medians[name])] for name in STEPS]
    sums = [sum(medians[name][which] for name in STEPS) for _, medians in columns for which in (0, 1)]
    rows.append(["sum", "", *(f"{cell:.1f}" for cell in sums)])
    heads = ["", "what", *(head for key, _ in columns for head in (f"{GAMES[key].title}: CPU us", "clock us"))]
    return table(heads, rows)


@contextmanager
def redis_running() -> Iterator[str]:
    """The embedded server, as `make run` starts it."""
    with tempfile.TemporaryDirectory(prefix="shorebreak-bench-") as folder:
        child, url = embedded.start(Path(folder), time.sleep)
        try:
            while not embedded.answers(child, url):
                time.sleep(0.05)
            yield url
        finally:
            child.stop()


def _medians(table_: Table, game: Game, matches: int) -> dict[str, tuple[float, float]]:
    """(CPU, clock) of each step, in microseconds."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in STEPS}
    for number in range(matches):
        for marks in _play(table_, game, f"steps {number}"):
            for name, before, after in zip(STEPS, marks[:-1], marks[1:], strict=True):
                taken[name].append((after[0] - before[0], after[1] - before[1]))
    return {
        name: (1e6 * median(cpu for cpu, _ in times), 1e6 * median(clock for _, clock in times))
        for name, times in taken.items()
    }


Mark = tuple[float, float]


def _play(table_: Table, game: Game, seed: str) -> Iterator[list[Mark]]:
    """Play a match move by move; for each the (CPU, clock) times before the first step and after every one."""
    match, tokens = _seated(table_, game, seed)
    move_request = wire(game).move_request
    decode, encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode
    for seat, move in playout(game, SEATS, seed):
        body = encode({"move": move})
        marks = [_now()]
        asked: Any = convert(Body(decode(body)), move_request)
        marks.append(_now())
        stored = table_.store.load(match)
        marks.append(_now())
        assert stored is not None
        record = read_record(match, stored)
        marks.append(_now())
        recognise(record, tokens[seat])
        marks.append(_now())
        change = Change(record, table_)
        change.play(seat, asked.move, "player")
        marks.append(_now())
        assert change.store()
        marks.append(_now())
        to_move, view = game.to_move(change.state), game.view_for(change.state, seat)
        marks.append(_now())
        legal = legal_moves_at(record, seat, change.version, change.state, to_move)
        marks.append(_now())
        events = [msgspec.Raw(event) for event in change.events]
        encode(Played(change.version, events, to_move, view, legal, game.outcome(change.state)))
        marks.append(_now())
        yield marks


def _now() -> Mark:
    return time.process_time(), time.perf_counter()


def _seated(table_: Table, game: Game, seed: str) -> tuple[str, list[str]]:
    """A match that has started: its id and its seats' tokens."""
    wish = Wish(
        seats=SEATS,
        options=game.options(),
        visibility="listed",
        on_absent="move",
        host_can_abort=False,
        legal_moves="full",
        seed=seed,
    )
    created, _ = create(table_, game, wish, None, b"")
    match = created.record.match
    tokens = []
    for seat in range(SEATS):
        wanted = Wanted(seat, f"Seat {seat}", "", None)
        claimed, _ = claim(table_, find(table_, game, match), GUEST, wanted, "bench", None, b"")
        tokens.append(claimed.token)
    return match, tokens


if __name__ == "__main__":
    sys.stdout.write(measured(int(sys.argv[1])))
