"""How often things may be done: counted in the store, for all processes together, in windows that open with the first.

What is counted, and for whom, stands in docs/security.md. A count of 0 in `Limits` turns that limit off.
"""

from typing import TYPE_CHECKING

import msgspec

from service.table.errors import RateLimited
from service.whence import block

if TYPE_CHECKING:
    from service.table.table import Table

WINDOW_S = 60


class Limits(msgspec.Struct, frozen=True):
    """How many a minute: matches created, seats claimed and bots seated from one address, changes of a seat by one
    token, wrong join codes for one match from one address."""

    creates: int = 0
    claims: int = 0
    bots: int = 0
    seat_changes: int = 0
    join_codes: int = 10


def count_creation(table: "Table", address: str) -> None:
    """One more match is asked for from this address. Raises `RateLimited`; `StoreUnavailable`."""
    _count(
        table,
        table.limits.creates,
        "create",
        f"create:{block(address)}",
        "Too many matches are set up from your address.",
    )


def count_claim(table: "Table", address: str) -> None:
    """One more seat is asked for from this address. Raises `RateLimited`; `StoreUnavailable`."""
    _count(
        table, table.limits.claims, "claim", f"claim:{block(address)}", "Too many seats are claimed from your address."
    )


def count_bot(table: "Table", address: str) -> None:
    """One more bot is to play: work for the workers, on whom all clocks wait.

    Raises `RateLimited`; `StoreUnavailable`.
    """
    _count(table, table.limits.bots, "bot", f"bot:{block(address)}", "Too many bots are seated from your address.")


def count_change(table: "Table", match: str, seat: int | None) -> None:
    """One more change of who sits where, by a seat's own token or (None) the host's.

    Raises `RateLimited`; `StoreUnavailable`.
    """
    whose = "host" if seat is None else seat
    sentence = "Your token changes who sits here too often."
    _count(table, table.limits.seat_changes, "seat", f"seat:{{{match}}}:{whose}", sentence)


def _count(table: "Table", most: int, limit: str, key: str, sentence: str) -> None:
    if not most:
        return
    count, wait_s = table.store.tries(key, WINDOW_S, 1)
    if count > most:
        raise RateLimited(f"{sentence} Try again in {wait_s} s.", limit, wait_s)


def count_guess(table: "Table", match: str, address: str, right: bool) -> None:
    """A join code was tried. Wrong ones are counted, right ones are not, and none counts when too many were wrong.

    The store orders what comes at once: one step for each, so the right code passes only if fewer than
    `Limits.join_codes` wrong ones came before it, however many are tried side by side.

    Raises `RateLimited`; `StoreUnavailable`.
    """
    most = table.limits.join_codes
    count, wait_s = table.store.tries(f"{{{match}}}:{block(address)}", WINDOW_S, 0 if right else 1)
    if count > most or (right and count == most):
        raise RateLimited(f"Too many wrong join codes. Try again in {wait_s} s.", "join_code", wait_s)
