"""What the active seat may still take in its Action Phase. Rules: U6, U14, U26.

A turn has one action (perform or lead), further performs from Powers, each with a limit of worth, and Activities that
an Aura at Advanced lets it claim besides. What is taken must fit the claims one to one. That is kept true by always
using the claim that serves for least: the Activity's own, else the lowest limit that allows it, else the action. What
is left then allows whatever any other matching would have left.
"""

from typing import Literal

from engines.ufo_wave.cards import Cards
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.position import Position, barred, of_sort


def claim_for(at: Position, cards: Cards, activity: int) -> int | Literal["extra", "action"] | None:
    """The claim that performing this Activity uses: `extra`, a limit, or `action`; None if no claim is left for it."""
    if activity in at.extra:
        return "extra"
    worth = cards.points[at.turned[activity - 1]]
    limit = next((limit for limit in at.claims if limit >= worth), None)
    if limit is not None:
        return limit
    return "action" if at.action else None


def performable(at: Position, cards: Cards) -> list[int]:
    """The Activities of the row that the active seat may perform now, left to right."""
    return [
        card
        for card in of_sort(at, cards, "activity", at.row)
        if claim_for(at, cards, card) is not None and not barred(at, at.active, card)
    ]


def leadable(at: Position, cards: Cards) -> list[int]:
    """The Humans of the row that the active seat may lead now, left to right."""
    return of_sort(at, cards, "human", at.row) if at.action else []


def use(draft: Draft, activity: int) -> None:
    """Spend the claim for this Activity, which has one."""
    claim = claim_for(draft, draft.cards, activity)
    if claim == "extra":
        draft.extra.remove(activity)
    elif claim == "action":
        draft.action = False
    elif claim is not None:
        draft.claims.remove(claim)
