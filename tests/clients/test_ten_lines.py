"""The bot of docs/first-bot.md, as it is printed there, plays a whole match over plain HTTP."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engines import GAMES
from tests.support.document import COMMITTED
from tests.support.server import WebServer

PAGE = COMMITTED.parents[1] / "docs/first-bot.md"


def printed() -> str:
    block = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block is not None
    return block[1]


def test_it_has_ten_lines() -> None:
    assert sum(bool(line) and not line.startswith("import ") for line in printed().splitlines()) == 10
    assert max(map(len, printed().splitlines())) <= 120


@pytest.mark.parametrize("game", sorted(GAMES))
def test_it_plays_a_whole_match(service: WebServer, tmp_path: Path, game: str) -> None:
    file = tmp_path / "bot.py"
    file.write_text(printed())
    run = subprocess.run(
        [sys.executable, str(file), service.url, game], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    outcome = ast.literal_eval(run.stdout)
    assert len(outcome["returns"]) == 2
