"""The worker as a child: clocks, bots, webhooks and expiry, beside the web server."""

import os
import signal
import sys
from pathlib import Path

from service.run.child import PARENT_VARIABLE, Child
from service.settings import Settings

NAME = "the worker"
STOP_WITHIN_S = 15.0
"""A little longer than it gives its own threads."""


def start(settings: Settings, *, log: Path | None = None) -> Child:
    """Start it on the server that REDIS_URL names; it waits by itself while that is away.

    Without `log` it writes to this process's terminal. Killed in the middle of its work it loses nothing: the next one
    takes up what was under its lease.
    """
    return Child(
        NAME,
        [sys.executable, "-m", "service", "worker"],
        environ={**os.environ, **settings.to_env(), PARENT_VARIABLE: str(os.getpid())},
        log=log,
        stop_within_s=STOP_WITHIN_S,
        death_signal=signal.SIGKILL,
    )
