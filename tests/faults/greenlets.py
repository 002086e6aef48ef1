"""`python -m tests.faults.greenlets URL PID`: greenlets killed in the middle of an exchange, as a stopping worker does.

Runs apart from the tests, since it needs gevent's patched sockets. PID is the Redis server's, which is frozen now and
then. Ends with exit code 0 if no answer ever reached anybody but the one who asked, and no place was lost.
"""

from gevent import monkey

monkey.patch_all()

import os  # noqa: E402  # after patching
import signal  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402

import gevent  # noqa: E402
import redis  # noqa: E402

from service.store import overdue, talk  # noqa: E402
from service.store.errors import StoreError, StoreUnavailable  # noqa: E402
from service.store.link import Link, Script  # noqa: E402

ECHO = Script("return ARGV[1]")
CONNECTIONS = 3
LONG = 200_000
"""So many words are more than the system takes in at once."""


def main(url: str, pid: int) -> None:
    link = Link(url, 5.0, CONNECTIONS)
    asks: dict[str, Callable[[str], object]] = {
        "read": lambda word: link.read(("ECHO", word)),
        "two reads": lambda word: link.read(("ECHO", word), ("ECHO", word)),
        "write": lambda word: link.write(ECHO, [], [word]),
        "long write": lambda word: link.write(ECHO, [], [word * LONG]),  # so that they are killed while they send
    }
    for round_number in range(4):
        for name, ask in asks.items():
            if round_number == 0:
                link.close()  # so that they are killed while they connect
            frozen(pid, lambda ask=ask: killed(ask, CONNECTIONS + 2))
            everybody_gets_his_own(link, f"after a {name}, round {round_number}")
    everybody_gets_his_own(link, "long words " * LONG)
    nobody_waits_for_a_silent_server_longer_than_told(url, pid)


def nobody_waits_for_a_silent_server_longer_than_told(url: str, pid: int) -> None:
    """Those who come late wait as long as those who came first; then the same links go on."""
    hasty, patient = Link(url, 0.3, CONNECTIONS), Link(url, 0.6, CONNECTIONS)
    asks: list[tuple[float, Callable[[], object]]] = [
        (0.3, lambda: hasty.read(("ECHO", "a"))),
        (0.6, lambda: patient.write(ECHO, [], ["b"])),
    ]
    for _, ask in asks:
        ask()  # so that there are connections, and the server knows the script

    def wait() -> None:
        asking = []
        for _ in range(2):
            asking += [(limit_s, gevent.spawn(timed, ask)) for limit_s, ask in asks]
            gevent.sleep(0.2)
        for limit_s, one in asking:
            took_s, failure = one.get(timeout=5)
            assert limit_s <= took_s < limit_s + 0.5, (limit_s, took_s)
            assert isinstance(failure.__cause__, redis.TimeoutError), failure.__cause__

    overdue.LOOKS_IN_VAIN = 2
    for _ in range(2):
        while talk._overdue._looking:  # nobody waits: it is not looked any more, and must be begun anew
            gevent.sleep(overdue.LOOK_S)
        frozen(pid, wait)
        for link in (hasty, patient):
            everybody_gets_his_own(link, "after silence")


def timed(ask: Callable[[], object]) -> tuple[float, StoreError]:
    """How long it took to fail, and how it did."""
    begun = time.monotonic()
    try:
        ask()
    except StoreError as failure:
        return time.monotonic() - begun, failure
    raise AssertionError("a frozen server has answered")


def frozen(pid: int, call: Callable[[], None]) -> None:
    os.kill(pid, signal.SIGSTOP)
    try:
        call()
    finally:
        os.kill(pid, signal.SIGCONT)


def killed(ask: Callable[[str], object], count: int) -> None:
    """More greenlets than connections, so that some are killed while they wait for one."""
    asking = [gevent.spawn(ask, f"to nobody {number}") for number in range(count)]
    gevent.sleep(0.02)
    gevent.killall(asking, block=True, timeout=5)
    assert all(one.dead for one in asking)


def everybody_gets_his_own(link: Link, when: str) -> None:
    words = [f"{when}, {number}" for number in range(4 * CONNECTIONS)]
    reading = [gevent.spawn(link.read, ("ECHO", word)) for word in words]
    writing = [gevent.spawn(link.write, ECHO, [], [word]) for word in words]
    gevent.joinall(reading + writing, timeout=10, raise_error=True)
    assert [one.value for one in reading] == [[word.encode()] for word in words], when
    assert [one.value for one in writing] == [word.encode() for word in words], when
    all_places_are_there(link, when)


def all_places_are_there(link: Link, when: str) -> None:
    """As many can wait at once as there are connections, and one more can not."""
    short = [gevent.spawn(link.read, ("BLPOP", "nothing comes", 0.05)) for _ in range(CONNECTIONS)]
    gevent.joinall(short, timeout=5)
    assert [one.value for one in short] == [[None]] * CONNECTIONS, (when, [one.exception for one in short])
    assert len(link._idle) == link._open <= CONNECTIONS, (when, len(link._idle), link._open)
    assert not isinstance(short[0].exception, StoreUnavailable)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
