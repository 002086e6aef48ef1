"""What browsers are told: which sites' pages may ask, and that no answer is to be run, framed or guessed at."""

import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api.cors import ASKED_WITH, TOLD
from service.settings import Settings, SettingsError
from tests.support.checked import checked_client
from tests.support.contract import begun
from tests.support.document import TELLING
from tests.support.refusals import refused
from tests.support.server import RedisServer

HERE, THERE = "https://play.example", "http://[::1]:3000"
MATCHES = "/v1/games/onda/matches"


@pytest.fixture
def client(shared_redis: RedisServer) -> FlaskClient:
    """Of a service that two sites' pages may ask."""
    return checked_client(shared_redis, cors_origins=f"{HERE},{THERE}")


def unchecked(client: FlaskClient) -> FlaskClient:
    """A client for streams, which the document does not tell of."""
    return FlaskClient(client.application, use_cookies=False)


def told(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers if name.startswith("Access-Control-")}


@pytest.mark.parametrize("origin", [HERE, THERE])
def test_pages_of_listed_sites_may_read_answers_errors_and_streams(client: FlaskClient, origin: str) -> None:
    match = begun(client, "onda", host_can_abort=True)
    client.delete(match.path, headers=match.host)
    for path, status, kind in (
        (match.path, 200, "application/json"),
        (f"{match.path}/seats/0/state", 401, "application/problem+json"),
        ("/v1/nowhere", 404, "application/problem+json"),
        (f"{match.path}/events", 200, "text/event-stream"),
    ):
        asking = unchecked(client) if kind == "text/event-stream" else client
        answer = asking.get(path, headers={"Origin": origin, "Accept": kind})
        assert (answer.status_code, answer.mimetype) == (status, kind)
        assert answer.headers.getlist("Access-Control-Allow-Origin") == [origin], path
        assert "Origin" in answer.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_pages_may_read_every_header_that_tells_something(client: FlaskClient) -> None:
    exposed = client.get("/v1/games", headers={"Origin": HERE}).headers["Access-Control-Expose-Headers"].split(", ")
    assert exposed == TOLD
    assert set(TELLING) <= set(exposed)


@pytest.mark.parametrize(
    ("path", "method"), [(MATCHES, "POST"), (f"{MATCHES}/{'0' * 24}", "DELETE"), (f"{MATCHES}/x/seats/0/moves", "POST")]
)
def test_browsers_may_ask_beforehand(client: FlaskClient, path: str, method: str) -> None:
    asked = {
        "Origin": HERE,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": ", ".join([*ASKED_WITH, "X-Other"]).lower(),
    }
    answer = client.options(path, headers=asked)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == HERE
    assert method in answer.headers["Access-Control-Allow-Methods"].split(", ")
    assert answer.headers["Access-Control-Allow-Headers"].split(", ") == sorted(name.lower() for name in ASKED_WITH)
    assert int(answer.headers["Access-Control-Max-Age"]) > 0


@pytest.mark.parametrize(
    "origin",
    ["https://playXexample", "https://play.example.evil.example", "http://play.example", "null", f"{HERE}:444"],
)
def test_pages_of_other_sites_may_not(client: FlaskClient, origin: str) -> None:
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    assert told(client.get("/v1/games", headers={"Origin": origin})) == {}
    assert told(client.options(MATCHES, headers=asked)) == {}


def test_nothing_is_said_to_who_is_no_page_or_of_what_is_no_api(client: FlaskClient) -> None:
    assert told(client.get("/v1/games")) == {}
    for path in ("/metrics", "/docs", "/livez"):
        assert told(client.get(path, headers={"Origin": HERE})) == {}


def test_without_the_setting_no_other_site_may_ask(shared_redis: RedisServer) -> None:
    client = checked_client(shared_redis)
    assert told(client.get("/v1/games", headers={"Origin": HERE})) == {}
    asked = {"Origin": HERE, "Access-Control-Request-Method": "POST"}
    assert told(client.options(MATCHES, headers=asked)) == {}


def test_a_star_lets_all_ask_and_nobody_with_cookies(shared_redis: RedisServer) -> None:
    answer = checked_client(shared_redis, cors_origins="*").get("/v1/games", headers={"Origin": HERE})
    assert told(answer)["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in told(answer)


def test_what_cors_adds_leaves_refusals_as_they_are(client: FlaskClient) -> None:
    refused(client.put("/v1/games", headers={"Origin": HERE}), 405, "method_not_allowed")
    refused(client.options("/v1/nowhere", headers={"Origin": HERE}), 404, "not_found")


@pytest.mark.parametrize("listed", ["https://a.example", "http://localhost:3000, https://b.example", "*", "app://x"])
def test_origins_are_written_as_browsers_write_them(listed: str) -> None:
    assert Settings.from_env({"CORS_ORIGINS": listed}).cors_origins == listed.replace(" ", "")


@pytest.mark.parametrize(
    "listed",
    ["a.example", "https://a.example/", "https://A.example", "https://*.example", "https://a.example,*", "null"],
)
def test_what_no_browser_would_send_is_refused(listed: str) -> None:
    with pytest.raises(SettingsError, match="CORS_ORIGINS"):
        Settings.from_env({"CORS_ORIGINS": listed})


def test_no_answer_is_to_be_run_framed_or_guessed_at(shared_redis: RedisServer) -> None:
    client = checked_client(shared_redis)
    match = begun(client, "onda", host_can_abort=True)
    client.delete(match.path, headers=match.host)
    for answer in (
        client.get("/v1/games"),
        client.get("/nowhere"),
        client.post(MATCHES, data=b"{"),
        client.get("/openapi.json"),
        client.get("/metrics"),
        unchecked(client).get(f"{match.path}/events", headers={"Accept": "text/event-stream"}),
    ):
        assert answer.headers.getlist("X-Content-Type-Options") == ["nosniff"]
        assert answer.headers.getlist("Content-Security-Policy") == ["default-src 'none'; frame-ancestors 'none'"]
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/docs", "/docs/", "/docs/problems", "/docs/swagger-ui-bundle.js"])
def test_pages_load_nothing_from_elsewhere_and_run_no_script_but_their_own(
    shared_redis: RedisServer, path: str
) -> None:
    answer = checked_client(shared_redis).get(path)
    (policy,) = answer.headers.getlist("Content-Security-Policy")
    allowed = dict(rule.partition(" ")[::2] for rule in policy.split("; "))
    assert allowed["frame-ancestors"] == allowed["base-uri"] == "'none'"
    assert allowed["default-src"] in ("'none'", "'self'")
    assert "unsafe" not in allowed.get("script-src", "")
    assert re.search(r"https?:|\*", policy) is None
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    if answer.mimetype == "text/html":
        for script in re.findall(r"<script>(.*?)</script>", answer.text, re.DOTALL):
            assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in allowed["script-src"]


def test_whatever_host_is_asked_for_the_page_is_the_same(shared_redis: RedisServer) -> None:
    client = checked_client(shared_redis)
    pages = {client.get("/docs", headers={"Host": host}).data for host in ("a.example", "evil.example", "a'</script>")}
    assert len(pages) == 1
