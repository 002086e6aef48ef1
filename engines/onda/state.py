"""The whole position, hidden cards included; frozen, and a few hundred bytes when packed. Rules: RULES.md §1, §2."""

from typing import Literal

import msgspec

from engines.kit.chance import Chance
from engines.onda.cards import Pile
from engines.onda.formations import FORMATIONS, Formation
from engines.onda.options import MAX_SEATS

Phase = Literal["choose_bomb", "set_aside", "trick", "over"]
Tide = Literal["high", "low"]

Lay = int
"""Who laid which formation: `formation.index * 5 + seat`."""


class OndaState(msgspec.Struct, frozen=True, array_like=True):
    """A position of Onda. Tuples hold one entry for each seat, seat 0 first; piles are packed as in `cards`."""

    chance: Chance
    rounds: int
    round: int
    """From 1."""
    phase: Phase
    high: bool
    """The tide: High, else Low."""
    blocked: bool
    """The status: Blocked, else Allowed."""
    bomb: int
    """The current bomb card, 0 for A to 5 for F."""
    bomb_played: bool
    """In the current trick."""
    leader: int
    """Leads the current trick; before the first one the starting seat."""
    turn: int
    """Whose turn it is in a trick."""
    passed: int
    """Bit n: seat n is out of the current trick."""
    on_table: Literal["nothing", "lay", "bomb"]
    """What the top of `played` is to this trick."""
    hands: tuple[Pile, ...]
    face_down: tuple[Pile, ...]
    wilds_used: tuple[Pile, ...]
    """The real faces of the wilds of this round."""
    known: tuple[Pile, ...]
    """The cards of a hand that everybody knows: taken back to turn the tide (O6). Part of the hand."""
    undealt: Pile
    points: tuple[int, ...]
    went_out: tuple[int, ...]
    played: tuple[Lay, ...]
    """All that was laid in this round, oldest first: the last is the top."""


def to_move(state: OndaState) -> tuple[int, ...]:
    """The seats that the game waits for, ascending. Rules: §2.5 (all set aside at once, O17), §5, §9.3 (O16), O20."""
    if state.phase == "trick":
        return (state.turn,)
    if state.phase == "set_aside":
        return tuple(seat for seat, cards in enumerate(state.face_down) if not cards)
    if state.phase == "choose_bomb":
        return (state.leader,)
    return ()


def tide(high: bool) -> Tide:
    """The tide's name."""
    return "high" if high else "low"


def table(state: OndaState) -> Formation | None:
    """The formation to beat; None on an empty table."""
    if state.on_table == "nothing":
        return None
    return FORMATIONS[state.played[-1] // MAX_SEATS]


def lay_by(seat: int, formation: Formation) -> Lay:
    """The record that this seat laid this formation."""
    return formation.index * MAX_SEATS + seat


def laid(lay: Lay) -> tuple[int, Formation]:
    """The seat, and what it laid."""
    index, seat = divmod(lay, MAX_SEATS)
    return seat, FORMATIONS[index]


def replace_at(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    """The tuple with this seat's entry changed."""
    return (*values[:seat], value, *values[seat + 1 :])
