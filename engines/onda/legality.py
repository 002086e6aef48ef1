"""Whether a seat may make a move, judged directly: nothing is listed, and nothing is used that the seat cannot see.

A judge returns what the move lays, or raises: NotYourTurn first, then IllegalMove with the first rule that is
broken, in the order in which each judge asks. Of the cards only the seat's own hand and face-down cards count.
"""

from engines.kit.errors import IllegalMove, NotYourTurn
from engines.onda.cards import BIT, OndaCard, holds, pile_of, with_card
from engines.onda.formations import BOMBS, Formation, formation_of, stronger
from engines.onda.moves import (
    OndaBomb,
    OndaFollow,
    OndaKeepBomb,
    OndaMove,
    OndaPass,
    OndaSetAside,
    OndaSkipBomb,
    OndaTurnTide,
    OndaWild,
)
from engines.onda.state import OndaState, Phase, table, to_move

RULES = {
    "O1": "The leader of a trick may not pass.",
    "O3": "On an empty table the bomb's shape is an ordinary lead, not a bomb.",
    "O4": "A bomb goes over any shape but its own, which is followed as usual.",
    "O8": "A follow has the same kind and size as the table, and a strictly stronger number under the tide.",
    "O9": "One wild at most, which stands for any card; with it too a formation has at most four cards.",
    "O10": "Who turns the tide must follow with something stronger under the new tide, without a wild.",
    "O16": "The bomb is kept or skipped by the starting seat alone, once, right after the deal, from round 2 on.",
    "O-phase": "Each phase has its own moves: keep or skip the bomb, then set two cards aside, then tricks.",
    "O-cards": "Only cards of one's own hand can be laid or set aside.",
    "O-face-down": "A wild, and the card taken back to turn the tide, lie face down in front of the seat.",
    "O-formation": "Cards are laid as a single, a sequence of 2 to 4 of one suit, or a set of 2 to 4 of one number.",
    "O-blocked": "While the status is Blocked the tide cannot be turned.",
    "O-bomb": "A bomb has the kind and size that the current bomb card shows.",
    "O-one-bomb": "Only one bomb can be played in a trick.",
}
"""Every rule that a refusal can name."""

_PHASE_OF: dict[type, Phase] = {
    OndaSetAside: "set_aside",
    OndaKeepBomb: "choose_bomb",
    OndaSkipBomb: "choose_bomb",
    OndaFollow: "trick",
    OndaTurnTide: "trick",
    OndaBomb: "trick",
    OndaPass: "trick",
}


def judge(state: OndaState, seat: int, move: OndaMove) -> Formation | None:
    """The formation that this legal move lays (None if it lays none), in its canonical form.

    Raises NotYourTurn, then IllegalMove: O16 or O-phase, then as the judges below. Rules: §3 to §7.
    """
    if seat not in to_move(state):
        raise NotYourTurn(_why_not(state))
    if _PHASE_OF[type(move)] != state.phase:
        raise _wrong_phase(state, move)
    if isinstance(move, OndaFollow):
        return _follow(state, seat, move)
    if isinstance(move, OndaTurnTide):
        return _turn_tide(state, seat, move)
    if isinstance(move, OndaBomb):
        return _bomb(state, seat, move)
    if isinstance(move, OndaSetAside):
        _set_aside(state, seat, move)
    elif isinstance(move, OndaPass):
        _pass(state)
    return None


def _why_not(state: OndaState) -> str:
    if state.phase == "over":
        return "The match is over."
    if state.phase == "set_aside":
        return "Your two cards are set aside: wait for the other seats."
    return f"It is seat {to_move(state)[0]}'s turn."


def _wrong_phase(state: OndaState, move: OndaMove) -> IllegalMove:
    if isinstance(move, OndaKeepBomb | OndaSkipBomb):
        return IllegalMove("O16", "The bomb is kept or skipped once, right after the deal, from round 2 on.")
    if state.phase == "choose_bomb":
        return IllegalMove("O-phase", "First decide whether to keep or to skip the bomb.")
    if state.phase == "set_aside":
        return IllegalMove("O-phase", "First set two cards aside, face down.")
    return IllegalMove("O-phase", "Cards are set aside only at the start of a round.")


def _set_aside(state: OndaState, seat: int, move: OndaSetAside) -> None:
    """Any two cards of the hand. Refuses: O-cards. Rules: §2.5."""
    if not holds(state.hands[seat], pile_of(move.cards)):
        raise IllegalMove("O-cards", "You do not hold these two cards.")


def _pass(state: OndaState) -> None:
    """Anyone but the leader on an empty table. Refuses: O1. Rules: §5.4."""
    if state.on_table == "nothing":
        raise IllegalMove("O1", "You lead this trick: lay a formation, you cannot pass.")


def _follow(state: OndaState, seat: int, move: OndaFollow) -> Formation:
    """A formation that beats the table, if any. Refuses: as `_laid`, then O8. Rules: §5.1, §5.2."""
    formation = _laid(state, seat, move.cards, move.wild)
    _must_be_stronger(state, formation, state.high, "O8")
    return formation


def _turn_tide(state: OndaState, seat: int, move: OndaTurnTide) -> Formation:
    """A face-down card goes back to the hand, then a follow without a wild under the other tide.

    Refuses: O-blocked, O-face-down, O-formation, O-cards, O10. Rules: §6.4, O2, O10.
    """
    if state.blocked:
        raise IllegalMove("O-blocked", "The tide was turned in this trick: the status is Blocked.")
    _must_lie_face_down(state, seat, move.take)
    formation = formation_of(move.cards, None)
    if formation is None:
        raise _no_formation()
    if not holds(with_card(state.hands[seat], move.take), formation.need):
        raise _not_held()
    _must_be_stronger(state, formation, not state.high, "O10")
    return formation


def _bomb(state: OndaState, seat: int, move: OndaBomb) -> Formation:
    """The bomb's shape over any other shape, once in a trick.

    Refuses: O3, O-one-bomb, O4, as `_laid`, O-bomb. Rules: §7, O3, O4, O11.
    """
    lying, shape = table(state), BOMBS[state.bomb]
    if lying is None:
        raise IllegalMove("O3", "On an empty table the bomb's shape is an ordinary lead: follow with it.")
    if state.bomb_played:
        raise IllegalMove("O-one-bomb", "A bomb was played in this trick: no other may be.")
    if lying.shape == shape:
        raise IllegalMove("O4", "The bomb's own shape lies on the table: follow it with a stronger one.")
    formation = _laid(state, seat, move.cards, move.wild)
    if formation.shape != shape:
        raise IllegalMove("O-bomb", f"The current bomb is a {shape[0]} of {shape[1]}.")
    return formation


def _laid(state: OndaState, seat: int, cards: tuple[OndaCard, ...], wild: OndaWild | None) -> Formation:
    """What these cards make. Refuses: O9 (with a wild) or O-formation, O-cards, O-face-down. Rules: §4, §6.1, O9."""
    formation = formation_of(cards, None if wild is None else wild.stands_for)
    if formation is None:
        raise _no_formation() if wild is None else _no_formation_with_wild()
    if not holds(state.hands[seat], formation.need):
        raise _not_held()
    if wild is not None:
        _must_lie_face_down(state, seat, wild.card)
    return formation


def _must_lie_face_down(state: OndaState, seat: int, card: OndaCard) -> None:
    if not state.face_down[seat] & BIT[card]:
        raise IllegalMove("O-face-down", f"{card} does not lie face down in front of you.")


def _must_be_stronger(state: OndaState, formation: Formation, high: bool, rule: str) -> None:
    """Rules: §5.1, O8."""
    lying = table(state)
    if lying is None or stronger(lying, high) >> formation.index & 1:
        return
    wanted = "higher" if high else "lower"
    tide = "the tide" if rule == "O8" else "the turned tide"
    raise IllegalMove(
        rule, f"Under {tide} lay a {lying.kind} of {lying.size} with a number {wanted} than {lying.number}."
    )


def _no_formation() -> IllegalMove:
    return IllegalMove(
        "O-formation", "Lay one card, 2 to 4 consecutive numbers of one suit, or 2 to 4 cards of one number."
    )


def _no_formation_with_wild() -> IllegalMove:
    return IllegalMove(
        "O9", "With the card that the wild stands for, these cards make no single, sequence or set of at most 4."
    )


def _not_held() -> IllegalMove:
    return IllegalMove("O-cards", "You do not hold all of these cards.")
