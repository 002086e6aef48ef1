"""Where what is kept across matches stands: in one place on one server, in sixty in a cluster.

A queue of all matches in one key would be on one node, whose death would stop the clocks of all matches and refuse
moves in them; and so would one pulse. So the slots are divided into sixty equal parts, and each part has a queue and a
pulse of its own, in a slot of that very part. Sixty can be divided by 2, 3, 4, 5, 6, 10, 12, 15, 20 and 30: with so
many masters of equal share each part is on one node, but for a slot or two: on the one that has its matches.
"""

from redis.crc import REDIS_CLUSTER_HASH_SLOTS

from service.store.slots import slot_of

PARTS = 60


class Spread:
    """Names of keys for `parts` parts; 1 for a single server."""

    def __init__(self, parts: int) -> None:
        self.parts = parts
        self._tags = _tags(parts)

    def part(self, match: str) -> int:
        """The part in which a match is."""
        return 0 if self.parts == 1 else _part(slot_of(f"{{{match}}}"), self.parts)

    def queue(self, queue: str, part: int) -> list[str]:
        """The keys of a queue: its entries, and the times that were announced."""
        if self.parts == 1:
            return [f"sb:due:{{{queue}}}", f"sb:due:{{{queue}}}:announced"]
        return [f"sb:due:{{{self._tags[part]}}}:{queue}", f"sb:due:{{{self._tags[part]}}}:{queue}:announced"]

    def pulse(self, part: int) -> str:
        """The key of a pulse."""
        return "sb:pulse" if self.parts == 1 else f"sb:pulse:{{{self._tags[part]}}}"

    def wake(self, part: int) -> str:
        """The channel on which workers hear that something is due at once, after `sb:`."""
        return "wake" if self.parts == 1 else f"wake:{{{self._tags[part]}}}"

    def wakes(self) -> list[str]:
        """All such channels."""
        return [self.wake(part) for part in range(self.parts)]


def _part(slot: int, parts: int) -> int:
    return slot * parts // REDIS_CLUSTER_HASH_SLOTS


def _tags(parts: int) -> list[str]:
    """For each part a hash tag whose slot is in it: the first number that is."""
    found: dict[int, str] = {}
    number = 0
    while len(found) < parts:
        found.setdefault(_part(slot_of(str(number)), parts), str(number))
        number += 1
    return [found[part] for part in range(parts)]
