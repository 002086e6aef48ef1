"""Questions about a position that several rules ask. They read a frozen state and a draft alike, and change nothing."""

from collections.abc import Sequence
from typing import Protocol

from engines.ufo_wave.cards import Cards
from engines.ufo_wave.state import GAP, Phase, UfoWaveAura, UfoWaveErrand, UfoWaveWindow

HAND_LIMIT = 6
LOWEST_HAND_LIMIT = 2


class SeatLook(Protocol):
    """One seat of a `Position`."""

    @property
    def species(self) -> int | None: ...
    @property
    def hand(self) -> Sequence[int]: ...
    @property
    def watching(self) -> Sequence[int]: ...
    @property
    def pile(self) -> Sequence[int]: ...
    @property
    def paralysed(self) -> int: ...


class Position(Protocol):
    """What a state and a draft have in common."""

    @property
    def phase(self) -> Phase: ...
    @property
    def mode(self) -> str: ...
    @property
    def active(self) -> int: ...
    @property
    def direction(self) -> int: ...
    @property
    def seats(self) -> Sequence[SeatLook]: ...
    @property
    def turned(self) -> Sequence[int]: ...
    @property
    def row(self) -> Sequence[int]: ...
    @property
    def scan_deck(self) -> Sequence[int]: ...
    @property
    def auras(self) -> Sequence[UfoWaveAura]: ...
    @property
    def lockdown(self) -> int | None: ...
    @property
    def window(self) -> UfoWaveWindow | None: ...
    @property
    def agenda(self) -> Sequence[UfoWaveErrand]: ...
    @property
    def action(self) -> bool: ...
    @property
    def claims(self) -> Sequence[int]: ...
    @property
    def extra(self) -> Sequence[int]: ...


def turn_order(at: Position) -> list[int]:
    """All seats from the active one in the present direction of play."""
    count = len(at.seats)
    return [(at.active + at.direction * step) % count for step in range(count)]


def of_sort(at: Position, cards: Cards, sort: str, ids: Sequence[int]) -> list[int]:
    """Those of these open Scan cards that are of the sort: activity, human, energy. Gaps are left out."""
    return [card for card in ids if card != GAP and cards.sorts[at.turned[card - 1]] == sort]


def activities(at: Position, cards: Cards, seat: int) -> int:
    """How many Activities the seat has claimed. Public, because taking them was."""
    return len(of_sort(at, cards, "activity", at.seats[seat].pile))


def hand_limit(at: Position, cards: Cards, seat: int) -> int:
    """How many Plan cards the seat may keep at the end of its turn. Rules: R Discard Phase, U21."""
    change = sum(cards.scan[at.turned[human - 1]].hand_limit for human in at.seats[seat].watching)
    return max(LOWEST_HAND_LIMIT, HAND_LIMIT + change)


def protector(at: Position, card: int) -> int | None:
    """The seat whose Aura lies on this card, None if there is none. Rules: U14."""
    return next((aura.seat for aura in at.auras if aura.activity == card), None)


def barred(at: Position, seat: int, card: int) -> bool:
    """Whether another seat's Aura keeps this seat from performing or moving the card. Rules: R, U14."""
    return protector(at, card) not in (None, seat)


def movable(at: Position, seat: int) -> list[int]:
    """The cards of the row that this seat may move, left to right. Rules: house set Dimensional Shift, U22."""
    if not at.auras:
        return [card for card in at.row if card != GAP]
    return [card for card in at.row if card != GAP and not barred(at, seat, card)]


def silenced(at: Position) -> bool:
    """Whether the active seat may play no Plan cards in this Preparation. Rules: Lockdown, U25, U27."""
    return at.lockdown is not None or at.seats[at.active].paralysed > 0


def scan_ended(at: Position, cards: Cards) -> bool:
    """Whether the Scan deck is empty and the row holds no Activity or Human. Rules: R End of the Game, U8."""
    return not at.scan_deck and all(c == GAP or cards.sorts[at.turned[c - 1]] == "energy" for c in at.row)
