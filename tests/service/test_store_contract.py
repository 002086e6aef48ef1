"""Every promise of the store's port, kept by each store there is; then what Redis alone can break.

Another implementation is proved by one line more in STORES.
"""

import itertools
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from service.store.errors import StoreUnavailable, TooFast
from service.store.link import Link
from service.store.port import Hold, Pace, Remember, Store, Stored, Swap
from service.store.redis import SWAP, TRIES, RedisStore
from service.store.site import Site
from tests.support.cluster import Cluster, cluster_of
from tests.support.memory_store import MemoryStore
from tests.support.server import RedisServer, free_port, redis_server
from tests.support.steady import steady
from tests.support.waiting import eventually

HOUR_MS = 3_600_000
ALL_BYTES = bytes(range(256))
_numbers = itertools.count()


def redis_store(server: RedisServer, timeout_s: float = 5.0, connections: int = 20) -> RedisStore:
    return RedisStore(Link(server.url, timeout_s, connections))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A cluster of one node: it refuses whatever touches keys of two slots at once."""
    with cluster_of_one(tmp_path_factory.mktemp("cluster")) as server:
        yield server


@contextmanager
def cluster_of_one(home: Path) -> Iterator[RedisServer]:
    ports = {"port": str(free_port()), "cluster_port": str(free_port()), "bind": "127.0.0.1"}
    with redis_server(home, cluster_enabled="yes", **ports) as server, server.client() as client:
        client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16_383)
        eventually(lambda: client.execute_command("CLUSTER INFO")["cluster_state"] == "ok", "the cluster is up")
        yield server


@pytest.fixture(scope="module")
def three_masters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of three masters, so that what belongs together must find each other."""
    with cluster_of(tmp_path_factory.mktemp("masters"), masters=3, replicas=0, appendfsync="no") as cluster:
        yield cluster


STORES: dict[str, Callable[[pytest.FixtureRequest], Store]] = {
    "redis": lambda request: redis_store(request.getfixturevalue("shared_redis")),
    "cluster": lambda request: redis_store(request.getfixturevalue("cluster")),
    "three masters": lambda request: RedisStore(Site(request.getfixturevalue("three_masters").url, 5.0).link(20)),
    "on paper": lambda _request: MemoryStore(),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Store:
    return STORES[request.param](request)


@pytest.fixture
def match() -> str:
    """The id of a match that nobody else writes to."""
    return uuid.uuid4().hex[:24]


@pytest.fixture
def game() -> str:
    """A game with a list of its own."""
    return f"game-{uuid.uuid4().hex}"


def fresh() -> bytes:
    """A write id that was never used."""
    return b"write %d %s" % (next(_numbers), uuid.uuid4().bytes)


def first(**more: Any) -> Swap:
    """The write that makes a match."""
    return Swap(**{"expected": b"", "write": fresh(), "live": b"live", "head": b"head", "ttl_ms": HOUR_MS, **more})


def after(swap: Swap, **more: Any) -> Swap:
    """A write that follows another."""
    return Swap(**{"expected": swap.write, "write": fresh(), "live": b"later", "ttl_ms": HOUR_MS, **more})


def everything(store: Store, match: str, *keys: str) -> tuple[Any, ...]:
    """All that a store tells of a match."""
    remembered = [store.load(match, key) for key in keys]
    return (store.load(match), store.moves(match), store.events(match, 0, 1000), remembered)


def test_it_answers(store: Store) -> None:
    store.ping()


def test_what_was_never_written_is_not_there(store: Store, match: str) -> None:
    assert store.load(match) is None
    assert store.load(match, "key") is None
    assert store.moves(match) == []
    assert store.events(match, 0, 100) == []


def test_the_first_write_makes_the_match(store: Store, match: str) -> None:
    swap = first(live=ALL_BYTES, head=ALL_BYTES[::-1])
    assert store.swap(match, swap) is True
    assert store.load(match) == Stored(swap.write, ALL_BYTES[::-1], ALL_BYTES, None)


def test_what_is_to_be_done_meanwhile_is_done_whatever_comes_of_the_write(store: Store, match: str) -> None:
    done: list[str] = []
    assert store.swap(match, first(), lambda: done.append("written")) is True
    assert store.swap(match, first(), lambda: done.append("lost")) is False
    assert done == ["written", "lost"]


def test_a_match_is_made_once(store: Store, match: str) -> None:
    assert store.swap(match, first(moves=[b"m"], events=[b"e"]))
    before = everything(store, match)
    assert store.swap(match, first(live=b"other", head=b"other", moves=[b"n"], events=[b"f"])) is False
    assert everything(store, match) == before


def test_a_write_that_expects_what_is_there_is_written(store: Store, match: str) -> None:
    made, later = (swap := first()), after(swap, head=b"other head")
    assert store.swap(match, made)
    assert store.swap(match, later) is True
    assert store.load(match) == Stored(later.write, b"other head", b"later", None)


def test_a_write_that_expects_something_else_is_lost_wholly(store: Store, match: str) -> None:
    made = first(moves=[b"m"], events=[b"e"])
    second = after(made)
    assert store.swap(match, made)
    assert store.swap(match, second)
    before = everything(store, match, "key")
    stale = after(made, head=b"x", moves=[b"n"], events=[b"f"], remember=Remember("key", b"v", HOUR_MS))
    assert store.swap(match, stale) is False
    assert everything(store, match, "key") == before


def test_a_write_to_a_match_that_is_not_there_is_lost(store: Store, match: str) -> None:
    assert store.swap(match, after(first(), head=b"h", moves=[b"m"], events=[b"e"])) is False
    assert everything(store, match) == (None, [], [], [])


def test_no_head_leaves_the_head_alone(store: Store, match: str) -> None:
    made = first(head=b"who sits where")
    assert store.swap(match, made)
    assert store.swap(match, after(made))
    stored = store.load(match)
    assert stored is not None
    assert (stored.head, stored.live) == (b"who sits where", b"later")


def test_moves_and_events_are_appended_in_order(store: Store, match: str) -> None:
    swap = first(events=[b"e1", b"e2"])
    assert store.swap(match, swap)
    for written in ([b"m1"], [], [b"m2", b"m3", ALL_BYTES]):
        swap = after(swap, moves=written, events=[b"of " + move for move in written])
        assert store.swap(match, swap)
    moves = [b"m1", b"m2", b"m3", ALL_BYTES]
    assert store.moves(match) == moves
    assert [store.moves(match, count) for count in range(6)] == [moves[:count] for count in range(6)]
    events = [b"e1", b"e2", *(b"of " + move for move in moves)]
    for start, limit in itertools.product(range(8), range(1, 8)):
        assert store.events(match, start, limit) == events[start : start + limit]


def test_a_write_may_be_large(store: Store, match: str) -> None:
    events = [b"%06d" % number * 100 for number in range(2000)]
    assert store.swap(match, first(live=b"x" * 1_000_000, events=events))
    assert store.events(match, 1990, 500) == events[1990:]


def test_what_a_key_gave_is_remembered_with_the_write(store: Store, match: str) -> None:
    made = first(remember=Remember("key", ALL_BYTES, HOUR_MS))
    assert store.swap(match, made)
    stored = store.load(match, "key")
    assert stored is not None
    assert stored.remembered == ALL_BYTES
    assert store.load(match, "other key") == Stored(made.write, b"head", b"live", None)
    assert store.load(match) == Stored(made.write, b"head", b"live", None), "not asked for, not told"


@pytest.mark.parametrize("key", ["a b", "{tag}", "}{", ":key:", "move:0:x", "*", "~" * 128], ids=str)
def test_any_printable_key_is_a_key_of_its_match_alone(store: Store, match: str, key: str) -> None:
    made = first(remember=Remember(key, b"value", HOUR_MS))
    assert store.swap(match, made)
    assert store.load(match, key) == Stored(made.write, b"head", b"live", b"value")
    other = uuid.uuid4().hex[:24]
    assert store.swap(other, first())
    assert store.load(other, key).remembered is None  # it was just written


def test_a_key_that_is_remembered_loses_every_further_write(store: Store, match: str) -> None:
    made = first(remember=Remember("key", b"first", HOUR_MS), events=[b"e"])
    assert store.swap(match, made)
    before = everything(store, match, "key")
    again = after(made, moves=[b"m"], events=[b"f"], head=b"h", remember=Remember("key", b"second", HOUR_MS))
    assert store.swap(match, again) is False
    assert everything(store, match, "key") == before
    assert store.swap(match, after(made, remember=Remember("another", b"second", HOUR_MS))) is True


def test_a_key_is_forgotten_when_its_time_is_up(store: Store, match: str) -> None:
    made = first(remember=Remember("key", b"first", 30))
    assert store.swap(match, made)
    eventually(lambda: store.load(match, "key").remembered is None, "the key is forgotten")
    assert store.swap(match, after(made, remember=Remember("key", b"second", HOUR_MS)))
    assert store.load(match, "key").remembered == b"second"


def test_a_writer_is_held_to_its_pace_and_nobody_else_is(store: Store, match: str) -> None:
    made = first(pace=Pace("0", 7, 2))
    assert store.swap(match, made)
    second = after(made, pace=Pace("0", 7, 2))
    assert store.swap(match, second)
    before = everything(store, match, "key")
    third = after(second, pace=Pace("0", 7, 2), moves=[b"m"], events=[b"e"], remember=Remember("key", b"v", HOUR_MS))
    for _ in range(2):
        with pytest.raises(TooFast):
            store.swap(match, third)
        assert everything(store, match, "key") == before, "nothing is written"
    assert store.swap(match, after(made, pace=Pace("0", 7, 2))) is False, "what is lost anyway is lost"
    others = after(second, pace=Pace("1", 7, 2))
    assert store.swap(match, others)
    assert store.swap(match, after(others, pace=Pace("0", 8, 2))), "a new window"


def test_a_match_is_forgotten_whole(store: Store, match: str) -> None:
    assert store.swap(match, first(moves=[b"m"], events=[b"e"], ttl_ms=30))
    eventually(lambda: store.load(match) is None, "the match is forgotten")
    eventually(lambda: everything(store, match) == (None, [], [], []), "and all of it")
    assert store.swap(match, first(events=[b"new"]))
    assert (store.moves(match), store.events(match, 0, 10)) == ([], [b"new"])


def test_every_write_sets_the_time_to_live_anew(store: Store, match: str) -> None:
    made = first(moves=[b"m"], events=[b"e"], ttl_ms=HOUR_MS)
    assert store.swap(match, made)
    assert store.swap(match, after(made, ttl_ms=30))
    eventually(lambda: everything(store, match) == (None, [], [], []), "the later, shorter time counts")


def test_an_errand_is_one_workers_at_a_time(store: Store, match: str) -> None:
    assert store.hold(match, b"a", 0, 10) is None, "a match that is not there has none"
    assert store.swap(match, first())
    assert store.hold(match, b"a", 0, 10) == Hold(None, b"")
    assert store.hold(match, b"b", 5, 15) == Hold(10)
    assert store.note(match, b"b", b"not mine", 99) is False
    assert store.note(match, b"a", ALL_BYTES, 20) is True
    assert store.hold(match, b"b", 19, 30) == Hold(20), "a note keeps it for longer"
    assert store.let_go(match, b"b") is False
    assert store.let_go(match, b"a") is True, "it was wanted"
    assert store.hold(match, b"b", 19, 30) == Hold(None, ALL_BYTES)
    assert store.let_go(match, b"b") is False, "and it was not"


def test_an_errand_whose_holder_died_goes_to_the_next_when_its_time_is_up(store: Store, match: str) -> None:
    assert store.swap(match, first())
    assert store.hold(match, b"a", 0, 10) == Hold(None, b"")
    assert store.note(match, b"a", b"half way", 12)
    assert store.hold(match, b"b", 12, 20) == Hold(None, b"half way")
    assert store.note(match, b"a", b"late", 99) is False
    assert store.let_go(match, b"a") is False
    assert store.hold(match, b"c", 13, 20) == Hold(20)


def test_an_errand_and_changes_of_its_match_leave_each_other_alone(store: Store, match: str) -> None:
    made = first(events=[b"e"])
    assert store.swap(match, made)
    assert store.hold(match, b"a", 0, 10) == Hold(None, b"")
    later = after(made, head=b"other head")
    assert store.swap(match, later)
    assert store.note(match, b"a", b"noted", 10) is True
    assert store.load(match) == Stored(later.write, b"other head", b"later", None)
    assert store.swap(match, after(later, ttl_ms=30))
    eventually(lambda: store.load(match) is None, "the match is forgotten")
    assert store.note(match, b"a", b"noted", 10) is False
    assert store.hold(match, b"a", 0, 10) is None, "and its errand with it"
    assert everything(store, match) == (None, [], [], [])
    assert store.swap(match, first())
    assert store.hold(match, b"b", 0, 10) == Hold(None, b"")


def test_many_are_loaded_in_the_order_asked_for(store: Store) -> None:
    matches = [uuid.uuid4().hex[:24] for _ in range(5)]
    for number in (0, 2, 3):
        assert store.swap(matches[number], first(live=b"%d" % number))
    wanted = [matches[number] for number in (3, 1, 0, 4, 2, 0)]
    lives = [None if stored is None else stored.live for stored in store.load_many(wanted)]
    assert lives == [b"3", None, b"0", None, b"2", b"0"]
    assert store.load_many([]) == []


def test_lists_are_newest_first_and_of_one_game(store: Store, game: str) -> None:
    for created_ms, match in [(2, "b"), (1, "a"), (3, "c"), (2, "d")]:
        store.enlist(game, match, created_ms, "waiting", None)
    store.enlist(f"{game}-other", "x", 9, "waiting", None)
    expected = ["c", "d", "b", "a"]
    assert [match for _, match in store.listed(game, None, None, 10)] == expected
    assert [match for _, match in store.listed(game, "waiting", None, 10)] == expected
    assert store.listed(game, "playing", None, 10) == []
    assert store.listed(f"{game}-unheard-of", None, None, 10) == []


def test_a_place_is_a_cursor_that_outlives_its_entry(store: Store, game: str) -> None:
    for number in range(10):
        store.enlist(game, f"match-{number}", 1000 + number, "waiting", None)
    found, before = [], None
    while page := store.listed(game, "waiting", before, 3):
        found += [match for _, match in page]
        before = page[-1][0]
        store.delist(game, page[-1][1], int(before.partition(":")[0]), "waiting")
        store.enlist(game, f"younger-{len(found)}", 5000, "waiting", None)
    assert found == [f"match-{number}" for number in reversed(range(10))], "each once, whatever comes and goes"


def test_a_match_changes_lists_with_its_status(store: Store, game: str) -> None:
    store.enlist(game, "m", 1, "waiting", None)
    for _ in range(2):  # saying it again changes nothing
        store.enlist(game, "m", 1, "playing", "waiting")
    assert [store.listed(game, status, None, 5) for status in (None, "waiting", "playing")] == [
        [(place := store.listed(game, None, None, 5)[0][0], "m")],
        [],
        [(place, "m")],
    ]
    store.delist(game, "m", 1, "playing")
    assert store.listed(game, "playing", None, 5) == []
    assert len(store.listed(game, None, None, 5)) == 1, "the whole list is another"
    store.delist(game, "m", 1, None)
    store.delist(game, "m", 1, None)
    assert store.listed(game, None, None, 5) == []


def test_what_is_not_enlisted_is_in_no_list(store: Store, game: str, match: str) -> None:
    assert store.swap(match, first())
    assert store.listed(game, None, None, 10) == []


def test_a_reservation_is_the_first_ones(store: Store) -> None:
    key = uuid.uuid4().hex
    assert store.reserve(key, ALL_BYTES, HOUR_MS) is None
    assert store.reserve(key, b"second", HOUR_MS) == ALL_BYTES
    assert store.reserve(key, b"third", HOUR_MS) == ALL_BYTES
    assert store.reserve(f"{key} other", b"another", HOUR_MS) is None


def test_a_reservation_ends(store: Store) -> None:
    key = uuid.uuid4().hex
    assert store.reserve(key, b"first", 30) is None
    eventually(lambda: store.reserve(key, b"second", HOUR_MS) is None, "the reservation has ended")
    assert store.reserve(key, b"third", HOUR_MS) == b"second"


def test_tries_are_counted_within_a_window(store: Store) -> None:
    key = f"{{{uuid.uuid4().hex}}}:address"
    assert store.tries(key, 60, 0)[0] == 0
    for number in range(1, 13):
        count, left_s = store.tries(key, 60, 1)
        assert (count, 1 <= left_s <= 60) == (number, True)
    assert store.tries(key, 60, 0)[0] == 12, "looking counts for nothing"
    assert store.tries(f"{key} other", 60, 0)[0] == 0


def test_the_window_opens_with_the_first_try_and_closes(store: Store) -> None:
    key = f"{{{uuid.uuid4().hex}}}:address"
    assert store.tries(key, 1, 1) == (1, 1)
    assert store.tries(key, 3600, 1)[1] == 1, "further tries do not prolong it"
    eventually(lambda: store.tries(key, 1, 0)[0] == 0, "the window has closed")
    assert store.tries(key, 60, 1)[0] == 1


# -- Redis alone ------------------------------------------------------------------------------------------------------


@pytest.fixture
def real(shared_redis: RedisServer) -> RedisStore:
    return redis_store(shared_redis)


def tour(store: Store, match: str, game: str) -> None:
    """Every call of the port, with every branch of its scripts."""
    store.ping()
    made = first(events=[b"e"], remember=Remember("key", b"v", HOUR_MS))
    assert store.swap(match, made)
    assert store.swap(match, after(made, moves=[b"m"], events=[b"f"]))
    assert not store.swap(match, after(made, remember=Remember("key", b"v", HOUR_MS)))
    store.load(match, "key")
    store.load_many([match, match])
    store.moves(match)
    store.moves(match, 1)
    store.events(match, 0, 10)
    store.enlist(game, match, 1, "waiting", None)
    store.enlist(game, match, 1, "playing", "waiting")
    place, _ = store.listed(game, None, None, 10)[0]
    store.listed(game, "playing", place, 10)
    store.delist(game, match, 1, "playing")
    store.reserve(f"once {match}", b"v", HOUR_MS)
    store.tries(f"{{{match}}}:address", 60, 1)
    store.tries(f"{{{match}}}:address", 60, 0)


def test_every_key_of_a_match_expires(real: RedisStore, shared_redis: RedisServer, match: str) -> None:
    made = first(moves=[b"m"], events=[b"e"], remember=Remember("key", b"v", HOUR_MS), ttl_ms=2 * HOUR_MS)
    assert real.swap(match, made)
    real.reserve(match, b"v", HOUR_MS)
    real.tries(f"{{{match}}}:address", 60, 1)
    with shared_redis.client() as client:
        lives = {name.decode(): client.pttl(name) for name in client.scan_iter(f"*{match}*", count=1000)}
    expected = {
        f"sb:{{{match}}}": 2 * HOUR_MS * 9 // 8,
        f"sb:{{{match}}}:moves": 2 * HOUR_MS * 9 // 8,
        f"sb:{{{match}}}:feed": 2 * HOUR_MS * 9 // 8,
        f"sb:{{{match}}}:key:key": HOUR_MS,
        f"sb:once:{match}": HOUR_MS,
        f"sb:try:{{{match}}}:address": 60_000,
    }
    assert lives.keys() == expected.keys()
    for name, most in expected.items():
        assert most - 30_000 < lives[name] <= most, name


@pytest.mark.parametrize("left_ms", [HOUR_MS - 1, HOUR_MS * 9 // 8 + 60_000, 1, None], ids=str)
def test_a_match_lives_for_its_whole_time_after_any_write_and_an_eighth_longer_at_the_most(
    real: RedisStore, shared_redis: RedisServer, match: str, left_ms: int | None
) -> None:
    parts = [f"sb:{{{match}}}", f"sb:{{{match}}}:moves", f"sb:{{{match}}}:feed"]
    made = first(events=[b"e"], ttl_ms=HOUR_MS)
    assert real.swap(match, made)
    played = after(made, moves=[b"m"], events=[b"f"], ttl_ms=HOUR_MS)
    assert real.swap(match, played), "the first move: its list is new, the others have time enough"
    with shared_redis.client() as client:
        assert all(HOUR_MS <= client.pttl(part) <= HOUR_MS * 9 // 8 for part in parts)
        for part in parts:
            if left_ms is None:
                client.persist(part)
            elif left_ms > 1:
                client.pexpire(part, left_ms)
        assert real.swap(
            match, after(played, moves=[b"n"], events=[b"g"], ttl_ms=2 * HOUR_MS if left_ms == 1 else HOUR_MS)
        )
        least = 2 * HOUR_MS if left_ms == 1 else HOUR_MS
        assert all(least <= client.pttl(part) <= least * 9 // 8 for part in parts)


def test_a_write_of_which_nobody_may_be_told_is_whole_all_the_same(
    real: RedisStore, shared_redis: RedisServer, match: str
) -> None:
    with shared_redis.client() as client:
        client.acl_setuser("mute", enabled=True, passwords=["+word"], keys=["sb:*"], commands=["+@all"], channels=[])
        mute = RedisStore(Link(shared_redis.url.replace("unix://", "unix://mute:word@"), 5.0, 1))
        assert mute.swap(match, first(events=[b"e"], remember=Remember("key", b"v", HOUR_MS)))
        assert client.pttl(f"sb:{{{match}}}") > 0
        client.acl_deluser("mute")
    assert real.load(match, "key").remembered == b"v"


def test_scripts_work_after_the_server_has_forgotten_them(
    real: RedisStore, shared_redis: RedisServer, match: str, game: str
) -> None:
    with shared_redis.client() as client:
        for _ in range(2):
            client.script_flush()
            tour(real, uuid.uuid4().hex[:24], game)
            assert client.script_exists(SWAP.sha, TRIES.sha) == [True, True], (
                "sent whole once, by its name from then on"
            )


def test_all_keys_that_one_script_touches_share_a_hash_tag(shared_redis: RedisServer, match: str, game: str) -> None:
    for words in watched(shared_redis, lambda: tour(redis_store(shared_redis), match, game)):
        if words[0] in ("EVAL", "EVALSHA"):
            keys = words[3 : 3 + int(words[2])]
            assert {re.search(r"\{(.+?)\}", key).group(1) for key in keys} == {match}, keys


def test_only_commands_and_options_of_redis_7_0_are_used(shared_redis: RedisServer, match: str, game: str) -> None:
    used = watched(shared_redis, lambda: tour(redis_store(shared_redis), match, game))
    assert {"EVALSHA", "HMGET", "HSET", "RPUSH", "PEXPIRE", "SET", "ZRANGE", "INCRBY"} <= {words[0] for words in used}
    with shared_redis.client() as client:
        for words in used:
            (docs,) = asked_raw(client, "COMMAND", "DOCS", words[0]).values()
            for since, token in ages(docs):
                if token is None or token in words[1:]:
                    assert version(since) <= (7, 0, 0), f"{' '.join(words)}: {token or words[0]} is of {since}"


def test_a_part_of_another_type_stops_a_write_before_it_begins(
    real: RedisStore, shared_redis: RedisServer, match: str
) -> None:
    for part in ("moves", "feed"):
        name = uuid.uuid4().hex[:24]
        made = first()
        assert real.swap(name, made)
        with shared_redis.client() as client:
            client.set(f"sb:{{{name}}}:{part}", "not a list")
            before = {key: client.dump(key) for key in client.scan_iter(f"*{name}*", count=1000)}
            with pytest.raises(StoreUnavailable):
                real.swap(name, after(made, moves=[b"m"], events=[b"e"], remember=Remember("key", b"v", HOUR_MS)))
            assert {key: client.dump(key) for key in client.scan_iter(f"*{name}*", count=1000)} == before


def test_one_write_of_many_at_once_wins(shared_redis: RedisServer, match: str) -> None:
    real = redis_store(shared_redis)
    swap = first()
    assert real.swap(match, swap)
    for number in range(30):
        swaps = [after(swap, live=b"%d" % writer, moves=[b"%d" % writer]) for writer in range(8)]
        start = threading.Barrier(len(swaps))
        won: list[Swap] = []

        def write(one: Swap, start: threading.Barrier = start, won: list[Swap] = won) -> None:
            start.wait()
            if real.swap(match, one):
                won.append(one)

        writers = [threading.Thread(target=write, args=(one,)) for one in swaps]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        (swap,) = won
        stored = real.load(match)
        assert stored is not None
        assert (stored.write, len(real.moves(match))) == (swap.write, number + 1)


def watched(server: RedisServer, call: Callable[[], object]) -> list[list[str]]:
    """The words of every command that the server runs meanwhile, those within scripts included; names in capitals."""
    end = f"end-{uuid.uuid4().hex}"
    found: list[list[str]] = []
    with server.client() as client, server.client() as watcher, watcher.monitor() as monitor:
        call()
        client.echo(end)
        for line in monitor.listen():
            words = line["command"].split(" ")
            if words[-1] == end:
                return found
            if words[0].upper() not in ("CLIENT", "HELLO"):
                found.append([words[0].upper(), *words[1:]])
    raise AssertionError("the server stopped telling")


def asked_raw(client: "redis.Redis", *words: str) -> Any:
    """The answer as the server gave it, a map as a dictionary (RESP3): redis-py reads some answers wrongly."""
    connection = client.connection_pool.get_connection()
    try:
        connection.send_command(*words)
        return connection.read_response()
    finally:
        client.connection_pool.release(connection)


def ages(docs: dict[bytes, Any]) -> Iterator[tuple[str, str | None]]:
    """(since, token) of a command (token None) and of each of its options, from COMMAND DOCS."""
    yield docs[b"since"].decode(), None
    waiting = list(docs.get(b"arguments", []))
    for argument in waiting:
        waiting += argument.get(b"arguments", [])
        if b"token" in argument:
            yield argument.get(b"since", b"1.0.0").decode(), argument[b"token"].decode()


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


# -- at random, against the store on paper ----------------------------------------------------------------------------

MATCHES = st.integers(0, 2)
KEYS = st.sampled_from(["key", "other key", "{}:key"])
BYTES = st.binary(max_size=5)
STATUS = st.sampled_from(["waiting", "playing"])
HOLDERS = st.sampled_from([b"a", b"b"])


class AgainstPaper(RuleBasedStateMachine):
    """Any calls in any order: Redis answers what the dictionaries answer."""

    server: RedisServer

    @initialize()
    def begin(self) -> None:
        self.real = redis_store(self.server)
        self.paper = MemoryStore()
        self.run = uuid.uuid4().hex[:20]
        self.matches = [f"{self.run}{number:04x}" for number in range(3)]
        self.written: list[list[bytes]] = [[b""] for _ in self.matches]

    def teardown(self) -> None:
        if hasattr(self, "real"):
            self.real._link.close()

    def both(self, ask: Callable[[Store], Any]) -> Any:
        answers = []
        for store in (self.real, self.paper):
            try:
                answers.append(ask(store))
            except TooFast:
                answers.append(None)
        assert answers[0] == answers[1]
        return answers[0]

    @rule(
        number=MATCHES,
        back=st.sampled_from([0, 0, 0, 0, 1, 2, 99]),
        head=st.none() | BYTES.filter(bool),
        live=BYTES,
        moves=st.lists(BYTES, max_size=3),
        events=st.lists(BYTES, max_size=3),
        key=st.none() | KEYS,
        value=BYTES,
        pace=st.none() | st.builds(Pace, st.sampled_from("01"), st.integers(1, 2), st.just(2)),
    )
    def swap(
        self,
        number: int,
        back: int,
        head: bytes | None,
        live: bytes,
        moves: list[bytes],
        events: list[bytes],
        key: str | None,
        value: bytes,
        pace: Pace | None,
    ) -> None:
        """`back` says how many writes ago the expected one was; 99: it never was."""
        known = self.written[number]
        expected = b"never" if back >= len(known) else known[-1 - back]
        swap = Swap(
            expected=expected,
            write=fresh(),
            live=live,
            head=b"first" if expected == b"" and head is None else head,
            ttl_ms=HOUR_MS,
            moves=moves,
            events=events,
            remember=None if key is None else Remember(key, value, HOUR_MS),
            pace=pace,
        )
        if self.both(lambda store: store.swap(self.matches[number], swap)):
            known.append(swap.write)

    @rule(number=MATCHES, key=st.none() | KEYS)
    def load(self, number: int, key: str | None) -> None:
        self.both(lambda store: store.load(self.matches[number], key))

    @rule(numbers=st.lists(MATCHES, max_size=4))
    def load_many(self, numbers: list[int]) -> None:
        self.both(lambda store: store.load_many([self.matches[number] for number in numbers]))

    @rule(number=MATCHES, count=st.none() | st.integers(0, 6))
    def moves(self, number: int, count: int | None) -> None:
        self.both(lambda store: store.moves(self.matches[number], count))

    @rule(number=MATCHES, start=st.integers(0, 8), limit=st.integers(1, 8))
    def events(self, number: int, start: int, limit: int) -> None:
        self.both(lambda store: store.events(self.matches[number], start, limit))

    @rule(number=MATCHES, created_ms=st.integers(0, 3), status=STATUS, was=st.none() | STATUS)
    def enlist(self, number: int, created_ms: int, status: str, was: str | None) -> None:
        self.both(lambda store: store.enlist(self.run, self.matches[number], created_ms, status, was))

    @rule(number=MATCHES, created_ms=st.integers(0, 3), status=st.none() | STATUS)
    def delist(self, number: int, created_ms: int, status: str | None) -> None:
        self.both(lambda store: store.delist(self.run, self.matches[number], created_ms, status))

    @rule(status=st.none() | STATUS, limit=st.integers(1, 5))
    def walk_the_list(self, status: str | None, limit: int) -> None:
        before = None
        while page := self.both(lambda store, before=before: store.listed(self.run, status, before, limit)):
            before = page[-1][0]

    @rule(number=MATCHES, holder=HOLDERS, now_ms=st.integers(0, 9), for_ms=st.integers(0, 9))
    def hold(self, number: int, holder: bytes, now_ms: int, for_ms: int) -> None:
        self.both(lambda store: store.hold(self.matches[number], holder, now_ms, now_ms + for_ms))

    @rule(number=MATCHES, holder=HOLDERS, note=BYTES, until_ms=st.integers(0, 18))
    def note(self, number: int, holder: bytes, note: bytes, until_ms: int) -> None:
        self.both(lambda store: store.note(self.matches[number], holder, note, until_ms))

    @rule(number=MATCHES, holder=HOLDERS)
    def let_go(self, number: int, holder: bytes) -> None:
        self.both(lambda store: store.let_go(self.matches[number], holder))

    @rule(name=KEYS, value=BYTES)
    def reserve(self, name: str, value: bytes) -> None:
        self.both(lambda store: store.reserve(f"{self.run}{name}", value, HOUR_MS))

    @rule(name=KEYS, more=st.integers(0, 3))
    def tries(self, name: str, more: int) -> None:
        self.both(lambda store: store.tries(f"{self.run}{name}", 3600, more)[0])

    @precondition(lambda self: hasattr(self, "real"))
    @invariant()
    def both_tell_the_same(self) -> None:
        for match in self.matches:
            self.both(lambda store, match=match: everything(store, match))


def test_any_calls_in_any_order_are_answered_as_on_paper(shared_redis: RedisServer) -> None:
    class Machine(AgainstPaper):
        server = shared_redis

    run_state_machine_as_test(Machine, settings=steady(examples=60, steps=40))
