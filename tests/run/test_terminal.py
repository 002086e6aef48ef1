"""At a real terminal, under make: Ctrl-C ends with exit code 0, Ctrl-Z suspends, and `fg` goes on."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.running import ROOT
from tests.support.processes import processes
from tests.support.server import free_port
from tests.support.waiting import eventually

CTRL_C, CTRL_Z = b"\x03", b"\x1a"


class Terminal:
    """A pseudo-terminal with `make run` in its foreground, as a shell leaves it."""

    def __init__(self, folder: Path) -> None:
        (folder / "Makefile").write_text(f"run:\n\t@cd {ROOT} && {sys.executable} -m tests.run.tiny_run\n")
        self.keyboard, screen = pty.openpty()
        self.shown = ""
        port = str(free_port())
        self.make = subprocess.Popen(
            ["make", "-C", str(folder), "--no-print-directory", "run"],
            env={**os.environ, "PORT": port, "DATA_DIR": str(folder / "var"), "WEB_WORKERS": "1"},
            stdin=screen,
            stdout=screen,
            stderr=screen,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(screen)
        self.until_it_shows("Shorebreak answers at")

    def press(self, key: bytes) -> None:
        os.write(self.keyboard, key)

    def until_it_shows(self, words: str) -> None:
        eventually(lambda: words in self.read(), f"the terminal shows {words!r}", within_s=30)

    def read(self) -> str:
        with contextlib.suppress(OSError):  # nobody has the terminal open any more
            while select.select([self.keyboard], [], [], 0)[0]:
                self.shown += os.read(self.keyboard, 65_536).decode(errors="replace")
        return self.shown

    def state_of_make(self) -> str:
        return next((process.state for process in processes() if process.pid == self.make.pid), "")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    if terminal.make.poll() is None:
        terminal.make.kill()
    os.close(terminal.keyboard)


def test_ctrl_c_stops_all_of_it_with_exit_code_0(terminal: Terminal) -> None:
    terminal.press(CTRL_C)
    assert terminal.make.wait(30) == 0, terminal.read()
    assert "Shorebreak has stopped." in terminal.read()


def test_ctrl_z_suspends_make_too_and_it_goes_on(terminal: Terminal) -> None:
    terminal.press(CTRL_Z)
    eventually(lambda: terminal.state_of_make().startswith("T"), "make is stopped")
    os.killpg(terminal.make.pid, signal.SIGCONT)
    eventually(lambda: terminal.state_of_make().startswith("S"), "make goes on")
    eventually(lambda: os.tcgetpgrp(terminal.keyboard) != terminal.make.pid, "the terminal is handed back")
    terminal.press(CTRL_C)
    assert terminal.make.wait(30) == 0, terminal.read()


def test_a_signal_to_the_group_of_make_stops_all_of_it_as_well(terminal: Terminal) -> None:
    os.killpg(terminal.make.pid, signal.SIGTERM)
    terminal.make.wait(30)
    terminal.until_it_shows("Shorebreak has stopped.")
