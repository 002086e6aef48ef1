"""Setting up a match: options, the commitment to its deal, the host's token."""

from typing import Any

import msgspec

from engines.kit.chance import SECRET_BYTES
from engines.kit.game import Game
from service.table import addresses
from service.table.change import ATTEMPTS, Change, back_off
from service.table.clock import Clock
from service.table.edge import token_hash
from service.table.errors import Busy, IdempotencyMismatch, Invalid
from service.table.records import (
    Head,
    Hook,
    LegalMovesPolicy,
    Live,
    OnAbsent,
    Record,
    Seat,
    Spectators,
    Visibility,
    read_record,
    seal,
    unseal,
)
from service.table.table import Table

REPEAT_MS = 10 * 60 * 1000
"""How long the key of a creation or a claim is remembered."""


class Wish(msgspec.Struct, frozen=True):
    """What a host asks for. `options` fit the game's own type; `seed` None leaves the deal to chance."""

    seats: int
    options: Any
    visibility: Visibility
    on_absent: OnAbsent
    host_can_abort: bool
    legal_moves: LegalMovesPolicy
    seed: str | None
    clock: Clock | None = None
    takeover: bool = True
    spectators: Spectators = Spectators()
    webhook: tuple[str, tuple[str, ...]] | None = None


class Created(msgspec.Struct, frozen=True):
    """A match that waits for players, and the two secrets that its host needs."""

    record: Record
    host_token: str


class _Reserved(msgspec.Struct, frozen=True, array_like=True):
    body: bytes
    match: str


_RESERVED = msgspec.msgpack.Decoder(_Reserved)


def create(table: Table, game: Game, wish: Wish, scope: str | None, body_hash: bytes) -> tuple[Created, bool]:
    """A new match: (it, whether this is a repeat). `scope` is the idempotency key within its address, or None.

    A repeat within `REPEAT_MS` gives the same match with a fresh host token; the old one stops working.

    Raises, in this order: `Invalid` (a webhook that leads nowhere, a bot for a game without any), `InvalidOptions`,
    `IdempotencyMismatch`; `StoreUnavailable`, `OutcomeUnknown`.
    """
    if wish.webhook is not None:
        addresses.check(wish.webhook[0], table.private_hooks)
    _check_bots(game, wish)
    game.check_options(wish.options, wish.seats)
    match = table.edge.match_id()
    if scope is not None:
        reserved = table.store.reserve(scope, seal(_Reserved(body_hash, match)), REPEAT_MS)
        if reserved is not None:
            first = unseal(_RESERVED, reserved)
            if first.body != body_hash:
                raise IdempotencyMismatch
            return _create_again(table, game, wish, first.match)
    created = _create(table, game, wish, match)
    if created is None:  # with a key, a twin of this request can have been faster
        return _create_again(table, game, wish, match)
    return created, False


def _check_bots(game: Game, wish: Wish) -> None:
    if game.bots:
        return
    if wish.on_absent == "bot":
        raise Invalid("$.on_absent", "This game has no built-in bots: choose `move` or `abort`.")
    if wish.clock is not None and wish.clock.on_timeout == "bot":
        raise Invalid("$.clock.on_timeout", "This game has no built-in bots: choose `move` or `abort`.")


def _create(table: Table, game: Game, wish: Wish, match: str) -> Created | None:
    """The match under this id; None if it is there already."""
    now_ms, host_token = table.edge.now_ms(), table.edge.token()
    settled = wish.options if game.settle is None else game.settle(wish.options)
    head = Head(
        game=game.key,
        rules_version=game.rules_version,
        options=msgspec.to_builtins(wish.options),
        seats=(Seat(),) * wish.seats,
        host=token_hash(host_token),
        join_code=table.edge.join_code(),
        visibility=wish.visibility,
        on_absent=wish.on_absent,
        host_can_abort=wish.host_can_abort,
        legal_moves=wish.legal_moves,
        secret=table.edge.random_bytes(SECRET_BYTES) if wish.seed is None else b"",
        fixed=wish.seed,
        created_ms=now_ms,
        clock=wish.clock,
        takeover=wish.takeover,
        spectators=wish.spectators,
        hook=None if wish.webhook is None else Hook(*wish.webhook, table.edge.webhook_secret()),
        settled=None if settled == wish.options else msgspec.to_builtins(settled),
    )
    live = Live(status="waiting", version=0, seq=0)
    record = Record(match, game, b"", head, live)
    change = Change(record, table)
    change.tell("match_created", None, {})
    # Listed first: a match that is stored is in the list, and a list entry without a match is cleared by readers.
    if head.visibility == "listed":
        table.store.enlist(game.key, match, now_ms, "waiting", None)
    if not change.store():
        return None
    return Created(change.record_after(), host_token)


def _create_again(table: Table, game: Game, wish: Wish, match: str) -> tuple[Created, bool]:
    """The match of an earlier request with a fresh host token; or now, if that request never got so far: no repeat."""
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        stored = table.store.load(match)
        if stored is None:
            created = _create(table, game, wish, match)
            if created is not None:
                return created, False
            continue
        record = read_record(match, stored)
        token = table.edge.token()
        change = Change(record, table)
        change.head = msgspec.structs.replace(record.head, host=token_hash(token))
        change.tell_renewed(None, "host")
        if change.store():
            return Created(change.record_after(), token), True
    raise Busy
