"""The moves of Onda, as players send them and as legal moves list them. Rules: RULES.md §3 to §7."""

from typing import Annotated

import msgspec

from engines.onda.cards import OndaCard

LaidCards = Annotated[
    tuple[OndaCard, ...],
    msgspec.Meta(max_length=15, description="Cards from the hand, in any order; the wild is not among them."),
]


class OndaWild(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of one's face-down cards, and the card that it stands for.

    In a single or a set the suit of `as` makes no difference: both are accepted, `g` is shown.
    """

    card: Annotated[OndaCard, msgspec.Meta(description="The face-down card that is used; nobody else learns it.")]
    stands_for: Annotated[OndaCard, msgspec.Meta(description="The card that it stands for, which everybody sees.")] = (
        msgspec.field(name="as")
    )


class OndaSetAside(msgspec.Struct, frozen=True, tag="set_aside", tag_field="type", forbid_unknown_fields=True):
    """Put two cards of the hand face down in front of oneself. All seats do it at once."""

    cards: Annotated[
        tuple[OndaCard, ...], msgspec.Meta(min_length=2, max_length=2, description="Any two cards of the hand.")
    ]


class OndaKeepBomb(msgspec.Struct, frozen=True, tag="keep_bomb", tag_field="type", forbid_unknown_fields=True):
    """Leave the current bomb as it is (the starting seat, from round 2 on)."""


class OndaSkipBomb(msgspec.Struct, frozen=True, tag="skip_bomb", tag_field="type", forbid_unknown_fields=True):
    """Move on to the next bomb (the starting seat, from round 2 on)."""


class OndaFollow(msgspec.Struct, frozen=True, tag="follow", tag_field="type", forbid_unknown_fields=True):
    """Lay a formation: any on an empty table, else the same kind and size, and stronger."""

    cards: LaidCards
    wild: OndaWild | None = None


class OndaTurnTide(msgspec.Struct, frozen=True, tag="turn_tide", tag_field="type", forbid_unknown_fields=True):
    """Take a face-down card back, flip the tide, block the status and follow under the new tide, without a wild."""

    take: Annotated[OndaCard, msgspec.Meta(description="The face-down card that goes back to the hand.")]
    cards: LaidCards


class OndaBomb(msgspec.Struct, frozen=True, tag="bomb", tag_field="type", forbid_unknown_fields=True):
    """Lay a formation of the current bomb's shape over any other shape, once in a trick."""

    cards: LaidCards
    wild: OndaWild | None = None


class OndaPass(msgspec.Struct, frozen=True, tag="pass", tag_field="type", forbid_unknown_fields=True):
    """Leave this trick."""


OndaLay = OndaFollow | OndaTurnTide | OndaBomb
"""The moves that lay a formation."""

OndaMove = OndaSetAside | OndaKeepBomb | OndaSkipBomb | OndaFollow | OndaTurnTide | OndaBomb | OndaPass

MOVES = (OndaSetAside, OndaKeepBomb, OndaSkipBomb, OndaFollow, OndaTurnTide, OndaBomb, OndaPass)
"""The move types in the order in which legal moves list them."""
