"""What this process last saw of some matches, so that a move need not load what it is about to compare anyway.

Any of it may be behind: another process can have written since. So nothing is refused or shown by it; it is only good
for a write that compares its id (docs/decisions/0015-moves-in-one-trip.md).
"""

import contextlib
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.table.records import Record


class Recent:
    """The records of the `most` matches that were seen last, unpacked: about 5 kB each. Any thread may use it."""

    def __init__(self, most: int) -> None:
        self._most = most
        # The longest unseen first. Each call on it is one step, also for a worker's threads.
        self._records: OrderedDict[str, Record] = OrderedDict()

    def get(self, match: str) -> "Record | None":
        """The match as it was at some moment, not long ago."""
        return self._records.get(match)

    def put(self, record: "Record") -> None:
        """Keep a record, and let go of the one that has not been seen for the longest time."""
        self._records.pop(record.match, None)
        self._records[record.match] = record
        while len(self._records) > self._most:
            with contextlib.suppress(KeyError):  # another thread has let go of the last one
                self._records.popitem(last=False)

    def forget(self, match: str) -> None:
        """It is known that the match is no longer as it was."""
        self._records.pop(match, None)
