"""What the processes of one server last wrote of some matches: memory that they all see, so that a move which follows
one made by another of them need not load it either.

Nothing is locked, and nothing here is believed: whatever is read bears a checksum over all of it, so that a
half-written entry counts as none, and like all of `recent` it is only good for a write that compares its id.
"""

import mmap
from hashlib import blake2b
from zlib import crc32

import msgspec

from service.store.port import Stored

ENTRY_BYTES = 4_096
"""A match that needs more is not shared: one with a long text of options, or with a card set of its own."""

_DIGEST = 16
_SIZE = 4
_HEAD = _DIGEST + _SIZE


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    """`write` first, and so always at the same place: after two bytes of msgpack for itself and one for the entry."""

    write: bytes
    seq: int
    match: str
    head: bytes
    live: bytes


_WRITE_AT = 3


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Entry).decode


class Shared:
    """Room for `entries` matches, each in a place that its id gives it: two in one place drive each other out.

    Make it before the processes are forked that are to share it. 0 shares nothing.
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        # Pages are taken from the system when they are first written.
        self._memory = mmap.mmap(-1, entries * ENTRY_BYTES) if entries else None

    def get(self, match: str, write: bytes, seq: int) -> Stored | None:
        """The match as one of the processes last wrote it; None if that is not here, or not newer than what is known:
        this write, and this number of the newest event."""
        if self._memory is None:
            return None
        at = self._place(match)
        size = int.from_bytes(self._memory[at + _DIGEST : at + _HEAD], "big")
        if not 0 < size <= ENTRY_BYTES - _HEAD:
            return None
        packed = self._memory[at + _HEAD : at + _HEAD + size]
        if write and packed.startswith(write, _WRITE_AT):
            return None
        if blake2b(packed, digest_size=_DIGEST).digest() != self._memory[at : at + _DIGEST]:
            return None
        entry = _decode(packed)
        if entry.match != match or entry.seq <= seq:
            return None
        return Stored(entry.write, entry.head, entry.live)

    def put(self, match: str, seq: int, stored: Stored) -> None:
        """Show a match to the other processes, as it was just written."""
        if self._memory is None:
            return
        packed = _encode(_Entry(stored.write, seq, match, stored.head, stored.live))
        if len(packed) > ENTRY_BYTES - _HEAD:
            return
        at, digest = self._place(match), blake2b(packed, digest_size=_DIGEST).digest()
        self._memory[at : at + _HEAD + len(packed)] = digest + len(packed).to_bytes(_SIZE, "big") + packed

    def _place(self, match: str) -> int:
        return crc32(match.encode()) % self._entries * ENTRY_BYTES
