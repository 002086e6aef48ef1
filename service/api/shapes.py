"""The shapes of requests and answers, each defined once. Where a game's own types stand, `wire` narrows `Any`."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engines.kit.game import CatalogueCard
from service.table.clock import Clock
from service.table.errors import Invalid
from service.table.look import LegalMoves
from service.table.records import Kind, LegalMovesPolicy, OnAbsent, Status, Visibility
from service.table.watch import DELAY_MOST

# Control characters are refused. `$` alone would let a final line feed pass in Python.
PLAIN_TEXT = r"^[^\x00-\x1f\x7f-\x9f]*$(?!\n)"
NONCE_BYTES = 64
SEED_BYTES = 256
INT_MOST = 2**31 - 1

Name = Annotated[str, Meta(min_length=1, max_length=40, pattern=PLAIN_TEXT, description="What others see.")]
Nonce = Annotated[
    str,
    Meta(
        max_length=NONCE_BYTES,
        pattern=PLAIN_TEXT,
        description=f"Anything, at most {NONCE_BYTES} bytes as UTF-8: mixed into the deal.",
    ),
]
Seed = Annotated[
    str,
    Meta(
        max_length=SEED_BYTES,
        pattern=PLAIN_TEXT,
        description=f"At most {SEED_BYTES} bytes as UTF-8. Fixes the deal: who knows the text knows every card.",
    ),
]
Version = Annotated[int, Meta(ge=0, le=INT_MOST, description="The number of accepted moves.")]
SeatNumber = Annotated[int, Meta(ge=0, le=INT_MOST)]
ToMove = Annotated[tuple[int, ...], Meta(description="The seats that the match waits for, ascending.")]
Instant = Annotated[str, Meta(description="RFC 3339, UTC.", extra_json_schema={"format": "date-time"})]


class SeatClock(msgspec.Struct, frozen=True):
    """A seat's time."""

    seat: int
    deadline_at: Instant | None
    bank_s: float


class StateClock(msgspec.Struct, frozen=True):
    """The clock as it stands. Only seats in `to_move` have deadlines."""

    server_time: Instant
    seats: list[SeatClock]


class PublicSeat(msgspec.Struct, frozen=True):
    """A seat as everybody sees it."""

    seat: int
    name: str | None
    kind: Kind


class LeftSeat(msgspec.Struct, frozen=True):
    """A seat that its player has left to others: resigned, or handed to a bot by the clock."""

    seat: int
    resigned: bool
    played_by: Annotated[str, Meta(description="A built-in bot, or `table` for safe moves.")]


class ClaimRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sit down with a `name`, or (the host) put a `bot` on a seat. Without `seat`: the lowest open one.

    An unlisted match asks for its `join_code`.
    """

    name: Name | None = None
    seat: SeatNumber | None = None
    nonce: Nonce | None = None
    join_code: Annotated[str, Meta(max_length=40)] | None = None
    bot: Annotated[str, Meta(min_length=1, max_length=40, pattern=PLAIN_TEXT)] | None = None


class SeatToken(msgspec.Struct, frozen=True):
    """A seat's token, shown this once: keep it. It is sent as `Authorization: Bearer <token>`.

    A bot's seat has none.
    """

    match: str
    seat: int
    token: str | None


class MoveType(msgspec.Struct, frozen=True):
    """A type of move. An anytime move is allowed when it is not one's turn."""

    type: str
    anytime: bool
    description: str


class Rule(msgspec.Struct, frozen=True):
    """A rule that an `illegal_move` can name."""

    id: str
    sentence: str


class SeatBounds(msgspec.Struct, frozen=True):
    """How many may play."""

    min: int
    max: int


class CardSet(msgspec.Struct, frozen=True):
    """A card set of this server. `card_set` is its key, which the option of that name chooses."""

    card_set: str
    cards: list[CatalogueCard]


class CatalogueGame(msgspec.Struct, frozen=True):
    """A game as the catalogue shows it. `options` is a JSON Schema with defaults; `cards` are in catalogue order.

    `card_sets` are further card sets, where the game has a choice of them; `cards` is the default's.
    """

    game: str
    title: str
    summary: str
    rules_version: int
    seats: SeatBounds
    options: dict[str, Any]
    cards: list[CatalogueCard]
    moves: list[MoveType]
    rules: list[Rule]
    bots: list[str]
    card_sets: list[CardSet]


class Catalogue(msgspec.Struct, frozen=True):
    """All games."""

    items: list[CatalogueGame]


class Health(msgspec.Struct, frozen=True):
    """The service can do what the address says."""

    status: str


class SpectatorsWish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether others may watch, and how many moves behind they do while the match is played."""

    open: bool = True
    delay: Annotated[int, Meta(ge=0, le=DELAY_MOST)] = 0


class WebhookWish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to tell what happens in the match, and of which events (none named: of all)."""

    url: Annotated[str, Meta(max_length=2000, pattern="^https?://[!-~]+$")]
    events: Annotated[list[Annotated[str, Meta(max_length=40, pattern=r"^[a-z_]+$(?!\n)")]], Meta(max_length=50)] = []


class CreateRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Set up a match."""

    seats: int
    options: Any
    visibility: Visibility = "listed"
    on_absent: OnAbsent = "move"
    host_can_abort: bool = False
    legal_moves: LegalMovesPolicy = "full"
    seed: Seed | None = None
    clock: Clock | None = None
    takeover: Annotated[bool, Meta(description="Whether a seat that was given up may be taken back.")] = True
    spectators: SpectatorsWish = SpectatorsWish()
    webhook: WebhookWish | None = None


class MoveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move. With `expected_version` it counts only if nothing has happened since; anytime moves ignore that."""

    move: Any
    expected_version: Version | None = None


class Match(msgspec.Struct, frozen=True):
    """A match as everybody who knows its id sees it.

    `commitment` is the SHA-256 of the secret that its deal comes from; null when the deal is fixed.
    """

    match: str
    game: str
    status: Status
    options: Any
    seats: list[PublicSeat]
    version: Annotated[int | None, Meta(description="Null while spectators are kept behind.")]
    to_move: ToMove
    clock: Clock | None
    on_absent: OnAbsent
    host_can_abort: bool
    legal_moves: LegalMovesPolicy
    visibility: Visibility
    takeover: bool
    spectators: SpectatorsWish
    webhook: Annotated[
        str | None, Meta(description="`on`, or `off` once its endpoint was given up; null: it has none.")
    ]
    left: Annotated[
        list[LeftSeat],
        Meta(description="The seats that their players have left to others; empty while spectators are kept behind."),
    ]
    rematch: Annotated[str | None, Meta(description="The id of the match that the players agreed on next.")]
    fixed_deal: bool
    commitment: str | None
    outcome: Any
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None


class Matches(msgspec.Struct, frozen=True):
    """A page of listed matches, newest first. `next_cursor` null: there are no more."""

    items: list[Any]
    next_cursor: str | None


class Created(msgspec.Struct, frozen=True):
    """The new match and its host's two secrets, shown this once: the token is the host, the code lets players in."""

    match: Any
    host_token: str
    join_code: str
    webhook_secret: Annotated[
        str | UnsetType, Meta(description="With a webhook: what deliveries to it are signed with.")
    ] = UNSET


class State(msgspec.Struct, frozen=True):
    """What a viewer may know now. `seat` is null for a spectator; `view` is null before the start."""

    match: str
    seat: int | None
    version: int
    status: Status
    to_move: ToMove
    view: Any
    outcome: Any
    clock: StateClock | None


class Events(msgspec.Struct, frozen=True):
    """Some of the feed, oldest first. `last` is the number of the newest event here: the next `after`.

    `state` and `legal_moves` (of a seat) come with `include=state`.
    """

    events: list[Any]
    last: int
    more: bool
    state: Any = UNSET
    legal_moves: LegalMoves | UnsetType | None = UNSET


class Knew(msgspec.Struct, frozen=True):
    """What a seat knew at a version; `view` is null if the match never started."""

    match: str
    seat: int
    version: int
    view: Any


def limit_bytes(path: str, text: str, most: int) -> None:
    """Raises `Invalid` for a text that is longer than so many bytes as UTF-8: the schema counts characters."""
    if len(text.encode()) > most:
        raise Invalid(path, f"Expected at most {most} bytes as UTF-8.")
