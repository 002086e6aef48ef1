"""How a match of Onda can be set up. Rules: RULES.md §2.1, O15."""

from typing import Annotated

import msgspec

from engines.kit.errors import InvalidOptions

MIN_SEATS = 2
MAX_SEATS = 5
MAX_ROUNDS = 4


class OndaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a match of Onda. Rules: §2.1."""

    rounds: Annotated[
        int, msgspec.Meta(ge=3, le=MAX_ROUNDS, description="3 rounds for a short match, 4 for a long one.")
    ] = MAX_ROUNDS
    first_seat: Annotated[
        int,
        msgspec.Meta(ge=0, le=MAX_SEATS - 1, description="The seat that starts round 1; below the number of seats."),
    ] = 0


def check_options(options: OndaOptions, seats: int) -> None:
    """Raises InvalidOptions: too few or too many seats, then a first seat not at the table. Rules: §2.1, O15."""
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise InvalidOptions("$.seats", f"Onda is for {MIN_SEATS} to {MAX_SEATS} seats.")
    if options.first_seat >= seats:
        raise InvalidOptions("$.options.first_seat", f"With {seats} seats the first seat is 0 to {seats - 1}.")
