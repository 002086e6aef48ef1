"""The benchmark in miniature: that its parts do what they say, not how fast anything is."""

import itertools
import subprocess
import sys
import time

import pytest
import redis

from bench import boardgame_io, disk, everybody, over_http, results, rooms
from bench.copies import copy, keys_of, pattern
from bench.inside import ROOMS, SPOTS
from bench.matches import advance, prepare
from bench.over_http import Figure
from bench.shore import SHOREBREAK, running
from bench.stopwatch import REST, Spot, Stopwatch
from engines import GAMES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="CPU times come from /proc")


def test_every_function_that_is_watched_is_where_it_is_looked_for() -> None:
    assert Stopwatch(SPOTS).missing == [], "name in bench/inside.py where it has gone"


def outer() -> int:
    return inner() + 1


def inner() -> int:
    return sum(range(20_000))


def test_rooms_add_up_to_all_the_time_that_there_was() -> None:
    stopwatch = Stopwatch([Spot("within", __name__, "inner"), Spot("around", __name__, "outer")])
    mine = sys.modules[__name__]
    original = mine.inner
    stopwatch.put_on()
    begun = time.process_time()
    stopwatch.start()
    assert outer() == inner() + 1
    stopwatch.stop()
    elapsed = time.process_time() - begun
    stopwatch.take_off()
    assert mine.inner is original
    assert set(stopwatch.spent) == {REST, "within", "around"}
    assert stopwatch.entered == {"within": 2, "around": 1}
    assert 0 < stopwatch.spent["around"] < stopwatch.spent["within"]
    assert sum(stopwatch.spent.values()) <= elapsed


def test_a_room_that_is_gone_is_told_and_nothing_else_is_lost() -> None:
    stopwatch = Stopwatch([Spot("gone", "service.no_such_module", "name"), Spot("gone", __name__, "no_such_name")])
    assert [spot.name for spot in stopwatch.missing] == ["name", "no_such_name"]


def test_requests_are_followed_through_the_application() -> None:
    inside = rooms.within(1, ["wave"])
    moves, states = inside.requests
    assert inside.missing == []
    assert set(moves.by_room_us) <= set(ROOMS)
    assert {"parse", "apply", "swap", "view", "write"} <= set(moves.by_room_us)
    assert "swap" not in states.by_room_us


def test_moves_are_measured_with_a_connection_for_every_seat() -> None:
    sample = over_http.measure(Figure("a move", "move", 2, "onda"), 0.4)
    assert sample.rate > 0
    assert sample.median_ms <= sample.p99_ms
    assert sample.bytes > 500, "an answer to a move holds a view"


@pytest.mark.parametrize("way", [everybody.STREAMS, everybody.POLLS])
def test_all_four_seats_learn_every_move(way: str) -> None:
    sample = everybody.measure(way, 0.6, tables=2)
    assert sample.rate > 0
    assert sample.answered_ms[0] <= sample.arrived_ms[0] + 1_000
    assert sample.told > 1


@pytest.mark.node
def test_boardgame_io_plays_its_game_and_pushes_to_all_four_seats() -> None:
    assert boardgame_io.missing() is None
    moves = boardgame_io.moves(2, 0.6)
    assert moves.rate > 0
    assert moves.pushes > 1
    assert moves.bytes > 1_000
    assert "koa-compose 4.1.0" in boardgame_io.versions()


def test_a_copied_match_is_listed_watched_and_played_like_its_original() -> None:
    with running(SHOREBREAK, disk.IN_MEMORY, WEB_WORKERS="1") as shore:
        client = redis.Redis(unix_socket_path=str(shore.redis_socket))
        original = prepare(shore, GAMES["onda"], 4, "copied", at_least=10)
        advance(shore, original, 3)
        old = original.path.rpartition("/")[2]
        assert list(copy(client, [pattern(client, old)], 2)) == [2]
        client.close()

        listed = shore.ask("GET", "/v1/games/onda/matches?status=playing")["items"]
        ids = {match["match"] for match in listed}
        assert len(ids) == 3
        assert old in ids
        for new in ids - {old}:
            path = original.path.replace(old, new)
            copied = shore.ask("GET", path)
            assert {**copied, "match": old} == shore.ask("GET", original.path)
            seat, move = original.moves[3]
            played = shore.ask("POST", f"{path}/seats/{seat}/moves", {"move": move}, original.tokens[seat])
            assert played["version"] == 4
        assert shore.ask("GET", original.path)["version"] == 3


def test_only_the_wanted_keys_of_a_match_are_copied() -> None:
    with running(SHOREBREAK, disk.IN_MEMORY, WEB_WORKERS="1") as shore:
        client = redis.Redis(unix_socket_path=str(shore.redis_socket))
        match = prepare(shore, GAMES["wave"], 4, "wanted", at_least=1).path.rpartition("/")[2]
        feeds = pattern(client, match, lambda key: key.endswith(b":feed"))
        assert [key for key, _, _ in feeds.keys] == [key for key in keys_of(client, match) if key.endswith(b":feed")]
        client.close()


def test_what_lies_in_memory_is_never_called_a_disk() -> None:
    if not disk.IN_MEMORY.exists():
        pytest.skip("there is no /dev/shm here")
    assert disk.filesystem(disk.IN_MEMORY) in disk.OF_MEMORY
    assert "MEMORY" in disk.told(disk.IN_MEMORY)
    sync = disk.sync_time(disk.IN_MEMORY)
    assert 0 < sync.median_ms <= sync.p99_ms


def test_the_page_says_which_goals_were_missed() -> None:
    goals = [results.Goal("speed", 0.5, 0.45), results.Goal("wait", 40, 35, "ms", less=True)]
    page = results.page([results.Result("A title", "a body", goals)], "a command")
    assert "- speed: 0.5 (goal >= 0.45): reached" in page
    assert "- wait: 40 ms (goal < 35 ms): MISSED" in page
    assert "## A title\n\na body" in page


def asked(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "bench", *words], capture_output=True, text=True, timeout=60)


def test_sections_can_be_chosen_by_name() -> None:
    helped = asked("--help").stdout
    sections = [line.split()[0] for line in helped.partition("sections:\n")[2].splitlines()]
    assert {"moves", "alone", "everybody", "loaded", "rooms", "sizes"} <= set(sections)
    refused = asked("--only", "moves,tides")
    assert refused.returncode != 0
    assert "there is no section 'tides'" in refused.stderr
    assert all(name in refused.stderr for name in itertools.islice(sections, 3))
