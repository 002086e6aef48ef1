"""One line for each request, written with as little work as can be: it is part of every move.

structlog takes 75 us for a line, several times what a line is worth; this makes the same line (the same names, the same
places) from one record, and writes it with one call (docs/decisions/0013-observed.md).
"""

import contextlib
import os
import random
from collections.abc import Callable
from typing import Any

import msgspec

from service.settings import Settings

STDERR = 2
HEADER = "X-Request-Id"
SLOW_S = 1.0
"""An answer that takes longer is told of where only errors are."""


def new_id() -> str:
    """An id for a request that brings none."""
    # Python's own generator, which begins anew in each process that is forked: one of ours would give all the same ids.
    return f"{random.getrandbits(64):016x}"  # to tell requests apart; anybody may guess one


class Access(msgspec.Struct, omit_defaults=True):
    """What a line says. Nothing of it is as the client sent it but `request_id`, and that has safe signs alone."""

    event: str
    level: str
    logger: str
    timestamp: str
    method: str
    route: str
    status: int
    duration_ms: float
    bytes: int
    request_id: str
    code: str | None = None
    match: str | None = None
    seat: int | None = None
    version: int | None = None
    address: str | None = None
    trace_id: str | None = None


class AccessLog:
    """Writes lines to standard error, as LOG_FORMAT, LOG_LEVEL and ACCESS_LOG say."""

    def __init__(self, settings: Settings, write: Callable[[bytes], Any] = lambda line: os.write(STDERR, line)) -> None:
        which = settings.access_log or ("all" if settings.log_format == "json" else "errors")
        self.addresses = settings.log_addresses
        self.off = which == "off"
        self._all = which == "all" and settings.log_level in ("debug", "info")
        self._refusals = settings.log_level in ("debug", "info")
        self._failures = settings.log_level != "error"
        self._written: Callable[[Access], bytes] = _json if settings.log_format == "json" else _text
        self._write = write

    def wants(self, status: int, duration_s: float) -> bool:
        """Whether such an answer is told of. `duration_s` 0 for those that were asked to wait."""
        if self._all:
            return True
        if self.off or (status < 400 and duration_s < SLOW_S):
            return False
        return self._refusals if status < 500 else self._failures or status == 500

    def tell(self, access: Access) -> None:
        """Write a line. A log that cannot be written fails no request."""
        with contextlib.suppress(OSError):
            self._write(self._written(access))


def level(status: int) -> str:
    """How grave an answer is: 500 is a fault of ours, other 5xx are somebody's to look at."""
    return "info" if status < 500 else "error" if status == 500 else "warning"


_encode = msgspec.json.Encoder().encode


def _json(access: Access) -> bytes:
    return _encode(access) + b"\n"


def _text(access: Access) -> bytes:
    said = f"{access.timestamp} [{access.level:<9}] {access.status} {access.method} {access.route}"
    for name in ("code", "match", "seat", "version", "address", "trace_id"):
        value = getattr(access, name)
        if value is not None:
            said += f" {name}={value}"
    return f"{said} {access.duration_ms:g} ms {access.bytes} bytes id={access.request_id}\n".encode()
