"""What is counted while Shorebreak runs: every metric, by name, with its meaning. docs/observability.md explains them.

Each process counts for itself. Where PROMETHEUS_MULTIPROC_DIR names a folder the counts lie in files there, one set for
each process, and whoever answers `/metrics` adds them up: that has to be set before this module is imported.

What can be read off the store (how many matches are listed, how late the work is) is not counted here, but looked up
when somebody asks: see `service.levels`.
"""

import os
from bisect import bisect_left
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

from service.run.counts import FOLDER

REGISTRY = CollectorRegistry()

FAST_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
LATE_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

REQUESTS = Counter(
    "shorebreak_requests_total",
    "Requests answered, by method, route (as in the document; `none` where no route fits), status and the problem's "
    "code (empty where there is none). A stream counts when it begins.",
    ["method", "route", "status", "code"],
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "shorebreak_request_seconds",
    "From reading a request's head to having its answer, by method and route. Waits are left out: long polls that were "
    "asked to wait, and streams.",
    ["method", "route"],
    buckets=FAST_S,
    registry=REGISTRY,
)
RATE_LIMITED = Counter(
    "shorebreak_rate_limited_total",
    "Requests refused with 429, by the limit that was met.",
    ["limit"],
    registry=REGISTRY,
)
WAITERS = Gauge(
    "shorebreak_waiters",
    "Clients that wait for news now: `stream`, `poll` (one match) or `wait` (many seats).",
    ["kind"],
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
SWAPS_LOST = Counter(
    "shorebreak_swaps_lost_total",
    "Writes that came too late: another write to the match was first, or the process did not know of it yet. Each was "
    "judged anew on the match as it is.",
    registry=REGISTRY,
)
MATCHES = Counter(
    "shorebreak_matches_total",
    "Matches, listed or not, that came into this status, by game.",
    ["game", "status"],
    registry=REGISTRY,
)
STORE_ERRORS = Counter(
    "shorebreak_store_errors_total",
    "Work that failed because of the store, by kind (`unavailable`: nothing was written; `unknown`: the answer to a "
    "write was lost) and by what was at work (`request`, `worker`, or `news`: the subscription for those who wait).",
    ["kind", "at"],
    registry=REGISTRY,
)
WORKER_LOOKS = Counter(
    "shorebreak_worker_looks_total",
    "Due entries that workers took, by queue (`matches`: clocks, bots, rematches; `hooks`: webhooks) and result "
    "(`done`, `failed`).",
    ["queue", "result"],
    registry=REGISTRY,
)
WORKER_LATE = Histogram(
    "shorebreak_worker_late_seconds",
    "How late a due entry was when a worker took it, by queue.",
    ["queue"],
    buckets=LATE_S,
    registry=REGISTRY,
)
WEBHOOKS = Counter(
    "shorebreak_webhook_deliveries_total",
    "Deliveries to webhooks, by result: `delivered`, `failed` (tried again later), `given_up` (failed for too long) or "
    "`gone` (the endpoint answered 410); after the last two the webhook is off.",
    ["result"],
    registry=REGISTRY,
)
WEBHOOK_SECONDS = Histogram(
    "shorebreak_webhook_seconds",
    "How long a delivery took, whatever came of it.",
    buckets=LATE_S,
    registry=REGISTRY,
)


class Tally:
    """Answers of one kind, gathered in plain numbers and added to the metrics now and then.

    Adding each at once takes 7 us of a request, in files shared with other processes; this takes half of one. For one
    thread, or greenlets.
    """

    __slots__ = ("_buckets", "_count", "_counter", "_histogram", "_seconds", "_timed")

    def __init__(self, method: str, route: str, status: int, code: str | None) -> None:
        self._counter = REQUESTS.labels(method, route, status, code or "")
        self._histogram = REQUEST_SECONDS.labels(method, route)
        self._count = self._timed = 0
        self._seconds = 0.0
        self._buckets = [0] * (len(FAST_S) + 1)

    def add(self) -> None:
        """One more, of which it does not matter how long it took."""
        self._count += 1

    def add_timed(self, seconds: float) -> None:
        """One more, that took so long."""
        self._count += 1
        self._timed += 1
        self._seconds += seconds
        self._buckets[bisect_left(FAST_S, seconds)] += 1

    def hand_over(self) -> None:
        """Add what was gathered to the metrics."""
        if self._count:
            self._counter.inc(self._count)
            self._count = 0
        if self._timed:
            # What `observe` does for one, done for all: it has no word for many.
            self._histogram._sum.inc(self._seconds)
            for bucket, more in zip(self._histogram._buckets, self._buckets, strict=True):
                if more:
                    bucket.inc(more)
            self._timed, self._seconds, self._buckets = 0, 0.0, [0] * len(self._buckets)


def counted(environ: Mapping[str, str] = os.environ) -> CollectorRegistry:
    """Where to collect from: all processes that share the folder, or this process where there is none."""
    if FOLDER not in environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry, environ[FOLDER])  # type: ignore[no-untyped-call]  # theirs
    return registry
