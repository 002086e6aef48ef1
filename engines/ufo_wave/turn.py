"""The phases of a turn, and how play goes on from one choice to the next. Rules: R Taking Your Turn, U6-U8."""

from typing import Literal

from engines.ufo_wave import errands, scan
from engines.ufo_wave.claims import leadable, performable
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.events import UfoWaveMatchFinished, UfoWavePhaseBegun
from engines.ufo_wave.position import hand_limit, scan_ended, silenced
from engines.ufo_wave.powers import SKIP_TURN
from engines.ufo_wave.scoring import outcome


def go_on(draft: Draft) -> None:
    """Do all that needs nobody's choice, until somebody has to choose or the match is over."""
    while draft.window is None and draft.phase != "over":
        going = errands.run(draft) if draft.agenda else _next(draft)
        if not going:
            return


def begin_turn(draft: Draft, seat: int) -> None:
    """The Draw Phase of the seat's turn. Its Auras end, and the Lockdown that lasts until now. Rules: R, U14."""
    draft.active = seat
    if draft.lockdown == seat:
        draft.lockdown = None
    for about in draft.seats:
        about.changes = 0
    draft.action, draft.claims, draft.acted, draft.cloak = True, [], False, 0
    draft.extra = [aura.activity for aura in draft.auras if aura.seat == seat and aura.claim]
    ended = [aura.card for aura in draft.auras if aura.seat == seat]
    if ended:
        draft.auras = [aura for aura in draft.auras if aura.seat != seat]
        draft.discard_plan(ended)
    _begin(draft, "draw")
    draft.due("draw", seat, 1, "draw_phase")


def begin_action(draft: Draft) -> None:
    """Preparation is over. A Paralysis at Basic has had its effect. Rules: R Action Phase, U25."""
    draft.seats[draft.active].paralysed = 0
    _begin(draft, "action")


def begin_discard(draft: Draft) -> None:
    """The Discard Phase: down to the hand limit, one card at a time. Rules: R Discard Phase, U21."""
    draft.action, draft.claims, draft.extra = False, [], []
    _begin(draft, "discard")
    over = len(draft.seats[draft.active].hand) - hand_limit(draft, draft.cards, draft.active)
    if over > 0:
        draft.due("discard", draft.active, over, "hand_limit")


def _begin(draft: Draft, phase: Literal["draw", "preparation", "action", "discard"]) -> None:
    draft.phase = phase
    draft.tell("phase", None, UfoWavePhaseBegun(draft.active, phase))


def _next(draft: Draft) -> bool:
    """One step from an empty agenda. False if the active seat has to choose, or the match is over."""
    if scan_ended(draft, draft.cards):
        _finish(draft)
        return False
    match draft.phase:
        case "draw":
            return _after_draw(draft)
        case "preparation":
            return _in_preparation(draft)
        case "action":
            return _in_action(draft)
        case "discard":
            begin_turn(draft, (draft.active + draft.direction) % len(draft.seats))
            return True
        case _:
            return False


def _after_draw(draft: Draft) -> bool:
    seat = draft.seats[draft.active]
    if seat.paralysed == SKIP_TURN:
        seat.paralysed = 0
        begin_discard(draft)
    else:
        _begin(draft, "preparation")
    return True


def _in_preparation(draft: Draft) -> bool:
    """Asked unless the hand is empty or the seat is locked or paralysed. Rules: Laws of the page, U25, U27."""
    if draft.seats[draft.active].hand and not silenced(draft):
        return False
    begin_action(draft)
    return True


def _in_action(draft: Draft) -> bool:
    """The action is compulsory as long as one is possible; the phase ends when nothing more is. Rules: U6, U26."""
    if performable(draft, draft.cards) or leadable(draft, draft.cards):
        return False
    only_energy = all(draft.sort(card) == "energy" for card in draft.row)
    if not draft.acted and only_energy:
        # The deck is not empty, or the match would be over.
        scan.discard_leftmost(draft)
    else:
        begin_discard(draft)
    return True


def _finish(draft: Draft) -> None:
    draft.phase = "over"
    draft.action, draft.claims, draft.extra = False, [], []
    draft.tell("match_finished", None, UfoWaveMatchFinished(outcome(draft, draft.cards)))
