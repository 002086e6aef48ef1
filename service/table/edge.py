"""Where time, ids and secrets enter: made here and handed in, so that everything behind can be run again.

Tests hand in an edge of their own, and get the same bytes each time.
"""

import secrets
import time
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256

import msgspec

# Without the letters that are mistaken for others: 32 signs, 5 bits each.
JOIN_CODE_SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
JOIN_CODE_LENGTH = 8


class Edge(msgspec.Struct, frozen=True):
    """The three sources. `random_bytes` is cryptographically strong outside tests."""

    now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    sleep_s: Callable[[float], None] = time.sleep

    def match_id(self) -> str:
        """96 random bits as 24 hex digits."""
        return self.random_bytes(12).hex()

    def token(self) -> str:
        """192 random bits as 48 hex digits: who holds it is the seat, or the host."""
        return self.random_bytes(24).hex()

    def join_code(self) -> str:
        """40 random bits as 8 signs that are easy to read aloud."""
        bits = int.from_bytes(self.random_bytes(5), "big")
        return "".join(JOIN_CODE_SIGNS[bits >> (5 * place) & 31] for place in range(JOIN_CODE_LENGTH))

    def webhook_secret(self) -> str:
        """192 random bits in the form of the Standard Webhooks convention."""
        return "whsec_" + b64encode(self.random_bytes(24)).decode()

    def write_id(self) -> bytes:
        """96 random bits: no two writes in the world share one."""
        return self.random_bytes(12)


def token_hash(token: str) -> bytes:
    """What is kept of a token. It has 192 random bits, so a plain SHA-256 can't be searched."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def rfc3339(ms: int) -> str:
    """A time in milliseconds since 1970 as the API writes it: UTC, with milliseconds."""
    return f"{_to_the_second(ms // 1000)}.{ms % 1000:03d}Z"


@lru_cache(maxsize=64)
def _to_the_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()[:19]  # strftime takes four times as long
