"""The only place that wires: settings, store, table, games and addresses become one Flask application."""

import os
from collections.abc import Mapping

import msgspec
from flask import Flask

from engines.kit.game import Game
from service import tracing
from service.api import (
    access,
    catalogue,
    cors,
    docs,
    document,
    feed,
    headers,
    health,
    matches,
    metrics,
    play,
    problems,
    replay,
    seats,
    traces,
    waiting,
)
from service.api.lean import LeanFlask
from service.api.operations import Room
from service.api.unknown import refuse_unknown_games
from service.card_sets import served
from service.crowd import Crowd
from service.live.hub import Hub
from service.settings import Settings
from service.store.news import FEEDS
from service.table.edge import Edge
from service.table.shared import Shared
from service.whence import BehindProxies, Trusted
from service.wiring import open_table, subscription


def create_app(
    settings: Settings | None = None,
    edge: Edge | None = None,
    games: Mapping[str, Game] | None = None,
    shared: Shared | None = None,
) -> Flask:
    """The application. Without settings they are read from the environment; `REDIS_URL` must be set then.

    Without games: those that the settings say. `shared` is what it shares with other processes.
    Raises SettingsError, also for a faulty card set.
    """
    settings = settings or Settings.from_env(os.environ)
    games = served(settings) if games is None else games
    table = open_table(settings, edge, shared)
    tracer = tracing.tracer() if tracing.wanted(settings) else None
    if tracer is not None:
        table = msgspec.structs.replace(table, store=tracing.traced(table.store, tracer))
    crowd = Crowd(settings.connections_per_address)
    hub = Hub(lambda: subscription(settings, FEEDS), settings.stream_heartbeat_s, crowd)

    app = LeanFlask("shorebreak", static_folder=None)
    app.url_map.merge_slashes = False  # or `//v1` would be answered with a redirect instead of 404
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    document.configure(app)
    problems.register(app)

    api = document.DocumentedApi(app)
    rooms = [Room(game, table, hub) for game in games.values()]
    document.describe(api, rooms)
    api.register_blueprint(catalogue.blueprint(games))
    for room in rooms:
        for resource in (matches, seats, play, feed, replay):
            resource.add_to(room)
        api.register_blueprint(room.blueprint)
    api.register_blueprint(waiting.blueprint(games, table, hub))
    readiness = health.Readiness()
    api.register_blueprint(health.blueprint(table, readiness))
    refuse_unknown_games(app, games, table)
    docs.add_to(app, api)
    headers.add_to(app)
    cors.add_to(app, settings.cors_origins)
    if tracer is not None:
        traces.add_to(app, tracer)
    hand_over = access.add_to(app, settings)
    trusted = Trusted(settings.trusted_proxies)
    if trusted:
        app.wsgi_app = BehindProxies(app.wsgi_app, trusted, settings.proxy_header)  # type: ignore[method-assign]
    if settings.metrics:
        metrics.add_to(app, table, list(games), hand_over)
    app.extensions["shorebreak.counts"] = hand_over
    app.extensions["shorebreak"] = api
    app.extensions["shorebreak.hub"] = hub
    app.extensions["shorebreak.readiness"] = readiness
    return app
