"""A process that Shorebreak starts, watches and stops, and that never outlives it."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import service

ROOT = Path(service.__file__).resolve().parents[1]
"""Where `service` is imported from: children start there, so that they import the same code."""

LAST_LINES = 20
PARENT_VARIABLE = "SHOREBREAK_PARENT"
"""Tells a child whose end is its own, for where the kernel does not see to that (macOS)."""
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


class Child:
    """A running child process. It stands in a session of its own, so that Ctrl-C reaches the parent alone.

    `log` is where its output goes; None lets it write to the parent's terminal.
    On Linux the kernel sends it `death_signal` when the parent dies, however that happens.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        environ: Mapping[str, str],
        log: Path | None,
        pass_fds: Sequence[int] = (),
        stop_within_s: float,
        death_signal: signal.Signals,
    ) -> None:
        self.name = name
        self.log = log
        self.stop_within_s = stop_within_s
        parent = os.getpid()
        output = log.open("ab") if log else None
        try:
            self.process = subprocess.Popen(  # noqa: S603  # every argument is ours or the operator's
                command,
                cwd=ROOT,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=pass_fds,
                start_new_session=True,
                preexec_fn=lambda: die_with(parent, death_signal),  # safe: one thread only
            )
        finally:
            if output:
                output.close()

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.poll() is not None

    def ask_to_stop(self) -> None:
        """Send SIGTERM; nothing happens if it is gone."""
        self.process.terminate()

    def kill(self) -> None:
        """Send SIGKILL and wait; nothing happens if it is gone."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Ask it to stop, wait as long as it may take, kill it after that."""
        self.ask_to_stop()
        try:
            self.process.wait(self.stop_within_s)
        except subprocess.TimeoutExpired:
            self.kill()

    def last_words(self) -> str:
        """How it ended, and the last lines of its log, for the operator."""
        code = self.process.poll()
        if code is None:
            how = "still runs"
        elif code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = f"ended with exit code {code}"
        if not self.log:
            return f"{self.name} {how}; what it said stands above."
        lines = self.log.read_text(errors="replace").splitlines()[-LAST_LINES:]
        return "\n".join([f"{self.name} {how}. The last lines of {self.log}:", *(f"  {line}" for line in lines)])


def die_with(parent: int, death_signal: int) -> None:
    """Runs in the child, between fork and exec: tie its life to the parent's, where the system can (Linux)."""
    if sys.platform != "linux":
        return
    LIBC.prctl(PR_SET_PDEATHSIG, int(death_signal))
    if os.getppid() != parent:  # the parent died before the line above took hold
        os._exit(1)


def orphaned(parent: str | None) -> bool:
    """Whether the named process is gone."""
    if not parent:
        return False
    try:
        os.kill(int(parent), 0)
    except ProcessLookupError:
        return True
    return False


# Loaded before any fork: loading a library between fork and exec may lock for ever.
LIBC = ctypes.CDLL(None)
