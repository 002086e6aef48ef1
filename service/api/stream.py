"""The feed as server-sent events: `id` is the event's number, a comment now and then shows that the line is alive."""

import re
from collections.abc import Callable, Generator, Iterator
from random import randrange
from typing import Any

import msgspec
from flask import Response, request

from engines.kit.game import Viewer
from service.api.answers import Complete
from service.api.problems import problem_of
from service.api.states import moves_of, state_of
from service.live.follow import Again, Batch, follow
from service.live.hub import Hub
from service.table.errors import Invalid, Refusal
from service.table.records import Record
from service.table.table import Table
from service.table.watch import Sight

HEARTBEAT = b": alive\n\n"
RETRY_LEAST_MS, RETRY_MOST_MS = 100, 1_000
"""When clients whose server goes come back. Browsers would wait for three seconds; all at once would be too many."""

_SEQ = re.compile(rb'"seq":(\d+)')


class Stream(Complete):
    """A stream as an answer. It is gone when it has begun: only its pieces, and what is due at their end, stay."""

    def __call__(self, environ: Any, start_response: Any) -> Any:
        begun = super().__call__(environ, start_response)
        return begun if environ["REQUEST_METHOD"] == "HEAD" else Pieces(begun, self._on_close)


class Pieces:
    """What a stream says, piece by piece, and what is due at its end."""

    __slots__ = ("_at_the_end", "_pieces")

    def __init__(self, pieces: Generator[bytes], at_the_end: list[Callable[[], Any]]) -> None:
        self._pieces = pieces
        self._at_the_end = at_the_end

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """The end, be it that of the match or the client's."""
        try:
            self._pieces.close()
        finally:
            for due in self._at_the_end:
                due()


def wants_stream() -> bool:
    """Whether the client asks for server-sent events."""
    best = request.accept_mimetypes.best_match(["application/json", "text/event-stream"])
    return best == "text/event-stream"


def last_event_id(after: int) -> int:
    """Where to go on: the `Last-Event-ID` that browsers send when they reconnect, else `after`. Raises `Invalid`."""
    text = request.headers.get("Last-Event-ID", "").strip()
    if not text:
        return after
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Invalid("Last-Event-ID", "Send the `id` of the last event that you received.")
    return int(text)


def stream(hub: Hub, table: Table, record: Record, viewer: Viewer, after: int, again: Again, whole: bool) -> Response:
    """The events after number `after`, each once, until the match is over. `whole`: after each batch the state."""

    def show(record: Record, seen: Sight) -> bytes:
        body = {"state": state_of(table, record, viewer, seen), "legal_moves": moves_of(record, viewer)}
        return b"event: state\ndata: " + msgspec.json.encode(body) + b"\n\n"

    batches = follow(hub, table, record, viewer, after, again, show if whole else None)
    response = Stream(_messages(hub, batches), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # proxies that collect before they pass on would hold everything back
    return response


def _messages(hub: Hub, batches: Generator[Batch]) -> Iterator[bytes]:
    """The bytes of the stream. A refusal on the way (the token was renewed, say) is its last message; before the server
    goes that is when to come back, each client at a moment of its own."""
    try:
        yield HEARTBEAT  # sends the headers at once
        yield from map(_piece, batches)  # nobody holds on to what was told
        if hub.closing:
            yield b"retry: %d\n\n" % randrange(RETRY_LEAST_MS, RETRY_MOST_MS)  # noqa: S311  # nobody gains by guessing it
    except Refusal as refusal:
        yield b"event: problem\ndata: " + msgspec.json.encode(problem_of(refusal)) + b"\n\n"
    finally:
        batches.close()  # at once, when the client has gone


def _piece(batch: Batch) -> bytes:
    return b"".join([*map(_message, batch.events), batch.shown or b""]) or HEARTBEAT


def _message(event: bytes) -> bytes:
    found = _SEQ.search(event)
    assert found is not None
    return b"id: " + found[1] + b"\ndata: " + event + b"\n\n"
