"""The short way to a view finds what Flask's own map finds, and leaves the rest to it."""

import pytest
from flask import Flask
from werkzeug.exceptions import HTTPException

from service.api.lean import LeanFlask

MATCH = "0123456789abcdef01234567"
ENDS = ["", "/seats", "/seats/0", "/seats/0/state", "/seats/1/moves", "/seats/x y/events", "/state", "/replay"]
PATHS = [
    *(f"/v1/games/{game}/matches/{match}{end}" for game in ("onda", "chess") for match in (MATCH, "*") for end in ENDS),
    "/v1/games", "/v1/games/onda", "/v1/games/onda/matches", "/v1/wait", "/livez", "/metrics", "/docs",
    "/", "", "//v1/games", "/v1/games/", f"/v1/games/onda/matches/{MATCH}/", "/v1/games/onda/matches//seats/0/state",
    f"/v1/games/onda/matches/{MATCH}/seats//state", "/v1/games/onda/matches/<match>/seats/<seat>/state",
]  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", PATHS)
def test_the_short_way_and_the_map_agree(app: Flask, method: str, path: str) -> None:
    assert isinstance(app, LeanFlask)
    try:
        by_map = app.url_map.bind("localhost", default_method=method, path_info=path).match(return_rule=True)
    except HTTPException:
        by_map = None
    found = app.routes.find(method, path)
    if found is None:
        assert (
            by_map is None
            or path.startswith("//")
            or method in ("HEAD", "OPTIONS")
            or by_map[0].rule.startswith(("/v1/games/<", "/docs"))
        )
    else:
        assert found == by_map


def test_every_address_of_a_match_has_the_short_way(app: Flask) -> None:
    assert isinstance(app, LeanFlask)
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/v1/games/onda"):
            path = rule.rule.replace("<match>", MATCH).replace("<seat>", "1")
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
                assert app.routes.find(method, path) is not None, f"{method} {path}"
