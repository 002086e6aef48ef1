"""A small site behind the real web server, to see what the server does with requests that are slow, stuck or fatal.

`python -m tests.run.tiny_site --listener N` takes the place of `python -m service web`.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from service.serving import serve
from service.settings import Settings


def load(settings: Settings) -> Callable[..., Iterable[bytes]]:
    """The site: `/readyz` asks Redis, `/wait/LIST` blocks on it and `/push/LIST` wakes that, `/sleep/S` first says so
    on the list `asleep`, `/pid` tells who answers, `/die/CODE` ends the worker, `/raise` lets an error escape,
    `/read` reads the body and tells its length, `/flood/LIST` answers without end and says on the list when that ends,
    `/stream/LIST` begins at once and then waits for the list, `/break/N` breaks off after so many pieces.
    """
    import redis

    if os.environ.get("TINY_SITE_BREAKS"):
        raise RuntimeError(os.environ["TINY_SITE_BREAKS"])
    store = redis.Redis.from_url(settings.redis_url or "", socket_timeout=20, retry=None)

    def flood(list_name: str) -> Iterator[bytes]:
        try:
            while True:
                yield b"water" * 10_000
        finally:
            store.rpush(list_name, "cut off")

    def stream(list_name: str) -> Iterator[bytes]:
        yield b""
        yield store.blpop([list_name], timeout=15)[1]

    def break_off(after: int) -> Iterator[bytes]:
        yield from [b"piece"] * after
        raise ValueError("Bearer sesame")

    def site(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        _, what, *rest = environ["PATH_INFO"].split("/")
        argument = rest[0] if rest else ""
        if what == "readyz":
            store.ping()
            said = b"ready"
        elif what == "wait":
            said = store.blpop([argument], timeout=15)[1]
        elif what == "push":
            said = str(store.rpush(argument, "woken")).encode()
        elif what == "sleep":
            store.rpush("asleep", os.getpid())
            time.sleep(float(argument))
            said = b"slept"
        elif what == "read":
            try:
                said = str(len(environ["wsgi.input"].read())).encode()
            except TimeoutError:
                said = b"too slow"
            except OSError:
                said = b"broken"
        elif what == "flood":
            start_response("200 OK", [("Content-Type", "text/plain")])
            return flood(argument)
        elif what in ("stream", "break"):
            start_response("200 OK", [("Content-Type", "text/plain")])
            return stream(argument) if what == "stream" else break_off(int(argument))
        elif what == "pid":
            said = str(os.getpid()).encode()
        elif what == "die":
            os._exit(int(argument))
        else:
            raise ValueError("Bearer sesame")
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(said)))])
        return [said]

    return site


if __name__ == "__main__":
    serve(Settings.from_env(os.environ), listener=int(sys.argv[2]), load=load)
