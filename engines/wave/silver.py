"""How do two seats decide for Silver, and what does he do? Rules: §7, W9, W10."""

from msgspec.structs import replace

from engines.kit.errors import IllegalMove
from engines.kit.game import Event, Step
from engines.wave.cards import CODES, DECK_SIZE, FITS, REVERSES
from engines.wave.events import WaveDrew, WavePlayed, WaveProposed
from engines.wave.state import WaveSilver, WaveState
from engines.wave.turns import end_turn, turn_up

PROPOSALS_PER_TURN = 3
"""How often a seat may propose in one turn of Silver's. Rules: §7.3, W9."""


def who_decides(silver: WaveSilver) -> tuple[int, ...]:
    """The seats that Silver's turn waits for, ascending: those without a proposal; if none, those with proposals left.

    Rules: §7.3, W9. Seats that hold no cards decide too.
    """
    without = tuple(seat for seat in (0, 1) if silver.proposals[seat] is None)
    return without or tuple(seat for seat in (0, 1) if silver.used[seat] < PROPOSALS_PER_TURN)


def check_proposal(state: WaveState, silver: WaveSilver, seat: int, card: int) -> None:
    """Raises IllegalMove: not one of his face-up cards (W9), does not fit (W-fit), stands already (W9).

    The seat is one of `who_decides`. All that is judged lies open on the table. Rules: §7.2, §7.3.
    """
    if card not in silver.face_up:
        raise IllegalMove("W9", f"Card {card} does not lie face up with Silver. Propose one that does.")
    if not FITS[state.top][state.deck[card - 1]]:
        raise IllegalMove("W-fit", f"Card {card} is not higher than the top card, neither in number nor in suit.")
    if silver.proposals[seat] == card:
        raise IllegalMove(
            "W9", f"You have proposed card {card} already. Propose another, or leave it to the other seat."
        )


def proposable(state: WaveState, silver: WaveSilver, seat: int) -> list[int]:
    """The cards that the seat may propose now, ascending; it is one of `who_decides`. Rules: §7.2, §7.3."""
    deck, fits, standing = state.deck, FITS[state.top], silver.proposals[seat]
    return sorted(card for card in silver.face_up if card != standing and fits[deck[card - 1]])


def propose(state: WaveState, silver: WaveSilver, seat: int, card: int) -> Step:
    """Makes a proposal that has been checked; if that settles it, Silver takes his turn. Rules: §7.3, W9."""
    events = [Event("proposed", seat, WaveProposed(card))]
    (first, second), (first_used, second_used) = silver.proposals, silver.used
    if seat == 0:
        silver = replace(silver, proposals=(card, second), used=(first_used + 1, second_used))
    else:
        silver = replace(silver, proposals=(first, card), used=(first_used, second_used + 1))
    settled = _settled(silver, state.clockwise)
    if settled is None:
        return Step(replace(state, silver=silver, version=state.version + 1), tuple(events))
    return _take_turn(state, silver, settled, events)


def _settled(silver: WaveSilver, clockwise: bool) -> int | None:
    """The card that Silver plays, None while it is open. Rules: §7.3, W9."""
    first, second = silver.proposals
    if first is None or second is None:
        return None
    if first == second:
        return first
    if min(silver.used) < PROPOSALS_PER_TURN:
        return None
    # Silver sits between seat 1 and seat 0: clockwise seat 0 comes after him, else seat 1.
    return first if clockwise else second


def _take_turn(state: WaveState, silver: WaveSilver, card: int, events: list[Event]) -> Step:
    """Silver plays, draws face up, turns up a face-down card if the pile is empty. Rules: §7.4, W10.

    If he has just drawn the last card, the one turned up is the first; the second waits for his next turn. If the
    pile was empty before, this is that next turn.
    """
    face = state.deck[card - 1]
    events.append(Event("played", None, WavePlayed(card, CODES[face], REVERSES[face])))
    face_up = tuple(other for other in silver.face_up if other != card)
    drawn = state.drawn
    if drawn < DECK_SIZE:
        drawn += 1
        face_up = (*face_up, drawn)
        events.append(Event("drew", None, WaveDrew(drawn, face=CODES[state.deck[drawn - 1]])))
    after = WaveSilver(face_up, silver.face_down)
    if drawn == DECK_SIZE:
        after = turn_up(state, after, events)
    return end_turn(state, card, state.hands, after, drawn, events)
