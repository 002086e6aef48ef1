"""What was measured, as a page: tables, and the goals with what was reached."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from bench import boardgame_io, disk
from service.run.embedded import find_binary

PAGE = Path(__file__).with_name("RESULTS.md")

Say = Callable[[str], None]
"""Takes a line of progress."""


class Goal(msgspec.Struct, frozen=True):
    """What was reached, and what should be: at least `bound`, or with `less` below it."""

    name: str
    reached: float
    bound: float
    unit: str = ""
    less: bool = False

    @property
    def held(self) -> bool:
        return self.reached < self.bound if self.less else self.reached >= self.bound

    def line(self) -> str:
        sign = "<" if self.less else ">="
        verdict = "reached" if self.held else "MISSED"
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.name}: {figure(self.reached)}{unit} (goal {sign} {self.bound:g}{unit}): {verdict}"


class Result(msgspec.Struct, frozen=True):
    """One section of the page. `body` is Markdown."""

    title: str
    body: str
    goals: list[Goal]


def figure(value: float) -> str:
    """A number with three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    ruler = ["---", *["---:"] * (len(heads) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [heads, ruler, *rows])


def page(results: Sequence[Result], command: str) -> str:
    """RESULTS.md, whole."""
    goals = "\n".join(f"- {goal.line()}" for result in results for goal in result.goals)
    parts = [
        "# Results",
        "Written by `make bench`; README.md says what each figure means. Rates swing with whatever else a machine "
        "does, ratios and CPU times much less: compare those.",
        f"- Machine: {machine()}\n- Disk under the matches: {disk.told(disk.folder())}\n"
        f"- Versions: {versions()}\n- Date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n- Command: `{command}`\n"
        f"- Load average at the end: {', '.join(f'{load:.1f}' for load in os.getloadavg())}",
        *([f"## Goals\n\n{goals}"] if goals else []),
        *(f"## {result.title}\n\n{result.body}" for result in results),
    ]
    return "\n\n".join(parts) + "\n"


def versions() -> str:
    """What is measured, by name and version."""
    named = ", ".join(
        f"{name} {version(name)}" for name in ("flask", "gunicorn", "gevent", "redis", "hiredis", "msgspec")
    )
    peer = boardgame_io.versions() if boardgame_io.installed() else "no boardgame.io"
    server = subprocess.run([find_binary(), "--version"], capture_output=True, text=True, check=True).stdout
    redis = re.sub(r" sha=.*", "", server.strip())
    return f"{platform.python_implementation()} {platform.python_version()}, {named}; {redis}; {peer}"


def machine() -> str:
    """The processor, how many of it, the memory, the system."""
    name = platform.processor() or platform.machine()
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} x {name}, {memory:.0f} GiB, {platform.system()} {platform.release()}"
