"""Times: of processes, and what many of them come to."""

import os
from pathlib import Path


def quantile(values: list[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def cpu_s(pid: int) -> float:
    """The CPU time of a process so far, user and system, to a hundredth of a second (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
