"""Clients that cut the connection in the middle of a stream or a long poll leave nothing behind."""

import http.client
import random
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.play import Api, Playing
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.streaming import Stream
from tests.support.waiting import eventually

SITE = (sys.executable, "-m", "tests.live.counted_site")
SEED = 20_261_130
CUTS = 1_000


@pytest.fixture
def web(own_redis: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    with web_server(tmp_path, own_redis.url, command=SITE, web_workers=1, stream_heartbeat_s=0.5) as started:
        yield started


def counts(api: Api) -> dict[str, int]:
    """What the server holds now, this request included."""
    found: dict[str, int] = api.get("/counts").json
    return found


def cut_a_stream(web: WebServer, match: Playing, rng: random.Random) -> None:
    """Open a stream, read on for a while or not at all, and go."""
    what = rng.choice(["", "?include=state"])
    stream = Stream(web.url, f"{match.path}/seats/0/events{what}", match.tokens[0])
    for _ in range(rng.randrange(4)):
        stream.message()
    stream.cut(reset=rng.random() < 0.5)


def cut_a_poll(web: WebServer, match: Playing) -> None:
    """Ask to wait for a moment, and go at once."""
    line = http.client.HTTPConnection(urlsplit(web.url).netloc, timeout=30)
    headers = {"Authorization": f"Bearer {match.tokens[0]}"}
    line.request("GET", f"{match.path}/seats/0/events?after=400&wait_s=2", headers=headers)
    line.close()


def nobody_waits(api: Api) -> Any:
    found = counts(api)
    return found if found["waiters"] == 0 == found["rooms"] else None


@pytest.mark.slow
def test_a_thousand_cuts_leave_no_greenlet_connection_or_subscription(web: WebServer, own_redis: RedisServer) -> None:
    api, rng = Api(web.url), random.Random(SEED)
    matches = [Playing(api, game) for game in ("onda", "wave", "ufo-wave")]
    for match in matches:  # so that everything that is made once is there
        for _ in range(20):
            cut_a_stream(web, match, rng)
            cut_a_poll(web, match)
    before = eventually(lambda: nobody_waits(api), "nobody waits before", within_s=30)

    def cut_some(seed: int) -> None:
        own = random.Random(f"{SEED} {seed}")
        for number in range(CUTS // 4):
            match = own.choice(matches)
            if number % 10 == 9:
                cut_a_poll(web, match)
            else:
                cut_a_stream(web, match, own)

    cutting = [threading.Thread(target=cut_some, args=(number,)) for number in range(4)]
    for thread in cutting:
        thread.start()
    for _ in range(10):
        matches[0].step()
    for thread in cutting:
        thread.join(120)
    after = eventually(lambda: nobody_waits(api), f"nobody waits any more (seed {SEED})", within_s=30)
    with own_redis.client() as client:
        eventually(lambda: client.pubsub_channels() == [], "no subscription is left")
    for what, slack in (("greenlets", 3), ("threads", 0), ("files", 8)):
        assert after[what] <= before[what] + slack, f"{what} grew: {before} {after} (seed {SEED})"
    assert matches[0].step().status == 201
    assert "Traceback" not in web.logged()
