"""What may a viewer know? Everything here is listed because it is shown; nothing is a copy with holes."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engines.kit.game import Viewer
from engines.wave.cards import CODES
from engines.wave.events import FaceCode, Facing
from engines.wave.moves import SAYS, CardId, Says
from engines.wave.state import WaveHand, WaveState

Direction = Literal["clockwise", "counterclockwise"]


class WaveOpenCard(msgspec.Struct, frozen=True):
    """A card whose face everyone sees."""

    card: CardId
    face: FaceCode


class WaveHandCard(msgspec.Struct, frozen=True):
    """A card in a hand. `face` is null where the viewer may not see it."""

    card: CardId
    facing: Facing
    face: FaceCode | None


class WaveHandView(msgspec.Struct, frozen=True):
    """The hand of a seat, in the order in which the cards came."""

    seat: int
    cards: list[WaveHandCard]


class WaveTurn(msgspec.Struct, frozen=True):
    """Whose turn it is: either `seat`, or `silver` with the value true; the other is left out."""

    seat: int | UnsetType = UNSET
    silver: bool | UnsetType = UNSET


class WaveSilverView(msgspec.Struct, frozen=True):
    """Silver's cards, and what is proposed for his turn."""

    face_up: Annotated[list[WaveOpenCard], Meta(description="In the order in which they came to lie face up.")]
    face_down: Annotated[int, Meta(description="How many of his cards lie face down.")]
    face_down_faces: Annotated[
        list[FaceCode] | None,
        Meta(description="Null until the match is finished; then the faces, the next to be turned up first."),
    ]
    proposals: Annotated[
        dict[str, CardId | None],
        Meta(
            description="By seat, `0` and `1`: the card that it proposes for Silver's present turn, null without one."
        ),
    ]


class WaveTipView(msgspec.Struct, frozen=True):
    """A tip: the statement of a seat, true or not."""

    seat: int
    about: CardId
    says: Says
    mine: CardId | None
    version: Annotated[int, Meta(description="The version of the match that this tip made.")]


class WaveView(msgspec.Struct, frozen=True):
    """A position of Wave as one viewer may know it."""

    viewer: Annotated[int | None, Meta(description="The seat that looks, null for a spectator.")]
    top: WaveOpenCard
    discard: Annotated[list[FaceCode], Meta(description="Oldest first; the last is the top.")]
    draw_pile: Annotated[int, Meta(description="How many cards it has left.")]
    direction: Direction
    turn: Annotated[WaveTurn | None, Meta(description="Null when the match is over.")]
    hands: Annotated[list[WaveHandView], Meta(description="By seat.")]
    silver: Annotated[WaveSilverView | None, Meta(description="With two seats, else null.")]
    misfits: Annotated[
        list[CardId],
        Meta(description="Cards that were tried on the present top card and do not fit, in the order of trying."),
    ]
    tips: Annotated[
        list[WaveTipView],
        Meta(description="Those whose cards are all still in hands or with Silver, oldest first."),
    ]
    remaining: Annotated[int, Meta(description="All cards that are not on the discard pile.")]


_SILVERS_TURN = WaveTurn(silver=True)


def view_for(state: WaveState, viewer: Viewer) -> WaveView:
    """All that the viewer may know. Rules: §3.2, §3.3, W4, W10; a finished match shows every face to everyone."""
    over = state.termination is not None
    deck, discard = state.deck, state.discard
    return WaveView(
        viewer,
        WaveOpenCard(discard[-1], CODES[state.top]),
        [CODES[deck[card - 1]] for card in discard],
        state.pile,
        "clockwise" if state.clockwise else "counterclockwise",
        _turn(state),
        [
            WaveHandView(
                seat,
                _cards(
                    deck,
                    hand,
                    holder_shown=over or viewer == seat,
                    team_shown=over or (viewer is not None and viewer != seat),
                ),
            )
            for seat, hand in enumerate(state.hands)
        ],
        _silver(state, over),
        list(state.misfits),
        [WaveTipView(tip.seat, tip.about, SAYS[tip.says], tip.mine, tip.version) for tip in state.tips],
        state.remaining,
    )


def _turn(state: WaveState) -> WaveTurn | None:
    if state.termination is not None:
        return None
    return _SILVERS_TURN if state.silver_turn else WaveTurn(state.turn)


def _cards(deck: bytes, hand: WaveHand, *, holder_shown: bool, team_shown: bool) -> list[WaveHandCard]:
    """One hand: a face where that side of it is shown to the viewer, else null. Rules: §3.2, W4."""
    cards = [WaveHandCard(card, "holder", CODES[deck[card - 1]] if holder_shown else None) for card in hand.holder]
    cards += [WaveHandCard(card, "team", CODES[deck[card - 1]] if team_shown else None) for card in hand.team]
    cards.sort(key=_id)
    return cards


def _id(card: WaveHandCard) -> int:
    return card.card


def _silver(state: WaveState, over: bool) -> WaveSilverView | None:
    """Silver as everyone sees him: nobody knows his face-down cards before the end. Rules: §7.2, W10."""
    silver, deck = state.silver, state.deck
    if silver is None:
        return None
    return WaveSilverView(
        [WaveOpenCard(card, CODES[deck[card - 1]]) for card in silver.face_up],
        len(silver.face_down),
        [CODES[deck[card - 1]] for card in silver.face_down] if over else None,
        {"0": silver.proposals[0], "1": silver.proposals[1]},
    )
