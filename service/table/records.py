"""What is kept of a match: `Head` (how it was set up, who sits where) and `Live` (where it stands).

Both are packed as arrays: fields are only ever added at the end, with a default, or the layout counts up
(docs/decisions/0005-stored-layouts.md). The position inside `Live` is the game's own state, packed by the same rules.
Whatever is stored is sealed with a checksum: bytes that were changed by anybody else are refused, never interpreted.
"""

from typing import Any, Literal, TypeVar
from zlib import crc32

import msgspec

from engines import GAMES
from engines.kit.chance import Chance, commitment, dealt_seed, fixed_seed
from engines.kit.game import Game
from service.store.port import Stored
from service.table.clock import Clock, Times
from service.table.errors import MatchUnreadable

T = TypeVar("T")

LAYOUT = 1
SEAL_BYTES = 4

Status = Literal["waiting", "playing", "finished", "aborted"]
Kind = Literal["open", "player", "bot"]
Cause = Literal["player", "clock", "bot"]
OnAbsent = Literal["move", "bot", "abort"]
LegalMovesPolicy = Literal["full", "count", "none"]
Visibility = Literal["listed", "unlisted"]


class Spectators(msgspec.Struct, frozen=True, array_like=True):
    """Whether others may watch, and how many moves behind they do while the match is played."""

    open: bool = True
    delay: int = 0


class Seat(msgspec.Struct, frozen=True, array_like=True):
    """One seat. `claim` is the write id of the claim that filled it: a seat freed and claimed again has another.

    `bot` is the built-in bot that plays it now: a bot's own seat, or one that its player has left to it.
    """

    kind: Kind = "open"
    name: str | None = None
    token: bytes = b""
    nonce: str = ""
    claim: bytes = b""
    resigned: bool = False
    bot: str | None = None

    @property
    def left_to_others(self) -> bool:
        """Whether a player holds this seat but does not play it now."""
        return self.kind == "player" and (self.resigned or self.bot is not None)


class Hook(msgspec.Struct, frozen=True, array_like=True):
    """Where a platform wants to hear of a match. `events` empty: of all. `off`: it has been given up."""

    url: str
    events: tuple[str, ...]
    secret: str
    off: bool = False


class Head(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """How the match was set up and who sits where. Holds hashes of tokens only; the secret leaves by the replay.

    `options` are as the host chose them. `settled` are the same, complete by `Game.settle`: whatever becomes of the
    server's card sets, they are all that it takes. None where that adds nothing.
    """

    layout: int = LAYOUT
    game: str
    rules_version: int
    options: dict[str, Any]
    seats: tuple[Seat, ...]
    host: bytes
    join_code: str
    visibility: Visibility
    on_absent: OnAbsent
    host_can_abort: bool
    legal_moves: LegalMovesPolicy
    secret: bytes
    fixed: str | None
    created_ms: int
    clock: Clock | None = None
    takeover: bool = True
    spectators: Spectators = Spectators()
    hook: Hook | None = None
    rematch: str | None = None
    rematch_of: str | None = None
    settled: dict[str, Any] | None = None

    @property
    def all_options(self) -> dict[str, Any]:
        """The options with all that the game needs for them: what the match is dealt from, and replayed."""
        return self.options if self.settled is None else self.settled

    @property
    def commitment(self) -> str | None:
        """Published from the start; a fixed deal has none, since nothing about it is secret to its maker."""
        return None if self.fixed is not None else commitment(self.secret)

    def chance(self, match: str) -> Chance:
        """All the chance of the match, once everybody has sat down."""
        if self.fixed is not None:
            return Chance(fixed_seed(self.fixed))
        return Chance(dealt_seed(self.secret, match, [seat.nonce for seat in self.seats]))


class Live(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """Where the match stands. `seq` is the number of the newest event; `state` is packed, empty before the start.

    `times` are the seats' clocks.
    """

    status: Status
    version: int
    seq: int
    state: bytes = b""
    started_ms: int | None = None
    finished_ms: int | None = None
    times: Times = ()


class Logged(msgspec.Struct, frozen=True, array_like=True):
    """One accepted move in the log; its version is its place there, from 1. `after_ms` counts from the start."""

    seat: int
    cause: Cause
    after_ms: int
    move: tuple[Any, ...]


class Record(msgspec.Struct, frozen=True):
    """A match as it was at one write. `write` is that write's id, empty for a match that is not stored yet; `state` is
    the position, None before the start. `remembered` is what was kept under the key that was asked about, `head_stored`
    the head as it is stored, empty before the first write."""

    match: str
    game: Game
    write: bytes
    head: Head
    live: Live
    state: Any = None
    remembered: bytes | None = None
    head_stored: bytes = b""

    @property
    def options(self) -> Any:
        """The options with all that the game needs for them. Raises `MatchUnreadable` for some of a later version."""
        try:
            return msgspec.convert(self.head.all_options, self.game.options)
        except msgspec.ValidationError as unknown:
            raise MatchUnreadable(
                "This match was created with options that this server does not know. It was left as it is, and goes on "
                "where that version runs."
            ) from unknown

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that the match waits for; none before the start and after the end."""
        return self.game.to_move(self.state) if self.live.status == "playing" else ()

    @property
    def outcome(self) -> Any:
        """The outcome of a match that was played to its end, else None."""
        return None if self.state is None else self.game.outcome(self.state)


DAMAGED = "The record of this match is damaged, so it was left as it is. Its operator can restore it from a backup."
_HEAD = msgspec.msgpack.Decoder(Head)
_LIVE = msgspec.msgpack.Decoder(Live)
_LOGGED = msgspec.msgpack.Decoder(Logged)
_STATES = {key: msgspec.msgpack.Decoder(game.state) for key, game in GAMES.items()}
_ENCODER = msgspec.msgpack.Encoder()

pack = _ENCODER.encode
"""A state, as bytes."""


def seal(value: msgspec.Struct) -> bytes:
    """What is stored of Head, Live, Logged or what is remembered: packed, with a checksum at the end."""
    packed = pack(value)
    return packed + crc32(packed).to_bytes(SEAL_BYTES, "big")


def unseal(decoder: "msgspec.msgpack.Decoder[T]", stored: bytes) -> T:
    """What was sealed. Raises `MatchUnreadable` for anything else."""
    packed = _intact(stored)
    try:
        return decoder.decode(packed)
    except msgspec.MsgspecError as broken:
        raise MatchUnreadable(DAMAGED) from broken


def _intact(stored: bytes) -> bytes:
    packed = stored[:-SEAL_BYTES]
    if crc32(packed).to_bytes(SEAL_BYTES, "big") != stored[-SEAL_BYTES:]:
        raise MatchUnreadable(DAMAGED)
    return packed


class _Origin(msgspec.Struct, frozen=True, array_like=True):
    """The beginning of every head, whatever the layout of the rest."""

    layout: int
    game: str
    rules_version: int


_ORIGIN = msgspec.msgpack.Decoder(_Origin)


def read_record(match: str, stored: Stored, known: Record | None = None) -> Record:
    """The match of these bytes. Raises `MatchUnreadable` for damage, an unknown layout, game or rules version.

    `known` is the match as it was read or written before: what has not changed since is not read again.
    """
    if not stored.write:
        raise MatchUnreadable(DAMAGED)
    if known is not None and stored.head == known.head_stored:
        live, state = _read_live(known.game, stored.live)
        return Record(match, known.game, stored.write, known.head, live, state, stored.remembered, known.head_stored)
    origin = unseal(_ORIGIN, stored.head)
    game = GAMES.get(origin.game)
    if game is None or origin.rules_version != game.rules_version:
        raise MatchUnreadable(
            f"This match was made with rules version {origin.rules_version} of {origin.game}, which this server does "
            "not have. It was left as it is, and goes on where that version runs."
        )
    if origin.layout != LAYOUT:
        raise MatchUnreadable(
            "This match was stored by another version of this server. It was left as it is, and goes on where that "
            "version runs."
        )
    live, state = _read_live(game, stored.live)
    head = unseal(_HEAD, stored.head)
    return Record(match, game, stored.write, head, live, state, stored.remembered, stored.head)


def _read_live(game: Game, stored: bytes) -> tuple[Live, Any]:
    live = unseal(_LIVE, stored)
    try:
        return live, _STATES[game.key].decode(live.state) if live.state else None
    except msgspec.MsgspecError as broken:
        raise MatchUnreadable(DAMAGED) from broken


def log_move(seat: int, cause: Cause, after_ms: int, move: msgspec.Struct) -> bytes:
    """One entry of the move log: the move as its type followed by its fields, in the order of its class."""
    fields = tuple(getattr(move, name) for name in move.__struct_fields__)
    return seal(Logged(seat, cause, after_ms, (move.__struct_config__.tag, *fields)))


def read_log(game: Game, entries: list[bytes], version: int) -> list[tuple[Logged, Any]]:
    """(entry, move) for the first `version` entries of a match's log. Raises `MatchUnreadable` when one is missing or
    does not fit."""
    if len(entries) != version:
        raise MatchUnreadable(DAMAGED)
    classes = {move.__struct_config__.tag: move for move in game.moves}
    logged = [unseal(_LOGGED, entry) for entry in entries]
    try:
        return [(entry, _move(classes[entry.move[0]], entry.move[1:])) for entry in logged]
    except (msgspec.MsgspecError, KeyError, IndexError, ValueError) as broken:
        raise MatchUnreadable(DAMAGED) from broken


def _move(kind: type[msgspec.Struct], values: tuple[Any, ...]) -> Any:
    """The move. An older one may lack fields at the end, which then have their defaults; none may be dropped."""
    names = kind.__struct_encode_fields__
    if len(values) > len(names):
        raise ValueError("fields of a later version")
    named = dict(zip(names, values, strict=False))
    return msgspec.convert({"type": kind.__struct_config__.tag, **named}, kind)
