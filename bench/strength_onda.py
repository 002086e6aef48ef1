"""How strong is Onda's bot? `python -m bench.strength_onda [deals] [rounds]` writes the section "Onda" of STRENGTH.md.

Duplicate deals: every deal is played twice, with the one rider among `random` bots in two seats, half a table apart and
one further on at each deal, so that luck of cards and seats evens out. Beside it tables of riders alone, which show
what the seats themselves are worth. The bots are asked as the server asks them: each with its view, its legal moves and
a fresh chance.
"""

import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engines.kit.chance import Chance, fixed_seed
from engines.kit.game import Bot
from engines.onda import GAME
from engines.onda.scoring import OndaOutcome

TARGET = Path(__file__).with_name("STRENGTH.md")
RANDOM, RIDER = GAME.bots["random"], GAME.bots["rider"]
ALONE = 10
"""Riders alone play every so manyth part of the deals."""
PROGRESS = 100
TIMED = 7
"""Every so manyth call is timed: where the clock is slow, asking it would take longer than the bots do."""


class Measured(msgspec.Struct):
    """What the rider reached: an entry for each deal, the mean of its matches. Shared wins count in parts."""

    wins: list[float]
    rounds_out: list[float]
    ahead: list[float]
    """Points above the mean of the other seats."""
    decisions: list[float]
    """The CPU milliseconds of those choices that were timed."""


def play(bots: Sequence[Bot], deal: str, rounds: int, decisions: list[float]) -> OndaOutcome:
    """One match. The CPU milliseconds of some of the riders' choices are added to `decisions`."""
    state = GAME.setup(GAME.options(rounds=rounds), len(bots), Chance(fixed_seed(deal))).state
    calls = 0
    while turn := GAME.to_move(state):
        seat, calls = turn[0], calls + 1
        bot, view, moves = bots[seat], GAME.view_for(state, seat), GAME.legal_moves(state, seat)
        chance = Chance(fixed_seed(f"{deal}, bot's call {calls}"))
        if bot is RIDER and calls % TIMED == 0:
            begun = time.process_time()
            move = bot.choose(view, moves, chance)
            decisions.append((time.process_time() - begun) * 1000)
        else:
            move = bot.choose(view, moves, chance)
        state = GAME.apply(state, seat, move).state
    outcome: OndaOutcome = GAME.outcome(state)
    return outcome


def against_random(seats: int, deals: int, rounds: int) -> Measured:
    """Each deal twice, the rider in another seat each time."""
    found = Measured([], [], [], [])
    for deal in range(deals):
        wins, rounds_out, ahead = 0.0, 0.0, 0.0
        for seat in (deal % seats, (deal + seats // 2) % seats):
            bots = [RIDER if other == seat else RANDOM for other in range(seats)]
            end = play(bots, f"onda strength {deal}", rounds, found.decisions)
            wins += (seat in end.winners) / len(end.winners)
            rounds_out += end.went_out[seat]
            ahead += end.points[seat] - (sum(end.points) - end.points[seat]) / (seats - 1)
        found.wins.append(wins / 2)
        found.rounds_out.append(rounds_out / 2)
        found.ahead.append(ahead / 2)
        tell(f"{seats} seats, one rider", deal, deals, found.wins)
    return found


def riders_alone(seats: int, deals: int, rounds: int) -> list[list[float]]:
    """By seat: its wins in each deal."""
    wins: list[list[float]] = [[] for _ in range(seats)]
    for deal in range(deals):
        end = play([RIDER] * seats, f"onda strength {deal}", rounds, [])
        for seat in range(seats):
            wins[seat].append((seat in end.winners) / len(end.winners))
        tell(f"{seats} seats, all riders, seat 0", deal, deals, wins[0])
    return wins


def tell(what: str, deal: int, deals: int, wins: list[float]) -> None:
    """A line of progress now and then."""
    if (deal + 1) % PROGRESS == 0 or deal + 1 == deals:
        print(f"{what}: deal {deal + 1} of {deals}, {statistics.mean(wins):.1%} of the wins", flush=True)


def wins_interval(wins: list[float]) -> str:
    """The mean and its 95 % interval (Wilson), each deal counted as one trial, which is on the safe side."""
    n, p, z = len(wins), statistics.mean(wins), 1.96
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{p:.1%} ({low:.1%} to {min(1.0, high):.1%})"


def interval(values: list[float]) -> str:
    """The mean and its 95 % interval, by the normal approximation."""
    return f"{statistics.mean(values):.2f} ± {1.96 * statistics.stdev(values) / math.sqrt(len(values)):.2f}"


def section(deals: int, rounds: int) -> str:
    """The section, measured now."""
    one, alone = [], []
    for seats in range(GAME.min_seats, GAME.max_seats + 1):
        found = against_random(seats, deals, rounds)
        times = sorted(found.decisions)
        one.append(
            f"| {seats} | {deals * 2:,} | {wins_interval(found.wins)} | {1 / seats:.1%} "
            f"| {interval(found.rounds_out)} | {interval(found.ahead)} "
            f"| {statistics.median(times):.1f} / {times[len(times) * 99 // 100]:.1f} / {times[-1]:.1f} |"
        )
        by_seat = riders_alone(seats, deals // ALONE or 1, rounds)
        alone.append(f"| {seats} | {len(by_seat[0]):,} | {'; '.join(wins_interval(wins) for wins in by_seat)} |")
    one_rider, all_riders = "\n".join(one), "\n".join(alone)
    return f"""## Onda

`python -m bench.strength_onda {deals} {rounds}`: {deals:,} deals of {rounds} rounds, each played twice, with
`rider` in one seat and then in another and `random` in the others. Shared wins count in parts. Python
{platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors, shared with other work. 95 % intervals;
for wins each deal counts as one trial, not each match. "Points ahead" is of the mean of the other seats. CPU is that of
one `choose` of the rider, in milliseconds, each seventh call.

| seats | matches | rider's wins | its share | rounds gone out | points ahead | CPU median / p99 / most |
|---|---|---|---|---|---|---|
{one_rider}

Riders alone, a tenth of the same deals: what each seat wins, from seat 0, which starts round 1.

| seats | matches | wins by seat |
|---|---|---|
{all_riders}
"""


def write(text: str) -> None:
    """Puts the section into STRENGTH.md, in the place of the one that is there."""
    old = TARGET.read_text() if TARGET.exists() else "# How strong the built-in bots are\n"
    head, *sections = old.split("\n## ")
    kept = [part for part in sections if not part.startswith("Onda\n")]
    TARGET.write_text("\n## ".join([head, *(part.rstrip() + "\n" for part in kept), text.removeprefix("## ")]))


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    write(section(*(numbers + [1000, 4][len(numbers) :])))
