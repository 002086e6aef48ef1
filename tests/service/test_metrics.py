"""`/metrics`, in Prometheus' text form."""

import re
from pathlib import Path

from flask.testing import FlaskClient

from tests.support.play import Api
from tests.support.server import RedisServer, web_server


def count(text: str, method: str, route: str, status: int) -> float:
    labels = re.escape(f'method="{method}",route="{route}",status="{status}"')
    found = re.search(rf"^shorebreak_requests_total\{{{labels}\}} (\S+)$", text, re.MULTILINE)
    return 0.0 if found is None else float(found[1])


def test_answers_are_counted_by_method_route_and_status(client: FlaskClient) -> None:
    route = "/v1/games/onda/matches/<match>"
    before = client.get("/metrics")
    assert before.content_type.startswith("text/plain")
    client.get("/v1/games/onda/matches/nothing-here")
    client.get("/no/such/address")
    after = client.get("/metrics").text
    assert count(after, "GET", route, 404) == count(before.text, "GET", route, 404) + 1
    assert count(after, "GET", "none", 404) == count(before.text, "GET", "none", 404) + 1
    assert "nothing-here" not in after


def test_one_web_process_answers_for_all_of_them(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=2) as server:
        api = Api(server.url)
        for _ in range(40):
            assert api.get("/livez").status == 200
        counts = [count(api.get("/metrics").body.decode(), "GET", "/livez", 200) for _ in range(10)]
    assert counts == [40.0] * 10
