"""Addresses under a game that is not served: every address that a game has answers `unknown_game` for the others."""

from collections.abc import Mapping

from flask import Flask, Response

from engines.kit.game import Game
from service.api.catalogue import unknown_game
from service.api.requests import read_body


def refuse_unknown_games(app: Flask, games: Mapping[str, Game]) -> None:
    """Put `/v1/games/<game>/...` beside the addresses of the games that are served; literal addresses win."""
    model = next(iter(games))
    prefix = f"/v1/games/{model}"
    for rule in list(app.url_map.iter_rules()):
        if not rule.rule.startswith(f"{prefix}/"):
            continue
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        path = f"/v1/games/<game>{rule.rule.removeprefix(prefix)}"
        takes_body = rule.endpoint.endswith(("create_match", "claim_seat", "post_move"))

        def refuse(game: str, *, takes_body: bool = takes_body, **_places: str) -> Response:
            if takes_body:
                read_body()
            raise unknown_game(games, game)

        app.add_url_rule(path, f"unknown.{rule.endpoint.replace('.', '_')}", refuse, methods=methods)
