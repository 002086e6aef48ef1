"""Every legal move, once, in the canonical order: ready-made moves picked from tables by the bits of a selection.

The order: set_aside, keep_bomb, skip_bomb, follow, turn_tide (by the card taken), bomb, pass; within each by number
of cards laid (the wild counts), then by the hand cards in catalogue order, without a wild before with one, then by
the card that the wild stands for, then by the wild's card. `FORMATIONS` is in that order up to the last point.

Rules: RULES.md §10.1.
"""

from engines.onda.cards import CATALOGUE, HAND_ORDER, RANK, OndaCard, Pile, kinds, pile_of, with_card
from engines.onda.combinations import Combinations, Selection
from engines.onda.formations import BOMBS, FORMATIONS, LAYABLE, OF_BOMB, PLAIN, Formation, stronger
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
from engines.onda.state import OndaState, table, to_move

_PAIRS: tuple[tuple[OndaCard, OndaCard], ...] = tuple(
    sorted(
        ((first, second) for i, first in enumerate(HAND_ORDER) for second in HAND_ORDER[i:]),
        key=lambda pair: (RANK[pair[0]], RANK[pair[1]]),
    )
)
_PAIRS_HELD = Combinations([pile_of(pair) for pair in _PAIRS])
_SET_ASIDE = tuple(OndaSetAside(pair) for pair in _PAIRS)

_WILD = {(card, named): OndaWild(card, named) for card in CATALOGUE for named in CATALOGUE}


def _wild(card: OndaCard, formation: Formation) -> OndaWild | None:
    return None if formation.wild_as is None else _WILD[card, formation.wild_as]


Rows = dict[OndaCard, dict[int, OndaMove]]
"""For each card that may be the wild, or be taken back: the index of a formation -> the move.

About 27,000 moves of 48 bytes, which share their cards and wilds: all the trick moves that exist.
"""

_FOLLOW: Rows = {card: {f.index: OndaFollow(f.cards, _wild(card, f)) for f in FORMATIONS} for card in CATALOGUE}
_BOMB: Rows = {
    card: {f.index: OndaBomb(f.cards, _wild(card, f)) for f in FORMATIONS if f.shape in BOMBS} for card in CATALOGUE
}
_TURN_TIDE: Rows = {
    card: {f.index: OndaTurnTide(card, f.cards) for f in FORMATIONS if f.wild_as is None} for card in CATALOGUE
}
_ANY_CARD = CATALOGUE[0]
"""Formations without a wild are the same move in every row."""

_CHOOSE_BOMB: tuple[OndaMove, ...] = (OndaKeepBomb(), OndaSkipBomb())
_PASS = OndaPass()


def legal_moves(state: OndaState, seat: int) -> list[OndaMove]:
    """All that this seat may do, in canonical order; nothing when it is not to move. Rules: §10.1."""
    if seat not in to_move(state):
        return []
    if state.phase == "trick":
        return _in_trick(state, state.hands[seat], state.face_down[seat])
    if state.phase == "set_aside":
        held = _PAIRS_HELD.held_in(state.hands[seat])
        return [_SET_ASIDE[i] for i in _PAIRS_HELD.entries(held)]
    return list(_CHOOSE_BOMB)


def _in_trick(state: OndaState, hand: Pile, face_down: Pile) -> list[OndaMove]:
    lying = table(state)
    layable = LAYABLE.held_in(hand)
    wilds = kinds(face_down)
    with_wilds = layable if wilds else layable & PLAIN

    moves = _with_wilds(_FOLLOW, with_wilds & stronger(lying, state.high), wilds)
    if not state.blocked:
        beats = stronger(lying, not state.high) & PLAIN
        for card in wilds:
            moves += _turns(LAYABLE.held_in(with_card(hand, card)) & beats, card)
    if lying is not None:
        if not state.bomb_played and lying.shape != BOMBS[state.bomb]:
            moves += _with_wilds(_BOMB, with_wilds & OF_BOMB[state.bomb], wilds)
        moves.append(_PASS)
    return moves


def _with_wilds(rows: Rows, chosen: Selection, wilds: tuple[OndaCard, ...]) -> list[OndaMove]:
    """The moves of these formations, those with a wild once for each card that can be it. Rules: §5, §6.1, O9."""
    entries = LAYABLE.entries(chosen)
    if len(wilds) < 2:
        row = rows[wilds[0] if wilds else _ANY_CARD]
        return [row[i] for i in entries]
    both = rows[wilds[0]], rows[wilds[1]]
    first = both[:1]
    return [row[i] for i in entries for row in (first if PLAIN >> i & 1 else both)]


def _turns(chosen: Selection, card: OndaCard) -> list[OndaMove]:
    """The moves of these formations after taking this card back. Rules: §6.4, O10."""
    row = _TURN_TIDE[card]
    return [row[i] for i in LAYABLE.entries(chosen)]
