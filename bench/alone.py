"""One match alone: how long one move takes when nobody else is there, on a disk and in memory."""

from statistics import median

from bench import boardgame_io, disk
from bench.over_http import Figure, Sample, driven, lines_of
from bench.results import Goal, Result, Say, table
from bench.shore import HELLO as HELLO_SITE
from bench.shore import SHOREBREAK, running

ON_DISK, IN_MEMORY = "Onda, POST move, on disk", "Onda, POST move, in memory: what the disk takes is left out"
SITE, PEER = "bare Flask hello", "boardgame.io, a move, in its own memory"
GOAL_MS = 0.9
MOST_MOVES_A_SECOND = 3_000


def measure_all(rounds: int, seconds: float, say: Say) -> Result:
    """In every round: moves that are synced to the disk, moves in memory, the others; and how fast the disk syncs."""
    figures = [ON_DISK, IN_MEMORY, SITE, *([] if boardgame_io.missing() else [PEER])]
    samples: dict[str, list[Sample]] = {name: [] for name in figures}
    syncs = []
    for number in range(1, rounds + 1):
        syncs.append(disk.sync_time(disk.folder()))
        for name in figures:
            sample = measure(name, seconds)
            samples[name].append(sample)
            say(f"Alone, round {number} of {rounds}: {name}: {sample.median_ms:.2f} ms")
    rows = [
        [
            name,
            f"{median(sample.median_ms for sample in taken):.2f}",
            f"{median(sample.p99_ms for sample in taken):.2f}",
            f"{median(sample.rate for sample in taken):,.0f}",
            f"{median(sample.server_us for sample in taken):.0f}",
            f"{median(sample.redis_us for sample in taken):.0f}",
        ]
        for name, taken in samples.items()
    ]
    heads = ["", "median ms", "p99 ms", "requests/s", "server CPU us", "Redis CPU us"]
    sync = median(sync.median_ms for sync in syncs)
    kind = disk.filesystem(disk.folder())
    said = (
        f"Each answered move has been synced. Where the matches lie ({kind}), syncing {disk.WRITE_BYTES:,} bytes takes "
        f"{sync:.3f} ms by itself (p99 {median(sync.p99_ms for sync in syncs):.3f} ms)."
    )
    reached = median(sample.median_ms for sample in samples[ON_DISK])
    name = f"One match alone, a move, median, with a disk that syncs in {sync:.2f} ms"
    if kind in disk.OF_MEMORY:
        name = "One match alone, a move, median, IN MEMORY for want of a disk"
    return Result("One match alone", f"{said}\n\n{table(heads, rows)}", [Goal(name, reached, GOAL_MS, "ms", less=True)])


def measure(name: str, seconds: float) -> Sample:
    """One of the figures, on a fresh server: one request under way at a time."""
    if name == PEER:
        moves = boardgame_io.moves(1, seconds)
        return Sample(moves.rate, moves.server_us, 0, moves.seats_us, *moves.confirmed_ms, moves.bytes)
    figure = Figure(name, "hello", 1) if name == SITE else Figure(name, "move", 1, "onda")
    module = HELLO_SITE if name == SITE else SHOREBREAK
    with running(module, disk.IN_MEMORY if name == IN_MEMORY else None) as shore:
        return driven(shore, lines_of(shore, figure, seconds, MOST_MOVES_A_SECOND), figure, seconds)
