"""The agenda: what is still due before play goes on, and what of it waits for somebody's choice.

The last errand comes first. Whether a choice is asked depends on public facts alone: the size of a hand, the Humans
that watch, the number of cards in the decks; never on which cards a hand holds. Rules: Laws of the page, U2, U19.
"""

from typing import Literal

from engines.ufo_wave.draft import Draft
from engines.ufo_wave.events import UfoWaveDiscarded, UfoWaveDrew, UfoWaveHumanDiscarded, UfoWaveScanChanged
from engines.ufo_wave.position import movable
from engines.ufo_wave.scan import fill
from engines.ufo_wave.state import UfoWaveErrand


def run(draft: Draft) -> bool:
    """Do the first errand as far as it goes. False if it waits for a choice; it stays on the agenda then."""
    errand = draft.agenda[-1]
    if errand.do == "fill":
        # An Event puts its own errands above this one, which then goes on at the leftmost gap.
        place = len(draft.agenda) - 1
        if not fill(draft):
            del draft.agenda[place]
        return True
    if _waits(draft, errand):
        return False
    draft.agenda.pop()
    if errand.do == "draw":
        draw_cards(draft, errand.seat, errand.count)
    return True


def _waits(draft: Draft, errand: UfoWaveErrand) -> bool:
    if errand.count <= 0:
        return False
    seat = draft.seats[errand.seat]
    match errand.do:
        case "draw":
            # Under Invasion Master Plan every drawn card is its own choice. Rules: U29.
            return draft.open_plan and bool(draft.plan_deck)
        case "discard":
            return bool(seat.hand)
        case "discard_human":
            return bool(seat.watching)
        case _:
            return True


def _count_down(draft: Draft) -> None:
    errand = draft.agenda.pop()
    draft.agenda.append(UfoWaveErrand(errand.do, errand.seat, errand.count - 1, errand.cause))


def draw_cards(draft: Draft, seat: int, count: int) -> None:
    """The seat draws from the face-down deck, as many as there are. Rules: R Draw Phase, U9."""
    drawn = 0
    while drawn < count and draft.plan_deck:
        draft.seats[seat].gain(draft.plan_deck.pop())
        draft.restock()
        drawn += 1
    if drawn:
        draft.tell("drew", seat, UfoWaveDrew(drawn, None))


def draw_open(draft: Draft, seat: int, end: Literal["top", "bottom"]) -> None:
    """Draw the open top card, which everybody then knows, or the unseen bottom one. Rules: U29."""
    card = draft.plan_deck.pop(-1 if end == "top" else 0)
    draft.seats[seat].gain(card)
    if end == "top":
        draft.seats[seat].known.append(card)
        draft.seats[seat].known.sort()
    draft.restock()
    draft.tell("drew", seat, UfoWaveDrew(1, draft.cards.plan[card].key if end == "top" else None))
    _count_down(draft)


def discard(draft: Draft, seat: int, card: int) -> None:
    """The seat discards the Plan card that it chose."""
    throw_away(draft, seat, card)
    _count_down(draft)


def throw_away(draft: Draft, seat: int, card: int) -> None:
    """A Plan card goes from the hand to the open discard pile."""
    draft.seats[seat].lose(card)
    draft.discard_plan([card])
    draft.tell("discarded", seat, UfoWaveDiscarded(draft.cards.plan[card].key))


def discard_human(draft: Draft, seat: int, human: int) -> None:
    """The seat discards the Human that it chose."""
    draft.seats[seat].watching.remove(human)
    draft.scan_discard.append(human)
    draft.tell("human_discarded", seat, UfoWaveHumanDiscarded(human))
    _count_down(draft)


def set_next_place(draft: Draft, seat: int, card: int) -> None:
    """Put the card on the leftmost place still to be set; the rest keep their order. Rules: U22."""
    cards = movable(draft, seat)
    places = [draft.row.index(other) for other in cards]
    at = len(cards) - 1 - draft.agenda[-1].count
    cards.remove(card)
    cards.insert(at, card)
    for place, other in zip(places, cards, strict=True):
        draft.row[place] = other
    draft.tell("scan_changed", seat, UfoWaveScanChanged(draft.open_row()))
    _count_down(draft)
