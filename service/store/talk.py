"""What is said and heard on one connection to the server."""

from typing import Any

from gevent.socket import socket as Cooperative
from hiredis import pack_command
from redis.exceptions import AuthenticationError, BusyLoadingError, ResponseError

from service.store.errors import OutcomeUnknown
from service.store.overdue import Overdue
from service.store.server import Connection

# What a server says instead of running a command; redis-py counts some of it among broken connections.
REFUSALS = (ResponseError, BusyLoadingError, AuthenticationError)


ASKING = pack_command(("ASKING",))
"""Before a command to the node that a slot of a cluster is being moved to."""


def say(connection: Connection, packed: bytes) -> None:
    """Send all of it. Raises what redis-py raises.

    Past gevent's `sendall`, which asks for the size of the system's buffer first, while nearly always all fits there.
    TLS has sockets of another class, and so has a process without gevent.
    """
    if type(connection._sock) is Cooperative:
        try:
            sent = connection._sock._sock.send(packed)
        except OSError:
            sent = 0  # whatever it is, whoever sends the rest finds it again and says it in redis-py's words
        if sent == len(packed):
            return
        packed = packed[sent:]
    connection.send_packed_command((packed,), check_health=False)


_overdue = Overdue()


def _hear(connection: Connection) -> Any:
    sock = connection._sock
    return _overdue.hear(connection, sock) if type(sock) is Cooperative and sock.timeout else connection.read_response()


def read_whatever(connection: Connection) -> Any:
    """The next answer, which may be a refusal."""
    try:
        return _hear(connection)
    except ResponseError as refused:
        return refused


def read_answer(connection: Connection) -> Any:
    """The next answer, which may be a refusal of any kind. After some of these redis-py ends the connection: then what
    would have followed is unknown."""
    if not connection.is_connected:
        return OutcomeUnknown("the server refused what came before, and the connection is gone")
    try:
        return _hear(connection)
    except REFUSALS as refused:
        return refused
