"""What can be chosen when a match of Onda is created. Rules: RULES.md §2.1, O15."""

from typing import Annotated

import msgspec

from engines.kit.errors import InvalidOptions

MAX_ROUNDS = 4


class OndaOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Onda."""

    rounds: Annotated[
        int, msgspec.Meta(ge=3, le=MAX_ROUNDS, description="3 rounds for a short game, 4 for a long one.")
    ] = 4
    first_seat: Annotated[
        int, msgspec.Meta(ge=0, le=4, description="The seat that starts round 1; below the number of seats.")
    ] = 0


def check_options(options: OndaOptions, seats: int) -> None:
    """Raises InvalidOptions if `first_seat` is not one of the seats."""
    if options.first_seat >= seats:
        raise InvalidOptions("$.options.first_seat", f"The first seat must be from 0 to {seats - 1}.")
