"""DATA_DIR: made when missing, and used by one Shorebreak at a time."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from service.run.errors import CannotStart


@contextlib.contextmanager
def claimed(data_dir: Path) -> Iterator[None]:
    """Make the folder and hold it. Raises CannotStart if it cannot be written, or another Shorebreak holds it.

    The lock is the kernel's: it ends with this process, whatever ends it. The file that it stands on stays.
    """
    make(data_dir)
    lock = open_lock(data_dir / "lock")
    try:
        if not try_lock(lock):
            holder = os.read(lock, 32).decode(errors="replace").strip()
            raise CannotStart(
                f"Another Shorebreak (process {holder or 'unknown'}) runs in {data_dir}. "
                "Stop it first, or give this one a folder of its own: DATA_DIR=./other make run"
            )
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(lock)


def make(folder: Path) -> None:
    """The folder, there and writable; closed to other users when made here, since deals not yet revealed lie in it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(cannot_write(folder, error)) from error


def open_lock(path: Path) -> int:
    """The descriptor of a lock file, made when missing. Whoever shares the descriptor shares the lock."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CannotStart(cannot_write(path.parent, error)) from error


def try_lock(descriptor: int) -> bool:
    """Take the lock if nobody else has it; says whether it did."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def cannot_write(folder: Path, error: OSError) -> str:
    return (
        f"Cannot write in {folder}: {error.strerror}. "
        "Matches are kept there: let this user write in it, or set DATA_DIR to a folder that can be written."
    )
