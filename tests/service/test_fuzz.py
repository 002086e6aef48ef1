"""schemathesis over the running service: all its phases find nothing, and it gets to the bottom of every operation."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.document import COMMITTED
from tests.support.server import RedisServer, web_server

ROOT = COMMITTED.parents[1]
CONFIG = Path(__file__).with_name("schemathesis.toml")


@pytest.mark.slow
def test_schemathesis_finds_nothing_in_any_phase(shared_redis: RedisServer, tmp_path: Path) -> None:
    reached_file, output = tmp_path / "reached.json", tmp_path / "output.txt"
    with web_server(tmp_path / "web", shared_redis.url, web_workers=1) as server:
        line = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run", str(COMMITTED)]
        environ = {
            **os.environ,
            "SHOREBREAK_URL": server.url,
            "REACHED_FILE": str(reached_file),
            "PYTHONPATH": str(ROOT),
        }
        with output.open("w") as file:
            run = subprocess.run(
                [*line, "--url", server.url], cwd=tmp_path, env=environ, stdout=file, stderr=file, check=False
            )
        logged = server.logged()
    said = output.read_text()
    assert run.returncode == 0, said[-6_000:]
    assert all(f"✅ {phase}" in said for phase in ("Examples", "Coverage", "Fuzzing", "Stateful")), said[-3_000:]
    assert "failed at" not in logged, logged[-3_000:]

    reached = Counter(json.loads(reached_file.read_text()))
    answers = {name: {int(key.split()[1]) for key in reached if key.split()[0] == name} for name in operation_ids()}
    assert all(statuses & {200, 201} for statuses in answers.values()), answers
    assert not any(status >= 500 for statuses in answers.values() for status in statuses), answers


def operation_ids() -> list[str]:
    paths = json.loads(COMMITTED.read_text())["paths"].values()
    return [operation["operationId"] for item in paths for name, operation in item.items() if name != "parameters"]
