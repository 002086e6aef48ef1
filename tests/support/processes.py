"""What runs on this machine, as the system knows it now. Linux tells without `ps`, which small machines lack."""

import subprocess
import sys
from pathlib import Path

import msgspec


class Process(msgspec.Struct, frozen=True):
    """One process. `state` begins as in `ps`: S sleeps, T is stopped, Z is dead and nobody has asked after it."""

    pid: int
    parent: int
    state: str
    command: str


def processes() -> list[Process]:
    """All that run, the dead among them that nobody has asked after yet."""
    if sys.platform != "linux":
        said = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True)
        rows = [line.split(None, 3) for line in said.stdout.splitlines()]
        return [Process(int(row[0]), int(row[1]), row[2], row[3] if len(row) > 3 else "") for row in rows]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text(errors="replace")
            command = (folder / "cmdline").read_text(errors="replace").replace("\0", " ").strip()
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
        state, parent = stat.rpartition(")")[2].split()[:2]  # before them its name, with whatever signs it likes
        found.append(Process(int(folder.name), int(parent), state, command))
    return sorted(found, key=lambda process: process.pid)
