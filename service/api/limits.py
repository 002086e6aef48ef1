"""What one address, or the holder of one token, may do at most: where it is judged at the door."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flask import Response, request

from service.api.requests import address
from service.crowd import Crowd
from service.table.errors import RateLimited
from service.table.limits import count_claim, count_creation
from service.table.table import Table

CROWDED_S = 5
"""When to try again where too many wait already."""

Admit = Callable[[], None]
"""Judges by the address, before the body is looked into. Raises `RateLimited`."""


def creating(table: Table) -> Admit:
    """The limit on setting up matches."""
    return lambda: count_creation(table, address())


def claiming(table: Table) -> Admit:
    """The limit on claiming seats."""
    return lambda: count_claim(table, address())


@contextmanager
def waiting(crowd: Crowd) -> Iterator[None]:
    """Around a long poll. Raises `RateLimited` where too many of this address wait already."""
    guest = address()
    _enter(crowd, guest)
    try:
        yield
    finally:
        crowd.leave(guest)


def stay(crowd: Crowd, open_stream: Callable[[], Response]) -> Response:
    """A stream, counted until it ends. Raises `RateLimited` where too many of this address wait already."""
    if request.method == "HEAD":  # nothing is streamed, and nobody would tell the end
        return open_stream()
    guest = address()
    _enter(crowd, guest)
    try:
        response = open_stream()
    except BaseException:
        crowd.leave(guest)
        raise
    response.call_on_close(lambda: crowd.leave(guest))
    return response


def _enter(crowd: Crowd, guest: str) -> None:
    if not crowd.enter(guest):
        raise RateLimited(
            "Too many requests of your address wait already. POST /v1/wait waits on many seats at once.",
            "connections",
            CROWDED_S,
        )
