"""The whole position of a match, and nothing that can be worked out from it.

Scan cards that have been turned up are ids from 1; `turned[id - 1]` is the card's kind. Cards still in the Scan deck,
and all Plan cards, are kinds (numbers of cards.py). Piles: the last card is the top. Hands are in catalogue order.
"""

from typing import Literal

import msgspec

from engines.kit.chance import Chance
from engines.ufo_wave.moves import UfoWaveTarget
from engines.ufo_wave.options import Mode

Phase = Literal["species", "draw", "preparation", "action", "discard", "over"]
Errand = Literal["fill", "draw", "discard", "discard_human", "order_scan"]

GAP = 0
"""In the row: a place whose card has been taken and not been replaced yet."""


class UfoWaveSeatState(msgspec.Struct, frozen=True, array_like=True):
    """What lies before and with one seat.

    `watching` and `pile` are ids, oldest first; `paralysed` is 0, 1 (Basic) or 2 (Advanced); `changes` counts this
    seat's `set_reactions` in the present turn; `known` are the cards of the hand that everybody has seen drawn.
    """

    species: int | None = None
    hand: tuple[int, ...] = ()
    known: tuple[int, ...] = ()
    watching: tuple[int, ...] = ()
    pile: tuple[int, ...] = ()
    paralysed: int = 0
    asks: bool = True
    changes: int = 0


class UfoWaveAura(msgspec.Struct, frozen=True, array_like=True):
    """A Protective Aura on an Activity of the row: the Plan card `card`, laid by `seat`. `claim`: at Advanced."""

    activity: int
    seat: int
    card: int
    claim: bool


class UfoWaveAnswer(msgspec.Struct, frozen=True, array_like=True):
    """How a seat answered a Power: `level` 0 allows it, 1 counters at Basic, 2 at Advanced."""

    level: int = 0
    craft: int | None = None


class UfoWaveWindow(msgspec.Struct, frozen=True, array_like=True):
    """A Power that may be countered. Its cards have left the hand; `answers` by seat, None where there is none yet."""

    power: int
    level: int
    craft: int | None
    target: UfoWaveTarget | None
    answers: tuple[UfoWaveAnswer | None, ...]


class UfoWaveErrand(msgspec.Struct, frozen=True, array_like=True):
    """Something still to be done before play goes on; `count` times, by `seat`, because of the card `cause`."""

    do: Errand
    seat: int = -1
    count: int = 1
    cause: str = ""


class UfoWaveState(msgspec.Struct, frozen=True, array_like=True):
    """A position. `cards` is empty for the house set, else the whole set (cards.cards_of).

    `lockdown` is the seat whose next turn ends it; `agenda` what is due, the last first; `claims` the limits of the
    further Activities that may be performed this turn, ascending, `extra` the ids that may be claimed besides;
    `acted` whether something was taken in this Action Phase; `cloak` 0, 1 (first Activity) or 2 (all); `plan_shuffles`
    and `picks` count the labels of chance that have been used.
    """

    chance: Chance
    cards: str
    mode: Mode
    phase: Phase
    active: int
    direction: int
    seats: tuple[UfoWaveSeatState, ...]
    turned: tuple[int, ...]
    row: tuple[int, ...]
    scan_deck: tuple[int, ...]
    scan_discard: tuple[int, ...]
    plan_deck: tuple[int, ...]
    plan_discard: tuple[int, ...]
    auras: tuple[UfoWaveAura, ...] = ()
    lockdown: int | None = None
    open_plan: bool = False
    window: UfoWaveWindow | None = None
    agenda: tuple[UfoWaveErrand, ...] = ()
    action: bool = False
    claims: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    acted: bool = False
    cloak: int = 0
    plan_shuffles: int = 1
    picks: int = 0
