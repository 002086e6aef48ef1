"""Where the processes of one machine count together, so that one `/metrics` tells of all of them.

prometheus-client keeps such counts in a folder that a variable names when it is imported. The folder is emptied by
whoever starts first: the supervisor of `make run`, which shares it with the worker; else the web server.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from service.settings import Settings

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SHARED = "SHOREBREAK_COUNTS_SHARED"
"""Set for processes whose folder was emptied for them, and is shared by all."""


def share(settings: Settings) -> None:
    """Let all processes that this one starts count together, from zero."""
    os.environ[FOLDER] = str(settings.data_dir / "metrics")
    os.environ[SHARED] = "1"
    start_anew()


def shared(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this process was started by one that shares."""
    return bool(environ.get(SHARED))


def start_anew() -> None:
    """Let the counts in the folder start at zero, before anybody counts."""
    folder = Path(os.environ[FOLDER])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)


def alone() -> None:
    """Let this process count for itself, in memory, unless it was started by one that shares."""
    if not shared():
        os.environ.pop(FOLDER, None)
