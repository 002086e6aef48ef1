"""docs/webhooks.md says what is: its receiver runs, and its figures are the code's."""

import http.client
import re
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from service.settings import Settings
from service.table.hooks import WAITS_S
from service.worker.hooks import HOLD_MARGIN_MS
from tests.support.platform import Platform

PAGE = (Path(__file__).resolve().parents[2] / "docs/webhooks.md").read_text()


@pytest.fixture
def example() -> Any:
    """The page's receiver, serving; its names, and `port`."""
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {"__name__": "example"}
    exec(code[1], names)
    names["Hook"].log_message = lambda *_: None
    server = ThreadingHTTPServer(("127.0.0.1", 0), names["Hook"])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield {**names, "port": server.server_address[1]}
    server.shutdown()
    server.server_close()


def test_the_receiver_on_the_page_takes_everything_once(platform: Platform, example: Any) -> None:
    match = platform.match(f"http://127.0.0.1:{example['port']}/shorebreak").sit("Ann", "Bo")
    next_ms = platform.tell(match)
    assert (next_ms or 0) > 0, "it does not know the match yet, and says 503"
    example["secrets"][match.id] = match.secret
    platform.clock.pass_s(7)
    platform.tell_all(match)
    assert example["news"] == match.feed()
    platform.table.store.hold(match.id, b"a worker that forgets", 2**40, 2**40)
    platform.table.store.note(match.id, b"a worker that forgets", b"", 0)
    platform.tell_all(match)
    assert example["news"] == match.feed(), "what comes again is dropped"


def test_the_receiver_on_the_page_believes_nobody(platform: Platform, example: Any) -> None:
    match = platform.match("http://127.0.0.1:9/")
    example["secrets"][match.id] = match.secret
    line = http.client.HTTPConnection("127.0.0.1", example["port"], timeout=10)
    forged = {"webhook-id": f"{match.id}.1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
    for headers in (forged, {"webhook-id": f"{match.id}.1"}):
        line.request("POST", "/", b"{}", headers)
        answer = line.getresponse()
        answer.read()
        assert answer.status == 401
    line.close()
    assert example["news"] == []


def test_the_figures_on_the_page_are_right() -> None:
    assert WAITS_S == (5, 30, 2 * 60, 10 * 60, 30 * 60, 3600, 7200)
    assert "5 s, 30 s, 2 min, 10 min, 30 min, 1 h, and from then on\nevery 2 h" in PAGE
    assert Settings().webhook_timeout_s == 10
    assert "within ten seconds in all" in PAGE
    assert HOLD_MARGIN_MS == 2_000
    assert "`WEBHOOK_TIMEOUT_S` and two seconds later" in PAGE
