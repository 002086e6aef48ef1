"""What can be chosen at creation, and where the bounds are."""

import msgspec
import pytest

from engines.kit.errors import InvalidOptions
from engines.onda import GAME


def options(**chosen):
    return msgspec.convert(chosen, GAME.options)


def test_the_defaults():
    assert msgspec.to_builtins(options()) == {"rounds": 4, "first_seat": 0}


@pytest.mark.parametrize("chosen", [{"rounds": 3}, {"rounds": 4}, {"first_seat": 4}])
def test_what_fits(chosen):
    GAME.check_options(options(**chosen), 5)


@pytest.mark.parametrize(
    "chosen",
    [
        {"rounds": 2},
        {"rounds": 5},
        {"rounds": "4"},
        {"rounds": None},
        {"rounds": True},
        {"first_seat": -1},
        {"first_seat": 5},
        {"first_seat": 0.5},
        {"tide": "low"},
    ],
)
def test_what_the_schema_refuses(chosen):
    with pytest.raises(msgspec.ValidationError):
        options(**chosen)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_first_seat_is_one_of_the_seats(seats):
    for first in range(seats):
        GAME.check_options(options(first_seat=first), seats)
    for first in range(seats, 5):
        with pytest.raises(InvalidOptions) as refused:
            GAME.check_options(options(first_seat=first), seats)
        assert refused.value.path == "$.options.first_seat"


@pytest.mark.parametrize("seats", [0, 1, 6])
def test_two_to_five_seats(seats):
    with pytest.raises(InvalidOptions) as refused:
        GAME.check_options(options(), seats)
    assert refused.value.path == "$.seats"
