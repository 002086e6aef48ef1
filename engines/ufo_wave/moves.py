"""The moves of UFO Wave on the wire. What is legal is decided in legal.py and check.py; here are only the shapes.

Scan cards are named by id, Plan cards and Species by key. Fields that the page shows as null may be left out.
"""

from typing import Annotated, Literal

import msgspec

CardId = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1, description="The id of an open Scan card")]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
CardKey = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$", max_length=40, description="The key of a card")]
CraftPair = Annotated[tuple[CardKey, ...], msgspec.Meta(min_length=2, max_length=2)]
Level = Literal["basic", "advanced"]


class _Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    pass


class UfoWaveTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a Power is aimed at. Which fields count depends on the Power and its level; the others are null.

    Protective Aura: `activity`. Paralysis, Terrorize: `seat`. Mind Control: `human` and `to_seat` (solo, Advanced:
    `to_seat` null, the discard pile). Dimensional Shift, Basic: `first` and `second`, in either order. The other
    Powers and Dimensional Shift, Advanced, have no target at all.
    """

    activity: CardId | None = None
    human: CardId | None = None
    seat: SeatNumber | None = None
    to_seat: SeatNumber | None = None
    first: CardId | None = None
    second: CardId | None = None


class UfoWaveChooseSpecies(_Move, frozen=True, tag="choose_species"):
    """Take one of the Species that nobody has. Rules: U1, U18."""

    species: CardKey


class UfoWaveDraw(_Move, frozen=True, tag="draw"):
    """Under Invasion Master Plan: draw the open top card of the Plan deck or the unseen bottom one. Rules: U29."""

    from_: Literal["top", "bottom"] = msgspec.field(name="from")


class UfoWavePlayPower(_Move, frozen=True, tag="play_power"):
    """Play a Power in your Preparation. `craft` null with `advanced` is the Species' own. Rules: R, U10, U24."""

    power: CardKey
    level: Level
    craft: CardKey | None = None
    target: UfoWaveTarget | None = None


class UfoWaveOrderScan(_Move, frozen=True, tag="order_scan"):
    """Put this card on the leftmost place of the row that is still to be set. Rules: U22."""

    card: CardId


class UfoWaveDismissHuman(_Move, frozen=True, tag="dismiss_human"):
    """Play two Craft of one type to discard a Human watching you. The Craft in either order. Rules: R, U11."""

    human: CardId
    craft: CraftPair


class UfoWaveEndPreparation(_Move, frozen=True, tag="end_preparation"):
    """Go on to the Action Phase."""


class UfoWavePerform(_Move, frozen=True, tag="perform"):
    """Perform an Activity of the row. Rules: R, U3, U26."""

    activity: CardId


class UfoWaveLead(_Move, frozen=True, tag="lead"):
    """Lead a Human of the row to any seat, your own included. Rules: R, U4."""

    human: CardId
    to_seat: SeatNumber


class UfoWaveEndAction(_Move, frozen=True, tag="end_action"):
    """Take no more in this Action Phase; legal after the first take. Rules: U26."""


class UfoWaveDiscard(_Move, frozen=True, tag="discard"):
    """Discard this Plan card, because a card, a Power or the hand limit demands it."""

    card: CardKey


class UfoWaveDiscardHuman(_Move, frozen=True, tag="discard_human"):
    """Discard this Human watching you, because an Event demands it."""

    human: CardId


class UfoWaveAllow(_Move, frozen=True, tag="allow"):
    """Let the Power that is being played have its effect. Rules: U13."""


class UfoWaveCounter(_Move, frozen=True, tag="counter"):
    """Counter the Power that is being played; hidden until all have answered. Rules: R, U12, U13."""

    level: Level
    craft: CardKey | None = None


class UfoWaveSetReactions(_Move, frozen=True, tag="set_reactions"):
    """At any time: whether you want to be asked about Powers. False allows every one at once. Rules: U13."""

    ask: bool


UfoWaveMove = (
    UfoWaveChooseSpecies
    | UfoWaveDraw
    | UfoWavePlayPower
    | UfoWaveOrderScan
    | UfoWaveDismissHuman
    | UfoWaveEndPreparation
    | UfoWavePerform
    | UfoWaveLead
    | UfoWaveEndAction
    | UfoWaveDiscard
    | UfoWaveDiscardHuman
    | UfoWaveAllow
    | UfoWaveCounter
    | UfoWaveSetReactions
)

MOVES: tuple[type[msgspec.Struct], ...] = (
    UfoWaveChooseSpecies,
    UfoWaveDraw,
    UfoWavePlayPower,
    UfoWaveOrderScan,
    UfoWaveDismissHuman,
    UfoWaveEndPreparation,
    UfoWavePerform,
    UfoWaveLead,
    UfoWaveEndAction,
    UfoWaveDiscard,
    UfoWaveDiscardHuman,
    UfoWaveAllow,
    UfoWaveCounter,
    UfoWaveSetReactions,
)
"""All of them, in the order in which `legal-moves` lists them."""
