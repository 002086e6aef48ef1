"""Fixtures that any test may ask for by name, and what happens to tests whose tools are missing."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import RedisServer, redis_server

ROOT = Path(__file__).resolve().parents[1]
NODE_MISSING = "needs node, and what `make node` installs"


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


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `node` is skipped where there is none; REQUIRE_NODE=1 (`make check`) makes that a failure."""
    if item.get_closest_marker("node") and not (shutil.which("node") and (ROOT / "node_modules/has-all").exists()):
        if os.environ.get("REQUIRE_NODE"):
            pytest.fail(f"{NODE_MISSING}, and REQUIRE_NODE is set", pytrace=False)
        pytest.skip(NODE_MISSING)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it aloud when something was not tested."""
    skipped = [report for report in terminalreporter.getreports("skipped") if NODE_MISSING in str(report.longrepr)]
    if skipped:
        terminalreporter.section("NOT TESTED HERE", sep="!", red=True, bold=True)
        for report in skipped:
            terminalreporter.line(f"{report.nodeid}: {NODE_MISSING}", red=True)
        terminalreporter.line("Install node 20 or later with npm to run these; `make check` demands it.", red=True)
