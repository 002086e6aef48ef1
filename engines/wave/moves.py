"""What can a seat say to the table?"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

CardId = Annotated[
    int,
    Meta(
        ge=0,
        le=2**31 - 1,
        description="A physical card: the running number in which cards left the pile, the starting discard being 1. "
        "It says nothing about the face.",
    ),
]

Says = Literal[
    "can_play", "cannot_play", "should_play", "should_not_play", "if_played_i_can", "if_played_i_cannot"
]  # fmt: skip

SAYS: tuple[Says, ...] = (
    "can_play",
    "cannot_play",
    "should_play",
    "should_not_play",
    "if_played_i_can",
    "if_played_i_cannot",
)
"""The whole vocabulary of tips; a state keeps an index into it. Rules: §6.2."""

SAYS_WITH_MINE = frozenset({"if_played_i_can", "if_played_i_cannot"})
"""The sentences that speak of a second card, the teller's own."""


class WavePlay(msgspec.Struct, frozen=True, tag="play", tag_field="type", forbid_unknown_fields=True):
    """Play a card of your hand, whether you see its face or not."""

    card: CardId


class WaveProposeSilver(
    msgspec.Struct, frozen=True, tag="propose_silver", tag_field="type", forbid_unknown_fields=True
):
    """On Silver's turn: propose which of his face-up cards he plays. He plays the one that both seats propose."""

    card: CardId


class WaveTip(msgspec.Struct, frozen=True, tag="tip", tag_field="type", forbid_unknown_fields=True):
    """Tell everyone something about a card, at any time. Nobody checks whether it is true."""

    about: Annotated[CardId, Meta(description="A card in any hand, one's own too, or face up with Silver.")]
    says: Annotated[
        Says,
        Meta(description="What is said of the card `about`; the two `if_played_` sentences say it of `mine`."),
    ]
    mine: Annotated[
        CardId | None,
        Meta(description="A card in the teller's hand, with `if_played_i_can` and `if_played_i_cannot`; else null."),
    ] = None


WaveMove = WavePlay | WaveProposeSilver | WaveTip
