"""What may be chosen when a match is created, and which of it fits how many seats."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from engines.kit.errors import InvalidOptions
from engines.ufo_wave.card_set import HAND, LONGEST_SET, CardSetError, UfoWaveCardSet, verify
from engines.ufo_wave.cards import Cards, cards_of

Mode = Literal["standard", "covert", "equal", "solo"]
CardSetKey = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$", max_length=40)]


class UfoWaveOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`standard`, `covert` (hidden Species) and `equal` (none) are for 2 to 6 seats, `solo` for one."""

    mode: Mode = "standard"
    card_set: Annotated[CardSetKey, msgspec.Meta(description="The key of a card set of this server")] = "house"
    first_seat: Annotated[int, msgspec.Meta(ge=0, le=5, description="Who begins; below the number of seats")] = 0
    cards: Annotated[
        str,
        msgspec.Meta(
            max_length=LONGEST_SET,
            description="Leave it out when creating. The replay shows the whole card set here, as it was when the "
            "match was created, so that the match can be played again for ever; empty for the house set",
        ),
    ] = ""


def check(options: UfoWaveOptions, seats: int, sets: Mapping[str, Cards]) -> None:
    """Whether a match can be created like this. Raises `InvalidOptions`: mode, first seat, card set, its size."""
    solo = options.mode == "solo"
    if solo and seats != 1:
        raise InvalidOptions("$.options.mode", "Solo is for one seat; choose another mode for more.")
    if not solo and not 2 <= seats <= 6:
        raise InvalidOptions("$.options.mode", f"The mode {options.mode} is for 2 to 6 seats; one seat plays solo.")
    if options.first_seat >= seats:
        raise InvalidOptions("$.options.first_seat", f"There is no seat {options.first_seat} among {seats}.")
    if options.cards:
        raise InvalidOptions("$.options.cards", "This field is filled in by the server: name a card set instead.")
    cards = sets.get(options.card_set)
    if cards is None:
        known = ", ".join(sets)
        raise InvalidOptions("$.options.card_set", f"This server has no such card set; it has: {known}.")
    _check_size(cards, options.mode, seats)


def _check_size(cards: Cards, mode: Mode, seats: int) -> None:
    if mode == "solo":
        if len(cards.solo_deck) <= HAND:
            raise InvalidOptions("$.options.card_set", "This card set has too few Plan cards for solo.")
        return
    if seats > cards.most_seats:
        raise InvalidOptions(
            "$.options.card_set", f"This card set has Plan cards for {cards.most_seats} seats at most."
        )
    if mode != "equal" and len(cards.species) < seats:
        raise InvalidOptions("$.options.card_set", f"This card set has {len(cards.species)} Species: choose equal.")


def settled(options: UfoWaveOptions, sets: Mapping[str, Cards]) -> UfoWaveOptions:
    """The options as the match keeps them: complete in themselves, whatever becomes of the server's card sets."""
    return msgspec.structs.replace(options, cards=sets[options.card_set].stored)


def chosen_cards(options: UfoWaveOptions, sets: Mapping[str, Cards]) -> Cards:
    """The tables of the chosen set: what the options carry, else what the server has under this key.

    Raises `InvalidOptions` if the options carry what is no card set; a replay from elsewhere can.
    """
    if not options.cards:
        return sets[options.card_set]
    try:
        verify(msgspec.json.decode(options.cards, type=UfoWaveCardSet), "the options")
    except (msgspec.DecodeError, CardSetError) as error:
        raise InvalidOptions("$.options.cards", f"This is no card set: {error}") from error
    return cards_of(options.cards)
