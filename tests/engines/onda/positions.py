"""Positions of Onda for tests: set up by hand from codes, or met in random games from a printed seed."""

import random
from collections.abc import Iterator
from typing import Any, Union

import msgspec
import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import IllegalMove
from engines.kit.game import Step
from engines.onda import GAME
from engines.onda.cards import FULL_DECK, holds, pile_of, without
from engines.onda.formations import formation_of
from engines.onda.state import OndaState, lay_by

ANY_MOVE: Any = Union[tuple(GAME.moves)]  # noqa: UP007 (built from a tuple)


def cards(text: str) -> tuple[Any, ...]:
    """'g4 g5' -> ('g4', 'g5')."""
    return tuple(text.split())


def lay(seat: int, text: str, wild_as: str | None = None) -> int:
    """Something laid, as the state keeps it."""
    formation = formation_of(cards(text), wild_as)  # a code in a test
    assert formation is not None, text
    return lay_by(seat, formation)


def position(
    *hands: str,
    face_down: tuple[str, ...] | None = None,
    table: tuple[Any, ...] | None = None,
    bombed: bool = False,
    bomb: str = "A",
    turn: int = 0,
    out: tuple[int, ...] = (),
    **more: Any,
) -> OndaState:
    """A position in a trick: a hand for each seat ('g4 g5'), face-down cards, (seat, cards[, wild_as]) to beat.

    What is not named anywhere is undealt. `more` are fields of the state as they are.
    """
    seats = len(hands)
    piles = tuple(pile_of(cards(hand)) for hand in hands)
    aside = tuple(pile_of(cards(each)) for each in face_down or ("",) * seats)
    played = (*more.pop("played", ()), *([lay(*table)] if table else []))
    fields: dict[str, Any] = {
        "chance": Chance(fixed_seed("test")),
        "rounds": 4,
        "round": 1,
        "phase": "trick",
        "high": True,
        "blocked": False,
        "bomb": "ABCDEF".index(bomb),
        "bomb_played": bombed,
        "leader": table[0] if table else turn,
        "turn": turn,
        "passed": sum(1 << seat for seat in out),
        "on_table": ("bomb" if bombed else "lay") if table else "nothing",
        "hands": piles,
        "face_down": aside,
        "wilds_used": (0,) * seats,
        "known": (0,) * seats,
        "undealt": 0,
        "points": (50,) * seats,
        "went_out": (0,) * seats,
        "played": played,
    }
    state = OndaState(**{**fields, **more})
    left = FULL_DECK
    for pile in (*state.hands, *state.face_down):
        assert holds(left, pile), "a card is used more often than it exists"
        left = without(left, pile)
    return msgspec.structs.replace(state, undealt=left)


def fresh(seats: int, seed: int | str = 0, **options: int) -> OndaState:
    """A match at its start."""
    state: OndaState = GAME.setup(GAME.options(**options), seats, Chance(fixed_seed(str(seed)))).state
    return state


def do(state: OndaState, seat: int, type: str, **fields: Any) -> Step:
    """Make a move given as JSON: cards as 'g4 g5', a wild as 'b9 as g6'."""
    return GAME.apply(state, seat, as_move(type, **fields))


def as_move(type: str, **fields: Any) -> Any:
    """The move that this JSON means; it must fit the schema."""
    if isinstance(fields.get("cards"), str):
        fields["cards"] = list(cards(fields["cards"]))
    if isinstance(fields.get("wild"), str):
        card, _, stands_for = fields["wild"].split()
        fields["wild"] = {"card": card, "as": stands_for}
    return msgspec.convert({"type": type, **fields}, ANY_MOVE)


def refusal(state: OndaState, seat: int, type: str, **fields: Any) -> str:
    """The rule that forbids this move. The state stays as it was."""
    before = msgspec.msgpack.encode(state)
    with pytest.raises(IllegalMove) as refused:
        do(state, seat, type, **fields)
    assert msgspec.msgpack.encode(state) == before
    assert refused.value.rule in GAME.rules
    return refused.value.rule


def legal(state: OndaState, seat: int, type: str | None = None) -> list[dict[str, Any]]:
    """The legal moves as JSON, of one type if it is given."""
    moves = as_json(GAME.legal_moves(state, seat))
    return [move for move in moves if type is None or move["type"] == type]


def view(state: OndaState, viewer: int | None) -> dict[str, Any]:
    """What this viewer is shown, as JSON."""
    shown: dict[str, Any] = as_json(GAME.view_for(state, viewer))
    return shown


def as_json(value: Any) -> Any:
    """What a client reads."""
    return msgspec.json.decode(msgspec.json.encode(value))


def events(step: Step) -> list[tuple[str, int | None, dict[str, Any]]]:
    """(type, seat, data) of each event."""
    return [(event.type, event.seat, as_json(event.data)) for event in step.events]


def event_types(step: Step) -> list[str]:
    """What happened, in order."""
    return [event.type for event in step.events]


def random_game(seats: int, seed: int, **options: int) -> Iterator[tuple[OndaState, int, Any, Step]]:
    """A whole match of random legal moves: (state, seat, move, step) for each."""
    rng = random.Random(seed)
    state = fresh(seats, seed, **options)
    while waiting := GAME.to_move(state):
        seat = rng.choice(waiting)
        move = rng.choice(GAME.legal_moves(state, seat))
        step = GAME.apply(state, seat, move)
        yield state, seat, move, step
        state = step.state


def random_position(seed: int) -> OndaState:
    """Any position that a trick could be in, and some that it could not: what random play would seldom meet."""
    rng = random.Random(seed)
    seats = rng.randint(2, 5)
    hands, aside = _random_cards(rng, seats)
    turn = rng.randrange(seats)
    leader = (turn + 1) % seats
    table = _random_table(rng, leader)
    return position(
        *hands,
        face_down=aside,
        table=table,
        turn=turn,
        out=tuple(seat for seat in range(seats) if table and seat not in (turn, leader) and rng.random() < 0.3),
        high=rng.random() < 0.5,
        blocked=rng.random() < 0.4,
        bomb=rng.choice("ABCDEF"),
        bombed=table is not None and rng.random() < 0.25,
        round=rng.randint(1, 4),
    )


def _random_cards(rng: random.Random, seats: int) -> tuple[list[str], tuple[str, ...]]:
    """Hands of 1 to 13 cards and 0 to 2 face down. Half of the hands come from few numbers, for big formations."""
    pool = [card.code for card in GAME.cards for _ in range(card.count)]
    rng.shuffle(pool)
    aside = [[pool.pop() for _ in range(rng.choice((0, 1, 2, 2)))] for _ in range(seats)]
    for cards_aside in aside:
        if len(cards_aside) == 2 and cards_aside[0] in pool and rng.random() < 0.2:
            # The two copies of a card lie side by side.
            pool.remove(cards_aside[0])
            pool.append(cards_aside.pop())
            cards_aside.append(cards_aside[0])
    hands = []
    for _ in range(seats):
        rng.shuffle(pool)
        if rng.random() < 0.5:
            lowest = rng.randint(1, 10)
            pool.sort(key=lambda code: lowest <= int(code[1:]) <= lowest + 5)
        most = 10 if seats == 5 else 13
        size = rng.choice((1, 2, 3, rng.randint(1, most), most))
        hands.append([pool.pop() for _ in range(min(size, len(pool)))])
    return [" ".join(hand) for hand in hands], tuple(" ".join(each) for each in aside)


def _random_table(rng: random.Random, seat: int) -> tuple[int, str] | None:
    """Nothing in a quarter of the cases, else any shape with any number."""
    kind = rng.choice(("nothing", "single", "set", "sequence"))
    if kind == "nothing":
        return None
    size = 1 if kind == "single" else rng.randint(2, 4)
    if kind == "sequence":
        suit, lowest = rng.choice("gb"), rng.randint(1, 16 - size)
        return seat, " ".join(f"{suit}{lowest + step}" for step in range(size))
    number = rng.randint(1, 15)
    return seat, " ".join([f"g{number}", f"b{number}", f"g{number}", f"b{number}"][:size])
