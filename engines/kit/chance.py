"""The deal that no player can choose and anybody can check: SHA-256 in counter mode, specified to the byte.

The specification with test vectors is docs/deal.md. Nothing else in the engines is random: a game asks its
`Chance` for a shuffle or a pick under a label, and the same seed and label give the same answer for ever.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

import msgspec

T = TypeVar("T")

SECRET_BYTES = 32
_TWO_32 = 1 << 32


class Chance(msgspec.Struct, frozen=True, array_like=True):
    """All the chance of one match: a 32-byte seed. Who knows the seed knows every card to come."""

    seed: bytes

    def shuffle(self, label: str, cards: Sequence[T]) -> tuple[T, ...]:
        """The cards, which must come in catalogue order, in a uniformly random order. The last is the top.

        Each label has a stream of its own, so shuffles never influence one another.
        """
        stream = Stream(self.seed, label)
        pile = list(cards)
        for i in range(len(pile) - 1, 0, -1):
            j = stream.below(i + 1)
            pile[i], pile[j] = pile[j], pile[i]
        return tuple(pile)

    def pick(self, label: str, n: int) -> int:
        """A uniformly random integer from 0 to n - 1, the first that this label's stream gives. n from 1 to 2^32."""
        return Stream(self.seed, label).below(n)


class Stream:
    """The endless bytes of one label: block(0) + block(1) + ..., block(i) = SHA-256(seed, label, i)."""

    def __init__(self, seed: bytes, label: str) -> None:
        self._prefix = sha256(seed + len2(label.encode()))
        self._index = 0
        self._block = b""
        self._at = 0

    def below(self, n: int) -> int:
        """A uniformly random integer from 0 to n - 1; n from 1 to 2^32.

        Takes 4 bytes at a time and drops what would favour the low numbers: no modulo bias.
        """
        limit = _TWO_32 - _TWO_32 % n
        while True:
            u = self._next_u32()
            if u < limit:
                return u % n

    def _next_u32(self) -> int:
        # 32 is a multiple of 4: a number never spans two blocks.
        if self._at == len(self._block):
            block = self._prefix.copy()
            block.update(self._index.to_bytes(8, "big"))
            self._block, self._index, self._at = block.digest(), self._index + 1, 0
        u = int.from_bytes(self._block[self._at : self._at + 4], "big")
        self._at += 4
        return u


def commitment(secret: bytes) -> str:
    """What is published before anybody sits down: the lowercase hex SHA-256 of the 32 secret bytes."""
    return sha256(secret).hexdigest()


def dealt_seed(secret: bytes, match: str, nonces: Sequence[str]) -> bytes:
    """The seed of a match that nobody chose: the server's secret, the match id, and each seat's nonce in seat order.

    A seat without a nonce counts with the empty one.
    """
    parts = [b"shorebreak/deal/1\n", secret, len2(match.encode())]
    parts += [len2(nonce.encode()) for nonce in nonces]
    return sha256(b"".join(parts)).digest()


def fixed_seed(text: str) -> bytes:
    """The seed of a match that was created with a `seed`: everybody who knows the text knows the deal."""
    return sha256(b"shorebreak/fixed/1\n" + text.encode()).digest()


def len2(text: bytes) -> bytes:
    """The bytes, preceded by their length as 2 bytes, big-endian. At most 65,535 bytes."""
    return len(text).to_bytes(2, "big") + text
