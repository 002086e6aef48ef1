"""`python -m service run` itself, with Shorebreak behind it."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.run.running import Running


def ask(url: str, body: Any = None) -> Any:
    request = urllib.request.Request(url, headers={"Content-Type": "application/json"})
    if body is not None:
        request.data = json.dumps(body).encode()
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_a_second_start_finds_the_matches_of_the_first(tmp_path: Path, how: str) -> None:
    first = Running(tmp_path / "var", command=("-m", "service", "run")).until_it_answers()
    url = f"http://127.0.0.1:{first.port}/v1/games/wave/matches"
    match = ask(url, {"seats": 2})["match"]
    if how == "stopped":
        assert first.stop() == 0
    else:
        first.kill_all()
    second = Running(tmp_path / "var", command=("-m", "service", "run"), PORT=str(first.port)).until_it_answers()
    try:
        assert ask(f"{url}/{match['match']}") == match
        assert match["match"] in {item["match"] for item in ask(url)["items"]}
    finally:
        assert second.stop() == 0
