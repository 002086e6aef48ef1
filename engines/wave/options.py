"""How can a match of Wave be set up?"""

from typing import Annotated

import msgspec
from msgspec import Meta

from engines.kit.errors import InvalidOptions

MIN_SEATS = 2
MAX_SEATS = 4


class WaveOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a match of Wave. Rules: §2.5."""

    strict: Annotated[
        bool, Meta(description="A card that its holder played unseen and that does not fit ends the match at once.")
    ] = False
    first_seat: Annotated[
        int, Meta(ge=0, le=MAX_SEATS - 1, description="The seat that begins; below the number of seats.")
    ] = 0
    tips_per_turn: Annotated[
        int,
        Meta(ge=0, le=20, description="How many tips a seat may give until the next card lies on the discard pile."),
    ] = 20


def check_options(options: WaveOptions, seats: int) -> None:
    """Raises InvalidOptions: too few or too many seats, then a first seat that is not at the table. Rules: §2.1, W8."""
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise InvalidOptions("$.seats", f"Wave is for {MIN_SEATS} to {MAX_SEATS} seats.")
    if options.first_seat >= seats:
        raise InvalidOptions("$.options.first_seat", f"With {seats} seats the first seat is 0 to {seats - 1}.")
