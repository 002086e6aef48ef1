"""`python -m tests.live.counted_site --listener N`: Shorebreak's web server that also counts, at `/counts`, what it
holds: who waits, greenlets, threads, open files.
"""

import gc
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from greenlet import greenlet

from service.serving import app_of, serve
from service.settings import Settings
from service.web_worker import Site


def load(settings: Settings) -> Site:
    site = app_of(settings)
    assert isinstance(site, Site)
    hub = site.answer.extensions["shorebreak.hub"]  # the Flask application

    def counted(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/counts":
            return site.answer(environ, start_response)
        gc.collect()
        counts = {
            "waiters": hub.waiters,
            "rooms": len(hub._rooms),
            "greenlets": sum(isinstance(thing, greenlet) and not thing.dead for thing in gc.get_objects()),
            "threads": threading.active_count(),
            "files": len(os.listdir("/proc/self/fd")),
        }
        start_response("200 OK", [("Content-Type", "application/json"), ("Connection", "close")])
        return [json.dumps(counts).encode()]

    return Site(counted, site.end_waiting)


if __name__ == "__main__":
    serve(Settings.from_env(os.environ), listener=int(sys.argv[2]), load=load)
