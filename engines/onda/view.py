"""What a seat or a spectator may know, listed by what is shown. Rules: RULES.md §10.2; O6, O7, O17.

One's own hand, face-down cards and used wilds are one's own; of the others only numbers of cards are public, the
cards known from turning the tide, and everything that was laid (a wild as what it stands for).
"""

from typing import Annotated, Literal

import msgspec

from engines.onda.cards import OndaCard, codes
from engines.onda.formations import BOMB_LETTERS, FORMATIONS, BombLetter, Kind
from engines.onda.options import MAX_SEATS
from engines.onda.state import OndaState, Phase, Tide, laid, tide

Cards = Annotated[tuple[OndaCard, ...], msgspec.Meta(description="By number, green before blue.")]
WildAs = Annotated[OndaCard | None, msgspec.Meta(description="The card that the wild among them stands for.")]
OwnCards = Annotated[Cards | None, msgspec.Meta(description="The viewer's own; null for a spectator.")]


class OndaTableView(msgspec.Struct, frozen=True):
    """The formation to beat."""

    seat: int
    kind: Kind
    size: int
    number: Annotated[int, msgspec.Meta(description="The lowest number, the wild's included.")]
    cards: Cards
    wild_as: WildAs
    bomb: Annotated[bool, msgspec.Meta(description="Whether it was laid as a bomb.")]


class OndaSeatView(msgspec.Struct, frozen=True):
    """What everybody knows of a seat."""

    seat: int
    points: int
    went_out: Annotated[int, msgspec.Meta(description="How many rounds it went out in.")]
    hand_size: int
    face_down: Annotated[int, msgspec.Meta(description="How many cards lie face down in front of it.")]
    in_trick: Annotated[bool, msgspec.Meta(description="False once it has passed in this trick.")]
    has_set_aside: Annotated[bool, msgspec.Meta(description="Whether it has put its two cards face down.")]
    known: Annotated[tuple[OndaCard, ...], msgspec.Meta(description="Cards of its hand that everybody has seen.")]


class OndaPlayedView(msgspec.Struct, frozen=True):
    """Something that was laid in this round."""

    seat: int
    cards: Cards
    wild_as: WildAs


class OndaView(msgspec.Struct, frozen=True):
    """All that one viewer may know of a position."""

    viewer: int | None
    phase: Phase
    round: int
    rounds: int
    tide: Tide
    status: Literal["allowed", "blocked"]
    bomb: BombLetter
    bomb_played: Annotated[bool, msgspec.Meta(description="In the current trick.")]
    leader: Annotated[int, msgspec.Meta(description="Leads the current trick; before the first the starting seat.")]
    table: OndaTableView | None
    seats: tuple[OndaSeatView, ...]
    hand: OwnCards
    face_down: OwnCards
    wilds_used: Annotated[Cards | None, msgspec.Meta(description="The real faces of the viewer's wilds of this round.")]
    played: Annotated[tuple[OndaPlayedView, ...], msgspec.Meta(description="All laid in this round, oldest first.")]


_PLAYED = tuple(
    OndaPlayedView(seat, formation.cards, formation.wild_as) for formation in FORMATIONS for seat in range(MAX_SEATS)
)
"""By `Lay`: every one that there can be."""


def view_for(state: OndaState, viewer: int | None) -> OndaView:
    """The position as this seat, or a spectator (None), may see it. Rules: §10.2."""
    return OndaView(
        viewer=viewer,
        phase=state.phase,
        round=state.round,
        rounds=state.rounds,
        tide=tide(state.high),
        status="blocked" if state.blocked else "allowed",
        bomb=BOMB_LETTERS[state.bomb],
        bomb_played=state.bomb_played,
        leader=state.leader,
        table=_table(state),
        seats=_seats(state),
        hand=None if viewer is None else codes(state.hands[viewer]),
        face_down=None if viewer is None else codes(state.face_down[viewer]),
        wilds_used=None if viewer is None else codes(state.wilds_used[viewer]),
        played=tuple([_PLAYED[lay] for lay in state.played]),
    )


def _table(state: OndaState) -> OndaTableView | None:
    if state.on_table == "nothing":
        return None
    seat, formation = laid(state.played[-1])
    return OndaTableView(
        seat,
        formation.kind,
        formation.size,
        formation.number,
        formation.cards,
        formation.wild_as,
        state.on_table == "bomb",
    )


def _seats(state: OndaState) -> tuple[OndaSeatView, ...]:
    # Once all have set two cards aside it stays so, even when both are used up.
    all_set_aside = state.phase in ("trick", "over")
    return tuple(
        [
            OndaSeatView(
                seat,
                state.points[seat],
                state.went_out[seat],
                hand.bit_count(),
                state.face_down[seat].bit_count(),
                not state.passed >> seat & 1,
                all_set_aside or state.face_down[seat] != 0,
                codes(state.known[seat]),
            )
            for seat, hand in enumerate(state.hands)
        ]
    )
