"""What a move does. Every function here takes a position and gives a new one; nothing is changed in place.

Rules: RULES.md §2.5 to §9; each function names its own.
"""

from msgspec.structs import replace

from engines.kit.game import Event, Step
from engines.onda.cards import BIT, OndaCard, pile_of, with_card, without
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
    OndaKeepBomb,
    OndaLay,
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
    """What comes of this move. Raises as `check`. Rules: §2.5 to §9."""
    formation = judge(state, seat, move)
    if formation is not None and isinstance(move, OndaLay):
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


def _lay(state: OndaState, seat: int, move: OndaLay, formation: Formation) -> Step:
    """Cards go on the table; an empty hand ends the round at once, else the next seat in the trick is up.

    Rules: §5, §6, §7, §8.2; O12.
    """
    if isinstance(move, OndaTurnTide):
        state = _tide_turned(state, seat, move.take)
    elif move.wild is not None:
        state = _wild_used(state, seat, move.wild.card)
    laid = _on_table(state, seat, formation, bombed=isinstance(move, OndaBomb))
    event = _told(laid, seat, move, formation)
    if not laid.hands[seat]:
        ended = end_round(laid, seat)
        return Step(ended.state, (event, *ended.events))
    return Step(laid, (event,))


def _tide_turned(state: OndaState, seat: int, card: OndaCard) -> OndaState:
    """The card taken back is an ordinary card of the hand from now on, and everybody has seen it. Rules: §6.4, §6.7."""
    return replace(
        state,
        high=not state.high,
        blocked=True,
        hands=replace_at(state.hands, seat, with_card(state.hands[seat], card)),
        face_down=replace_at(state.face_down, seat, without(state.face_down[seat], BIT[card])),
        known=replace_at(state.known, seat, with_card(state.known[seat], card)),
    )


def _wild_used(state: OndaState, seat: int, card: OndaCard) -> OndaState:
    """The real face is kept, for its owner and for the end of the round. Rules: §6.1, §6.8, O7."""
    return replace(
        state,
        face_down=replace_at(state.face_down, seat, without(state.face_down[seat], BIT[card])),
        wilds_used=replace_at(state.wilds_used, seat, with_card(state.wilds_used[seat], card)),
    )


def _on_table(state: OndaState, seat: int, formation: Formation, *, bombed: bool) -> OndaState:
    """The formation lies on the table, and the next seat is up. Rules: §5, §6.7 (the known copy goes first), §7.5."""
    return replace(
        state,
        bomb_played=state.bomb_played or bombed,
        turn=_next_in_trick(state, seat),
        on_table="bomb" if bombed else "lay",
        hands=replace_at(state.hands, seat, without(state.hands[seat], formation.need)),
        known=replace_at(state.known, seat, without(state.known[seat], formation.need)),
        played=(*state.played, lay_by(seat, formation)),
    )


def _told(laid: OndaState, seat: int, move: OndaLay, formation: Formation) -> Event:
    cards, wild_as = formation.cards, formation.wild_as
    kind, size, number = formation.kind, formation.size, formation.number
    if isinstance(move, OndaTurnTide):
        turned = OndaTideTurned(move.take, cards, tide(laid.high), kind, size, number)
        return Event("tide_turned", seat, turned)
    if isinstance(move, OndaBomb):
        return Event("bombed", seat, OndaBombed(cards, wild_as, kind, size, number))
    return Event("followed", seat, OndaFollowed(cards, wild_as, kind, size, number))


def _pass(state: OndaState, seat: int) -> Step:
    """Out of this trick; when one seat is left, it has won and leads the next one. Rules: §5.4, §8.1, O13."""
    passed = state.passed | 1 << seat
    event = Event("passed", seat, OndaPassed())
    seats = len(state.hands)
    if passed.bit_count() < seats - 1:
        return Step(replace(state, passed=passed, turn=_next_in_trick(state, seat)), (event,))
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
