"""Many stored matches out of a few: copies, to the byte, of what the service itself has stored.

A copy has an id of its own, and stands wherever its original stands: whatever keys a match has, and whatever indexes
name it, are found by its id.
"""

import itertools
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import redis

BATCH = 500
INDEXES = "sb:list:*", "sb:due:*"


class Pattern(msgspec.Struct):
    """What the store holds of one match: (key, dump, time to live in ms), and the places where indexes name it."""

    match: str
    keys: list[tuple[bytes, bytes, int]]
    ranked: list[tuple[bytes, bytes, float]]
    named: list[tuple[bytes, bytes, bytes]]


def pattern(client: "redis.Redis", match: str, wanted: Callable[[bytes], bool] = lambda _key: True) -> Pattern:
    """Read a match, or only the wanted ones of its keys."""
    keys = []
    for key in filter(wanted, keys_of(client, match)):
        left: Any = client.pttl(key)
        keys.append((key, client.dump(key), max(0, left)))
    ranked, named = [], []
    name = match.encode()
    for index in itertools.chain.from_iterable(client.scan_iter(match=glob, count=1_000) for glob in INDEXES):
        if client.type(index) == b"zset":
            found: Any = client.zscan_iter(index, match=f"*{match}*", count=1_000)
            ranked += [(index, member, score) for member, score in found if name in member]
        elif client.type(index) == b"hash":
            fields: Any = client.hscan_iter(index, match=f"*{match}*", count=1_000)
            named += [(index, field, value) for field, value in fields]
    return Pattern(match, keys, ranked, named)


def keys_of(client: "redis.Redis", match: str) -> list[bytes]:
    """All keys of a match, in order."""
    return sorted(client.scan_iter(match=f"sb:[{{]{match}[}}]*", count=10_000))


def copy(client: "redis.Redis", patterns: list[Pattern], count: int) -> Iterator[int]:
    """Write so many copies, of each pattern in turn. Gives how many there are, from time to time."""
    pipe = client.pipeline(transaction=False)
    for number in range(count):
        one = patterns[number % len(patterns)]
        old, new = one.match.encode(), secrets.token_hex(12).encode()
        for key, dump, left in one.keys:
            pipe.restore(key.replace(old, new), left, dump)
        for index, member, score in one.ranked:
            pipe.zadd(index, {member.replace(old, new): score})
        for index, field, value in one.named:
            pipe.hset(index, field.replace(old, new), value)
        if number % BATCH == BATCH - 1:
            pipe.execute()
            yield number + 1
    if count % BATCH:
        pipe.execute()
        yield count
