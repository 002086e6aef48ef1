"""Server-sent events as a client reads them: one connection, message by message, and what its last bytes were."""

import http.client
import json
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tests.support.play import Answer, Api

SILENCE_S = 30.0
"""A stream that says nothing for so long has failed."""


@dataclass(frozen=True)
class Message:
    """One message. An `event` of None is an event of the match, and `id` its number."""

    event: str | None
    id: int | None
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)


class Stream:
    """A stream, opened; ConnectionError if it is refused or torn off.

    `heartbeats` counts the comments so far; `ended` is set by a clean end; `retry_ms` by a server that goes and says
    when to come back. `window` is how many bytes the system takes in before they are read.
    """

    def __init__(
        self, url: str, path: str, token: str | None = None, last_id: int | None = None, window: int | None = None
    ) -> None:
        headers = {"Accept": "text/event-stream"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if last_id is not None:
            headers["Last-Event-ID"] = str(last_id)
        self.line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SILENCE_S)
        if window is not None:
            self.line.sock = socket.socket()
            self.line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
            self.line.sock.settimeout(SILENCE_S)
            self.line.sock.connect((self.line.host, self.line.port))
        self.line.request("GET", path, headers=headers)
        self.answer = self.line.getresponse()
        if self.answer.status != 200:
            raise ConnectionError(f"{self.answer.status} {self.answer.read()!r}")
        assert self.answer.headers["Content-Type"].startswith("text/event-stream")
        self.heartbeats = 0
        self.ended = False
        self.retry_ms: int | None = None

    def message(self) -> Message | None:
        """The next message; None at the clean end, after whole messages alone."""
        fields: dict[str, bytes] = {}
        while True:
            text = self.answer.readline()
            if not text:
                if fields:
                    raise ConnectionError(f"the stream ends in the middle of a message: {fields}")
                self.ended = True
                return None
            text = text.removesuffix(b"\n")
            if text.startswith(b":"):
                self.heartbeats += 1
            elif text:
                name, _, value = text.partition(b": ")
                fields[name.decode()] = value
            elif fields.keys() == {"retry"}:
                self.retry_ms = int(fields.pop("retry"))
            elif fields:
                event, number = fields.get("event"), fields.get("id")
                return Message(
                    None if event is None else event.decode(), None if number is None else int(number), fields["data"]
                )

    def messages(self) -> Iterator[Message]:
        """Every message up to the end."""
        while (message := self.message()) is not None:
            yield message

    def events(self) -> list[bytes]:
        """The events up to the end, as they were sent."""
        return [message.data for message in self.messages() if message.event is None]

    def until(self, number: int) -> list[bytes]:
        """The events up to this number."""
        found = []
        for message in self.messages():
            if message.event is None:
                found.append(message.data)
                if message.id == number:
                    return found
        raise AssertionError(f"the stream ended before event {number}")

    def cut(self, reset: bool = False) -> None:
        """Go, without a word; with `reset` in the rudest way."""
        if reset and self.line.sock is not None:
            self.line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.answer.close()
        self.line.close()


class _Page(msgspec.Struct):
    events: list[msgspec.Raw]
    last: int
    more: bool


def page(answer: Answer) -> _Page:
    """A page of the feed, with the very bytes of its events."""
    assert answer.status == 200, answer
    return msgspec.json.decode(answer.body, type=_Page)


def by_pages(api: Api, path: str, token: str | None, limit: int = 7) -> list[bytes]:
    """The whole feed, read in small pages."""
    found: list[bytes] = []
    after, more = 0, True
    while more:
        got = page(api.get(f"{path}?after={after}&limit={limit}", token=token))
        found += [bytes(event) for event in got.events]
        after, more = got.last, got.more
    return found


def by_long_polls(api: Api, path: str, token: str | None, wait_s: int = 20, refusals: bool = False) -> list[bytes]:
    """The whole feed up to the end of the match, always waiting for more. With `refusals` a 503 is asked again."""
    found: list[bytes] = []
    give_up_at = time.monotonic() + 120
    after = 0
    while time.monotonic() < give_up_at:
        answer = api.get(f"{path}?after={after}&wait_s={wait_s}", token=token)
        if refusals and answer.status == 503:
            continue
        got = page(answer)
        found += [bytes(event) for event in got.events]
        after = got.last
        if found and re.search(rb'"type":"match_(finished|aborted)"', found[-1]):
            return found
    raise AssertionError(f"no end after {len(found)} events")


def numbers(events: list[bytes]) -> list[int]:
    """The numbers that events bear."""
    return [json.loads(event)["seq"] for event in events]
