"""Seats that others play: bots, takeover, rematch, and who may watch."""

import random

import msgspec
import pytest
from flask.testing import FlaskClient

from engines import GAMES
from engines.kit.game import Game
from service.app import create_app
from service.settings import Settings
from tests.support.contract import bearer, begun, facts, few, told
from tests.support.playing import Match
from tests.support.refusals import refused
from tests.support.server import RedisServer
from tests.support.tending import Tended

SEED = 20_261_130
WITH_BOTS = sorted(key for key, game in GAMES.items() if game.bots)


@pytest.fixture(params=WITH_BOTS)
def botted(request: pytest.FixtureRequest) -> Game:
    return GAMES[request.param]


@pytest.fixture
def tended(own_redis: RedisServer) -> Tended:
    return Tended(own_redis)


def over(client: FlaskClient, game: Game, **wish: object) -> Match:
    """A match that was played to its end, by the table for everybody."""
    match = begun(client, game, few(game), **wish)
    for seat in range(match.seats):
        client.delete(f"{match.path}/seats/{seat}", headers=match.auth(seat))
    assert client.get(match.path).json["status"] == "finished"
    return match


# Bots


def test_the_catalogue_names_the_bots_and_the_host_seats_them(tended: Tended, botted: Game) -> None:
    client = tended.client
    bots = client.get(f"/v1/games/{botted.key}").json["bots"]
    assert bots[0] == "random"
    for bot in bots:
        match = Match(client, botted.key, few(botted))
        for seat in range(match.seats):
            claimed = client.post(f"{match.path}/seats", json={"bot": bot}, headers=match.host)
            assert claimed.status_code == 201, claimed.text
            assert claimed.json == {"match": match.id, "seat": seat, "token": None}
        tended.work()
        end = client.get(match.path).json
        assert end["status"] == "finished"
        assert end["seats"] == [{"seat": seat, "name": bot, "kind": "bot"} for seat in range(match.seats)]
        moves = client.get(f"{match.path}/replay").json["moves"]
        assert {move["cause"] for move in moves} <= {"bot"}


def test_only_the_host_seats_a_bot_and_only_one_that_there_is(client: FlaskClient, botted: Game) -> None:
    match = Match(client, botted.key, few(botted))
    seats = f"{match.path}/seats"
    refused(client.post(seats, json={"bot": "random"}), 403, "host_only")
    refused(client.post(seats, json={"bot": "hal"}, headers=match.host), 422, "invalid")
    refused(client.post(seats, json={"bot": "random", "name": "Ana"}, headers=match.host), 422, "invalid")
    refused(client.post(seats, json={}, headers=match.host), 422, "invalid")


def test_a_bots_seat_has_no_token_and_is_freed_by_the_host_before_the_start(client: FlaskClient, botted: Game) -> None:
    match = Match(client, botted.key, few(botted))
    client.post(f"{match.path}/seats", json={"bot": "random"}, headers=match.host)
    refused(client.post(f"{match.path}/seats/0/token", headers=match.host), 403, "wrong_seat")
    assert client.delete(f"{match.path}/seats/0", headers=match.host).json["seats"][0]["kind"] == "open"


def test_bots_and_a_player_play_a_match_together(tended: Tended, botted: Game) -> None:
    match = Match(tended.client, botted.key, few(botted)).sit(1)
    for _ in range(match.seats - 1):
        tended.client.post(f"{match.path}/seats", json={"bot": "random"}, headers=match.host)
    rng = random.Random(SEED)
    while tended.client.get(match.path).json["status"] == "playing":
        tended.work()
        state = match.seat(0, "state")
        if 0 in state["to_move"]:
            assert match.move(0, rng.choice(match.seat(0, "legal-moves")["moves"])).status_code == 201
    causes = {move["cause"] for move in tended.client.get(f"{match.path}/replay").json["moves"]}
    assert causes <= {"player", "bot"}


def test_a_game_without_bots_offers_none_for_the_absent(shared_redis: RedisServer) -> None:
    bare = msgspec.structs.replace(GAMES["onda"], bots={})
    app = create_app(Settings(redis_url=shared_redis.url), games={"onda": bare})
    client = app.test_client(use_cookies=False)
    for wish in ({"on_absent": "bot"}, {"clock": {"turn_s": 30, "on_timeout": "bot"}}):
        refused(client.post("/v1/games/onda/matches", json={"seats": 2, **wish}), 422, "invalid")


# Takeover


def test_on_absent_bot_a_bot_plays_on_for_who_resigned_and_gives_the_seat_back(tended: Tended, botted: Game) -> None:
    match = begun(tended.client, botted, few(botted), on_absent="bot")
    left = tended.client.delete(f"{match.path}/seats/0", headers=match.auth(0)).json
    best = list(botted.bots)[-1]
    assert left["left"] == [{"seat": 0, "resigned": True, "played_by": best}]
    assert facts(match)[-2:] == [
        ("seat_resigned", 0, {"on_absent": "bot"}),
        ("seat_taken_over", 0, {"by": "bot", "bot": best}),
    ]
    back = tended.client.post(f"{match.path}/seats/0/takeover", headers=match.auth(0))
    assert (back.status_code, back.json["left"]) == (200, [])
    assert facts(match)[-1] == ("seat_taken_over", 0, {"by": "player", "bot": None})
    again = tended.client.post(f"{match.path}/seats/0/takeover", headers=match.auth(0))
    assert again.json == back.json


def test_a_move_of_its_player_takes_a_seat_back_and_a_refused_one_does_not(client: FlaskClient) -> None:
    match = begun(client, "onda", 2, on_absent="bot")
    client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    before = len(told(match))
    refused(match.move(0, {"type": "pass"}), 422, "illegal_move")
    assert len(told(match)) == before
    assert match.move(0, match.seat(0, "legal-moves")["moves"][0]).status_code == 201
    assert [type for type, _, _ in facts(match)[before:]] == ["seat_taken_over", "set_aside"]


def test_a_match_can_forbid_it(client: FlaskClient, botted: Game) -> None:
    match = begun(client, botted, few(botted), on_absent="bot", takeover=False)
    client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    refused(client.post(f"{match.path}/seats/0/takeover", headers=match.auth(0)), 409, "seat_given_up")
    seat_moves = match.seat(0, "legal-moves")["moves"]
    if seat_moves:
        refused(match.move(0, seat_moves[0]), 409, "seat_given_up")


def test_a_seat_is_taken_back_by_its_own_holder_while_the_match_is_played(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, few(game)).sit(1)
    path = f"{match.path}/seats/0/takeover"
    refused(client.post(path), 401, "unauthenticated")
    refused(client.post(path, headers=match.host), 403, "wrong_seat")
    refused(client.post(path, headers=match.auth(0)), 409, "match_waiting")
    ended = over(client, game)
    refused(client.post(f"{ended.path}/seats/0/takeover", headers=ended.auth(0)), 409, "match_over")


# Rematch


def test_everybody_gets_a_seat_one_further_in_one_new_match(client: FlaskClient, game: Game) -> None:
    match = over(client, game)
    answers = [client.post(f"{match.path}/rematch", headers=match.auth(seat)) for seat in range(match.seats)]
    assert [answer.status_code for answer in answers] == [201] * match.seats
    assert [answer.json["seat"] for answer in answers] == [(seat + 1) % match.seats for seat in range(match.seats)]
    (next_id,) = {answer.json["match"] for answer in answers}
    old = client.get(match.path).json
    path = f"/v1/games/{game.key}/matches/{next_id}"
    new = client.get(path).json
    assert old["rematch"] == next_id
    assert new["status"] in ("playing", "finished")
    assert new["options"] == old["options"]
    assert not new["fixed_deal"]
    assert [seat["name"] for seat in new["seats"]] == [
        old["seats"][(seat - 1) % match.seats]["name"] for seat in range(match.seats)
    ]
    seat = answers[0].json
    state = client.get(f"{path}/seats/{seat['seat']}/state", headers=bearer(seat["token"]))
    assert state.status_code == 200
    assert client.get(f"{path}/seats/{seat['seat']}/state", headers=match.auth(0)).status_code == 401


def test_asking_again_gives_a_fresh_token_for_the_same_seat(client: FlaskClient, game: Game) -> None:
    match = over(client, game)
    first, second = (client.post(f"{match.path}/rematch", headers=match.auth(0)).json for _ in range(2))
    assert (first["match"], first["seat"]) == (second["match"], second["seat"])
    path = f"/v1/games/{game.key}/matches/{first['match']}/seats/{first['seat']}/state"
    assert client.get(path, headers=bearer(first["token"])).status_code == 401
    assert client.get(path, headers=bearer(second["token"])).status_code == 200


def test_a_rematch_follows_a_match_that_was_played_to_its_end(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, few(game), host_can_abort=True)
    refused(client.post(f"{match.path}/rematch"), 401, "unauthenticated")
    refused(client.post(f"{match.path}/rematch", headers=match.host), 403, "wrong_seat")
    refused(client.post(f"{match.path}/rematch", headers=match.auth(0)), 409, "match_not_finished")
    client.delete(match.path, headers=match.host)
    refused(client.post(f"{match.path}/rematch", headers=match.auth(0)), 409, "match_not_finished")


def test_nobody_else_gets_a_seat_of_a_rematch(client: FlaskClient, game: Game) -> None:
    match = over(client, game)
    next_id = client.post(f"{match.path}/rematch", headers=match.auth(0)).json["match"]
    seats = f"/v1/games/{game.key}/matches/{next_id}/seats"
    refused(client.post(seats, json={"name": "Eve"}), 409, "seat_taken")


def test_a_rematch_that_does_not_come_together_in_ten_minutes_is_aborted(tended: Tended) -> None:
    match = over(tended.client, GAMES["onda"])
    next_id = tended.client.post(f"{match.path}/rematch", headers=match.auth(0)).json["match"]
    path = f"/v1/games/onda/matches/{next_id}"
    tended.pass_time(599)
    assert tended.client.get(path).json["status"] == "waiting"
    tended.pass_time(2)
    assert tended.client.get(path).json["status"] == "aborted"
    refused(tended.client.post(f"{match.path}/rematch", headers=match.auth(1)), 409, "match_over")


def test_bots_follow_into_the_rematch(tended: Tended, botted: Game) -> None:
    match = Match(tended.client, botted.key, few(botted)).sit(1)
    for _ in range(match.seats - 1):
        tended.client.post(f"{match.path}/seats", json={"bot": "random"}, headers=match.host)
    tended.client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    tended.work()
    answer = tended.client.post(f"{match.path}/rematch", headers=match.auth(0)).json
    new = tended.client.get(f"/v1/games/{botted.key}/matches/{answer['match']}").json
    assert [seat["kind"] for seat in new["seats"]].count("bot") == match.seats - 1
    assert new["status"] in ("playing", "finished")


# Spectators


def test_spectators_of_a_delayed_match_are_so_many_moves_behind_until_the_end(client: FlaskClient) -> None:
    match = begun(client, "onda", 2, spectators={"open": True, "delay": 3}, host_can_abort=True)
    states = [client.get(f"{match.path}/state").json]
    for _ in range(6):
        seat = match.seat(0, "state")["to_move"][0]
        assert match.move(seat, match.seat(seat, "legal-moves")["moves"][0]).status_code == 201
        states.append(client.get(f"{match.path}/state").json)
    assert [state["version"] for state in states] == [0, 0, 0, 0, 1, 2, 3]
    events = client.get(f"{match.path}/events?limit=500").json
    assert max(event["version"] for event in events["events"]) == 3
    assert not events["more"]
    public = client.get(match.path).json
    assert (public["version"], public["to_move"], public["status"]) == (None, [], "playing")
    listed = client.get("/v1/games/onda/matches?limit=100&status=playing").json["items"]
    assert [item["version"] for item in listed if item["match"] == match.id] in ([None], [])
    assert match.seat(0, "state")["version"] == 6
    waiting_for = match.seat(0, "state")["to_move"][0]
    client.delete(f"{match.path}/seats/{1 - waiting_for}", headers=match.auth(1 - waiting_for))
    assert client.get(match.path).json["left"] == []
    client.delete(match.path, headers=match.host)
    assert client.get(f"{match.path}/state").json["version"] == 6
    assert client.get(match.path).json["version"] == 6
    assert [left["seat"] for left in client.get(match.path).json["left"]] == [1 - waiting_for]
    replay = client.get(f"{match.path}/replay?seat=0&version=3").json["view"]
    assert replay["viewer"] == 0


def test_a_match_that_is_closed_to_spectators_is_watched_with_its_tokens_alone(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, few(game), spectators={"open": False})
    refused(client.get(f"{match.path}/state"), 401, "unauthenticated")
    refused(client.get(f"{match.path}/events", headers=bearer(match.made["join_code"])), 401, "unauthenticated")
    assert client.get(f"{match.path}/state", headers=match.auth(1)).status_code == 200
    assert client.get(f"{match.path}/events", headers=match.host).status_code == 200
