"""Where the CPU time of a request goes, room by room, and what the server around the application takes."""

import subprocess
import sys

import msgspec

from bench.inside import ROOMS, Inside, Request
from bench.over_http import STATES, Figure, Sample, driven, lines_of
from bench.results import Result, Say, table
from bench.shore import SHOREBREAK, running
from engines import GAMES

MOST_MOVES_A_SECOND = 3_000
AROUND = "around", "gunicorn and gevent: HTTP, sockets"


def measure_all(matches: int, seconds: float, say: Say) -> Result:
    """Every room of a POST move in all games, and of GET state; a column adds up to what a real server takes."""
    games = list(GAMES)
    say(f"Rooms: {matches} matches of each game, within one process")
    inside = within(matches, games)
    figures = [*(Figure(f"{GAMES[game].title}, POST move", "move", 1, game) for game in games), STATES[0]]
    columns = []
    for figure, request in zip(figures, inside.requests, strict=True):
        sample = _served(figure, seconds)
        say(
            f"Rooms: {request.name}: {sample.server_us:.0f} us in all, {request.plain_us:.0f} us within the application"
        )
        columns.append(_column(request, sample))
    heads = ["room", "", *(request.name for request in inside.requests)]
    rows = [[room, what, *(f"{column[room]:.1f}" for column in columns)] for room, what in (*ROOMS.items(), AROUND)]
    rows.append(["web process", "all of these", *(f"{sum(column.values()):.1f}" for column in columns)])
    factors = ", ".join(f"{request.plain_us / sum(request.by_room_us.values()):.2f}" for request in inside.requests)
    said = (
        "Microseconds of CPU time of the web process for a request, one at a time. The rooms were measured by "
        f"watching, and multiplied by {factors}, so that they add up to what the same requests take unwatched."
    )
    if inside.missing:
        said += f" Not found, and so counted with their callers: {', '.join(inside.missing)}."
    return Result("Where the time goes", f"{said}\n\n{table(heads, rows)}", [])


def within(matches: int, games: list[str]) -> Inside:
    """`bench.inside` in a process of its own, with gevent's sockets, as the service does it."""
    command = [sys.executable, "-m", "gevent.monkey", "--module", "bench.inside", str(matches), ",".join(games)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Inside)


def _served(figure: Figure, seconds: float) -> Sample:
    """The same request, one at a time, to a real server with one web process."""
    with running(SHOREBREAK, WEB_WORKERS="1") as shore:
        alone = msgspec.structs.replace(figure, matches=1)
        return driven(shore, lines_of(shore, alone, seconds, MOST_MOVES_A_SECOND), alone, seconds)


def _column(request: Request, sample: Sample) -> dict[str, float]:
    """Microseconds by room; what the application does not take is around it."""
    factor = request.plain_us / sum(request.by_room_us.values())
    column = {room: factor * request.by_room_us.get(room, 0.0) for room in ROOMS}
    return {**column, AROUND[0]: sample.server_us - request.plain_us}
