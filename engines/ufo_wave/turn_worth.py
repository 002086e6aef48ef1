"""What is a turn worth? The best take of the row, further ones from Powers, and what is left to the next seat.

The row is taken as it lies; nobody knows what fills a gap, so a gap counts nothing.
"""

from collections.abc import Iterator, Sequence

from engines.ufo_wave.cards import UfoWaveScanCard
from engines.ufo_wave.worth import Row, Worth

CLOAK_FIRST, CLOAK_ALL = 1, 2
LEFT = 0.35
"""How much of the next seat's best take counts against leaving it."""
NOTHING_TO_TAKE = 0.0

Take = tuple[float, int, int | None]
"""(worth at once, place in the row, seat to which a Human is led; None performs an Activity)."""


def takes(worth: Worth, row: Row, seats: int, cloak: int = 0, kept_off: int | None = None) -> Iterator[Take]:
    """Every take of the row; without the Activity of the id `kept_off` and those under another's Aura."""
    for place, card in enumerate(row):
        if card is None:
            continue
        if card.kind == "activity" and card.id != kept_off and card.protected_by in (None, worth.me):
            yield worth.of(card) + _beside(worth, row, place, cloak, humans=True), place, None
        elif card.kind == "human":
            energy = _beside(worth, row, place, cloak, humans=False)
            for seat in range(seats):
                yield worth.at(card, seat) + energy, place, seat


def taken(row: Row, place: int, to_seat: int | None, cloak: int = 0) -> Row:
    """The row after this take, the gaps not filled."""
    gone = {place}
    for beside in (place - 1, place + 1):
        if 0 <= beside < len(row):
            card = row[beside]
            if card is not None and (
                (card.kind == "energy" and cloak < CLOAK_ALL)
                or (card.kind == "human" and to_seat is None and not cloak)
            ):
                gone.add(beside)
    return [None if number in gone else card for number, card in enumerate(row)]


def left_to_others(worth: Worth, row: Row) -> float:
    """What the next seat makes of this row, as far as it counts against the viewer."""
    best = NOTHING_TO_TAKE
    for place, card in enumerate(row):
        if card is not None and card.kind == "activity" and card.protected_by is None:
            beside = [row[i] for i in (place - 1, place + 1) if 0 <= i < len(row)]
            best = max(best, sum(float(other.points or 0) for other in (card, *beside) if other is not None))
    return LEFT * worth.share * best


def of_take(worth: Worth, row: Row, take: Take, cloak: int = 0) -> float:
    """A take with what it leaves."""
    at_once, place, to_seat = take
    return at_once - left_to_others(worth, taken(row, place, to_seat, cloak))


def of_turn(
    worth: Worth, row: Row, seats: int, limits: Sequence[int], cloak: int = 0, kept_off: int | None = None
) -> float:
    """The action, and then an Activity for each of these limits of worth as long as that is worth it."""
    best = max(
        takes(worth, row, seats, cloak, kept_off), key=lambda take: of_take(worth, row, take, cloak), default=None
    )
    if best is None:
        return NOTHING_TO_TAKE
    total, rest = best[0], taken(row, best[1], best[2], cloak)
    cloak = cloak if cloak == CLOAK_ALL else 0
    for limit in limits:
        more = [take for take in takes(worth, rest, 0, cloak, kept_off) if _points(rest, take[1]) <= limit]
        further = max(more, default=None)
        if further is not None and further[0] > 0:
            total, rest = total + further[0], taken(rest, further[1], None, cloak)
    return total - left_to_others(worth, rest)


def _points(row: Row, place: int) -> int:
    card = row[place]
    return (card.points or 0) if card is not None and card.kind == "activity" else 1_000


def _beside(worth: Worth, row: Row, place: int, cloak: int, *, humans: bool) -> float:
    """What the cards beside this place bring, if it is taken."""
    came: list[UfoWaveScanCard] = []
    for beside in (place - 1, place + 1):
        card = row[beside] if 0 <= beside < len(row) else None
        if card is None:
            continue
        if (card.kind == "energy" and cloak < CLOAK_ALL) or (card.kind == "human" and humans and not cloak):
            came.append(card)
    return sum(worth.of(card) for card in came)
