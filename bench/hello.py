"""The bare Flask site that the service is compared with, on the very same gunicorn.

`python -m bench.hello` is `python -m service run` with this site in the place of Shorebreak's own: the same workers,
the same settings, the same Redis server beside it, which nothing asks.
"""

import os
import sys
from typing import TYPE_CHECKING

from service.run.supervisor import main
from service.settings import Settings

if TYPE_CHECKING:
    from service.web_worker import WSGI


def load(_settings: Settings) -> "WSGI":
    """The site: one address that says hello, and the one that tells the supervisor that it is ready."""
    from flask import Flask

    app = Flask("hello", static_folder=None)

    @app.get("/")
    def hello() -> str:
        return "Hello, World!"

    @app.get("/readyz")
    def ready() -> str:
        return "ready"

    site: WSGI = app
    return site


if __name__ == "__main__":
    if sys.argv[1:2] == ["--listener"]:
        from service.serving import serve

        serve(Settings.from_env(os.environ), listener=int(sys.argv[2]), load=load)
    sys.exit(main(os.environ, [sys.executable, "-m", "bench.hello"]))
