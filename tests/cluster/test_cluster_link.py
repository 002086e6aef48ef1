"""The link to a cluster whose slots move and whose nodes die: what is certain is told, and nobody waits for others."""

import itertools
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis
from redis.connection import SSLConnection

from service.store.address import Place, parse
from service.store.errors import OutcomeUnknown, StoreError, StoreUnavailable, TooFewReplicas
from service.store.news import Alive, Line, Listening, News, Written
from service.store.port import Remember, Swap
from service.store.redis import RedisStore
from service.store.server import Master
from service.store.site import Site
from service.store.slots import ASK_TIMEOUT_S, Slots, slot_of
from tests.cluster.conftest import RECOVERS_WITHIN_S, SLACK_S, TIMEOUT_S, few_rights, no_more_threads
from tests.support.cluster import Cluster, Node
from tests.support.play import at_once
from tests.support.server import free_port
from tests.support.waiting import eventually

pytestmark = pytest.mark.slow
HOUR_MS = 3_600_000
_numbers = itertools.count()


@pytest.fixture
def site(cluster: Cluster) -> Site:
    return Site(cluster.url, TIMEOUT_S)


@pytest.fixture
def store(site: Site) -> RedisStore:
    return RedisStore(site.link(10))


def fresh() -> bytes:
    return b"write %d" % next(_numbers)


def made(store: RedisStore, match: str) -> Swap:
    """A match that has been moved in once."""
    swap = Swap(expected=b"", write=fresh(), live=b"l", head=b"h", ttl_ms=HOUR_MS, moves=[b"m"], events=[b"e"])
    assert store.swap(match, swap)
    return swap


def after(swap: Swap, **more: Any) -> Swap:
    return Swap(expected=swap.write, write=fresh(), live=b"later", ttl_ms=HOUR_MS, moves=[b"m"], events=[b"e"], **more)


def matches_at(cluster: Cluster, node: Node, count: int) -> list[str]:
    """So many ids of matches that this node has."""
    ids = (uuid.uuid4().hex[:24] for _ in itertools.count())
    return list(itertools.islice((each for each in ids if cluster.master_of(f"{{{each}}}") is node), count))


def heard(line: Line) -> tuple[str, Written] | None:
    """The news that come next: of which match, and what was written. None if it is something else."""
    said = line.read()
    return (said.name, said.written()) if isinstance(said, News) else None


def outcome(ask: Callable[[], Any]) -> Any:
    """What it gives, or the class of what it raises."""
    try:
        return ask()
    except StoreError as failure:
        return type(failure)


def test_one_node_that_answers_is_enough_to_begin_with(cluster: Cluster, store: RedisStore) -> None:
    match = uuid.uuid4().hex
    made(store, match)
    for node in cluster.nodes:
        dead = "127.0.0.1:1"
        found = RedisStore(Site(f"redis+cluster://{dead},{node.place}", TIMEOUT_S).link(10)).load(match)
        assert found is not None
    begun = time.monotonic()
    nobody = RedisStore(Site(f"redis+cluster://{dead},{dead[:-1]}2", TIMEOUT_S).link(10))
    for ask in (nobody.ping, lambda: nobody.load(match), lambda: nobody.next_due("matches")):
        with pytest.raises(StoreUnavailable):
            ask()
    assert time.monotonic() - begun < SLACK_S


def test_who_waits_while_another_asks_for_the_map_in_vain_does_not_ask_as_long_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = RedisStore(Site(f"redis+cluster://127.0.0.1:{silent.getsockname()[1]}", TIMEOUT_S).link(10))
        begun = time.monotonic()
        assert at_once([lambda: outcome(store.ping)] * 12) == [StoreUnavailable] * 12
        assert time.monotonic() - begun < ASK_TIMEOUT_S + SLACK_S


def test_a_cluster_whose_slots_are_not_given_out_yet_is_unavailable_until_they_are(tmp_path: Path) -> None:
    node = Node(tmp_path, cluster_enabled="yes", cluster_port=str(free_port()))
    node.start()
    try:
        store = RedisStore(Site(f"redis+cluster://{node.place}", TIMEOUT_S).link(10))
        for ask in (store.ping, lambda: store.load("match"), lambda: store.next_due("matches")):
            assert outcome(ask) is StoreUnavailable
        node.say("CLUSTER ADDSLOTSRANGE", 0, 16_383)
        eventually(lambda: outcome(store.ping) is None, "who pings finds out by himself")
    finally:
        node.kill()


def test_a_queue_in_many_parts_gives_what_is_due_from_all_of_them(store: RedisStore) -> None:
    queue = uuid.uuid4().hex
    matches = [uuid.uuid4().hex for _ in range(200)]
    for number, match in enumerate(matches):
        store.schedule(queue, match, 1_000 + number, 0)
    assert store.next_due(queue) == 1_000
    assert store.take_due(queue, 999, 5_000, 10) == []
    first = store.take_due(queue, 1_000, 5_000, 10)
    assert [(entry.match, entry.due_ms) for entry in first] == [(matches[0], 1_000)]
    store.settle_due(queue, matches[0], first[0].lease, None)
    assert store.next_due(queue) == 1_001
    rest: list[str] = []
    while taken := store.take_due(queue, 2_000, 5_000, 7):
        rest += [entry.match for entry in taken]
        for entry in taken:
            store.settle_due(queue, entry.match, entry.lease, None)
    assert sorted(rest) == sorted(matches[1:])
    assert store.next_due(queue) is None


def test_a_user_with_few_rights_is_enough(cluster: Cluster, tmp_path: Path) -> None:
    with few_rights(tmp_path, cluster.nodes, cluster.url) as url:
        site, match = Site(url, TIMEOUT_S), uuid.uuid4().hex
        store, line = RedisStore(site.link(4, replicas=1)), site.subscription()
        line.open()
        line.listen(match)
        eventually(lambda: line.read() == Listening(match), "it listens")
        last = made(store, match)
        news = line.read()
        assert isinstance(news, News)
        assert news.written().write == last.write
        store.schedule("matches", match, 1, 2)
        store.beat(1, 5_000)
        line.close()


def test_where_there_are_no_threads_nodes_are_asked_one_after_the_other(
    cluster: Cluster, site: Site, store: RedisStore
) -> None:
    matches = [matches_at(cluster, node, 1)[0] for node in cluster.masters_now()]
    for match in matches:
        made(store, match)
    slots = site._slots
    assert slots is not None
    with no_more_threads():
        assert None not in store.load_many(matches)
        store.beat(1, 5_000)
        slots.ask_soon()
    slots._take(0, {})  # nothing is known any more
    slots.ask_soon()
    eventually(lambda: slots.masters, "the map is asked for as soon as there is a thread again")


def test_what_stands_in_the_store_is_told_over_all_nodes(store: RedisStore) -> None:
    game, queue, empty = uuid.uuid4().hex, uuid.uuid4().hex, uuid.uuid4().hex
    for number in range(30):
        match = uuid.uuid4().hex
        store.enlist(game, match, number, "waiting", None)
        store.schedule(queue, match, 1_000 + number, 0)
    store.beat(5_000, 60_000)
    levels = store.levels([game], ["waiting", "playing"], [queue, empty])
    assert levels.listed == {(game, "waiting"): 30, (game, "playing"): 0}
    assert levels.due_ms == {queue: 1_000, empty: None}
    assert levels.beat_ms is not None
    assert levels.beat_ms >= 5_000


def test_a_node_that_takes_no_writes_keeps_nobody_from_the_queues_of_others(
    cluster: Cluster, store: RedisStore
) -> None:
    full, *others = cluster.masters_now()
    queue, stuck = uuid.uuid4().hex, matches_at(cluster, full, 1)
    well = [matches_at(cluster, node, 1)[0] for node in others]
    for number, match in enumerate([*stuck, *well]):
        store.schedule(queue, match, 1 + number, 0)
    full.say("CONFIG", "SET", "maxmemory", "1")
    try:
        taken = [entry.match for _ in well for entry in store.take_due(queue, 10, 60_000, 1)]
        assert taken == well
        assert outcome(lambda: store.take_due(queue, 10, 60_000, 1)) is StoreUnavailable, "nor is it forgotten"
    finally:
        full.say("CONFIG", "SET", "maxmemory", "0")
    assert [entry.match for entry in store.take_due(queue, 10, 60_000, 1)] == stuck


def test_a_node_that_is_silent_about_writes_is_waited_for_once(cluster: Cluster, store: RedisStore) -> None:
    slow, queue = cluster.masters_now()[0], uuid.uuid4().hex
    for number, match in enumerate(matches_at(cluster, slow, 50)):
        store.schedule(queue, match, 1 + number, 0)
    slow.say("CLIENT", "PAUSE", 60_000, "WRITE")
    begun = time.monotonic()
    try:
        assert outcome(lambda: store.take_due(queue, 100, 60_000, 50)) is StoreUnavailable
        assert time.monotonic() - begun < TIMEOUT_S + SLACK_S, "not once for each part"
    finally:
        slow.say("CLIENT", "UNPAUSE")
    assert len(store.take_due(queue, 100, 60_000, 50)) >= 49, "the one that was asked for is hidden now, if it was late"


def test_a_line_on_which_nothing_is_asked_for_is_not_silent(site: Site) -> None:
    line = site.subscription()
    line.open()

    def alive() -> bool:
        line.ping()
        return line.read() == Alive()

    for _ in range(2):
        eventually(alive, "it is taken for alive")
    line.close()


def test_who_leaves_and_comes_back_at_once_misses_nothing(site: Site, store: RedisStore) -> None:
    match = uuid.uuid4().hex
    last = made(store, match)
    line = site.subscription()
    line.open()
    line.listen(match)
    eventually(lambda: line.read() == Listening(match), "it listens")
    for number in range(20):
        line.leave(match)
        line.listen(match)
        assert line.read() == Listening(match)
        last = after(last)
        assert store.swap(match, last)
        assert heard(line) == (match, Written(last.write, number + 2, [b"e"])), "nor is it left for the leave before"
    line.close()


def test_pulses_beat_wherever_matches_are(store: RedisStore) -> None:
    store.beat(1_000_000_000, 5_000)
    away_ms = {match: store.pulse(match, 0)[1] for match in [uuid.uuid4().hex for _ in range(200)]}
    for now_ms in (1_000_001_000, 1_000_031_000):
        store.beat(now_ms, 5_000)
    pulses = {match: store.pulse(match, 0) for match in away_ms}
    assert pulses == {match: (1_000_031_000, was_ms + 30_000) for match, was_ms in away_ms.items()}


def test_a_password_opens_every_node_and_without_it_nothing_is_to_be_had(cluster: Cluster) -> None:
    password, match = "p@ss,word", uuid.uuid4().hex
    login = f"redis+cluster://:{quote(password)}@{cluster.nodes[0].place}"
    for node in cluster.nodes:
        node.say("CONFIG SET", "masterauth", password, "requirepass", password)
    try:
        site = Site(login, TIMEOUT_S)
        store, line = RedisStore(site.link(10)), site.subscription()
        for each in [match, *(uuid.uuid4().hex for _ in range(20))]:
            made(store, each)
        line.open()
        line.listen(match)
        eventually(lambda: line.read() == Listening(match), "it listens")
        line.close()
        stranger = RedisStore(Site(cluster.url, TIMEOUT_S).link(10))
        for ask in (stranger.ping, lambda: stranger.load(match)):
            with pytest.raises(StoreUnavailable):
                ask()
    finally:
        for node in cluster.nodes:
            with redis.Redis.from_url(node.url, password=password) as client:
                client.execute_command("CONFIG SET", "masterauth", "", "requirepass", "")


def test_rediss_means_tls_to_every_node_and_every_sentinel() -> None:
    slots = Slots(parse("rediss+cluster://a:1,b:2?ssl_cert_reqs=none"), TIMEOUT_S)
    connection = slots.server(Place("c", 3)).connection()
    assert isinstance(connection, SSLConnection)
    assert (connection.host, connection.port, connection.cert_reqs) == ("c", 3, ssl.CERT_NONE)
    master = Master(parse("rediss+sentinel://:p@a:1/tide?sentinel_password=q&ssl_cert_reqs=none"), TIMEOUT_S)
    assert isinstance(master.connection(), SSLConnection)
    asked = master._sentinels.sentinels[0].connection_pool.make_connection()
    assert isinstance(asked, SSLConnection)
    assert (asked.host, asked.port, asked.cert_reqs) == ("a", 1, ssl.CERT_NONE)
    assert asked.credential_provider is None
    assert asked.password == "q"


def test_while_a_slot_moves_writes_are_made_once_or_refused_and_news_go_with_it(
    cluster: Cluster, site: Site, store: RedisStore
) -> None:
    source, target = cluster.masters_now()[:2]
    match = matches_at(cluster, source, 1)[0]
    slot, ids = slot_of(f"{{{match}}}"), {node: node.say("CLUSTER MYID").decode() for node in (source, target)}
    last = made(store, match)
    line = site.subscription()
    line.open()
    line.listen(match)
    eventually(lambda: line.read() == Listening(match), "it listens")
    target.say("CLUSTER SETSLOT", slot, "IMPORTING", ids[source])
    source.say("CLUSTER SETSLOT", slot, "MIGRATING", ids[target])

    swap = after(last)
    assert store.swap(match, swap), "all that it touches is still there"
    halfway = after(swap, remember=Remember("key", b"v", HOUR_MS))
    assert outcome(lambda: store.swap(match, halfway)) is StoreUnavailable, "one of its keys would be made elsewhere"
    assert store.load(match).write == swap.write

    for key in source.say("CLUSTER GETKEYSINSLOT", slot, 100):
        source.say("MIGRATE", "127.0.0.1", target.port, key, 0, 5_000)
    assert store.load(match).write == swap.write, "it is read where it has gone"
    later = after(swap)
    assert store.swap(match, later), "and written"

    for node in (target, source):
        node.say("CLUSTER SETSLOT", slot, "NODE", ids[target])
    last = after(later, remember=Remember("key", b"v", HOUR_MS))
    assert store.swap(match, last)
    assert store.load(match, "key").remembered == b"v"
    assert len(store.moves(match)) == 4
    eventually(lambda: line.read() == Listening(match), "it listens where the match is now")
    last = after(last)
    assert store.swap(match, last)
    eventually(lambda: heard(line) == (match, Written(last.write, 5, [b"e"])), "and hears of it")
    line.close()


def test_a_planned_change_of_masters_refuses_nothing_and_loses_nothing(cluster: Cluster, store: RedisStore) -> None:
    master = cluster.masters_now()[0]
    replica, matches, stop = cluster.replica_of(master), matches_at(cluster, master, 6), threading.Event()
    counts: dict[str, list[Any]] = {match: [] for match in matches}

    def write(match: str) -> None:
        last = made(store, match)
        while not stop.is_set():
            last = after(last)
            counts[match].append(outcome(lambda swap=last: store.swap(match, swap)))

    writers = [threading.Thread(target=write, args=(match,)) for match in matches]
    for writer in writers:
        writer.start()
    eventually(lambda: all(len(count) > 20 for count in counts.values()), "it is written")
    replica.say("CLUSTER FAILOVER")
    eventually(lambda: replica.say("ROLE")[0] == b"master", "the replica has taken over")
    enough = {match: len(count) + 20 for match, count in counts.items()}
    eventually(lambda: all(len(counts[match]) > enough[match] for match in matches), "it is written on")
    stop.set()
    for writer in writers:
        writer.join()
    assert {each for count in counts.values() for each in count} == {True}
    cluster.wait_until_whole()
    for match, count in counts.items():
        assert len(store.moves(match)) == 1 + len(count)


@pytest.fixture
def cut_off_replica(cluster: Cluster) -> Iterator[tuple[Node, Node]]:
    """A master, and its replica, which is frozen and hears no more of it."""
    master = cluster.masters_now()[0]
    replica = cluster.replica_of(master)
    replica.freeze()
    master.say("CLIENT KILL", "TYPE", "replica")
    yield master, replica
    if master.child is not None and master.child.ended:
        master.start()
    cluster.wait_until_whole()


def test_with_store_replicas_nothing_is_acknowledged_that_a_failover_loses_and_without_it_that_happens(
    cluster: Cluster, site: Site, cut_off_replica: tuple[Node, Node]
) -> None:
    master, replica = cut_off_replica
    safe, fast = RedisStore(site.link(10, replicas=1)), RedisStore(site.link(10))
    trusting, careful = matches_at(cluster, master, 2)
    assert made(fast, trusting), "acknowledged, and kept by the master alone"
    swap = Swap(
        expected=b"",
        write=fresh(),
        live=b"l",
        head=b"h",
        ttl_ms=HOUR_MS,
        events=[b"e"],
        remember=Remember("key", b"v", HOUR_MS),
    )
    begun = time.monotonic()
    assert outcome(lambda: safe.swap(careful, swap)) is TooFewReplicas
    assert outcome(lambda: safe.load(careful, "key")) is TooFewReplicas, "nor is what its key gave told as if it were"
    assert outcome(lambda: safe.schedule("matches", careful, 1, 0)) is StoreUnavailable
    assert TIMEOUT_S / 2 <= time.monotonic() - begun < 3 * TIMEOUT_S + SLACK_S
    assert safe.load(careful) is not None, "it is there, and may be seen"

    master.kill()
    replica.thaw()
    eventually(lambda: replica.say("ROLE")[0] == b"master", "the replica has taken over", within_s=20)
    for store, match in ((fast, trusting), (safe, careful)):
        eventually(lambda s=store, m=match: outcome(lambda: s.load(m)) is not StoreUnavailable, "it is served again")
        assert store.load(match) is None
    master.start()
    cluster.wait_until_whole()
    assert safe.swap(careful, swap), "who was told that it is not known repeats it"
    assert safe.load(careful, "key").remembered == b"v"


def test_a_master_that_must_have_replicas_refuses_when_it_is_cut_off_from_them(
    cluster: Cluster, store: RedisStore, cut_off_replica: tuple[Node, Node]
) -> None:
    master, replica = cut_off_replica
    match = matches_at(cluster, master, 1)[0]
    master.say("CONFIG SET", "min-replicas-to-write", 1)
    try:
        for _ in range(3):
            assert outcome(lambda: made(store, match)) is StoreUnavailable
        assert store.load(match) is None, "nothing is half written"
        replica.thaw()
        eventually(lambda: outcome(lambda: made(store, match)) is not StoreUnavailable, "it takes writes again", 20)
    finally:
        master.say("CONFIG SET", "min-replicas-to-write", 0)


def test_a_write_whose_answer_is_lost_is_only_called_written_when_replicas_have_it(
    cluster: Cluster, site: Site, cut_off_replica: tuple[Node, Node]
) -> None:
    master, replica = cut_off_replica
    store = RedisStore(site.link(10, replicas=1))
    match = matches_at(cluster, master, 1)[0]
    assert outcome(lambda: made(store, match)) is TooFewReplicas
    stored = store.load(match)
    assert stored is not None
    swap = Swap(expected=b"", write=stored.write, live=b"l", ttl_ms=HOUR_MS)
    assert outcome(lambda: store._find_out(match, swap)) is TooFewReplicas
    replica.thaw()
    eventually(lambda: outcome(lambda: store._find_out(match, swap)) is True, "the replica has it", within_s=20)


def test_a_frozen_master_costs_its_own_matches_time_and_the_others_nothing(cluster: Cluster, site: Site) -> None:
    victim, *others = cluster.masters_now()
    store = RedisStore(site.link(3))  # few connections, so that those who wait could take them from others
    hurt, well = matches_at(cluster, victim, 1)[0], [matches_at(cluster, node, 1)[0] for node in others]
    last = {match: made(store, match) for match in (hurt, *well)}
    queue = uuid.uuid4().hex
    for match in well:
        store.schedule(queue, match, 1, 0)
    victim.freeze()
    froze = time.monotonic()
    try:
        waiting = [threading.Thread(target=lambda: outcome(lambda: store.load(hurt))) for _ in range(12)]
        for one in waiting:
            one.start()

        def write(match: str) -> float:
            begun = time.monotonic()
            for _ in range(50):
                last[match] = after(last[match])
                assert store.swap(match, last[match])
            return time.monotonic() - begun

        assert max(at_once([lambda match=match: write(match) for match in well])) < TIMEOUT_S
        late = after(last[hurt])
        # True if its replica has taken over meanwhile, and this caller still waited for his turn.
        assert outcome(lambda: store.swap(hurt, late)) in (StoreUnavailable, OutcomeUnknown, True)
        assert time.monotonic() - froze < 3 * TIMEOUT_S + SLACK_S
        store.take_due(queue, 10, 60_000, 1)  # finds out that a node is silent, if nobody has yet
        begun = time.monotonic()
        store.beat(1, 5_000)
        assert store.next_due(queue) is not None
        assert time.monotonic() - begun < TIMEOUT_S, "a node that was silent is not waited for again at once"
        for one in waiting:
            one.join()
        eventually(lambda: outcome(lambda: store.load(hurt)) is not StoreUnavailable, "its replica serves it", 20)
        assert time.monotonic() - froze < RECOVERS_WITHIN_S
    finally:
        victim.thaw()
    cluster.wait_until_whole()
    assert store.load(hurt) is not None
