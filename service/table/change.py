"""One write, gathered while it is decided: what the new record says, the moves made, the events that tell of it."""

import logging
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from service import metrics
from service.store.errors import StoreUnavailable
from service.store.port import Meanwhile, Pace, Remember, Swap, nothing
from service.table import clock, due
from service.table.edge import Edge, rfc3339
from service.table.records import Cause, Head, Live, Record, Seat, Status, log_move, pack, seal
from service.table.table import Table


class FeedEvent(msgspec.Struct, frozen=True):
    """One public fact of a match, the same for everyone."""

    seq: Annotated[int, Meta(description="Its number in the feed, from 1 without gaps.")]
    version: Annotated[int, Meta(description="The version that the move made; 0 up to and with the start.")]
    type: str
    seat: Annotated[int | None, Meta(description="Whose doing it was; null where it was nobody's.")]
    data: Any
    at: Annotated[str, Meta(description="RFC 3339, UTC.", extra_json_schema={"format": "date-time"})]


ATTEMPTS = 8
"""How often a write that lost against another is judged anew before the answer is `busy`."""

BACK_OFF_S = 0.002

_log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


def back_off(edge: Edge, attempt: int) -> None:
    """Before another attempt, wait a moment left to chance, longer each time: many who write at once, and so all
    lose but one, must not go on in step. The seven waits of eight attempts are half a second at the most."""
    if attempt:
        edge.sleep_s(BACK_OFF_S * 2**attempt * edge.random_bytes(1)[0] / 255)


class Change:
    """What one write will do to a match. Nothing is stored before `Change.store` says so."""

    def __init__(self, record: Record, table: Table) -> None:
        live = record.live
        self.record = record
        self.table = table
        self.now_ms = table.edge.now_ms()
        self.write = table.edge.write_id()
        self.pulse = table.pulse(record.match) if record.head.clock is not None else None
        self.head: Head = record.head
        self.status: Status = live.status
        self.version = live.version
        self.seq = live.seq
        self.state: Any = record.state
        self.times = live.times
        self.started_ms = live.started_ms
        self.finished_ms = live.finished_ms
        self.moves: list[bytes] = []
        self.events: list[bytes] = []

    @property
    def played_ms(self) -> int:
        """Now, in played time: see `service.table.clock`."""
        return self.now_ms if self.pulse is None else self.pulse.played_ms(self.now_ms)

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that the match waits for."""
        to_move: tuple[int, ...] = self.record.game.to_move(self.state) if self.status == "playing" else ()
        return to_move

    @property
    def overdue(self) -> list[int]:
        """The seats whose time is up."""
        return [] if self.head.clock is None else clock.overdue(self.head.clock, self.times, self.played_ms)

    def tell(self, type: str, seat: int | None, data: Any) -> None:
        """Add an event under the present version."""
        self.seq += 1
        self.events.append(_encode(FeedEvent(self.seq, self.version, type, seat, data, rfc3339(self.now_ms))))

    def start(self) -> None:
        """Everybody sits: deal. Tells `match_started` and what the game says of the deal."""
        game, head = self.record.game, self.head
        options = self.record.options
        self.status, self.started_ms = "playing", self.now_ms
        if head.clock is not None:
            self.times = clock.begin(head.clock, len(head.seats))
        self.tell("match_started", None, {})
        self._follow(game.setup(options, len(head.seats), head.chance(self.record.match)))

    def play(self, seat: int, move: Any, cause: Cause) -> None:
        """Make one move. Raises what the rules refuse; then nothing has changed."""
        step = self.record.game.apply(self.state, seat, move)
        self.version += 1
        self.moves.append(log_move(seat, cause, self.now_ms - (self.started_ms or 0), move))
        self._follow(step)

    def play_safe(self, seat: int) -> None:
        """Make the safe move for a seat that is to move."""
        game = self.record.game
        moves = game.legal_moves(self.state, seat)
        self.play(seat, game.default_move(game.view_for(self.state, seat), moves), "clock")

    def play_for_the_absent(self) -> None:
        """Make the safe moves of seats that were resigned to the table, as long as the match waits for one of them."""
        absent = [number for number, seat in enumerate(self.head.seats) if seat.resigned and seat.bot is None]
        while waited_for := [seat for seat in self.to_move if seat in absent]:
            self.play_safe(waited_for[0])

    def seat(self, number: int, seat: Seat) -> None:
        """Put another seat record in a seat's place."""
        seats = (*self.head.seats[:number], seat, *self.head.seats[number + 1 :])
        self.head = msgspec.structs.replace(self.head, seats=seats)

    def tell_renewed(self, seat: int | None, by: Literal["seat", "host"]) -> None:
        """Tell that a token was renewed; the host's own with `seat` None. Not once the match is over: the end is the
        last event of a feed."""
        if self.finished_ms is None:
            self.tell("token_renewed", seat, {"by": by})

    def hand_to_bot(self, number: int) -> None:
        """Let the game's best bot play a seat from now on."""
        bot = list(self.record.game.bots)[-1]
        self.seat(number, msgspec.structs.replace(self.head.seats[number], bot=bot))
        self.tell("seat_taken_over", number, {"by": "bot", "bot": bot})

    def hand_back(self, number: int) -> None:
        """Let a seat's player play it again."""
        self.seat(number, msgspec.structs.replace(self.head.seats[number], bot=None, resigned=False))
        self.tell("seat_taken_over", number, {"by": "player", "bot": None})

    def abort(self, reason: str) -> None:
        """The match ends without a result. `reason` is `host`, `resigned`, `timed_out` or `nobody_came`."""
        self.tell("match_aborted", None, {"reason": reason})
        self.end("aborted")

    def end(self, status: Status) -> None:
        """The match is over."""
        self.status, self.finished_ms = status, self.now_ms

    def _follow(self, step: Any) -> None:
        self.state = step.state
        for event in step.events:
            self.tell(event.type, event.seat, event.data)
        if self.record.game.outcome(self.state) is not None:
            self.end("finished")
        if self.head.clock is not None:
            self.times = clock.settle(self.head.clock, self.times, self.to_move, self.played_ms)

    def store(self, remember: Remember | None = None, pace: Pace | None = None, meanwhile: Meanwhile = nothing) -> bool:
        """Write it. False: another write came first and nothing was written. `meanwhile`: see `port.Store.swap`.

        A worker is told when to look at the match: before the write with some delay, lest a crash forget it, and after
        the write at the very moment. Raises `TooFast` (by `pace`) or `StoreUnavailable`, nothing being written then, or
        `OutcomeUnknown`.
        """
        record, table = self.record, self.table
        announced = due.announce(self)
        after = self.record_after()
        same_head = self.head is record.head and bool(record.head_stored)
        head = record.head_stored if same_head else seal(self.head)
        after = msgspec.structs.replace(after, head_stored=head)
        swap = Swap(
            expected=record.write,
            write=self.write,
            live=seal(after.live),
            head=None if same_head else head,
            ttl_ms=table.lifetimes.ttl_ms(self.status),
            moves=self.moves,
            events=self.events,
            remember=remember,
            pace=pace,
        )
        table.recent.forget(record.match)  # until it is known which of the two it is
        if not table.store.swap(record.match, swap, meanwhile):
            metrics.SWAPS_LOST.inc()
            return False
        table.recent.show(after, head, swap.live)
        if not record.write:
            metrics.MATCHES.labels(record.game.key, record.live.status).inc()
        if self.status != record.live.status:
            metrics.MATCHES.labels(record.game.key, self.status).inc()
            self._relist()
        due.hasten(self, announced)
        return True

    def record_after(self) -> Record:
        """The match as it is once this is written."""
        live = Live(
            status=self.status,
            version=self.version,
            seq=self.seq,
            state=b"" if self.state is None else pack(self.state),
            started_ms=self.started_ms,
            finished_ms=self.finished_ms,
            times=self.times,
        )
        return Record(self.record.match, self.record.game, self.write, self.head, live, self.state)

    def _relist(self) -> None:
        """Move a listed match to its new status in the list. The list may be late: readers mend what this misses."""
        if self.head.visibility != "listed":
            return
        record = self.record
        try:
            self.table.store.enlist(
                record.game.key, record.match, self.head.created_ms, self.status, record.live.status
            )
        except StoreUnavailable:
            _log.warning("list of %s is late: %s is %s", record.game.key, record.match, self.status)
