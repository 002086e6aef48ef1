"""How strong is UFO Wave's bot? `python -m bench.strength_ufo_wave [deals]` writes its section of STRENGTH.md.

Duplicate deals: every deal is played twice, with the one pilot among `random` bots in two seats, half a table apart and
one further on at each deal, so that luck of cards and seats evens out. Beside it the same against bots that always
make the safe move, which is far better than any, and medals in solo. The bots are asked as the server asks them: each
with its view, its legal moves and a fresh chance.
"""

import math
import os
import platform
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from engines.kit.chance import Chance, fixed_seed
from engines.kit.game import Bot
from engines.ufo_wave import GAME
from engines.ufo_wave.scoring import UfoWaveOutcome

TARGET = Path(__file__).with_name("STRENGTH.md")
RANDOM, PILOT = GAME.bots["random"], GAME.bots["pilot"]
SAFE = Bot(summary="Always the safe move.", choose=lambda view, moves, chance: GAME.default_move(view, moves))  # noqa: ARG005
PROGRESS = 200
TIMED = 7
"""Every so manyth call is timed: where the clock is slow, asking it would take longer than the bots do."""


class Measured(msgspec.Struct):
    """What the pilot reached: an entry for each deal, the mean of its matches. Shared wins count in parts."""

    wins: list[float]
    ahead: list[float]
    """Points above the mean of the other seats."""
    decisions: list[float]
    """The CPU milliseconds of those choices that were timed."""


def play(bots: Sequence[Bot], deal: str, decisions: list[float], **options: Any) -> UfoWaveOutcome:
    """One match. The CPU milliseconds of some of the pilot's choices are added to `decisions`."""
    state = GAME.setup(GAME.options(**options), len(bots), Chance(fixed_seed(deal))).state
    calls = 0
    while turn := GAME.to_move(state):
        seat, calls = turn[0], calls + 1
        bot, view, moves = bots[seat], GAME.view_for(state, seat), GAME.legal_moves(state, seat)
        begun = time.process_time() if bot is PILOT and calls % TIMED == 0 else None
        move = bot.choose(view, moves, Chance(fixed_seed(f"{deal}, bot's call {calls}")))
        if begun is not None:
            decisions.append((time.process_time() - begun) * 1000)
        state = GAME.apply(state, seat, move).state
    outcome: UfoWaveOutcome = GAME.outcome(state)
    return outcome


def against(other: Bot, seats: int, deals: int) -> Measured:
    """Each deal twice, the pilot in another seat each time."""
    found = Measured([], [], [])
    for deal in range(deals):
        wins, ahead = 0.0, 0.0
        for seat in (deal % seats, (deal + seats // 2) % seats):
            bots = [PILOT if place == seat else other for place in range(seats)]
            end = play(bots, f"ufo-wave strength {deal}", found.decisions)
            wins += (seat in end.winners) / len(end.winners)
            ahead += end.points[seat] - (sum(end.points) - end.points[seat]) / (seats - 1)
        found.wins.append(wins / 2)
        found.ahead.append(ahead / 2)
        if (deal + 1) % PROGRESS == 0:
            print(
                f"{seats} seats: deal {deal + 1} of {deals}, {statistics.mean(found.wins):.1%} of the wins", flush=True
            )
    return found


def solo(bot: Bot, deals: int) -> tuple[Counter[str | None], list[float]]:
    """How often it won which medal, and its points."""
    ends = [play([bot], f"ufo-wave strength {deal}", [], mode="solo") for deal in range(deals)]
    return Counter(end.medal for end in ends), [float(end.points[0]) for end in ends]


def wins_interval(p: float, n: int) -> str:
    """The share and its 95 % interval (Wilson), each deal counted as one trial, which is on the safe side."""
    z = 1.96
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{p:.1%} ({max(0.0, low):.1%} to {min(1.0, high):.1%})"


def interval(values: list[float]) -> str:
    """The mean and its 95 % interval, by the normal approximation."""
    return f"{statistics.mean(values):.2f} ± {1.96 * statistics.stdev(values) / math.sqrt(len(values)):.2f}"


def section(deals: int) -> str:
    """The section, measured now."""
    rows = []
    for name, other in (("random", RANDOM), ("safe moves", SAFE)):
        for seats in range(2, GAME.max_seats + 1):
            found = against(other, seats, deals)
            times = sorted(found.decisions)
            rows.append(
                f"| {seats} | {name} | {deals * 2:,} | {wins_interval(statistics.mean(found.wins), deals)} "
                f"| {1 / seats:.1%} | {interval(found.ahead)} "
                f"| {statistics.median(times):.1f} / {times[len(times) * 99 // 100]:.1f} / {times[-1]:.1f} |"
            )
    alone = []
    for name, bot in (("pilot", PILOT), ("random", RANDOM)):
        medals, points = solo(bot, deals)
        shares = " | ".join(wins_interval(medals[medal] / deals, deals) for medal in ("gold", "silver", "bronze", None))
        alone.append(f"| {name} | {shares} | {interval(points)} |")
    against_others, in_solo = "\n".join(rows), "\n".join(alone)
    return f"""## UFO Wave

`python -m bench.strength_ufo_wave {deals}`: {deals:,} deals of the house set in `standard`, each played twice, with
`pilot` in one seat and then in another, and the others as named: `random`, or the safe move that is made for the
absent. Shared wins count in parts. Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()}
processors, shared with other work. 95 % intervals; for wins each deal counts as one trial, not each match. "Points
ahead" is of the mean of the other seats. CPU is that of one `choose` of the pilot, in milliseconds, each seventh call.

| seats | the others | matches | pilot's wins | its share | points ahead | CPU median / p99 / most |
|---|---|---|---|---|---|---|
{against_others}

Solo, the same deals:

| player | gold | silver | bronze | no medal | points |
|---|---|---|---|---|---|
{in_solo}
"""


def write(text: str) -> None:
    """Puts the section into STRENGTH.md, in the place of the one that is there."""
    old = TARGET.read_text() if TARGET.exists() else "# How strong the built-in bots are\n"
    head, *sections = old.split("\n## ")
    kept = [part for part in sections if not part.startswith("UFO Wave\n")]
    TARGET.write_text("\n## ".join([head, *(part.rstrip() + "\n" for part in kept), text.removeprefix("## ")]))


if __name__ == "__main__":
    write(section(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
