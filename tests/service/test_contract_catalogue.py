"""The catalogue and the pages around the API, as the contract words them."""

import re

from flask.testing import FlaskClient

from engines import GAMES
from engines.kit.game import Game
from tests.support.refusals import refused

GAME_KEYS = {
    "game",
    "title",
    "summary",
    "rules_version",
    "seats",
    "options",
    "cards",
    "moves",
    "rules",
    "bots",
    "card_sets",
}


def test_the_catalogue_lists_every_game(client: FlaskClient) -> None:
    answer = client.get("/v1/games")
    assert answer.status_code == 200
    assert set(answer.json) == {"items"}
    assert [item["game"] for item in answer.json["items"]] == list(GAMES)
    assert all(set(item) == GAME_KEYS for item in answer.json["items"])


def test_a_game_tells_title_seats_rules_version_and_bots(client: FlaskClient, game: Game) -> None:
    told = client.get(f"/v1/games/{game.key}").json
    assert set(told) == GAME_KEYS
    assert told["title"] == game.title
    assert told["seats"] == {"min": game.min_seats, "max": game.max_seats}
    assert told["rules_version"] == game.rules_version
    assert told["bots"] == list(game.bots)


def test_its_options_are_a_json_schema_with_defaults(client: FlaskClient, game: Game) -> None:
    options = client.get(f"/v1/games/{game.key}").json["options"]
    assert options["type"] == "object"
    assert set(options["properties"]) == set(game.options.__struct_fields__)
    assert all("default" in told for told in options["properties"].values())


def test_its_cards_stand_in_catalogue_order(client: FlaskClient, game: Game) -> None:
    cards = client.get(f"/v1/games/{game.key}").json["cards"]
    assert [card["code"] for card in cards] == [card.code for card in game.cards]


def test_its_move_types_say_which_are_anytime(client: FlaskClient, game: Game) -> None:
    moves = client.get(f"/v1/games/{game.key}").json["moves"]
    assert [move["type"] for move in moves] == [move.__struct_config__.tag for move in game.moves]
    assert {move["type"] for move in moves if move["anytime"]} == game.anytime
    assert all(move["description"] for move in moves)


def test_its_rules_have_an_id_and_a_sentence_each(client: FlaskClient, game: Game) -> None:
    rules = client.get(f"/v1/games/{game.key}").json["rules"]
    assert {rule["id"]: rule["sentence"] for rule in rules} == dict(game.rules)
    assert all(rule["sentence"].endswith(".") for rule in rules)


def test_a_game_that_is_not_served_is_unknown(client: FlaskClient) -> None:
    refused(client.get("/v1/games/chess"), 404, "unknown_game")
    refused(client.get("/v1/games/chess/matches"), 404, "unknown_game")
    refused(client.post("/v1/games/chess/matches", json={"seats": 2}), 404, "unknown_game")
    refused(client.get(f"/v1/games/chess/matches/{'0' * 24}/seats/0/state"), 404, "unknown_game")


def test_the_process_is_up_and_the_store_answers(client: FlaskClient) -> None:
    assert (client.get("/livez").status_code, client.get("/livez").json) == (200, {"status": "alive"})
    assert (client.get("/readyz").status_code, client.get("/readyz").json) == (200, {"status": "ready"})


def test_the_pages_for_people_have_no_asset_from_elsewhere(client: FlaskClient) -> None:
    for page in ("/docs", "/docs/", "/docs/problems"):
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert answer.mimetype == "text/html", page
        assets = re.findall(r"""(?:src|href)\s*=\s*["']([^"']+)""", answer.text)
        for asset in assets:
            assert re.match("/(?!/)", asset), f"{page} loads {asset}"
            assert client.get(asset).status_code == 200, f"{page} loads {asset}"
        assert "@import" not in answer.text, page


def test_the_page_asks_nobody_elsewhere_about_the_document(client: FlaskClient) -> None:
    for page in ("/docs", "/docs/"):
        answer = client.get(page)
        assert "SwaggerUIBundle" in answer.text
        assert '"url": "/openapi.json"' in answer.text
        assert '"validatorUrl": null' in answer.text
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_the_stylesheets_of_the_page_load_nothing_from_elsewhere(client: FlaskClient) -> None:
    for sheet in ("index.css", "swagger-ui.css"):
        text = client.get(f"/docs/{sheet}").text
        assert not re.search(r"url\(\s*[\"']?(?:https?:)?//|@import", text), sheet


def test_every_problem_has_its_place_on_the_page_of_problems(client: FlaskClient) -> None:
    from service.api.problems import PROBLEMS

    page = client.get("/docs/problems").text
    assert all(f'id="{code}"' in page for code in PROBLEMS)
