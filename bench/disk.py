"""The disk under the matches: where it is, what it is, and how long it takes to sync a write."""

import os
import tempfile
import time
from pathlib import Path
from statistics import median

import msgspec

from bench.times import quantile

IN_MEMORY = Path("/dev/shm")
"""A folder that needs no disk."""
OF_MEMORY = ("tmpfs", "ramfs")
WRITE_BYTES = 2_000
"""About what the log of the Redis server gets for a move."""
WRITES = 300


class Sync(msgspec.Struct, frozen=True):
    """How long one small append and its fdatasync take, in milliseconds."""

    median_ms: float
    p99_ms: float


def folder() -> Path:
    """Where the servers that are measured keep their matches: a folder on a disk, where there is one.

    `TMPDIR` chooses; on many machines the folder of that name is memory, which would make syncing free: then it is
    `build/` of this repository.
    """
    chosen = Path(tempfile.gettempdir())
    if filesystem(chosen) not in OF_MEMORY:
        return chosen
    build = Path(__file__).resolve().parents[1] / "build"
    build.mkdir(exist_ok=True)
    return build


def filesystem(path: Path) -> str:
    """The kind of file system that a folder lies on, such as `ext4` or `tmpfs`."""
    path = path.resolve()
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    around = [mount for mount in mounts if path.is_relative_to(mount[1].replace("\\040", " "))]
    return max(around, key=lambda mount: len(mount[1]))[2]


def sync_time(where: Path) -> Sync:
    """Append and sync as the Redis server does it, over and over."""
    block = os.urandom(WRITE_BYTES)
    times = []
    with tempfile.TemporaryFile(dir=where, buffering=0) as file:
        for _ in range(WRITES):
            begun = time.perf_counter()
            file.write(block)
            os.fdatasync(file.fileno())
            times.append(1000 * (time.perf_counter() - begun))
    return Sync(median(times), quantile(times, 0.99))


def told(where: Path) -> str:
    """The folder's file system and its sync time, in words."""
    sync, kind = sync_time(where), filesystem(where)
    words = f"{kind}, {sync.median_ms:.3f} ms to append {WRITE_BYTES:,} bytes and sync them (p99 {sync.p99_ms:.3f} ms)"
    if kind in OF_MEMORY:
        words += "; this is MEMORY: no figure of this page says what a disk would take"
    return words
