"""TypeScript types made from the document by openapi-typescript: a strict bot compiles with them, and plays."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from engines import GAMES
from tests.support.document import COMMITTED
from tests.support.server import WebServer

SEED = 20_261_130
ROOT = COMMITTED.parents[1]
TOOLS = ROOT / "node_modules/.bin"

pytestmark = [pytest.mark.node, pytest.mark.slow]


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled bot."""
    folder = tmp_path_factory.mktemp("client") / "ts"
    shutil.copytree(Path(__file__).with_name("ts"), folder)
    (folder / "package.json").write_text('{"type": "module"}')
    types = folder / "shorebreak.d.ts"
    run([str(TOOLS / "openapi-typescript"), str(COMMITTED), "-o", str(types), "--default-non-nullable=false"])
    run([str(TOOLS / "tsc"), "-p", str(folder)])
    shutil.copy(folder / "package.json", folder / "made")
    return folder / "made/bot.js"


def run(line: list[str]) -> str:
    done = subprocess.run(line, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_typescript_bot_plays_a_whole_match_of_each_game(bot: Path, service: WebServer) -> None:
    for game in GAMES:
        outcome = json.loads(run(["node", str(bot), service.url, game, str(SEED)]))
        assert len(outcome["returns"]) == 2, game
        assert outcome["termination"], game
