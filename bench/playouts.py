"""Steps a second of the engines, and of their nearest public peers, at random play.

A step: the whole legal list, a random choice from it, apply with events, and one view for the seat that moved. All in
one process, in turns of a second or so, by CPU time.
"""

import random
import time
from collections.abc import Callable
from statistics import median

from bench.peers import PEERS
from bench.results import Goal, Result, Say, table
from engines import GAMES
from engines.kit.chance import Chance, fixed_seed
from engines.kit.game import Game

SEATS = 4

Player = Callable[[random.Random], tuple[int, float]]
"""Plays one match: (its steps, the CPU seconds that they took)."""


def plays(game: Game) -> Player:
    """A player of one of our own games. Its time includes the deal."""

    def play(rng: random.Random) -> tuple[int, float]:
        steps, begun = 0, time.process_time()
        state = game.setup(game.options(), SEATS, Chance(fixed_seed(str(rng.random())))).state
        while turn := game.to_move(state):
            seat = turn[0]
            state = game.apply(state, seat, rng.choice(game.legal_moves(state, seat))).state
            game.view_for(state, seat)
            steps += 1
        return steps, time.process_time() - begun

    return play


def measure_all(rounds: int, seconds: float, say: Say) -> Result:
    """The rate of each player in every round; a ratio is that of two rates of one round."""
    players: dict[str, Player] = {**{game.title: plays(game) for game in GAMES.values()}, **PEERS}
    rates: dict[str, list[float]] = {name: [] for name in players}
    for number in range(1, rounds + 1):
        for name, play in players.items():
            rates[name].append(rate(play, random.Random(number), seconds))
            say(f"Playouts, round {number} of {rounds}: {name}: {rates[name][-1]:,.0f} steps/s")
    rows = [
        [name, f"{median(taken):,.0f}", *(f"{ratio(rates, game.title, name):.2f}" for game in GAMES.values())]
        for name, taken in rates.items()
    ]
    spiel, hanabi = fastest(rates, "OpenSpiel Dou Dizhu"), fastest(rates, "OpenSpiel Hanabi")
    goals = [
        Goal("Onda, of RLCard Dou Dizhu's steps/s", ratio(rates, "Onda", "RLCard Dou Dizhu"), 8),
        Goal(f"Onda, of {spiel}'s steps/s", ratio(rates, "Onda", spiel), 0.15),
        Goal("UFO Wave, of RLCard Dou Dizhu's steps/s", ratio(rates, "UFO Wave", "RLCard Dou Dizhu"), 1.5),
        Goal(f"Wave, of {hanabi}'s steps/s", ratio(rates, "Wave", hanabi), 0.3),
    ]
    body = table(["", "steps/s", *(f"{game.title} is so many times it" for game in GAMES.values())], rows)
    return Result("Engines: random playouts, four seats (Dou Dizhu: three)", body, goals)


def rate(play: Player, rng: random.Random, seconds: float) -> float:
    """Steps a second of CPU time, over whole matches."""
    steps, spent = 0, 0.0
    while spent < seconds:
        more, took = play(rng)
        steps += more
        spent += took
    return steps / spent


def ratio(rates: dict[str, list[float]], ours: str, theirs: str) -> float:
    """The median over the rounds."""
    return median(a / b for a, b in zip(rates[ours], rates[theirs], strict=True))


def fastest(rates: dict[str, list[float]], prefix: str) -> str:
    """Of the ways to look that a peer has, the one to be held against."""
    return max((name for name in rates if name.startswith(prefix)), key=lambda name: median(rates[name]))
