"""Who may do what now, and what comes of it?"""

from collections.abc import Sequence

from msgspec.structs import replace

from engines.kit.errors import IllegalMove, NotYourTurn
from engines.kit.game import Event, Step
from engines.wave.cards import CODES, DECK_SIZE, FITS, REVERSES
from engines.wave.events import WaveDrew, WaveMisfit, WavePlayed
from engines.wave.moves import WaveMove, WavePlay, WaveProposeSilver, WaveTip
from engines.wave.silver import check_proposal, proposable, propose, who_decides
from engines.wave.state import WaveHand, WaveState
from engines.wave.tips import check_tip, give_tip
from engines.wave.turns import end_turn, ended, turn_up

_PLAYS = tuple(WavePlay(card) for card in range(DECK_SIZE + 1))
_PROPOSALS = tuple(WaveProposeSilver(card) for card in range(DECK_SIZE + 1))


def to_move(state: WaveState) -> tuple[int, ...]:
    """The seat whose turn it is; on Silver's turn those that still decide; none when over. Rules: §5, §7.3, W9."""
    if state.termination is not None:
        return ()
    if state.silver is not None and state.silver_turn:
        return who_decides(state.silver)
    return (state.turn,)


def legal_moves(state: WaveState, seat: int) -> Sequence[WaveMove]:
    """Every card that the seat may play or propose, ascending by id; empty if it is not to move. Tips are not listed.

    Judged from what the seat may see: of the cards that face its team all but the known misfits. Rules: §4.3-4.5, W2.
    """
    if seat not in to_move(state):
        return ()
    if state.silver is not None and state.silver_turn:
        return [_PROPOSALS[card] for card in proposable(state, state.silver, seat)]
    hand, deck, fits, misfits = state.hands[seat], state.deck, FITS[state.top], state.misfits
    cards = [card for card in hand.holder if fits[deck[card - 1]]]
    cards += [card for card in hand.team if card not in misfits]
    cards.sort()
    return [_PLAYS[card] for card in cards]


def check(state: WaveState, seat: int, move: WaveMove) -> None:
    """Raises NotYourTurn, then IllegalMove; judged from what the seat may see alone.

    For a tip see `check_tip`. Else: the seat is not to move; the wrong kind of move for this turn (W9); then, for a
    play, `_check_play`, for a proposal `check_proposal`.
    """
    if isinstance(move, WaveTip):
        check_tip(state, seat, move)
        return
    if seat not in to_move(state):
        raise NotYourTurn(_whose_turn(state, seat))
    if state.silver is not None and state.silver_turn:
        if not isinstance(move, WaveProposeSilver):
            raise IllegalMove("W9", "It is Silver's turn: propose one of his face-up cards.")
        check_proposal(state, state.silver, seat, move.card)
    else:
        if not isinstance(move, WavePlay):
            raise IllegalMove("W9", "It is not Silver's turn but yours: play a card of your hand.")
        _check_play(state, seat, move.card)


def apply(state: WaveState, seat: int, move: WaveMove) -> Step:
    """What comes of the move. Raises what `check` raises, and then nothing has changed. Rules: §4-§7."""
    check(state, seat, move)
    if isinstance(move, WaveTip):
        return give_tip(state, seat, move)
    if isinstance(move, WaveProposeSilver):
        assert state.silver is not None
        return propose(state, state.silver, seat, move.card)
    if FITS[state.top][state.deck[move.card - 1]]:
        return _play(state, seat, move.card)
    return _misfit(state, seat, move.card)


def _check_play(state: WaveState, seat: int, card: int) -> None:
    """Raises IllegalMove: tried already (W2), seen and does not fit (W-fit), not in the hand (W-hand): one at most.

    Rules: §4.1-4.5. Whether a card that faces the team fits is not asked here: its holder can't know.
    """
    hand = state.hands[seat]
    if card in hand.team:
        if card in state.misfits:
            raise IllegalMove("W2", f"Card {card} was tried and does not fit this top card. Play another.")
    elif card in hand.holder:
        if not FITS[state.top][state.deck[card - 1]]:
            raise IllegalMove("W-fit", f"Card {card} is not higher than the top card, neither in number nor in suit.")
    else:
        raise IllegalMove("W-hand", f"Card {card} is not in your hand.")


def _play(state: WaveState, seat: int, card: int) -> Step:
    """The card fits: it is laid, another drawn the opposite way, the turn passes. Rules: §4.2, §4.6-4.8, W4, W12."""
    face, hand = state.deck[card - 1], state.hands[seat]
    events = [Event("played", seat, WavePlayed(card, CODES[face], REVERSES[face]))]
    seen = card in hand.holder
    holder = tuple(other for other in hand.holder if other != card)
    team = tuple(other for other in hand.team if other != card)
    drawn, silver = state.drawn, state.silver
    if drawn < DECK_SIZE:
        drawn += 1
        if seen:
            team = (*team, drawn)
        else:
            holder = (*holder, drawn)
        events.append(Event("drew", seat, WaveDrew(drawn, "team" if seen else "holder")))
        if drawn == DECK_SIZE and silver is not None:
            silver = turn_up(state, silver, events)  # §7.4: as soon as the pile is empty
    hands = (*state.hands[:seat], WaveHand(holder, team), *state.hands[seat + 1 :])
    return end_turn(state, card, hands, silver, drawn, events)


def _misfit(state: WaveState, seat: int, card: int) -> Step:
    """The unseen card does not fit: it goes back unseen and the turn stays; `strict` ends it. Rules: §4.5, W2."""
    events = [Event("misfit", seat, WaveMisfit(card))]
    after = replace(state, misfits=(*state.misfits, card), version=state.version + 1)
    if state.strict:
        return ended(after, "misfit", events)
    return Step(after, tuple(events))


def _whose_turn(state: WaveState, seat: int) -> str:
    if state.termination is not None:
        return "The match is over."
    if state.silver is None or not state.silver_turn:
        return f"It is the turn of seat {state.turn}."
    if seat not in (0, 1):
        return f"There is no seat {seat} at this table."
    if state.silver.proposals[1 - seat] is None:
        return "It is Silver's turn, and your proposal stands: wait for the other seat's."
    return "It is Silver's turn, and you have no proposal left: the other seat decides."
