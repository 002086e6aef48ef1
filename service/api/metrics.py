"""`/metrics`: what Prometheus asks for. Counted over all processes that share a folder, from the server's start on.

What the processes count is in `service.metrics`; what stands in the store is looked up here, at each asking.
"""

import platform
from collections.abc import Callable, Iterator, Sequence

from flask import Flask, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from service import VERSION
from service.metrics import counted
from service.store.errors import StoreError
from service.table.due import Queue
from service.table.listing import STATUSES
from service.table.table import Table

STORE_UP = "shorebreak_store_up"
LISTED = "shorebreak_matches_listed"
DUE_LATE = "shorebreak_due_late_seconds"
WORKER_SILENT = "shorebreak_worker_silent_seconds"
BUILD = "shorebreak_build_info"

LOOKED_UP: dict[str, tuple[str, Sequence[str]]] = {
    STORE_UP: ("1 if the store answered just now, else 0; then what stands in it is left out.", ()),
    LISTED: (
        "Entries of the public lists, by game and status. Unlisted matches are not among them; listed ones that were "
        "forgotten are for up to ten minutes.",
        ("game", "status"),
    ),
    DUE_LATE: (
        "How late the earliest due entry is that no worker has taken, by queue; 0 where nothing is due.",
        ("queue",),
    ),
    WORKER_SILENT: (
        "For how long no worker has given a sign of life; each does every second. Left out if none ever did.",
        (),
    ),
    BUILD: ("1, with the versions of Shorebreak and of Python.", ("version", "python")),
}
"""By name: the meaning, and the labels."""


class Store:
    """What stands in the store. Of several servers on one store each says the same: take the maximum."""

    def __init__(self, table: Table, games: Sequence[str]) -> None:
        self._table = table
        self._games = games

    def collect(self) -> Iterator[Metric]:
        """A few round trips."""
        yield _gauge(BUILD, [((VERSION, platform.python_version()), 1)])
        try:
            levels = self._table.store.levels(self._games, STATUSES, list(Queue))
        except StoreError:
            yield _gauge(STORE_UP, [((), 0)])
            return
        now_ms = self._table.edge.now_ms()
        yield _gauge(STORE_UP, [((), 1)])
        yield _gauge(LISTED, list(levels.listed.items()))
        late = [
            ((queue,), 0 if due_ms is None else _since_s(now_ms, due_ms)) for queue, due_ms in levels.due_ms.items()
        ]
        yield _gauge(DUE_LATE, late)
        if levels.beat_ms is not None:
            yield _gauge(WORKER_SILENT, [((), _since_s(now_ms, levels.beat_ms))])


def add_to(app: Flask, table: Table, games: Sequence[str], hand_over: Callable[[], None]) -> None:
    """Put `/metrics` into the application. `hand_over` brings this process's own counts up to date."""
    looked_up = CollectorRegistry()
    looked_up.register(Store(table, games))

    def metrics() -> Response:
        hand_over()
        return Response(generate_latest(counted()) + generate_latest(looked_up), content_type=CONTENT_TYPE_LATEST)

    app.add_url_rule("/metrics", "metrics", metrics)


def _gauge(name: str, values: Sequence[tuple[Sequence[str], float]]) -> Metric:
    meaning, labels = LOOKED_UP[name]
    gauge = GaugeMetricFamily(name, meaning, labels=labels)
    for label_values, value in values:
        gauge.add_metric(label_values, value)
    return gauge


def _since_s(now_ms: int, then_ms: int) -> float:
    return max(0, now_ms - then_ms) / 1000
