"""Fixtures that any test may ask for by name, and what happens to tests whose tools are missing."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import RedisServer, redis_server

ROOT = Path(__file__).resolve().parents[1]
MISSING = {
    "node": "needs node, and what `make node` installs",
    "nginx": "needs nginx (Debian, Ubuntu: apt-get install nginx-light)",
}
"""The tools that not every machine has, by the marks of tests that need them."""
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@pytest.fixture(scope="session")
def shared_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One server for all tests of this test process that neither break it nor mind each other's keys.

    It does not sync its file on every write: nothing of it outlives the tests, and they are several times as fast.
    """
    with redis_server(tmp_path_factory.mktemp("redis"), appendfsync="no") as server:
        yield server


@pytest.fixture
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A server for this test alone: it may kill it, freeze it and start it again."""
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


def is_there(tool: str) -> bool:
    if tool == "node":
        return bool(shutil.which("node")) and (ROOT / "node_modules/has-all").exists()
    return NGINX is not None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `node` or `nginx` is skipped where there is none; REQUIRE_NODE=1 and REQUIRE_NGINX=1 (`make check`)
    make that a failure."""
    for tool, missing in MISSING.items():
        if item.get_closest_marker(tool) and not is_there(tool):
            if os.environ.get(f"REQUIRE_{tool.upper()}"):
                pytest.fail(f"{missing}, and REQUIRE_{tool.upper()} is set", pytrace=False)
            pytest.skip(missing)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it aloud when something was not tested."""
    skipped = [
        (report.nodeid, missing)
        for report in terminalreporter.getreports("skipped")
        for missing in MISSING.values()
        if missing in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.section("NOT TESTED HERE", sep="!", red=True, bold=True)
        for test, missing in skipped:
            terminalreporter.line(f"{test}: {missing}", red=True)
        terminalreporter.line(
            "Install node 20 or later with npm, and nginx, to run these; `make check` demands it.", red=True
        )
