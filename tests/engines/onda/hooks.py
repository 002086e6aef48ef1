"""What the conformance suite of all games needs to know of Onda: hidden cards re-dealt, cards counted, moves to try."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from engines.kit.chance import Chance
from engines.onda import GAME
from engines.onda.cards import CATALOGUE, HAND_ORDER, Pile, codes, pile_of, without
from engines.onda.moves import (
    OndaBomb,
    OndaFollow,
    OndaKeepBomb,
    OndaMove,
    OndaPass,
    OndaSetAside,
    OndaSkipBomb,
    OndaTurnTide,
    OndaWild,
)
from engines.onda.state import OndaState, laid

ALL_CARDS: list[str] = sorted(code for code in CATALOGUE for _ in range(2))
"""What `cards_of` always gives: the 60 cards."""


def redeal(state: OndaState, viewer: int | None, rng: random.Random) -> OndaState:
    """The position with everything that this viewer (None: a spectator) cannot see dealt anew, uniformly.

    Hidden are the others' hands but for their known cards, their face-down cards, the real faces of their wilds,
    the undealt cards, and the seed. How many cards lie where is public and stays. When the match is over the end of
    the last round has shown every card, and only the seed is left to change.
    """
    chance = Chance(rng.randbytes(32))
    if state.phase == "over":
        return msgspec.structs.replace(state, chance=chance)
    hidden = [
        *(code for seat, hand in enumerate(state.hands) if seat != viewer for code in _unknown(state, seat, hand)),
        *(code for seat, pile in enumerate(state.face_down) if seat != viewer for code in codes(pile)),
        *(code for seat, pile in enumerate(state.wilds_used) if seat != viewer for code in codes(pile)),
        *codes(state.undealt),
    ]
    rng.shuffle(hidden)
    stock = iter(hidden)
    return msgspec.structs.replace(
        state,
        chance=chance,
        hands=tuple(
            hand
            if seat == viewer
            else pile_of([*codes(state.known[seat]), *_refill(_unknown(state, seat, hand), stock)])
            for seat, hand in enumerate(state.hands)
        ),
        face_down=_others_refilled(state.face_down, viewer, stock),
        wilds_used=_others_refilled(state.wilds_used, viewer, stock),
        undealt=pile_of(_refill(codes(state.undealt), stock)),
    )


def _unknown(state: OndaState, seat: int, hand: Pile) -> tuple[str, ...]:
    return codes(without(hand, state.known[seat]))


def _refill(old: Any, stock: Iterator[Any]) -> list[Any]:
    return [next(stock) for _ in old]


def _others_refilled(piles: tuple[Pile, ...], viewer: int | None, stock: Iterator[Any]) -> tuple[Pile, ...]:
    return tuple(pile if seat == viewer else pile_of(_refill(codes(pile), stock)) for seat, pile in enumerate(piles))


def cards_of(state: OndaState) -> list[str]:
    """All card codes, wherever they lie, sorted: hands, face down, laid, used as wilds, undealt."""
    piles = (*state.hands, *state.face_down, *state.wilds_used, state.undealt)
    lying = [code for pile in piles for code in codes(pile)]
    return sorted([*lying, *(code for lay in state.played for code in laid(lay)[1].cards)])


def probes(state: OndaState, seat: int, rng: random.Random) -> list[OndaMove]:
    """Moves to try: legal ones in other words, near misses, and nonsense; all fit the schema."""
    listed = list(GAME.legal_moves(state, seat))
    sample = rng.sample(listed, min(12, len(listed)))
    own = [*codes(state.hands[seat]), *codes(state.face_down[seat])]
    moves: list[OndaMove] = [OndaKeepBomb(), OndaSkipBomb(), OndaPass(), *sample]
    for move in sample:
        moves += _reworded(move, rng)
        moves += _near(move, own, rng)
    for _ in range(12):
        moves += _nonsense(own, rng)
    return moves


def _reworded(move: OndaMove, rng: random.Random) -> Iterator[OndaMove]:
    """The same cards in another order, and the wild in the other suit."""
    if isinstance(move, OndaKeepBomb | OndaSkipBomb | OndaPass):
        return
    yield msgspec.structs.replace(move, cards=tuple(rng.sample(move.cards, len(move.cards))))
    if isinstance(move, OndaFollow | OndaBomb) and move.wild:
        named = move.wild.stands_for
        other: Any = ("b" if named[0] == "g" else "g") + named[1:]
        yield msgspec.structs.replace(move, wild=OndaWild(move.wild.card, other))


def _near(move: OndaMove, own: list[Any], rng: random.Random) -> Iterator[OndaMove]:
    """One card less, one more, one other; another wild; the same as another type of move."""
    if isinstance(move, OndaKeepBomb | OndaSkipBomb | OndaPass):
        return
    if isinstance(move, OndaSetAside):
        yield OndaSetAside((move.cards[0], rng.choice(CATALOGUE)))
        yield OndaSetAside((move.cards[0], move.cards[0]))
        yield OndaFollow(move.cards)
        return
    cards = move.cards
    wild = None if isinstance(move, OndaTurnTide) else move.wild
    take = move.take if isinstance(move, OndaTurnTide) else rng.choice(CATALOGUE)
    if cards:
        yield msgspec.structs.replace(move, cards=cards[1:])
        yield msgspec.structs.replace(move, cards=(*cards[1:], rng.choice(CATALOGUE)))
        yield OndaFollow(cards[1:], OndaWild(rng.choice(own or list(CATALOGUE)), cards[0]))
    yield msgspec.structs.replace(move, cards=(*cards, rng.choice(own or list(CATALOGUE))))
    yield OndaFollow(cards, wild)
    yield OndaBomb(cards, wild)
    yield OndaTurnTide(take, cards)
    if wild:
        yield OndaFollow(cards, OndaWild(rng.choice(CATALOGUE), wild.stands_for))
        yield OndaFollow(cards, OndaWild(wild.card, rng.choice(CATALOGUE)))


def _nonsense(own: list[Any], rng: random.Random) -> Iterator[OndaMove]:
    source = own if own and rng.random() < 0.7 else list(CATALOGUE)
    cards = tuple(rng.choice(source) for _ in range(rng.randint(0, 6)))
    wild = OndaWild(rng.choice(source), rng.choice(CATALOGUE)) if rng.random() < 0.5 else None
    yield OndaFollow(cards, wild)
    yield OndaBomb(cards, wild)
    yield OndaTurnTide(rng.choice(source), cards)
    yield OndaSetAside((rng.choice(source), rng.choice(source)))


def listed_form(state: OndaState, seat: int, move: OndaMove) -> OndaMove | None:
    """The move of `legal_moves` that an accepted move is equivalent to: sorted, and green where either suit does."""
    if isinstance(move, OndaKeepBomb | OndaSkipBomb | OndaPass):
        return move
    ordered = msgspec.structs.replace(move, cards=tuple(sorted(move.cards, key=HAND_ORDER.index)))
    if isinstance(ordered, OndaFollow | OndaBomb) and ordered.wild:
        number = ordered.wild.stands_for[1:]
        if all(card[1:] == number for card in ordered.cards):
            green: Any = f"g{number}"
            return msgspec.structs.replace(ordered, wild=OndaWild(ordered.wild.card, green))
    return ordered
