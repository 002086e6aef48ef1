"""Why a run ends. One tree, and the exit code of each:

    (no error)            0   it was asked to stop, and stopped
    RunError
    ├── ChildEnded        1   one of its processes ended by itself, or never became ready
    └── CannotStart       3   DATA_DIR, PORT or the Redis server stands in the way; the sentence says what to do

Wrong settings (SettingsError) are exit code 2, as for any wrong command line, of `web` and `worker` too.
"""

WRONG_SETTINGS = 2


class RunError(Exception):
    """Base of all that ends a run early. The text is for the operator."""

    exit_code = 1


class ChildEnded(RunError):
    """A child process ended by itself, or did not get ready in time. The text ends with its last log lines."""


class CannotStart(RunError):
    """Something outside of Shorebreak has to change before it can start."""

    exit_code = 3


class StopAsked(Exception):
    """Somebody pressed Ctrl-C or sent SIGTERM. No error: it only leaves whatever was being waited for."""
