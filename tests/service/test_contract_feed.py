"""The feed of events and the spectator's state, as the contract words them."""

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engines.kit.game import Game
from service.table.edge import Edge
from tests.support.checked import checked_client
from tests.support.contract import begun, few, legal, play_first, to_move, told
from tests.support.playing import Match
from tests.support.refusals import refused
from tests.support.server import RedisServer
from tests.support.waiting import eventually

SEED = 20_261_130


@pytest.fixture(params=["seat", "spectator"])
def look(request: pytest.FixtureRequest) -> Callable[..., object]:
    """Read the feed of a match, as seat 0 or as a spectator."""

    def read(match: Match, **parameters: object) -> object:
        place = "/seats/0" if request.param == "seat" else ""
        headers = match.auth(0) if request.param == "seat" else {}
        return match.client.get(f"{match.path}{place}/events", query_string=parameters, headers=headers)

    return read


def test_a_page_of_the_feed(client: FlaskClient, game: Game, look: Callable[..., object]) -> None:
    match = begun(client, game)
    page = look(match).json
    assert set(page) == {"events", "last", "more"}
    assert all(set(event) == {"seq", "version", "type", "seat", "data", "at"} for event in page["events"])
    assert (page["last"], page["more"]) == (len(page["events"]), False)


def test_seq_is_gapless_from_1_and_versions_never_fall(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    play_first(match, 12)
    events = told(match)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    versions = [event["version"] for event in events]
    assert versions == sorted(versions)
    assert set(versions) == set(range(13))
    start = next(event for event in events if event["type"] == "match_started")
    assert start["version"] == 0


def test_pages_follow_one_another(client: FlaskClient, game: Game, look: Callable[..., object]) -> None:
    match = begun(client, game)
    play_first(match, 6)
    everything = told(match)
    after, found = 0, []
    while True:
        page = look(match, after=after, limit=3).json
        assert len(page["events"]) == min(3, len(everything) - after)
        assert page["last"] == after + len(page["events"])
        assert page["more"] == (page["last"] < len(everything))
        found += page["events"]
        after = page["last"]
        if not page["more"]:
            break
    assert found == everything
    assert look(match, after=after).json == {"events": [], "last": after, "more": False}


def test_the_limit_is_100_by_default_and_500_at_most(client: FlaskClient, look: Callable[..., object]) -> None:
    match = begun(client, "onda")
    play_first(match, 110)
    assert len(look(match).json["events"]) == 100
    assert look(match).json["more"] is True
    assert len(look(match, limit=500).json["events"]) > 100


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=501", "limit=x", "after=-1", "after=1.5", "wait_s=61", "wait_s=-1", "wait_s=1e1",
              "include=view", "include=", "colour=blue", "after=1&after=2"]
)  # fmt: skip
def test_a_query_that_does_not_fit_is_invalid(client: FlaskClient, query: str) -> None:
    match = begun(client, "wave")
    for path, headers in ((f"{match.path}/events", {}), (f"{match.path}/seats/0/events", match.auth(0))):
        body = refused(client.get(f"{path}?{query}", headers=headers), 422, "invalid")
        assert body["errors"][0]["path"] == f"$.{query.partition('=')[0]}"


def test_events_are_public_facts_the_same_for_everyone(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, 3)
    play_first(match, 9)
    seen = [client.get(f"{match.path}/events").json, *(match.seat(seat, "events") for seat in range(3))]
    assert all(page == seen[0] for page in seen)


def test_with_include_state_a_seats_answer_carries_state_and_legal_moves(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    play_first(match, 2)
    for seat in range(2):
        page = match.seat(seat, "events", include="state")
        assert set(page) == {"events", "last", "more", "state", "legal_moves"}
        assert page["state"] == match.seat(seat, "state")
        assert page["legal_moves"] == match.seat(seat, "legal-moves")


def test_with_include_state_a_spectators_answer_carries_the_spectators_state(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    page = client.get(f"{match.path}/events", query_string={"include": "state"}).json
    assert page["state"] == client.get(f"{match.path}/state").json
    assert page["legal_moves"] is None


def test_before_the_start_the_feed_and_the_states_are_open_too(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, few(game)).sit(1)
    page = match.seat(0, "events", include="state")
    assert [event["type"] for event in page["events"]] == ["match_created", "seat_claimed"]
    assert (page["state"]["view"], page["state"]["to_move"], page["legal_moves"]["moves"]) == (None, [], [])
    assert client.get(f"{match.path}/state").json["view"] is None


def test_the_last_event_is_match_finished(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    match.play_on(random.Random(SEED))
    feed, after = [], 0
    while (page := match.seat(0, "events", after=after, limit=500))["events"]:
        feed += page["events"]
        after = page["last"]
    assert feed[-1]["type"] == "match_finished"
    assert feed[-1]["data"] == {"outcome": client.get(match.path).json["outcome"]}
    assert [event["seq"] for event in feed] == list(range(1, len(feed) + 1))


def test_the_last_event_of_an_aborted_match_is_match_aborted(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, host_can_abort=True)
    client.delete(match.path, headers=match.host)
    assert told(match)[-1]["type"] == "match_aborted"


# The spectator's state


def test_the_spectators_state(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    state = client.get(f"{match.path}/state")
    seats = match.seat(0, "state")
    assert set(state.json) == set(seats)
    assert (state.json["seat"], state.json["view"]["viewer"]) == (None, None)
    assert {name: state.json[name] for name in ("version", "status", "to_move")} == {
        name: seats[name] for name in ("version", "status", "to_move")
    }
    assert state.headers["ETag"] == f'W/"{len(told(match))}-spectator"'
    unchanged = client.get(f"{match.path}/state", headers={"If-None-Match": state.headers["ETag"]})
    assert (unchanged.status_code, unchanged.data) == (304, b"")


def test_a_seats_token_does_not_widen_the_spectators_view(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    assert client.get(f"{match.path}/state", headers=match.auth(0)).json == client.get(f"{match.path}/state").json


def test_a_spectator_of_wave_sees_no_card_in_a_hand(client: FlaskClient) -> None:
    match = begun(client, "wave", 3)
    hands = client.get(f"{match.path}/state").json["view"]["hands"]
    assert [card["face"] for hand in hands for card in hand["cards"]] == [None] * 15


# Waiting


@pytest.fixture
def meanwhile(app: Flask) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Do something in another thread as soon as somebody waits for news."""
    threads: list[threading.Thread] = []

    def do(act: Callable[[], object]) -> None:
        def run() -> None:
            eventually(lambda: app.extensions["shorebreak.hub"].waiters > 0, "somebody waits")
            act()

        threads.append(threading.Thread(target=run))
        threads[-1].start()

    yield do
    for thread in threads:
        thread.join()


Meanwhile = Callable[[Callable[[], object]], None]


def test_wait_s_holds_the_answer_until_something_newer_exists(
    client: FlaskClient, game: Game, look: Callable[..., object], meanwhile: Meanwhile
) -> None:
    match = begun(client, game)
    before = len(told(match))
    seat = to_move(match)
    move = legal(match, seat)[0]
    meanwhile(lambda: match.move(seat, move))
    page = look(match, after=before, wait_s=60).json
    assert page["events"]
    assert {event["version"] for event in page["events"]} == {1}


def test_what_it_was_waited_for_comes_with_the_state_of_that_moment(
    client: FlaskClient, game: Game, meanwhile: Meanwhile
) -> None:
    match = begun(client, game)
    seat = to_move(match)
    move = legal(match, seat)[0]
    meanwhile(lambda: match.move(seat, move))
    page = match.seat(1, "events", after=len(told(match)), wait_s=30, include="state")
    assert page["state"]["version"] == page["legal_moves"]["version"] == 1


def test_when_nothing_comes_the_page_is_empty_after_wait_s(
    client: FlaskClient, game: Game, look: Callable[..., object]
) -> None:
    match = begun(client, game)
    last, begun_at = len(told(match)), time.monotonic()
    assert look(match, after=last, wait_s=1).json == {"events": [], "last": last, "more": False}
    assert time.monotonic() - begun_at >= 1


def test_what_is_there_already_is_not_waited_for(client: FlaskClient, game: Game, look: Callable[..., object]) -> None:
    match, begun_at = begun(client, game), time.monotonic()
    assert look(match, after=1, wait_s=60).json["events"][0]["seq"] == 2
    assert time.monotonic() - begun_at < 30


def test_after_the_last_event_nothing_is_waited_for(client: FlaskClient, game: Game) -> None:
    match, begun_at = begun(client, game, host_can_abort=True), time.monotonic()
    client.delete(match.path, headers=match.host)
    assert match.seat(0, "events", after=len(told(match)), wait_s=60)["events"] == []
    assert time.monotonic() - begun_at < 30


def test_a_token_that_is_renewed_meanwhile_stops_waiting(client: FlaskClient, game: Game, meanwhile: Meanwhile) -> None:
    match = begun(client, game)
    headers = match.auth(0)
    meanwhile(lambda: client.post(f"{match.path}/seats/0/token", headers=headers))
    path = f"{match.path}/seats/0/events?wait_s=60&after={len(told(match))}"
    refused(client.get(path, headers=headers), 401, "unauthenticated")


def test_times_are_those_of_the_events_and_in_utc(shared_redis: RedisServer, game: Game) -> None:
    clock = itertools.count(1_800_000_000_000, 1_000)
    client = checked_client(shared_redis, Edge(now_ms=lambda: next(clock)))
    times = [event["at"] for event in told(begun(client, game))]
    assert times == sorted(times)
    assert all(time.startswith("2027-01-15T08:") and time.endswith("Z") for time in times)
