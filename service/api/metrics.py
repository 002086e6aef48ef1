"""`/metrics`: what Prometheus asks for. Counted over all web processes of a server, from its start on."""

import os

from flask import Flask, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

REQUESTS = Counter(
    "shorebreak_requests_total",
    "Requests answered, by method, route (as in the document; `none` where no route fits) and status.",
    ["method", "route", "status"],
)


def add_to(app: Flask) -> None:
    """Count every answer, and put `/metrics` into the application."""
    counters: dict[tuple[str, str, int], Counter] = {}

    def finish(response: Response) -> Response:
        """What is done to every answer: one hook, for each costs."""
        response.headers["X-Content-Type-Options"] = "nosniff"
        rule = request.url_rule
        labels = (request.method, "none" if rule is None else rule.rule, response.status_code)
        counter = counters.get(labels)
        if counter is None:
            counter = counters[labels] = REQUESTS.labels(*labels)
        counter.inc()
        return response

    def metrics() -> Response:
        registry = REGISTRY
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:  # one of several web processes: it answers for all
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # theirs
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    app.after_request(finish)
    app.add_url_rule("/metrics", "metrics", metrics)
