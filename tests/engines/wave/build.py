"""Positions of Wave written down by their cards, for tests that need a certain one."""

from collections.abc import Sequence
from typing import Any

import msgspec

from engines.kit.errors import IllegalMove, NotYourTurn
from engines.kit.game import Step
from engines.wave import GAME
from engines.wave.cards import CODES
from engines.wave.moves import Says, WaveMove, WavePlay, WaveProposeSilver, WaveTip
from engines.wave.options import WaveOptions
from engines.wave.state import WaveHand, WaveSilver, WaveState


class StackedDeck:
    """In place of a Chance: cards come in this order, then the others in catalogue order."""

    def __init__(self, order: str) -> None:
        self.first = order.split()

    def shuffle(self, label: str, cards: Sequence[int]) -> tuple[int, ...]:
        assert label == "deck"
        first = [CODES.index(code) for code in self.first]
        return tuple(reversed([*first, *(card for card in cards if card not in first)]))


def dealt(order: str, seats: int, **options: Any) -> Step:
    """A match at version 0, its deck stacked: first the starting discard, then three to each seat, two to each..."""
    return GAME.setup(WaveOptions(**options), seats, StackedDeck(order))  # stands in for one


def position(
    top: str,
    *hands: str,
    silver: str | None = None,
    pile: str = "",
    turn: int = 0,
    clockwise: bool = True,
    strict: bool = False,
    tips_per_turn: int = 20,
) -> WaveState:
    """A position in the midst of a match. All cards that are not named lie under the top card.

    A hand is "r3 t1 | b2": the cards that face its holder, then those that face the team. Silver is "y1 y2 | o3":
    face up, then face down. `pile` has the next card first. `turn` 2 with two seats is Silver's.
    """
    split = [_halves(hand) for hand in hands]
    up, down = _halves(silver or "")
    held = [code for seen, _ in split for code in seen] + [code for _, unseen in split for code in unseen]
    after = [*held, *down, *up, *pile.split()]
    assert len(set(after)) == len(after), "a card is named twice"
    under = [code for code in CODES if code not in (top, *after)]
    order = [*under, top, *after]
    ids = {code: n for n, code in enumerate(order, start=1)}
    return WaveState(
        strict=strict,
        tips_per_turn=tips_per_turn,
        deck=bytes(CODES.index(code) for code in order),
        drawn=len(order) - len(pile.split()),
        discard=tuple(range(1, len(under) + 2)),
        clockwise=clockwise,
        turn=turn,
        hands=tuple(WaveHand(_ids(ids, seen), _ids(ids, unseen)) for seen, unseen in split),
        silver=None if silver is None else WaveSilver(_ids(ids, up), _ids(ids, down)),
        misfits=(),
        tips=(),
        told=(0,) * len(hands),
        version=0,
    )


def card(state: WaveState, code: str) -> int:
    """The id of the card with this face."""
    return state.deck.index(CODES.index(code)) + 1


def play(state: WaveState, seat: int, code: str) -> Step:
    """The seat plays this card."""
    return GAME.apply(state, seat, WavePlay(card(state, code)))


def propose(state: WaveState, seat: int, code: str) -> Step:
    """The seat proposes this card for Silver."""
    return GAME.apply(state, seat, WaveProposeSilver(card(state, code)))


def tip(state: WaveState, seat: int, about: str, says: Says = "should_play", mine: str | None = None) -> Step:
    """The seat says this of a card."""
    return GAME.apply(state, seat, WaveTip(card(state, about), says, None if mine is None else card(state, mine)))


def refusal(state: WaveState, seat: int, move: WaveMove) -> str | None:
    """The rule that refuses the move, `not_your_turn`, or None."""
    try:
        GAME.check(state, seat, move)
    except NotYourTurn:
        return "not_your_turn"
    except IllegalMove as error:
        return error.rule
    return None


def offered(state: WaveState, seat: int) -> list[str]:
    """The faces of the cards that the seat is offered, in the order of the list."""
    return [CODES[state.deck[move.card - 1]] for move in GAME.legal_moves(state, seat)]


def told(step: Step) -> list[tuple[str, int | None, Any]]:
    """What everybody saw: type, seat, data as JSON."""
    return [(event.type, event.seat, as_json(event.data)) for event in step.events]


def kinds(step: Step) -> list[str]:
    """The types of the events."""
    return [event.type for event in step.events]


def as_json(thing: Any) -> Any:
    """As a client gets it."""
    return msgspec.json.decode(msgspec.json.encode(thing))


def faces_seen(state: WaveState, viewer: int | None, seat: int) -> list[str | None]:
    """What a viewer sees of a seat's hand."""
    return [shown.face for shown in GAME.view_for(state, viewer).hands[seat].cards]


def _halves(cards: str) -> tuple[list[str], list[str]]:
    first, _, second = cards.partition("|")
    return first.split(), second.split()


def _ids(ids: dict[str, int], codes: list[str]) -> tuple[int, ...]:
    return tuple(ids[code] for code in codes)
