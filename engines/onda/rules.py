"""What a move does. Every function here takes a position and gives a new one; nothing is changed in place.

Rules: RULES.md §2.5 to §9; each function names its own.
"""

from msgspec.structs import replace

from engines.kit.game import Event, Step
from engines.onda.cards import BIT, pile_of, with_card, without
from engines.onda.events import (
    OndaBombed,
    OndaBombKept,
    OndaBombSkipped,
    OndaFollowed,
    OndaHasSetAside,
    OndaPassed,
    OndaTideTurned,
    OndaTrickEnded,
)
from engines.onda.formations import BOMB_LETTERS, BOMBS, Formation
from engines.onda.legality import judge
from engines.onda.moves import (
    OndaBomb,
    OndaFollow,
    OndaKeepBomb,
    OndaMove,
    OndaSetAside,
    OndaSkipBomb,
    OndaTurnTide,
)
from engines.onda.rounds import bomb_after, end_round
from engines.onda.state import OndaState, lay_by, replace_at, tide


def check(state: OndaState, seat: int, move: OndaMove) -> None:
    """Raises NotYourTurn, then IllegalMove, if this seat may not make this move. Rules: §3 to §7."""
    judge(state, seat, move)


def apply(state: OndaState, seat: int, move: OndaMove) -> Step:
    """What comes of this move. Raises as `check`. Rules: §3 to §9."""
    formation = judge(state, seat, move)
    if formation is not None:
        return _lay(state, seat, move, formation)
    if isinstance(move, OndaSetAside):
        return _set_aside(state, seat, move)
    if isinstance(move, OndaKeepBomb):
        return _keep_bomb(state, seat)
    if isinstance(move, OndaSkipBomb):
        return _skip_bomb(state, seat)
    return _pass(state, seat)


def _keep_bomb(state: OndaState, seat: int) -> Step:
    """Rules: §9.3, O16."""
    event = Event("bomb_kept", seat, OndaBombKept(BOMB_LETTERS[state.bomb]))
    return Step(replace(state, phase="set_aside"), (event,))


def _skip_bomb(state: OndaState, seat: int) -> Step:
    """Rules: §9.3, O16."""
    bomb = (state.bomb + 1) % len(BOMBS)
    event = Event("bomb_skipped", seat, OndaBombSkipped(BOMB_LETTERS[bomb]))
    return Step(replace(state, phase="set_aside", bomb=bomb), (event,))


def _set_aside(state: OndaState, seat: int, move: OndaSetAside) -> Step:
    """Two cards lie face down; the last seat to choose opens the first trick. Rules: §2.5, O17."""
    cards = pile_of(move.cards)
    face_down = replace_at(state.face_down, seat, cards)
    after = replace(
        state,
        phase="trick" if all(face_down) else "set_aside",
        hands=replace_at(state.hands, seat, without(state.hands[seat], cards)),
        face_down=face_down,
    )
    return Step(after, (Event("set_aside", seat, OndaHasSetAside()),))


def _lay(state: OndaState, seat: int, move: OndaMove, formation: Formation) -> Step:
    """Cards go on the table; an empty hand ends the round at once, else the next seat in the trick is up.

    Rules: §5, §6, §7, §8.2; O12.
    """
    laid, event = _laid(state, seat, move, formation)
    if not laid.hands[seat]:
        ended = end_round(laid, seat)
        return Step(ended.state, (event, *ended.events))
    return Step(replace(laid, turn=_next_in_trick(laid, seat)), (event,))


def _laid(state: OndaState, seat: int, move: OndaMove, formation: Formation) -> tuple[OndaState, Event]:
    """The position with the formation on the table, before anything follows from it."""
    hand, known = state.hands[seat], state.known[seat]
    face_down, wilds_used = state.face_down[seat], state.wilds_used[seat]
    kind, size, number = formation.kind, formation.size, formation.number
    high, blocked = state.high, state.blocked
    event: Event
    if isinstance(move, OndaTurnTide):
        # The card taken back is seen by all, and is an ordinary card of the hand from now on (O6, O10).
        face_down = without(face_down, BIT[move.take])
        hand, known = with_card(hand, move.take), with_card(known, move.take)
        high, blocked = not high, True
        turned = OndaTideTurned(move.take, formation.cards, tide(high), kind, size, number)
        event = Event("tide_turned", seat, turned)
    elif isinstance(move, OndaFollow | OndaBomb):
        if move.wild is not None:
            face_down = without(face_down, BIT[move.wild.card])
            wilds_used = with_card(wilds_used, move.wild.card)
        if isinstance(move, OndaBomb):
            event = Event("bombed", seat, OndaBombed(formation.cards, formation.wild_as, kind, size, number))
        else:
            event = Event("followed", seat, OndaFollowed(formation.cards, formation.wild_as, kind, size, number))
    bombed = isinstance(move, OndaBomb)
    after = replace(
        state,
        high=high,
        blocked=blocked,
        bomb_played=state.bomb_played or bombed,
        on_table="bomb" if bombed else "lay",
        hands=replace_at(state.hands, seat, without(hand, formation.need)),
        face_down=replace_at(state.face_down, seat, face_down),
        wilds_used=replace_at(state.wilds_used, seat, wilds_used),
        known=replace_at(state.known, seat, without(known, formation.need)),
        played=(*state.played, lay_by(seat, formation)),
    )
    return after, event


def _pass(state: OndaState, seat: int) -> Step:
    """Out of this trick; when one seat is left, it has won and leads the next one. Rules: §5.4, §8.1, O13."""
    passed = state.passed | 1 << seat
    event = Event("passed", seat, OndaPassed())
    seats = len(state.hands)
    if passed.bit_count() < seats - 1:
        after = replace(state, passed=passed)
        return Step(replace(after, turn=_next_in_trick(after, seat)), (event,))
    winner = next(other for other in range(seats) if not passed >> other & 1)
    bomb = bomb_after(state)
    after = replace(
        state,
        passed=0,
        blocked=False,
        bomb=bomb,
        bomb_played=False,
        on_table="nothing",
        leader=winner,
        turn=winner,
    )
    return Step(after, (event, Event("trick_ended", None, OndaTrickEnded(winner, BOMB_LETTERS[bomb]))))


def _next_in_trick(state: OndaState, seat: int) -> int:
    """The next seat clockwise that has not passed. Rules: §5, O13."""
    seats = len(state.hands)
    turn = (seat + 1) % seats
    while state.passed >> turn & 1:
        turn = (turn + 1) % seats
    return turn
