"""Webhooks made by real workers: several at once, killed in the middle, held up by dead endpoints, stopped."""

import contextlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.settings import Settings
from service.store.news import WORK
from service.table.due import Queue
from service.wiring import open_table, subscription, wake_names
from service.worker.hooks import Teller
from service.worker.loop import hand_out
from service.worker.rooms import WAIT_MOST_S, Rooms
from service.worker.wake import Wake
from tests.support.platform import Platform, leading_to
from tests.support.receiver import Answering, receiver
from tests.support.server import RedisServer
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]


class WorkerProcess:
    """`python -m service worker`."""

    def __init__(self, settings: Settings, log: Path) -> None:
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "service", "worker"],
                cwd=ROOT,
                env={**os.environ, **settings.to_env()},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def working(platform: Platform, tellers: list[Teller], threads: int = 4) -> Iterator[None]:
    """Workers' threads for webhooks, one set for each teller; all of them are gone after the block."""
    wakes = [Wake(lambda: subscription(platform.settings, WORK), wake_names(platform.settings)) for _ in tellers]
    jobs = []
    for wake, teller in zip(wakes, tellers, strict=True):
        args = (open_table(platform.settings), Queue.HOOKS, teller.tell, wake, threads, teller.hold_ms)
        jobs += [threading.Thread(target=hand_out, args=args), threading.Thread(target=wake.listen)]
    for job in jobs:
        job.start()
    try:
        yield
    finally:
        for wake in wakes:
            wake.stop()
        for job in jobs:
            job.join(20)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(Queue.HOOKS)]


def test_several_workers_at_once_tell_everything_once_and_in_order(own_redis: RedisServer) -> None:
    platform = Platform(own_redis)
    with receiver() as one, receiver() as other, working(platform, [platform.new_teller() for _ in range(3)]):
        matches = [platform.match(endpoint.url).sit("Ann", "Bo") for endpoint in (one, other)]
        for _ in range(30):
            for match in matches:
                match.move()
        for endpoint, match in zip((one, other), matches, strict=True):
            told = match.feed()
            eventually(lambda: len(endpoint.got) >= len(told), "all is told")  # noqa: B023  # asked at once
            assert [delivery.event for delivery in endpoint.got] == told
            assert endpoint.most_at_once == 1, "of one match one delivery at a time"


def test_an_event_is_told_at_once_and_not_when_somebody_looks_by_chance(own_redis: RedisServer) -> None:
    platform = Platform(own_redis)
    with receiver() as endpoint, working(platform, [platform.new_teller()]):
        match = platform.match(endpoint.url)
        eventually(lambda: endpoint.ids == [f"{match.id}.1"], "the creation is told", within_s=2)
        match.sit("Ann")
        eventually(lambda: endpoint.ids == [f"{match.id}.{n}" for n in (1, 2)], "the claim is told", within_s=2)


def test_what_comes_while_one_worker_delivers_is_not_forgotten_by_the_other(platform: Platform) -> None:
    """The second one finds the match taken, and the first one must hear that it was wanted."""
    inside, go_on = threading.Event(), threading.Event()

    def slow(answering: Answering) -> None:
        inside.set()
        go_on.wait(20)
        answering.status(204)

    with receiver() as endpoint:
        match = platform.match(endpoint.url)
        endpoint.behaviours = [slow]
        first = threading.Thread(target=platform.tell, args=(match,))
        first.start()
        assert inside.wait(10)
        match.sit("Ann")
        assert 0 < (platform.tell(match) or 0) <= platform.teller.hold_ms
        assert len(endpoint.got) == 1, "no second delivery beside the first"
        go_on.set()
        first.join(10)
        queue = f"sb:due:{{{Queue.HOOKS}}}"
        at = platform.table.store._link.read(("ZSCORE", queue, match.id))[0]
        assert float(at) <= platform.clock.now_ms(), "it is due at once"
        platform.tell_all(match)
        assert [delivery.event for delivery in endpoint.got] == match.feed()


def test_a_worker_that_is_killed_in_the_middle_leaves_it_to_the_next(own_redis: RedisServer, tmp_path: Path) -> None:
    platform = Platform(own_redis, timeout_s=0.5)
    began = threading.Event()

    def never(answering: Answering) -> None:
        began.set()
        answering.receiver.closing.wait(30)

    with receiver() as endpoint:
        endpoint.behaviours = [lambda a: a.status(204), never]
        match = platform.match(endpoint.url).sit("Ann", "Bo")
        doomed = WorkerProcess(platform.settings, tmp_path / "worker.log")
        try:
            assert began.wait(20), (tmp_path / "worker.log").read_text()
        finally:
            doomed.kill()
        assert endpoint.ids == [f"{match.id}.1", f"{match.id}.2"]
        heir = WorkerProcess(platform.settings, tmp_path / "worker.log")
        try:
            told = match.feed()
            eventually(lambda: len(endpoint.got) >= len(told) + 1, "the next worker has told all", within_s=20)
        finally:
            heir.process.terminate()
        assert endpoint.ids == [f"{match.id}.{number}" for number in (1, 2, *range(2, len(told) + 1))]
        assert endpoint.got[1].body == endpoint.got[2].body
        assert heir.process.wait(15) == 0, "and stops when it is told to"
        assert match.secret.removeprefix("whsec_") not in (tmp_path / "worker.log").read_text()


def test_dead_endpoints_do_not_hold_up_those_that_live(own_redis: RedisServer) -> None:
    """More dead endpoints than threads, each of which takes the whole time-out, over and over."""
    platform = Platform(own_redis, timeout_s=20)

    def hang(answering: Answering) -> None:
        answering.receiver.closing.wait(30)

    with contextlib.ExitStack() as stack:
        alive = stack.enter_context(receiver())
        dead = stack.enter_context(receiver(hang))
        teller = platform.new_teller(resolve=leading_to("127.0.0.1"))
        stack.enter_context(working(platform, [teller], threads=16))
        stack.callback(dead.closing.set)
        match = platform.match(f"http://alive.example:{alive.port}/")
        eventually(lambda: alive.got, "an endpoint that lives proves itself")
        for number in range(6):
            for _ in range(6):
                platform.match(f"http://dead-{number}.example:{dead.port}/")
        eventually(lambda: dead.at_once == 8, "all threads that the unproved may have are taken")
        for name in ("Ann", "Bo"):
            match.sit(name)
        told = match.feed()
        eventually(lambda: len(alive.got) == len(told), "the other half tells", within_s=5)
        assert dead.most_at_once == 8


# -- rooms ------------------------------------------------------------------------------------------------------------


def test_one_host_has_a_quarter_of_the_threads_and_the_unproved_have_half_of_them() -> None:
    rooms = Rooms(16, lambda: 0.0)
    assert [rooms.enter("a", True) for _ in range(4)] == [0.0] * 4
    assert rooms.enter("a", True) > 0
    assert [rooms.enter(f"new {number}", False) for number in range(8)] == [0.0] * 8
    assert rooms.enter("new 9", False) > 0
    assert rooms.enter("b", True) == 0.0
    rooms.leave("a", True, 1.0)
    rooms.leave("new 1", False, 1.0)
    assert rooms.enter("a", False) == 0.0
    assert rooms.enter("new 9", False) > 0, "the last one took the place"


def test_who_waits_for_a_slow_host_comes_again_at_the_pace_of_the_host() -> None:
    rooms = Rooms(16, lambda: 100.0)
    assert rooms.enter("slow", True) == 0.0
    rooms.leave("slow", True, 8.0)
    for _ in range(4):
        rooms.enter("slow", True)
    assert [rooms.enter("slow", True) for _ in range(3)] == [2.0, 4.0, 6.0]
    assert max(rooms.enter("slow", True) for _ in range(1_000)) == WAIT_MOST_S


@pytest.mark.parametrize("seed", range(10))
def test_rooms_never_hold_more_than_they_should_and_forget_who_has_left(seed: int) -> None:
    chance, now = random.Random(seed), [0.0]
    rooms, inside = Rooms(8, lambda: now[0]), []
    for _ in range(3_000):
        now[0] += chance.random()
        if inside and chance.random() < 0.5:
            rooms.leave(*inside.pop(chance.randrange(len(inside))), chance.random())
        else:
            wish = (f"host {chance.randrange(150)}", chance.random() < 0.3)
            if rooms.enter(*wish) == 0.0:
                inside.append(wish)
        assert sum(not proved for _, proved in inside) <= 4, seed
        assert all(sum(host == one for host, _ in inside) <= 2 for one, _ in inside), seed
    for wish in inside:
        rooms.leave(*wish, 0.1)
    now[0] += 100
    rooms.enter("last", True)
    assert len(rooms._rooms) <= 102, seed
