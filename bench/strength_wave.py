"""How strong is Wave's bot? `python -m bench.strength_wave [deals]` writes the section "Wave" of STRENGTH.md.

Tables of one kind of bot play the same deals: all `random`, and all `surfer` with tips, without, and `strict`. Fewer
remaining cards are better. The bots are asked as the server asks them: remarks until they have none, then a move.
"""

import math
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import IllegalMove
from engines.kit.game import Bot
from engines.wave import GAME

TARGET = Path(__file__).with_name("STRENGTH.md")
TABLES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("random", "random", {}),
    ("surfer", "surfer", {}),
    ("surfer, no tips", "surfer", {"tips_per_turn": 0}),
    ("random, strict", "random", {"strict": True}),
    ("surfer, strict", "surfer", {"strict": True}),
)


class Played(msgspec.Struct, frozen=True):
    """What one match came to; `decisions` are the CPU milliseconds of each choice."""

    remaining: int
    tips: int
    misfits: int
    decisions: list[float]


def play(bot: Bot, seats: int, deal: str, options: dict[str, Any]) -> Played:
    """One match of a table of the same bots. Each call has a chance of its own, unrelated to the deal."""
    state = GAME.setup(GAME.options(**options), seats, Chance(fixed_seed(deal))).state
    calls, tips, misfits, decisions = 0, 0, 0, []

    def chance() -> Chance:
        nonlocal calls
        calls += 1
        return Chance(fixed_seed(f"{deal}, bot's call {calls}"))

    while turn := GAME.to_move(state):
        for seat in range(seats):
            while bot.remark and (tip := bot.remark(GAME.view_for(state, seat), chance())) is not None:
                try:
                    state = GAME.apply(state, seat, tip).state
                except IllegalMove:  # no tips left
                    break
                tips += 1
        seat = turn[0]
        view, moves, fresh = GAME.view_for(state, seat), GAME.legal_moves(state, seat), chance()
        begun = time.process_time()
        move = bot.choose(view, moves, fresh)
        decisions.append((time.process_time() - begun) * 1000)
        step = GAME.apply(state, seat, move)
        state, misfits = step.state, misfits + (step.events[0].type == "misfit")
    return Played(state.remaining, tips, misfits, decisions)


def interval(values: list[float]) -> str:
    """Mean and 95 % interval, by the normal approximation."""
    return f"{statistics.mean(values):.2f} ± {1.96 * statistics.stdev(values) / math.sqrt(len(values)):.2f}"


def share(ours: list[float], theirs: list[float]) -> str:
    """Our mean as a part of theirs over the same deals, with its 95 % interval (delta method, paired)."""
    ratio = statistics.mean(ours) / statistics.mean(theirs)
    rests = [mine - ratio * yours for mine, yours in zip(ours, theirs, strict=True)]
    error = 1.96 * statistics.stdev(rests) / math.sqrt(len(rests)) / statistics.mean(theirs)
    return f"{ratio:.1%} ± {error:.1%}"


def rows(deals: int) -> list[str]:
    """A line for each table and number of seats."""
    lines = []
    for seats in range(GAME.min_seats, GAME.max_seats + 1):
        base: dict[bool, list[float]] = {}
        lenient: dict[str, list[Played]] = {}
        for title, name, options in TABLES:
            # No view tells whether the match is strict: without a misfit the same bots play the same match.
            known = dict(enumerate(lenient.get(name, ()))) if options.get("strict") else {}
            matches = [
                known[deal]
                if deal in known and not known[deal].misfits
                else play(GAME.bots[name], seats, f"wave strength {deal}", options)
                for deal in range(deals)
            ]
            lenient.setdefault(name, matches)
            left = [float(match.remaining) for match in matches]
            base.setdefault(bool(options.get("strict")), left)
            times = sorted(ms for match in matches for ms in match.decisions)
            lines.append(
                f"| {seats} | {title} | {interval(left)} | {share(left, base[bool(options.get('strict'))])} "
                f"| {left.count(0) / deals:.1%} | {statistics.mean(match.tips for match in matches):.0f} "
                f"| {statistics.median(times):.1f} / {times[len(times) * 99 // 100]:.1f} / {times[-1]:.1f} |"
            )
            print(lines[-1], flush=True)
    return lines


def section(deals: int) -> str:
    """The section, measured now."""
    table = "\n".join(rows(deals))
    return f"""## Wave

`python -m bench.strength_wave {deals}`: {deals:,} deals, the same for every line of a number of seats. Python
{platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors, shared with other work. 95 % intervals;
"of random" compares with `random` under the same `strict`. CPU is that of one `choose` in milliseconds.
A lenient match without a misfit counts as the strict one too: no view tells them apart, so the same bots play it alike.

| seats | table | cards remaining | of random | nothing left | tips a match | CPU median / p99 / most |
|---|---|---|---|---|---|---|
{table}
"""


def write(text: str) -> None:
    """Puts the section into STRENGTH.md, in the place of the one that is there."""
    old = TARGET.read_text() if TARGET.exists() else "# How strong the built-in bots are\n"
    head, *sections = old.split("\n## ")
    kept = [part for part in sections if not part.startswith("Wave\n")]
    TARGET.write_text("\n## ".join([head, *(part.rstrip() + "\n" for part in kept), text.removeprefix("## ")]))


if __name__ == "__main__":
    write(section(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
