"""A whole Shorebreak, started as an operator starts it, for tests that stop, kill and restart it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import redis

from service.run import embedded
from tests.support.processes import Process, processes
from tests.support.server import free_port
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]


class Running:
    """One run: the supervisor's process and what it prints. `settings` are variables, such as PORT="8001"."""

    def __init__(self, data_dir: Path, *, command: tuple[str, ...] = ("-m", "tests.run.tiny_run"), **settings: str):
        self.data_dir = data_dir
        self.port = int(settings.get("PORT", free_port()))
        environ = {**os.environ, "PORT": str(self.port), "DATA_DIR": str(data_dir), "WEB_WORKERS": "1", **settings}
        beside = next(folder for folder in data_dir.parents if folder.is_dir())
        self.output = beside / f"output-{self.port}.txt"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        """All that it has printed so far."""
        return self.output.read_text(errors="replace")

    def until_it_says(self, words: str) -> None:
        """Wait for these words. Fails with all that it printed if it ends without them."""
        eventually(lambda: words in self.said() or self.process.poll() is not None, f"it says {words!r}", within_s=30)
        assert words in self.said(), self.said()

    def until_it_answers(self) -> "Running":
        self.until_it_says(f"answers at http://127.0.0.1:{self.port}")
        return self

    def family(self) -> list[int]:
        """The process ids of the supervisor and of everything below it."""
        table = alive()
        family = [self.process.pid]
        for pid in family:
            family += [process.pid for process in table if process.parent == pid]
        return family

    def child(self, command: str) -> int:
        """The process id of the child whose command line has these words."""
        (child,) = [at for at in alive() if at.parent == self.process.pid and command in at.command]
        return child.pid

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Ask it to stop, and give its exit code."""
        self.process.send_signal(number)
        return self.exit_code()

    def exit_code(self) -> int:
        """Wait for it to end by itself."""
        return self.process.wait(40)

    def kill_all(self) -> None:
        """kill -9 of every process, in one go."""
        for pid in self.family():
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def redis(self) -> redis.Redis:
        """A client of its embedded server."""
        address = embedded.socket_path(self.data_dir / "redis")
        return redis.Redis.from_url(f"unix://{address}", socket_timeout=5, retry=None)


def alive() -> list[Process]:
    """All that runs; the dead that nobody has asked after do not count."""
    return [process for process in processes() if not process.state.startswith("Z")]


def all_gone(family: list[int]) -> bool:
    running = {process.pid for process in alive()}
    return running.isdisjoint(family)
