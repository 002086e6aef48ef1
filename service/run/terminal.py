"""Ctrl-C under `make`, with exit code 0.

The terminal sends Ctrl-C to every process of the group in its foreground, so `make` would get it too, and make ends
with an error whenever that happens, however orderly its command stopped. So when this process stands in somebody
else's group at a terminal, a child goes on in a group of its own, in the foreground, and this process stays behind:
it hands on the signals that reach make's group, gives the terminal back at the end, and ends with the child's code.
Without a terminal, or started straight from a shell, nothing of this happens.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable

from service.run.bell import STOP_SIGNALS
from service.run.child import die_with


def in_foreground(work: Callable[[], int]) -> int:
    """Do the work, in a group of its own where that matters, and give its exit code. Call it before any thread."""
    if not stands_in_a_strangers_group():
        return work()
    parent, terminal = os.getpid(), sys.stdin.fileno()
    worker = os.fork()
    if worker == 0:
        die_with(parent, signal.SIGTERM)
        os.setpgid(0, 0)
        give(terminal, os.getpgrp())
        return work()
    return stay_behind(worker, terminal)


def stands_in_a_strangers_group() -> bool:
    """Whether this process was started by a program, such as make, that has the terminal's foreground."""
    try:
        terminal = sys.stdin.fileno()
        return os.isatty(terminal) and os.tcgetpgrp(terminal) == os.getpgrp() != os.getpid()
    except (OSError, ValueError):
        return False


def stay_behind(worker: int, terminal: int) -> int:
    """Wait for the worker, which has the terminal; hand on what comes to this process's own group."""
    for number in STOP_SIGNALS:
        signal.signal(number, lambda number, _frame: os.kill(worker, number))
    # Parent and child both do this, since either may be the first to run.
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.setpgid(worker, worker)
    give(terminal, worker)
    while True:
        _, status = os.waitpid(worker, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        # Ctrl-Z stopped the worker: stop make's whole group, so that the shell takes over. `fg` comes back here.
        give(terminal, os.getpgrp())
        os.killpg(os.getpgrp(), signal.SIGSTOP)
        give(terminal, worker)
        os.killpg(worker, signal.SIGCONT)
    give(terminal, os.getpgrp())
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def give(terminal: int, group: int) -> None:
    """Put a process group in the terminal's foreground. Asking for that from the background needs SIGTTOU ignored."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        with contextlib.suppress(OSError):  # the terminal, or the group, may be gone by now
            os.tcsetpgrp(terminal, group)
    finally:
        signal.signal(signal.SIGTTOU, before)
