"""The row: taking cards from it, what comes along, and filling the gaps. Rules: R Scan, U2-U5, U7."""

from engines.ufo_wave import event_cards
from engines.ufo_wave.arrivals import act_at_once, remove, watch
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.events import (
    UfoWaveEventHappened,
    UfoWaveLed,
    UfoWavePerformed,
    UfoWaveScanChanged,
    UfoWaveTurnedUp,
)
from engines.ufo_wave.state import GAP

CLOAK_FIRST, CLOAK_ALL = 1, 2


def perform(draft: Draft, seat: int, activity: int) -> None:
    """Take the Activity; Humans beside it watch the seat, Energy beside it comes too. Rules: R, U3, Cloak.

    What these do at once comes in the order left, right; then the gaps are filled.
    """
    beside = _neighbours(draft, activity)
    humans = [card for card in beside if draft.sort(card) == "human"] if not draft.cloak else []
    energy = _energy_among(draft, beside)
    if draft.cloak == CLOAK_FIRST:
        draft.cloak = 0
    for card in (activity, *humans, *energy):
        remove(draft, card)
    draft.seats[seat].pile += (activity, *energy)
    draft.seats[seat].watching += humans
    draft.tell("performed", seat, UfoWavePerformed(activity, tuple(humans), tuple(energy)))
    draft.due("fill")
    # The agenda is worked off from its end.
    for card in reversed(beside):
        if card in humans or card in energy:
            act_at_once(draft, seat, card)


def lead(draft: Draft, seat: int, human: int, to_seat: int) -> None:
    """Lead the Human to a seat; the leader takes the Energy beside it. The Human acts first. Rules: R, U4, U5."""
    energy = _energy_among(draft, _neighbours(draft, human))
    for card in energy:
        remove(draft, card)
    draft.seats[seat].pile += energy
    draft.due("fill")
    for card in reversed(energy):
        act_at_once(draft, seat, card)
    watch(draft, to_seat, human)
    draft.tell("led", seat, UfoWaveLed(human, to_seat, tuple(energy)))


def fill(draft: Draft) -> bool:
    """Fill the gaps from left to right. True if an Event has interrupted it and gaps may be left.

    When the deck ends the row closes up. Rules: R Additional Notes (Scan), U2, U7.
    """
    while GAP in draft.row:
        if not draft.scan_deck:
            draft.row = [card for card in draft.row if card != GAP]
            draft.tell("scan_changed", None, UfoWaveScanChanged(draft.open_row()))
            break
        kind = draft.scan_deck.pop()
        draft.turned.append(kind)
        card = len(draft.turned)
        draft.tell("turned_up", None, UfoWaveTurnedUp(draft.cards.face(card, kind)))
        if draft.sort(card) == "event":
            draft.scan_discard.append(card)
            draft.tell("event", None, UfoWaveEventHappened(draft.cards.scan[kind].key))
            event_cards.happen(draft, kind)
            return True
        draft.row[draft.row.index(GAP)] = card
    return False


def discard_leftmost(draft: Draft) -> None:
    """The leftmost card of a row that holds only Energy is discarded, and its gap filled. Rules: U6."""
    card = draft.row[0]
    remove(draft, card)
    draft.scan_discard.append(card)
    draft.tell("scan_changed", None, UfoWaveScanChanged(draft.open_row()))
    draft.due("fill")


def _neighbours(draft: Draft, card: int) -> list[int]:
    """The cards directly beside this one, left before right."""
    place = draft.row.index(card)
    return [draft.row[i] for i in (place - 1, place + 1) if 0 <= i < len(draft.row)]


def _energy_among(draft: Draft, beside: list[int]) -> list[int]:
    if draft.cloak == CLOAK_ALL:
        return []
    return [card for card in beside if draft.sort(card) == "energy"]
