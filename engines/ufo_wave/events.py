"""The public facts of UFO Wave: for each event type the shape of its `data`."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from engines.ufo_wave.cards import UfoWaveScanCard
from engines.ufo_wave.moves import Level, UfoWaveTarget
from engines.ufo_wave.scoring import UfoWaveOutcome

Row = Annotated[
    tuple[UfoWaveScanCard | None, ...], msgspec.Meta(description="The row, left to right; null is a gap not filled yet")
]
Ids = tuple[int, ...]


class UfoWaveSpeciesChosen(msgspec.Struct, frozen=True):
    """The seat has taken this Species."""

    species: str


class UfoWaveRowDealt(msgspec.Struct, frozen=True):
    """The first row lies open."""

    scan: Row


class UfoWaveDrew(msgspec.Struct, frozen=True):
    """The seat drew Plan cards; `card` only where it lay face up."""

    count: int
    card: str | None


class UfoWavePowerPlayed(msgspec.Struct, frozen=True):
    """The seat plays a Power, which may now be countered."""

    power: str
    level: Level
    craft: str | None
    target: UfoWaveTarget | None


class UfoWaveAnswered(msgspec.Struct, frozen=True):
    """The seat has answered the Power; what it answered is hidden until the window closes."""


class UfoWaveWindowClosed(msgspec.Struct, frozen=True):
    """All have answered. All null: allowed. Else the seat that countered, and with what."""

    countered_by: int | None
    level: Level | None
    craft: str | None


class UfoWaveHumanDismissed(msgspec.Struct, frozen=True):
    """The seat played a pair of Craft to discard a Human watching it."""

    human: int
    craft: tuple[str, ...]


class UfoWavePerformed(msgspec.Struct, frozen=True):
    """The seat took the Activity `card`, and these Humans and Energy beside it, left before right."""

    card: int
    humans: Ids
    energy: Ids


class UfoWaveLed(msgspec.Struct, frozen=True):
    """The seat led a Human to `to_seat` and took this Energy beside it, left before right."""

    human: int
    to_seat: int
    energy: Ids


class UfoWaveMovedHuman(msgspec.Struct, frozen=True):
    """A Human came in front of `to_seat` (null: the discard pile) from `from_seat` (null: the row)."""

    human: int
    from_seat: int | None
    to_seat: int | None
    scan: Row


class UfoWaveScanChanged(msgspec.Struct, frozen=True):
    """The row lies otherwise now."""

    scan: Row


class UfoWaveTurnedUp(msgspec.Struct, frozen=True):
    """The top card of the Scan deck; it lies in the leftmost gap unless it is an Event."""

    card: UfoWaveScanCard


class UfoWaveEventHappened(msgspec.Struct, frozen=True):
    """An Event takes effect and is discarded."""

    key: str


class UfoWaveDiscarded(msgspec.Struct, frozen=True):
    """The seat discarded this Plan card."""

    card: str


class UfoWaveHumanDiscarded(msgspec.Struct, frozen=True):
    """The seat discarded this Human that was watching it."""

    human: int


class UfoWaveReactionsSet(msgspec.Struct, frozen=True):
    """Whether the seat wants to be asked about Powers from now on."""

    ask: bool


class UfoWavePhaseBegun(msgspec.Struct, frozen=True):
    """A phase of the turn of `active` begins."""

    active: int
    phase: Literal["species", "draw", "preparation", "action", "discard"]


class UfoWaveMatchFinished(msgspec.Struct, frozen=True):
    """The end, with the score."""

    outcome: UfoWaveOutcome


EVENTS: Mapping[str, type[msgspec.Struct]] = {
    "species_chosen": UfoWaveSpeciesChosen,
    "row_dealt": UfoWaveRowDealt,
    "drew": UfoWaveDrew,
    "power_played": UfoWavePowerPlayed,
    "answered": UfoWaveAnswered,
    "window_closed": UfoWaveWindowClosed,
    "human_dismissed": UfoWaveHumanDismissed,
    "performed": UfoWavePerformed,
    "led": UfoWaveLed,
    "moved_human": UfoWaveMovedHuman,
    "scan_changed": UfoWaveScanChanged,
    "turned_up": UfoWaveTurnedUp,
    "event": UfoWaveEventHappened,
    "discarded": UfoWaveDiscarded,
    "human_discarded": UfoWaveHumanDiscarded,
    "reactions_set": UfoWaveReactionsSet,
    "phase": UfoWavePhaseBegun,
    "match_finished": UfoWaveMatchFinished,
}
