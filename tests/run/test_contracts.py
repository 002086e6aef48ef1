"""The contracts of imports hold, and each of them notices when it is broken."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The code, to be spoiled."""
    for folder in ("engines", "service"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def judged(folder: Path) -> str:
    program = Path(sys.executable).with_name("lint-imports")
    judged = subprocess.run([str(program), "--no-cache"], cwd=folder, capture_output=True, text=True)
    return judged.stdout + judged.stderr


def test_all_contracts_hold() -> None:
    assert "0 broken" in judged(ROOT)


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("service/store/port.py", "import service.table.play", "Imports run one way"),
        ("service/table/edge.py", "import service.api.problems", "Imports run one way"),
        ("service/api/problems.py", "import service.app", "Imports run one way"),
        ("engines/kit/chance.py", "import service.settings", "Engines know no service"),
        ("engines/kit/chance.py", "import random", "Engines know no service"),
        ("engines/kit/chance.py", "from time import monotonic", "Engines know no service"),
        ("engines/onda/rules.py", "import os.path", "Engines know no service"),
        ("engines/onda/rules.py", "from datetime import datetime", "Engines know no service"),
        ("engines/wave/rules.py", "import redis", "Engines know no service"),
        ("engines/kit/chance.py", "import engines.wave", "The kit knows no game"),
        ("engines/onda/rules.py", "import engines.wave.cards", "Games never import each other"),
        ("service/store/redis.py", "from engines.kit.game import Game", "The store keeps opaque bytes"),
        ("service/table/play.py", "import flask", "Only the API"),
        ("service/store/redis.py", "from marshmallow import Schema", "Only the API"),
        ("service/table/play.py", "import redis", "Only the store speaks to Redis"),
        ("service/api/health.py", "from redis import Redis", "Only the store speaks to Redis"),
    ],
)
def test_a_forbidden_import_is_noticed(copy: Path, file: str, line: str, contract: str) -> None:
    assert (copy / file).is_file()
    with (copy / file).open("a") as text:
        text.write(f"\n{line}\n")
    broken = [line for line in judged(copy).splitlines() if line.endswith("BROKEN")]
    assert any(line.startswith(contract) for line in broken), broken


def test_the_contracts_name_every_game() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    games = {f"engines.{folder.parent.name}" for folder in ROOT.glob("engines/*/__init__.py")} - {"engines.kit"}
    by_id = {contract["id"]: contract for contract in contracts}
    assert set(by_id["games-apart"]["modules"]) == games
    assert set(by_id["kit-knows-no-game"]["forbidden_modules"]) == games
