"""The replay, what a seat knew, and the deal that anybody can check, as the contract words them."""

import random
from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.contract import begun, few, legal, play_first, to_move, told
from tests.support.playing import Match
from tests.support.refusals import refused

SEED = 20_261_130
REPLAY = {
    "match", "game", "rules_version", "options", "seats", "fixed_deal", "secret", "seed", "commitment", "outcome",
    "moves",
}  # fmt: skip


def replay(match: Match) -> dict[str, object]:
    answer = match.client.get(f"{match.path}/replay")
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json
    return found


def aborted(match: Match) -> Match:
    assert match.client.delete(match.path, headers=match.host).status_code == 200
    return match


def test_before_the_end_the_replay_is_closed(client: FlaskClient, game: Game) -> None:
    waiting, playing = Match(client, game.key, few(game)), begun(client, game)
    for match in (waiting, playing):
        for path in (f"{match.path}/replay", f"{match.path}/replay?seat=0&version=0"):
            refused(client.get(path), 409, "match_not_finished")
            refused(client.get(path, headers=match.host), 409, "match_not_finished")


def test_the_replay_of_a_finished_match(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, few(game)).sit(1, nonce="surf").sit()
    moves = match.play_on(random.Random(SEED))
    found = replay(match)
    looked = client.get(match.path).json
    assert set(found) == REPLAY
    assert (found["match"], found["game"], found["rules_version"]) == (match.id, game.key, game.rules_version)
    assert found["options"] == looked["options"]
    assert found["seats"][0] == {"seat": 0, "name": "player 0", "kind": "player", "nonce": "surf"}
    assert [seat["nonce"] for seat in found["seats"][1:]] == [""] * (few(game) - 1)
    assert found["outcome"] == looked["outcome"]
    assert [move["version"] for move in found["moves"]] == list(range(1, moves + 1))
    assert all(set(move) == {"version", "seat", "move", "at", "cause"} for move in found["moves"])
    assert {move["cause"] for move in found["moves"]} <= {"player"}


def test_the_commitment_is_the_sha_256_of_the_secret(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, few(game))
    published = match.made["match"]["commitment"]
    match.sit()
    assert client.get(match.path).json["commitment"] == published
    for seat in range(few(game)):
        client.delete(f"{match.path}/seats/{seat}", headers=match.auth(seat))
    found = replay(match)
    assert (found["fixed_deal"], found["seed"], found["commitment"]) == (False, None, published)
    assert len(bytes.fromhex(found["secret"])) == 32
    assert sha256(bytes.fromhex(found["secret"])).hexdigest() == published == published.lower()


def test_a_rematch_draws_a_fresh_secret(client: FlaskClient, game: Game) -> None:
    commitments = {Match(client, game.key, few(game)).made["match"]["commitment"] for _ in range(5)}
    assert len(commitments) == 5


def test_a_fixed_deal_has_no_commitment_and_shows_its_text_only_in_the_replay(client: FlaskClient, game: Game) -> None:
    text = "a text that nobody may see"
    match = Match(client, game.key, few(game), seed=text, host_can_abort=True)
    shown = [match.made]
    assert (match.made["match"]["fixed_deal"], match.made["match"]["commitment"]) == (True, None)
    match.sit()
    match.play_on(random.Random(SEED), moves=3)
    shown += [client.get(match.path).json, client.get(f"{match.path}/state").json, told(match)]
    shown += [match.seat(seat, what) for seat in range(few(game)) for what in ("state", "legal-moves")]
    shown += [client.get(f"/v1/games/{game.key}/matches").json, client.get(f"{match.path}/replay").json]
    assert text not in str(shown)
    client.delete(match.path, headers=match.host)
    found = replay(match)
    assert (found["fixed_deal"], found["seed"], found["secret"], found["commitment"]) == (True, text, None, None)


def test_the_same_seed_options_and_seats_give_the_same_deal(client: FlaskClient, game: Game) -> None:
    one, other, third = (begun(client, game, seed=text) for text in ("tide", "tide", "ebb"))
    for match in (one, other, third):
        match.play_on(random.Random(SEED), moves=6)  # what is dealt may lie hidden at first
    views = [[match.seat(seat, "state")["view"] for seat in range(2)] for match in (one, other, third)]
    assert views[0] == views[1]
    assert views[0] != views[2]


def test_moves_by_the_clock_and_anytime_moves_are_among_the_moves(client: FlaskClient) -> None:
    match = begun(client, "wave", 3, host_can_abort=True)
    card = match.seat(0, "state")["view"]["hands"][0]["cards"][0]["card"]
    assert match.move(2, {"type": "tip", "about": card, "says": "can_play"}).status_code == 201
    client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    found = replay(aborted(match))
    assert found["moves"][0]["move"] == {"type": "tip", "about": card, "says": "can_play", "mine": None}
    assert [(move["seat"], move["cause"]) for move in found["moves"][:2]] == [(2, "player"), (0, "clock")]


def test_what_a_seat_knew_is_what_it_was_shown_at_every_version(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, 3)
    shown = {(0, seat): match.seat(seat, "state")["view"] for seat in range(3)}
    rng = random.Random(SEED)
    for version in range(1, 400):
        seat = rng.choice(match.seat(0, "state")["to_move"])
        played = match.move(seat, rng.choice(legal(match, seat))).json
        shown[version, seat] = played["view"]
        if version < 15 or version % 20 == 0 or not played["to_move"]:
            shown |= {(version, other): match.seat(other, "state")["view"] for other in range(3)}
        if not played["to_move"]:
            break
    for (version, seat), view in shown.items():
        if version < 25 or version % 20 == 0 or version == played["version"]:
            path = f"{match.path}/replay?seat={seat}&version={version}"
            expected = {"match": match.id, "seat": seat, "version": version, "view": view}
            assert client.get(path).json == expected, (SEED, version, seat)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("seat=0", "$.version"),
        ("version=0", "$.seat"),
        ("seat=2&version=0", "$.seat"),
        ("seat=-1&version=0", "$.seat"),
        ("seat=0&version=99", "$.version"),
        ("seat=0&version=x", "$.version"),
        ("seat=0&version=0&colour=blue", "$.colour"),
        ("seat=0&seat=1&version=0", "$.seat"),
    ],
)
def test_a_query_that_does_not_fit_is_invalid(client: FlaskClient, query: str, path: str) -> None:
    match = aborted(begun(client, "wave", host_can_abort=True))
    body = refused(client.get(f"{match.path}/replay?{query}"), 422, "invalid")
    assert body["errors"][0]["path"] == path


def test_a_match_aborted_before_its_start_has_no_view_to_replay(client: FlaskClient, game: Game) -> None:
    match = aborted(Match(client, game.key, few(game)).sit(1))
    assert replay(match)["moves"] == []
    assert client.get(f"{match.path}/replay?seat=0&version=0").json["view"] is None


def test_a_finished_wave_shows_every_face_to_everyone(client: FlaskClient) -> None:
    match = begun(client, "wave")
    match.play_on(random.Random(SEED))
    for view in (client.get(f"{match.path}/state").json["view"], match.seat(0, "state")["view"]):
        assert all(card["face"] is not None for hand in view["hands"] for card in hand["cards"])
        assert view["silver"]["face_down_faces"] is not None


def test_an_aborted_wave_does_not(client: FlaskClient) -> None:
    match = begun(client, "wave", host_can_abort=True)
    play_first(match, 3)
    aborted(match)
    view = client.get(f"{match.path}/state").json["view"]
    assert all(card["face"] is None for hand in view["hands"] for card in hand["cards"])
    assert view["silver"]["face_down_faces"] is None
    own = match.seat(0, "state")["view"]["hands"][0]["cards"]
    assert {card["face"] is None for card in own if card["facing"] == "team"} == {True}


def test_legal_moves_of_a_match_that_is_over_are_none(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, host_can_abort=True)
    seat = to_move(match)
    aborted(match)
    assert match.seat(seat, "legal-moves") == {"version": 0, "to_move": [], "count": 0, "moves": []}
