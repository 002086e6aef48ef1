"""Addresses under a game that is not served: every address that a game has answers `unknown_game` for the others."""

from collections.abc import Mapping

from flask import Flask, Response

from engines.kit.game import Game
from service.api.catalogue import unknown_game
from service.api.limits import claiming, creating
from service.api.requests import read_body
from service.table.table import Table


def refuse_unknown_games(app: Flask, games: Mapping[str, Game], table: Table) -> None:
    """Put `/v1/games/<game>/...` beside the addresses of the games that are served; literal addresses win."""
    limits = {"create_match": creating(table), "claim_seat": claiming(table), "post_move": None}
    model = next(iter(games))
    prefix = f"/v1/games/{model}"
    for rule in list(app.url_map.iter_rules()):
        if not rule.rule.startswith(f"{prefix}/"):
            continue
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        path = f"/v1/games/<game>{rule.rule.removeprefix(prefix)}"
        body_of = next((name for name in limits if rule.endpoint.endswith(name)), None)

        def refuse(game: str, *, body_of: str | None = body_of, **_places: str) -> Response:
            if body_of is not None:
                read_body(admit=limits[body_of])
            raise unknown_game(games, game)

        app.add_url_rule(path, f"unknown.{rule.endpoint.replace('.', '_')}", refuse, methods=methods)
