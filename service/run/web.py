"""The web server as a child: its port, its environment, and how to see that it answers."""

import errno
import http.client
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from service.run.child import PARENT_VARIABLE, Child
from service.run.errors import CannotStart, ChildEnded
from service.settings import Settings

NAME = "the web server"
COMMAND = (sys.executable, "-m", "service", "web")
BACKLOG = 2_048
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # only read here, to find the loopback beside it


def open_port(settings: Settings) -> socket.socket:
    """The bound and listening socket of HOST and PORT. Raises CannotStart, naming the setting that is in the way."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise CannotStart(f"HOST is {settings.host!r}, which is no address here: {error.strerror}.") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotStart(why_not(settings, error)) from error
    return listener


def why_not(settings: Settings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        other = settings.port + 1 if settings.port < 65_535 else 8_000
        return (
            f"Port {settings.port} on {settings.host} is in use by another program. "
            f"Stop that one, or set PORT to a free one: PORT={other} make run"
        )
    if error.errno == errno.EACCES:
        return f"PORT is {settings.port}, which this user may not open. Ports from 1024 upwards are free to use."
    return f"Cannot listen on HOST={settings.host} PORT={settings.port}: {error.strerror}."


def start(
    settings: Settings, listener: socket.socket, command: Sequence[str] = COMMAND, *, log: Path | None = None
) -> Child:
    """Start it on an open port. Settings come to it by its environment, the port by `--listener N`.

    Without `log` it writes to this process's terminal.
    """
    return Child(
        NAME,
        [*command, "--listener", str(listener.fileno())],
        environ={**os.environ, **settings.to_env(), PARENT_VARIABLE: str(os.getpid())},
        log=log,
        pass_fds=[listener.fileno()],
        # gunicorn looks once a second whether its workers are gone; let it be the one that gives up on them.
        stop_within_s=settings.drain_delay_s + settings.stop_timeout_s + 5,
        death_signal=signal.SIGKILL,
    )


def address(settings: Settings) -> str:
    """Where a browser on this machine finds it."""
    host = ANYWHERE.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def answers(child: Child, settings: Settings) -> bool:
    """Whether it is ready: up, with Redis reachable. Raises ChildEnded if it is gone."""
    if child.ended:
        raise ChildEnded(child.last_words())
    return readiness(settings) == http.client.OK


def readiness(settings: Settings, within_s: float = 1.0) -> int | None:
    """The status of /readyz; None if nothing answers in time. Short: Ctrl-C is not seen meanwhile."""
    line = http.client.HTTPConnection(ANYWHERE.get(settings.host, settings.host), settings.port, timeout=within_s)
    try:
        line.request("GET", "/readyz")
        answer = line.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        line.close()
