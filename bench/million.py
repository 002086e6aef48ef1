"""`python -m bench.million`: what a million matches at once need, worked out from RESULTS.md. For docs/scaling.md."""

import argparse
import re
import sys
from pathlib import Path

from bench import cluster, everybody
from bench.results import PAGE, table

MATCHES = 1_000_000
SEATS = 4
MOVE_EVERY_S = 10
BUSY = 0.6
"""How full a core may be."""
MASTER_GB = 32
CONNECTIONS = 10_000
"""WEB_CONNECTIONS."""
STORE_CONNECTIONS = 50
KEPT_S = {"30 days, the default": 30 * 86_400, "an hour": 3_600}
"""FINISHED_TTL_S."""


class Page:
    """RESULTS.md, by section, row and column."""

    def __init__(self, text: str) -> None:
        self._sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))

    def figure(self, section: str, row: str, column: str) -> float:
        """One figure. Raises SystemExit when the page has no such."""
        text = next((body for title, body in self._sections.items() if title.startswith(section)), "")
        heads: list[str] = []
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if column in cells:
                heads = cells
            elif heads and cells[0] == row:
                return float(cells[heads.index(column)].replace(",", "").rstrip("%"))
        sys.exit(f"the page has no {column!r} of {row!r} under {section!r}: `make bench` writes it")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.million", description=__doc__)
    parser.add_argument("page", nargs="?", type=Path, default=PAGE, help="a page like RESULTS.md, which is the default")
    sys.stdout.write(worked_out(Page(parser.parse_args().page.read_text())) + "\n")


def worked_out(page: Page) -> str:
    """The table, in Markdown."""
    half_b = page.figure("Sizes", "Onda, half", "memory taken, of 1,000")
    whole_b = page.figure("Sizes", "Onda, finished", "memory taken, of 1,000")
    moves = page.figure("Sizes", "Onda, finished", "moves")
    move_us = page.figure("A move, whole", "Onda, POST move, 128 matches", "server CPU us")
    redis_us = page.figure("A move, whole", "Onda, POST move, 128 matches", "Redis CPU us")
    told_us = page.figure(everybody.TITLE, "Onda, streams with include=state", "server CPU us a move")
    waiter_b = page.figure("Waiting clients", "2,000 streams", "bytes a client")
    replica_us = page.figure("A cluster", cluster.BY_SHARD, "its replica CPU us")
    other_us = page.figure("A cluster", cluster.TO_ALL, "other node CPU us")

    moves_s, ends_s = MATCHES / MOVE_EVERY_S, MATCHES / MOVE_EVERY_S / moves
    waiters = MATCHES * SEATS
    masters = moves_s * redis_us / 1e6 / BUSY
    rows = [
        ["**taken for granted**", "", ""],
        ["matches in play, all of Onda", f"{MATCHES:,}", ""],
        ["seats of each, all waiting on a stream with `include=state`", f"{SEATS}", f"{waiters:,} clients"],
        ["seconds between two moves of a match", f"{MOVE_EVERY_S}", f"{moves_s:,.0f} moves a second"],
        ["how full a core may be", f"{BUSY:.0%}", ""],
        ["**measured**", "", ""],
        ["a match half way, in Redis", _size(half_b), "*Sizes*"],
        [f"a finished match, of {moves:.0f} moves", _size(whole_b), f"so {ends_s:,.0f} end each second"],
        ["a move alone: CPU of web processes", f"{move_us:.0f} us", "*A move, whole*, 128 matches"],
        [f"a move that {SEATS} streams tell: the same", f"{told_us:.0f} us", "*Everybody is told*"],
        ["a move: CPU of its master", f"{redis_us:.0f} us", "*A move, whole*, synced to a disk"],
        ["a move: CPU of each replica", f"{replica_us:.0f} us", "*A cluster*, not synced"],
        ["a client that waits: memory of a web process", _size(waiter_b), "*Waiting clients*"],
        ["**comes to**", "", ""],
        ["memory of matches in play", _size(MATCHES * half_b), f"{MATCHES:,} x {_size(half_b)}"],
    ]
    for name, kept_s in KEPT_S.items():
        rows.append(
            [
                f"memory of finished matches, kept for {name}",
                f"**{_size(ends_s * kept_s * whole_b)}**",
                f"{ends_s:,.0f} x {kept_s:,} s x {_size(whole_b)}",
            ]
        )
    kept_b = MATCHES * half_b + ends_s * KEPT_S["an hour"] * whole_b
    processes = max(waiters / CONNECTIONS, moves_s * told_us / 1e6 / BUSY)
    rows += [
        ["masters, by CPU", f"{masters:.0f}", f"{moves_s:,.0f} x {redis_us:.0f} us / {BUSY:.0%}"],
        [f"masters of {MASTER_GB} GB, by memory, kept for an hour", f"{kept_b / MASTER_GB / 1e9:.0f}", _size(kept_b)],
        [
            "cores of web processes",
            f"{moves_s * told_us / 1e6 / BUSY:.0f}",
            f"{moves_s:,.0f} x {told_us:.0f} us / {BUSY:.0%}",
        ],
        [
            "the same, if nobody waited on streams",
            f"{moves_s * move_us / 1e6 / BUSY:.0f}",
            "and seats ask, which costs more",
        ],
        ["memory of clients that wait", _size(waiters * waiter_b), f"{waiters:,} x {_size(waiter_b)}"],
        [
            "web processes",
            f"{processes:.0f}",
            f"one a core; {CONNECTIONS:,} connections each would do with {waiters / CONNECTIONS:.0f}",
        ],
        [
            "connections to each master",
            f"{processes * 2:,.0f} to {processes * STORE_CONNECTIONS:,.0f}",
            "one for news and one to 50 for the rest, of each process",
        ],
        [
            "names that web processes listen to",
            f"{min(waiters, processes * CONNECTIONS):,.0f}",
            "at most, each at one master",
        ],
        ["replication, for each replica", f"{_size(moves_s * 620)}/s", f"{moves_s:,.0f} x 620 bytes, in all"],
        [
            "news to every node instead of by shard",
            f"{moves_s * other_us / 1e6:.2f} cores more",
            f"of every node, {moves_s:,.0f} x {other_us:.1f} us, however many there are",
        ],
    ]
    return table(["", "figure", "from"], rows)


def _size(many: float) -> str:
    for unit, of in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if many >= of:
            return f"{many / of:.3g} {unit}"
    return f"{many:.0f} bytes"


if __name__ == "__main__":
    main()
