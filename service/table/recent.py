"""What this process last saw of some matches, so that a move need not load what it is about to compare anyway.

Any of it may be behind: another process can have written since. So nothing is refused or shown by it; it is only good
for a write that compares its id (docs/decisions/0015-moves-in-one-trip.md).
"""

import contextlib
from collections import OrderedDict

from service.store.port import Stored
from service.table.errors import MatchUnreadable
from service.table.records import Record, read_record
from service.table.shared import Shared


class Recent:
    """The records of the `most` matches that were seen last, unpacked: about 5 kB each. Any thread may use it.

    `shared` is what other processes of this server have written since.
    """

    def __init__(self, most: int, shared: Shared | None = None) -> None:
        self._most = most
        self._shared = shared or Shared(0)
        # The longest unseen first. Each call on it is one step, also for a worker's threads.
        self._records: OrderedDict[str, Record] = OrderedDict()

    def get(self, match: str) -> Record | None:
        """The match as it was at some moment, not long ago."""
        known = self._records.get(match)
        written = self._shared.get(match, *((b"", -1) if known is None else (known.write, known.live.seq)))
        if written is None:
            return known
        try:
            record = read_record(match, written, known)
        except MatchUnreadable:  # by this server, which may be of another version than its predecessor
            return known
        self.put(record)
        return record

    def show(self, record: Record, head: bytes, live: bytes) -> None:
        """Keep a record that was just written, and show it to the other processes: `head` and `live` as they were
        stored."""
        self.put(record)
        self._shared.put(record.match, record.live.seq, Stored(record.write, head, live))

    def put(self, record: Record) -> None:
        """Keep a record, and let go of the one that has not been seen for the longest time."""
        self._records.pop(record.match, None)
        self._records[record.match] = record
        while len(self._records) > self._most:
            with contextlib.suppress(KeyError):  # another thread has let go of the last one
                self._records.popitem(last=False)

    def forget(self, match: str) -> None:
        """It is known that the match is no longer as it was."""
        self._records.pop(match, None)
