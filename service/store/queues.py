"""What is kept across matches and must be in time: the queues that workers take from, and the pulse.

On one server each is in one place; in a cluster in many, each with the matches it is about: see `spread`.
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.cluster import ClusterLink
from service.store.errors import OutcomeUnknown, StoreUnavailable
from service.store.link import Link, Script
from service.store.port import Due
from service.store.spread import Spread

_SCRIPTS = files("service.store") / "scripts"
SCHEDULE = Script((_SCRIPTS / "schedule.lua").read_text(), lasting=True)
TAKE = Script((_SCRIPTS / "take.lua").read_text())
SETTLE = Script((_SCRIPTS / "settle.lua").read_text())
BEAT = Script((_SCRIPTS / "beat.lua").read_text())


class Queues:
    """A part of the store. See `port.Store` for what each call promises."""

    def __init__(self, link: Link | ClusterLink) -> None:
        self._link = link
        self._spread = Spread(link.parts)
        self._schedule = SCHEDULE if link.parts == 1 else SCHEDULE.by_shard()

    def schedule(self, queue: str, match: str, at_ms: int, now_ms: int) -> None:
        part = self._spread.part(match)
        args = (match, at_ms, now_ms, f"sb:{self._spread.wake(part)}")
        self._certain(self._schedule, self._spread.queue(queue, part), args)

    def take_due(self, queue: str, now_ms: int, lease_ms: int, most: int) -> list[Due]:
        taken: list[Due] = []
        refused: StoreUnavailable | None = None
        for part in self._parts_due(queue, now_ms):
            args = (now_ms, lease_ms, most - len(taken))
            try:
                found = self._certain(TAKE, self._spread.queue(queue, part), args)
            except StoreUnavailable as failure:  # a node that can be read and takes no writes stops no others
                refused = failure
                if _silent(failure):
                    break  # it may have all the parts that follow, and be waited for at each
                continue
            for at in range(0, len(found), 3):
                match, lease, due_ms = found[at : at + 3]
                taken.append(Due(match.decode(), int(lease), int(float(due_ms))))
            if len(taken) == most:
                break
        if refused is not None and not taken:
            raise refused
        return taken

    def settle_due(self, queue: str, match: str, lease: int, next_ms: int | None) -> None:
        keys = self._spread.queue(queue, self._spread.part(match))
        self._certain(SETTLE, keys, (match, lease, "" if next_ms is None else next_ms))

    def next_due(self, queue: str) -> int | None:
        heads = self._heads(queue)
        return min(heads)[0] if heads else None

    def _parts_due(self, queue: str, now_ms: int) -> list[int]:
        """The parts that have something due, the longest overdue first. A single one is looked at when it is taken."""
        if self._spread.parts == 1:
            return [0]
        return [part for due_ms, part in sorted(self._heads(queue)) if due_ms <= now_ms]

    def _heads(self, queue: str) -> list[tuple[int, int]]:
        """(when its earliest entry is due, part) of each part that has any and that answers."""
        parts = range(self._spread.parts)
        found = self._link.read_some(
            *(("ZRANGE", self._spread.queue(queue, part)[0], 0, 0, "WITHSCORES") for part in parts)
        )
        return [
            (int(float(first[1])), part)
            for part, first in zip(parts, found, strict=True)
            if first and not isinstance(first, StoreUnavailable)
        ]

    def beat(self, now_ms: int, silence_ms: int) -> None:
        if self._spread.parts == 1:
            self._certain(BEAT, ["sb:pulse"], (now_ms, silence_ms, 0))
            return
        # May be repeated, so it goes as a read: to all at once, and a node that is away is not waited for.
        pulses = map(self._spread.pulse, range(self._spread.parts))
        self._link.read_some(*(("EVAL", BEAT.text, 1, pulse, now_ms, silence_ms, 0) for pulse in pulses))

    def pulse(self, match: str, now_ms: int) -> tuple[int, int]:
        pulse = self._spread.pulse(self._spread.part(match))
        last, away = self._link.read(("HMGET", pulse, "last", "away"))[0]
        if last is None:
            last, away = self._certain(BEAT, [pulse], (now_ms, 0, 1))
        return int(last), int(away or 0)

    def _certain(self, script: Script, keys: Sequence[str], args: Sequence[object]) -> Any:
        """Run a script that does no harm when its fate is unknown: it counts as not done, and may be done again."""
        try:
            return self._link.write(script, keys, args)
        except OutcomeUnknown as lost:
            raise StoreUnavailable(str(lost)) from lost


def _silent(failure: BaseException | None) -> bool:
    """Whether a failure comes from waiting in vain."""
    while failure is not None and not isinstance(failure, RedisTimeoutError):
        failure = failure.__cause__
    return failure is not None
