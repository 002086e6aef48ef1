"""What the servers of the store say of themselves, for whoever looks after them. Nothing is judged here.

Managed servers refuse CONFIG, and some refuse INFO: what is not told is missing, and no failure.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import msgspec

from service.store.errors import OutcomeUnknown, StoreError, StoreUnavailable
from service.store.link import Link, Script
from service.store.news import FEEDS, Listening, News
from service.store.site import Site

ASKED = ("appendfsync", "min-replicas-to-write", "cluster-require-full-coverage", "cluster-enabled")
TRIPS = 20
WRITES = 5
NEWS_WITHIN_S = 3.0

# A key of ours, written and gone at once: it shows that scripts run, and that writes are taken.
TRIAL = Script("redis.call('SET', KEYS[1], '1', 'PX', 1000) return redis.call('DEL', KEYS[1])", lasting=True)


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """One server. `down` says why it does not answer; then nothing else is known. Times are milliseconds; `ahead_ms` is
    how far its clock is before ours; `trial` says why it took no write, empty if it did."""

    place: str
    down: str = ""
    info: dict[str, str] = {}
    config: dict[str, str] = {}
    trip_ms: float = 0.0
    write_ms: float = 0.0
    ahead_ms: float | None = None
    trial: str = ""


def examine(site: Site, now_ms: Callable[[], int], replicas: int) -> list[Examined]:
    """Every master. Raises `StoreUnavailable` where not even their names can be learned."""
    return [_examined(place, link, key, now_ms) for place, link, key in site.masters(replicas)]


def _examined(place: str, link: Link, key: str, now_ms: Callable[[], int]) -> Examined:
    try:
        trip_ms = _median_ms(TRIPS, lambda: link.read(("PING",)))
        info, config = _info(link), _config(link)
        ahead_ms = _ahead_ms(link, now_ms)
        trial, write_ms = _trial(link, key)
    except StoreError as silent:
        return Examined(place=place, down=str(silent) or "no answer")
    finally:
        link.close()
    return Examined(
        place=place,
        info=info,
        config=config,
        trip_ms=trip_ms,
        write_ms=write_ms,
        ahead_ms=ahead_ms,
        trial=trial,
    )


def _median_ms(times: int, act: Callable[[], Any]) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        act()
        taken.append(1000 * (time.perf_counter() - begun))
    return median(taken)


def _told(link: Link, *command: Any) -> Any:
    """The answer; None where the server refuses to give one. Raises `StoreUnavailable` where it does not answer."""
    try:
        return link.read(command)[0]
    except StoreUnavailable as failure:
        if link.refused(failure):
            return None
        raise


def _info(link: Link) -> dict[str, str]:
    lines = (_told(link, "INFO") or b"").decode(errors="replace").splitlines()
    cluster = (_told(link, "CLUSTER", "INFO") or b"").decode(errors="replace").splitlines()
    return dict(line.split(":", 1) for line in [*lines, *cluster] if ":" in line)


def _config(link: Link) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ASKED:
        answer: Sequence[bytes] = _told(link, "CONFIG", "GET", name) or ()
        found |= {
            key.decode(): value.decode(errors="replace") for key, value in zip(answer[::2], answer[1::2], strict=True)
        }
    return found


def _ahead_ms(link: Link, now_ms: Callable[[], int]) -> float | None:
    before = now_ms()
    told = _told(link, "TIME")
    if told is None:
        return None
    return int(told[0]) * 1000 + int(told[1]) / 1000 - (before + now_ms()) / 2


def _trial(link: Link, key: str) -> tuple[str, float]:
    try:
        return "", _median_ms(WRITES, lambda: link.write(TRIAL, [key], []))
    except (StoreUnavailable, OutcomeUnknown) as refused:
        return str(refused), 0.0


def news_arrive(site: Site) -> str:
    """Publish something and wait for it, as those who wait for moves do; why it did not arrive, empty if it did."""
    name, line = f"doctor-{uuid.uuid4().hex}", site.subscription(FEEDS)
    publish = "PUBLISH" if site.parts == 1 else "SPUBLISH"
    give_up_at = time.monotonic() + NEWS_WITHIN_S
    try:
        line.open()
        line.listen(name)
        while time.monotonic() < give_up_at:
            said = line.read()
            if isinstance(said, Listening):
                site.link(1).read((publish, FEEDS % name, "1"))
            elif isinstance(said, News):
                return ""
        return f"nothing arrived within {NEWS_WITHIN_S:g} seconds"
    except StoreError as failure:
        return str(failure) or "no answer"
    finally:
        line.close()
