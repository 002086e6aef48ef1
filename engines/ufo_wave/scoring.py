"""What a seat has won, and how a match ended."""

from typing import Annotated, Literal

import msgspec

from engines.ufo_wave.cards import Cards
from engines.ufo_wave.position import Position

FAVOURED_BONUS = 2
Medal = Literal["gold", "silver", "bronze"]


class UfoWaveOutcome(msgspec.Struct, frozen=True):
    """The end of a match. Seats with the most points share the win; `medal` is for solo, null below bronze."""

    termination: Literal["scan_empty"]
    points: Annotated[tuple[int, ...], msgspec.Meta(description="ET points by seat")]
    winners: tuple[int, ...]
    medal: Medal | None
    returns: Annotated[tuple[int, ...], msgspec.Meta(description="The same as `points`")]


def points(at: Position, cards: Cards, seat: int) -> int:
    """What the seat would have if the game ended now. Rules: R End of the Game, Solo Mode, U15, U18."""
    about = at.seats[seat]
    kinds = [at.turned[card - 1] for card in about.pile]
    total = sum(cards.points[kind] for kind in kinds)
    if about.species is not None:
        favoured = cards.species[about.species].favoured
        total += FAVOURED_BONUS * sum(1 for kind in kinds if cards.scan[kind].key == favoured)
    total += sum(cards.points[at.turned[human - 1]] for human in about.watching)
    total += _most(at, cards, seat)
    if at.mode == "solo":
        total += sum(1 for card in about.hand if cards.is_craft(card))
    return total


def _most(at: Position, cards: Cards, seat: int) -> int:
    """What the Humans cost of which the most loses; all who share the most lose. Rules: R, U15."""
    total = 0
    kinds = [at.turned[human - 1] for human in at.seats[seat].watching]
    for kind in set(kinds):
        if cards.scan[kind].most:
            mine = kinds.count(kind)
            rival = max(sum(1 for human in other.watching if at.turned[human - 1] == kind) for other in at.seats)
            if mine == rival:
                total += cards.scan[kind].most
    return total


def outcome(at: Position, cards: Cards) -> UfoWaveOutcome:
    """The outcome of a match that is over. Ties share the win. Rules: R, U16."""
    scores = tuple(points(at, cards, seat) for seat in range(len(at.seats)))
    best = max(scores)
    winners = tuple(seat for seat, score in enumerate(scores) if score == best)
    medal = _medal(cards, scores[0]) if at.mode == "solo" else None
    return UfoWaveOutcome("scan_empty", scores, winners, medal, scores)


def _medal(cards: Cards, score: int) -> Medal | None:
    if score >= cards.medals.gold:
        return "gold"
    if score >= cards.medals.silver:
        return "silver"
    return "bronze" if score >= cards.medals.bronze else None
