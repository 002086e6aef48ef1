"""The nearest public peers: RLCard's Dou Dizhu in Python, OpenSpiel's Dou Dizhu and Hanabi in C++ from Python.

Each plays as our engines do: legal list, random choice, apply, one observation a step. OpenSpiel deals card by card,
drawn in Python: its clock stands still meanwhile. It has two forms of observation; both are measured.
"""

import random
import time
from collections.abc import Callable
from typing import Any

import pyspiel
import rlcard

Player = Callable[[random.Random], tuple[int, float]]


def rlcard_doudizhu() -> Player:
    """Its environment gives the legal actions and the mover's observation with every step."""
    environment = rlcard.make("doudizhu", config={"seed": 1})

    def play(rng: random.Random) -> tuple[int, float]:
        steps, begun = 0, time.process_time()
        state, _ = environment.reset()
        while not environment.is_over():
            state, _ = environment.step(rng.choice(list(state["legal_actions"])))
            steps += 1
        return steps, time.process_time() - begun

    return play


def open_spiel(name: str, look: Callable[[Any, int], Any]) -> Player:
    """A game of OpenSpiel. `look` makes the observation of a player."""
    game = pyspiel.load_game(name)

    def play(rng: random.Random) -> tuple[int, float]:
        steps, spent = 0, 0.0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
                continue
            begun = time.process_time()
            player = state.current_player()
            state.apply_action(rng.choice(state.legal_actions()))
            if not state.is_terminal():
                look(state, player)
            spent += time.process_time() - begun
            steps += 1
        return steps, spent

    return play


def tensor(state: Any, player: int) -> Any:
    return state.observation_tensor(player)


def text(state: Any, player: int) -> Any:
    return state.observation_string(player)


PEERS: dict[str, Player] = {
    "RLCard Dou Dizhu": rlcard_doudizhu(),
    "OpenSpiel Dou Dizhu (tensor)": open_spiel("dou_dizhu", tensor),
    "OpenSpiel Dou Dizhu (text)": open_spiel("dou_dizhu", text),
    "OpenSpiel Hanabi (tensor)": open_spiel("hanabi(players=4)", tensor),
    "OpenSpiel Hanabi (text)": open_spiel("hanabi(players=4)", text),
}
