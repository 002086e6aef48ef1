"""The engine against the plain account of the rules: whole random matches, compared after every move.

At every position: the public view is what follows from the events alone, the legal moves of every seat to move are
those that the plain account finds by trying everything, and what is taken brings along what it says; at the end the
score is the same.
"""

import json
import random

import msgspec
import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.ufo_wave import GAME
from engines.ufo_wave.moves import UfoWaveSetReactions
from tests.engines.ufo_wave.plain import Bystander, Json

MATCHES = [
    (mode, seats, seed)
    for mode, tables in (("standard", (2, 3, 4, 5, 6)), ("covert", (2, 3, 5)), ("equal", (2, 4)), ("solo", (1,)))
    for seats in tables
    for seed in range(10)
]


@pytest.mark.parametrize(("mode", "seats", "seed"), MATCHES)
def test_a_random_match_is_what_the_plain_account_says(mode: str, seats: int, seed: int) -> None:
    rng = random.Random(f"{mode}/{seats}/{seed}")
    # Some players take what is offered at random; some like Powers, which random play soon runs out of.
    eager = seed % 2 == 0
    step = GAME.setup(GAME.options(mode=mode), seats, Chance(fixed_seed(f"plain {seed}")))
    bystander = Bystander(mode, seats)
    answers: dict[int, str] = {}
    for number in range(GAME.max_moves):
        where = f"{mode}, {seats} seats, seed {seed}, version {number}"
        for event in step.events:
            told = _json(event)
            if told["type"] == "window_closed":
                counters = [other for other in bystander.order() if answers.get(other) == "UfoWaveCounter"]
                assert told["data"]["countered_by"] == (counters[0] if counters else None), where
                answers = {}
            bystander.hear(told)
        state = step.state
        _compare_public(bystander, _json(GAME.view_for(state, None)), where)
        movers = GAME.to_move(state)
        if not movers:
            break
        for seat in movers:
            view = _json(GAME.view_for(state, seat))
            listed = [_json(move) for move in GAME.legal_moves(state, seat)]
            expected = bystander.moves(seat, view["hand"], view["pending"])
            assert _sorted(listed) == _sorted(expected), where
        if rng.random() < 0.02:
            asked = rng.randrange(seats)
            step = GAME.apply(state, asked, UfoWaveSetReactions(not state.seats[asked].asks))
            continue
        seat = rng.choice(movers)
        moves = GAME.legal_moves(state, seat)
        likely = [move for move in moves if type(move).__name__ in ("UfoWavePlayPower", "UfoWaveCounter")]
        move = rng.choice(likely if likely and eager else moves)
        if state.window is not None:
            answers[seat] = type(move).__name__
        step = GAME.apply(state, seat, move)
    else:
        raise AssertionError(f"{mode}, {seats} seats, seed {seed}: no end")
    species = [_json(GAME.view_for(state, seat))["seats"][seat]["species"] for seat in range(seats)]
    hands = [_json(GAME.view_for(state, seat))["hand"] for seat in range(seats)]
    assert bystander.score == [bystander.points(seat, species[seat], hands[seat]) for seat in range(seats)]


def _compare_public(bystander: Bystander, view: Json, where: str) -> None:
    expected = bystander.public()
    seen = {name: view[name] for name in expected}
    for seat in seen["seats"]:
        seat["known"] = sorted(seat["known"])
        if bystander.mode == "covert":
            seat["species"] = None
    if not bystander.row:
        seen["active"] = expected["active"]
    assert seen == expected, where


def _json(what: object) -> Json:
    decoded: Json = msgspec.json.decode(msgspec.json.encode(what))
    return decoded


def _sorted(moves: list[Json]) -> list[str]:
    return sorted(json.dumps(move, sort_keys=True) for move in moves)
