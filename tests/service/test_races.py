"""Many clients at one moment, on real web servers with two workers: one winner, and the right answer to all others."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from engines import GAMES
from tests.support.play import LONG, Answer, Api, Playing, at_once
from tests.support.server import RedisServer, web_server
from tests.support.whole import assert_whole

CLIENTS = 16
ROUNDS = 12


@pytest.fixture(scope="module")
def api(shared_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with web_server(tmp_path_factory.mktemp("web"), shared_redis.url, web_workers=2) as server:
        yield Api(server.url)


@pytest.fixture(params=sorted(GAMES))
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_of_many_moves_at_one_version_one_is_played_and_the_others_are_stale(
    api: Api, shared_redis: RedisServer, game: str
) -> None:
    playing = Playing(api, game)
    for version in range(ROUNDS):
        seat, at, move = playing.turn()
        assert at == version
        answers = at_once([partial(playing.move, seat, move, version)] * CLIENTS)
        (won,) = [answer for answer in answers if answer.status == 201]
        assert won.json["version"] == version + 1
        for lost in answers:
            if lost is not won:
                assert (lost.status, lost.code) == (409, "stale_version"), lost
                assert lost.json["version"] == version + 1
                assert lost.json["events"] == won.json["events"], "what has happened since is what the winner did"
    with shared_redis.client() as client:
        assert assert_whole(client, playing.match).version == ROUNDS


def test_of_many_claims_of_one_seat_one_sits_down(api: Api, shared_redis: RedisServer, game: str) -> None:
    for _ in range(ROUNDS):
        path = waiting(api, game, seats=3)
        claim = partial(api.ask, "POST", f"{path}/seats")
        answers = at_once([partial(claim, {"name": f"Client {n}", "seat": 1}) for n in range(CLIENTS)])
        (won,) = [answer for answer in answers if answer.status == 201]
        assert [answer.code for answer in answers if answer is not won] == ["seat_taken"] * (CLIENTS - 1), answers
        seats = api.get(path).json["seats"]
        assert [seat["kind"] for seat in seats] == ["open", "player", "open"]
        assert api.get(f"{path}/seats/1/state", token=won.json["token"]).status == 200
        with shared_redis.client() as client:
            assert assert_whole(client, won.json["match"]).seq == 2


def test_many_claims_fill_each_seat_once_and_start_the_match_once(
    api: Api, shared_redis: RedisServer, game: str
) -> None:
    for _ in range(ROUNDS):
        path = waiting(api, game, seats=3)
        claims = [
            partial(patient, partial(api.ask, "POST", f"{path}/seats", {"name": f"Client {n}"})) for n in range(6)
        ]
        answers = at_once(claims)
        assert sorted(answer.json["seat"] for answer in answers if answer.status == 201) == [0, 1, 2], answers
        assert [answer.code for answer in answers if answer.status != 201] == ["match_started"] * 3
        for answer in answers:
            if answer.status == 201:
                assert api.get(f"{path}/seats/{answer.json['seat']}/state", token=answer.json["token"]).json["view"]
        with shared_redis.client() as client:
            assert assert_whole(client, path.rpartition("/")[2]).status == "playing"


def test_a_move_sent_many_times_with_one_key_is_applied_once_and_answered_alike(
    api: Api, shared_redis: RedisServer, game: str
) -> None:
    playing = Playing(api, game)
    for version in range(ROUNDS):
        seat, _, move = playing.turn()
        # With and without an expected version: a repeat is known by its key before anything is judged.
        expected = version if version % 2 else None
        answers = at_once([partial(playing.move, seat, move, expected, f"key {version}")] * CLIENTS)
        assert [answer.status for answer in answers] == [201] * CLIENTS, answers
        assert len({answer.body for answer in answers}) == 1, "equal to the byte"
        assert sorted(answer.replayed for answer in answers) == [False] + [True] * (CLIENTS - 1)
        assert playing.public()["version"] == version + 1
    with shared_redis.client() as client:
        assert assert_whole(client, playing.match).version == ROUNDS


def test_a_claim_sent_many_times_with_one_key_takes_one_seat_and_leaves_one_token(
    api: Api, shared_redis: RedisServer, game: str
) -> None:
    for _ in range(ROUNDS):
        path = waiting(api, game, seats=2)
        claim = partial(api.ask, "POST", f"{path}/seats", {"name": "Twin"}, key="once")
        answers = at_once([claim] * CLIENTS)
        assert [answer.status for answer in answers] == [201] * CLIENTS, answers
        assert {answer.json["seat"] for answer in answers} == {0}
        assert Counter(answer.replayed for answer in answers)[False] == 1
        assert [seat["kind"] for seat in api.get(path).json["seats"]] == ["player", "open"]
        tokens = [answer.json["token"] for answer in answers]
        opened = [api.get(f"{path}/seats/0/state", token=token).status for token in tokens]
        assert Counter(opened) == {200: 1, 401: CLIENTS - 1}, "one token works, the others are dead"
        with shared_redis.client() as client:
            assert_whole(client, path.rpartition("/")[2])


def test_a_creation_sent_many_times_with_one_key_makes_one_match_and_leaves_one_token(
    api: Api, shared_redis: RedisServer, game: str
) -> None:
    for number in range(ROUNDS):
        create = partial(api.ask, "POST", f"/v1/games/{game}/matches", {"seats": 2}, key=f"{game} {number}")
        answers = at_once([create] * CLIENTS)
        assert [answer.status for answer in answers] == [201] * CLIENTS, answers
        (match,) = {answer.json["match"]["match"] for answer in answers}
        assert len({answer.json["join_code"] for answer in answers}) == 1
        assert Counter(answer.replayed for answer in answers)[False] == 1
        listed = [item["match"] for item in api.get(f"/v1/games/{game}/matches?limit=100").json["items"]]
        assert listed.count(match) == 1, "a match stands in the list once"
        path = f"/v1/games/{game}/matches/{match}"
        opened = [api.get(f"{path}/state", token=answer.json["host_token"]).status for answer in answers]
        assert Counter(opened) == {200: 1, 401: CLIENTS - 1}, "one host token works, the others are dead"
        with shared_redis.client() as client:
            assert_whole(client, match)


def test_many_different_tips_at_once_are_all_given_once_each(api: Api, shared_redis: RedisServer) -> None:
    for seats in (2, 3):  # for which a deal is known to last
        playing = Playing(api, "wave", seats=seats)
        told = [(n % seats, tip) for n, tip in enumerate(playing.tips(0, CLIENTS))]
        calls = [
            partial(patient, partial(playing.move, seat, tip, 0, f"tip {n}")) for n, (seat, tip) in enumerate(told)
        ]
        answers = at_once(calls)
        assert [answer.status for answer in answers] == [201] * CLIENTS, answers
        assert sorted(answer.json["version"] for answer in answers) == list(range(1, CLIENTS + 1))
        given = [
            (event["seat"], event["data"]["about"], event["data"]["says"])
            for event in playing.events()
            if event["type"] == "tipped"
        ]
        assert Counter(given) == Counter((seat, tip["about"], tip["says"]) for seat, tip in told)
        with shared_redis.client() as client:
            assert assert_whole(client, playing.match).version == CLIENTS


def waiting(api: Api, game: str, seats: int) -> str:
    """The path of a match that waits for all its players, and is not over as soon as it is dealt."""
    made = api.ask("POST", f"/v1/games/{game}/matches", {"seats": seats, "seed": LONG[seats]})
    assert made.status == 201, made
    return f"/v1/games/{game}/matches/{made.json['match']['match']}"


def patient(call: Callable[[], Answer]) -> Answer:
    """The answer of a client that does what `busy` says: nothing was written, send it again."""
    for _ in range(10):
        answer = call()
        if answer.code != "busy":
            return answer
        assert answer.headers["Retry-After"]
    return answer
