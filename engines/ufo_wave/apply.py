"""Carrying out a move: check it, change a draft, go on until somebody has to choose."""

from typing import Any

from engines.kit.game import Step
from engines.ufo_wave import errands, moves, scan, turn, window
from engines.ufo_wave.check import check, plain_target
from engines.ufo_wave.claims import use
from engines.ufo_wave.draft import Draft
from engines.ufo_wave.events import UfoWaveHumanDismissed, UfoWaveReactionsSet
from engines.ufo_wave.setup import choose_species
from engines.ufo_wave.state import UfoWaveAnswer, UfoWaveState


def apply(state: UfoWaveState, seat: int, move: Any) -> Step:
    """What comes of the move. Raises what `check` raises; then nothing has changed."""
    check(state, seat, move)
    draft = Draft(state)
    _carry_out(draft, seat, move, state)
    turn.go_on(draft)
    return draft.close()


def _carry_out(draft: Draft, seat: int, move: Any, state: UfoWaveState) -> None:
    plan = draft.cards.plan_number
    match move:
        case moves.UfoWaveChooseSpecies():
            choose_species(draft, seat, draft.cards.species_number[move.species])
        case moves.UfoWaveDraw():
            errands.draw_open(draft, seat, move.from_)
        case moves.UfoWavePlayPower():
            craft = plan[move.craft] if move.craft is not None else None
            level = window.LEVELS.index(move.level)
            window.play(draft, seat, plan[move.power], level, craft, plain_target(state, move.target))
        case moves.UfoWaveOrderScan():
            errands.set_next_place(draft, seat, move.card)
        case moves.UfoWaveDismissHuman():
            _dismiss_human(draft, seat, move)
        case moves.UfoWaveEndPreparation():
            turn.begin_action(draft)
        case moves.UfoWavePerform():
            use(draft, move.activity)
            draft.acted = True
            scan.perform(draft, seat, move.activity)
        case moves.UfoWaveLead():
            draft.action = False
            draft.acted = True
            scan.lead(draft, seat, move.human, move.to_seat)
        case moves.UfoWaveEndAction():
            turn.begin_discard(draft)
        case moves.UfoWaveDiscard():
            errands.discard(draft, seat, plan[move.card])
        case moves.UfoWaveDiscardHuman():
            errands.discard_human(draft, seat, move.human)
        case moves.UfoWaveAllow():
            window.answer(draft, seat, window.ALLOWED)
        case moves.UfoWaveCounter():
            craft = plan[move.craft] if move.craft is not None else None
            window.answer(draft, seat, UfoWaveAnswer(1 + window.LEVELS.index(move.level), craft))
        case moves.UfoWaveSetReactions():
            _set_reactions(draft, seat, move)


def _dismiss_human(draft: Draft, seat: int, move: moves.UfoWaveDismissHuman) -> None:
    """Two Craft of one type discard a Human watching the seat. No Power, so nobody counters it. Rules: R, U11."""
    pair = sorted(draft.cards.plan_number[key] for key in move.craft)
    for card in pair:
        draft.seats[seat].lose(card)
    draft.seats[seat].watching.remove(move.human)
    draft.scan_discard.append(move.human)
    keys = tuple(draft.cards.plan[card].key for card in pair)
    draft.tell("human_dismissed", seat, UfoWaveHumanDismissed(move.human, keys))
    draft.discard_plan(pair)


def _set_reactions(draft: Draft, seat: int, move: moves.UfoWaveSetReactions) -> None:
    """Who does not want to be asked allows every Power at once, the one being played too. Rules: U13."""
    about = draft.seats[seat]
    about.asks = move.ask
    about.changes += 1
    draft.tell("reactions_set", seat, UfoWaveReactionsSet(move.ask))
    waits = draft.window is not None and seat != draft.active and draft.window.answers[seat] is None
    if waits and not move.ask:
        window.answer(draft, seat, window.ALLOWED)
