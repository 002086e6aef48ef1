"""What does everybody see happen? One Struct for the data of each event type."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engines.kit.game import Event
from engines.wave.moves import CardId, Says
from engines.wave.scoring import WaveOutcome

Facing = Annotated[
    Literal["holder", "team"],
    Meta(
        description="`holder`: only the seat that holds the card sees its face; `team`: every other seat does. "
        "A spectator sees neither."
    ),
]
FaceCode = Annotated[
    str,
    Meta(
        pattern="^[wyortb][0-5]$",
        description="A face: suit letter (white, yellow, orange, red, turquoise, blue) and number.",
    ),
]


class WavePlayed(msgspec.Struct, frozen=True):
    """A card was laid on the discard pile. The event's `seat` is null when Silver played it."""

    card: CardId
    face: FaceCode
    reversed: Annotated[bool, Meta(description="Did the card turn the direction of play?")]


class WaveMisfit(msgspec.Struct, frozen=True):
    """A seat tried a card that it can't see; it does not fit and went back to its place, its face unseen."""

    card: CardId


class WaveDrew(msgspec.Struct, frozen=True):
    """A card was drawn. A seat's has `facing` and no `face`; Silver's, which lies open, has `face` and no `facing`."""

    card: CardId
    facing: Facing | UnsetType = UNSET
    face: FaceCode | UnsetType = UNSET


class WaveTurnedUp(msgspec.Struct, frozen=True):
    """One of Silver's face-down cards was turned up."""

    card: CardId
    face: FaceCode


class WaveProposed(msgspec.Struct, frozen=True):
    """A seat proposed a card for Silver to play."""

    card: CardId


class WaveTipped(msgspec.Struct, frozen=True):
    """A seat gave a tip. It is that seat's statement; nobody has checked it."""

    about: CardId
    says: Says
    mine: CardId | None


class WaveFinished(msgspec.Struct, frozen=True):
    """The match is over."""

    outcome: WaveOutcome


EVENTS: Mapping[str, type[msgspec.Struct]] = MappingProxyType(
    {
        "played": WavePlayed,
        "misfit": WaveMisfit,
        "drew": WaveDrew,
        "turned_up": WaveTurnedUp,
        "proposed": WaveProposed,
        "tipped": WaveTipped,
        "match_finished": WaveFinished,
    }
)


def finished(outcome: WaveOutcome) -> Event:
    """The last event of every match; it is nobody's doing."""
    return Event("match_finished", None, WaveFinished(outcome))
