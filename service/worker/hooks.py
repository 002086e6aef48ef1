"""Telling platforms: what a worker does for a match whose events somebody wants to be sent."""

import logging
import time
from datetime import UTC, datetime

import msgspec
from standardwebhooks.webhooks import Webhook

from service import metrics
from service.settings import Settings
from service.table import hooks
from service.table.addresses import read
from service.table.due import Queue
from service.table.edge import Edge
from service.table.errors import Busy, MatchUnreadable
from service.table.hooks import Message, Outstanding, Told
from service.table.records import Hook
from service.table.table import Table
from service.worker.post import Outcome, Post
from service.worker.rooms import Rooms

HOLD_MARGIN_MS = 2_000
"""How much longer than a delivery can take nobody else makes one for the same match: time to note what became of it.
When a worker dies, its deliveries are taken up after this and the time-out."""

AGAIN_MS = 1_000

USER_AGENT = "Shorebreak-Webhooks/1"

_log = logging.getLogger(__name__)


class Teller:
    """Delivers events, one match at a time in each thread. See `service.table.hooks` for what, `Post` for how."""

    def __init__(self, post: Post, rooms: Rooms, hold_ms: int) -> None:
        self._post = post
        self._rooms = rooms
        self.hold_ms = hold_ms

    def tell(self, table: Table, match: str) -> int | None:
        """Deliver what a match has to tell, and answer when to look again, in wall time (None: when it has changed).

        Of all workers one tells of a match at a time. Raises `StoreUnavailable`, `OutcomeUnknown`: then look again.
        """
        holder, now_ms = table.edge.write_id(), table.edge.now_ms()
        hold = table.store.hold(match, holder, now_ms, now_ms + self.hold_ms)
        if hold is None:
            return None
        if hold.until_ms is not None:
            return hold.until_ms
        try:
            next_ms = self._tell(table, match, holder, hooks.read_note(hold.note))
        except MatchUnreadable:
            next_ms = None  # a server that can read it schedules it again with its next write
        except Busy:
            next_ms = table.edge.now_ms() + AGAIN_MS
        if table.store.let_go(match, holder):
            # Somebody looked in meanwhile, for something that came after we had last looked, for all we know.
            table.store.schedule(Queue.HOOKS, match, table.edge.now_ms(), table.edge.now_ms())
        return next_ms

    def _tell(self, table: Table, match: str, holder: bytes, told: Told) -> int | None:
        if told.next_ms is not None and table.edge.now_ms() < told.next_ms:
            return told.next_ms
        news = hooks.outstanding(table, match, told)
        if news is None or (not news.messages and news.seq == told.seq):
            return None
        if not news.messages:
            self._note(table, match, holder, msgspec.structs.replace(told, seq=news.seq))
            return table.edge.now_ms() if news.more else None
        place = read(news.hook.url)
        host, proved = ("" if place is None else place.host), told.reached and not told.failures
        wait_s = self._rooms.enter(host, proved)
        if wait_s:
            return table.edge.now_ms() + round(1000 * wait_s)
        began_s = time.monotonic()
        try:
            return self._deliver(table, match, holder, told, news)
        finally:
            self._rooms.leave(host, proved, time.monotonic() - began_s)

    def _deliver(self, table: Table, match: str, holder: bytes, told: Told, news: Outstanding) -> int | None:
        """Deliver in order, up to the first failure. What was delivered is noted before the next one is begun."""
        for message in news.messages:
            outcome = self._send(table.edge, news.hook, message)
            if outcome.delivered:
                metrics.WEBHOOKS.labels("delivered").inc()
            else:
                return self._failed(table, match, holder, told, outcome)
            last = message is news.messages[-1]
            told = Told(news.seq if last else message.seq, reached=True)
            if not self._note(table, match, holder, told):
                return table.edge.now_ms() + self.hold_ms  # it took so long that another has it by now
        return table.edge.now_ms() if news.more else None

    def _send(self, edge: Edge, hook: Hook, message: Message) -> Outcome:
        at = datetime.fromtimestamp(edge.now_ms() // 1000, UTC)
        headers = [
            ("user-agent", USER_AGENT),
            ("webhook-id", message.id),
            ("webhook-timestamp", str(int(at.timestamp()))),
            ("webhook-signature", Webhook(hook.secret).sign(message.id, at, message.body.decode())),
        ]
        with metrics.WEBHOOK_SECONDS.time():
            return self._post.send(hook.url, headers, message.body)

    def _failed(self, table: Table, match: str, holder: bytes, told: Told, outcome: Outcome) -> int | None:
        later = None if outcome.gone else hooks.failed(told, table.edge)
        if later is None:
            metrics.WEBHOOKS.labels("gone" if outcome.gone else "given_up").inc()
            _log.warning("webhook of %s is given up: %s", match, outcome.why)
            hooks.switch_off(table, match, "gone" if outcome.gone else "failing")
            return None
        metrics.WEBHOOKS.labels("failed").inc()
        _log.info("webhook of %s failed %d times: %s", match, later.failures, outcome.why)
        self._note(table, match, holder, later)
        return later.next_ms

    def _note(self, table: Table, match: str, holder: bytes, told: Told) -> bool:
        return table.store.note(match, holder, hooks.write_note(told), table.edge.now_ms() + self.hold_ms)


def teller(settings: Settings) -> Teller:
    """One for all threads of a worker."""
    threads = settings.webhook_threads
    post = Post(settings.webhook_timeout_s, settings.webhook_private_addresses, lookups=2 * threads)
    return Teller(post, Rooms(threads), round(1000 * settings.webhook_timeout_s) + HOLD_MARGIN_MS)
