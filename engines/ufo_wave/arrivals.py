"""How a card leaves the row, and what a card does at once when it comes to a seat. Rules: R Scan, U5, U14."""

from engines.ufo_wave.draft import Draft
from engines.ufo_wave.state import GAP


def remove(draft: Draft, card: int) -> None:
    """Take the card from the row and leave a gap. An Aura that lay on it is discarded. Rules: U14."""
    draft.row[draft.row.index(card)] = GAP
    if card in draft.extra:
        draft.extra.remove(card)
    for aura in draft.auras:
        if aura.activity == card:
            draft.auras.remove(aura)
            draft.discard_plan([aura.card])
            break


def watch(draft: Draft, seat: int, human: int) -> None:
    """A Human comes in front of the seat, from the row or from another seat, and acts at once. Rules: U5."""
    if human in draft.row:
        remove(draft, human)
    draft.seats[seat].watching.append(human)
    act_at_once(draft, seat, human)


def act_at_once(draft: Draft, seat: int, card: int) -> None:
    """Put on the agenda what this Human or Energy does to the seat that it has come to."""
    kind = draft.cards.scan[draft.turned[card - 1]]
    if kind.at_once is not None:
        draft.due("draw" if kind.at_once.effect == "draw" else "discard", seat, kind.at_once.count or 0, kind.key)
