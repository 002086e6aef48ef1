"""A Python client made from the document by openapi-python-client plays whole matches against the running service."""

import compileall
import importlib
import os
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engines import GAMES
from tests.support.document import COMMITTED
from tests.support.server import WebServer

SEED = 20_261_130
PACKAGE = "made_shorebreak_client"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a freshly made client, which can be imported."""
    folder = tmp_path_factory.mktemp("client")
    beside = Path(sys.executable).parent
    environ = {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}
    line = [beside / "openapi-python-client", "generate", "--path", COMMITTED, "--meta", "none", "--fail-on-warning"]
    run = subprocess.run(
        [*line, "--output-path", folder / PACKAGE], env=environ, capture_output=True, text=True, check=False
    )
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    assert "WARNING" not in said, said
    assert "Unable" not in said, said
    return folder


@pytest.fixture
def client(made: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Its modules: `models`, `Client`, and `call(tag, operation)`."""
    monkeypatch.syspath_prepend(made)
    whole = importlib.import_module(PACKAGE)

    def call(tag: str, operation: str) -> Any:
        return importlib.import_module(f"{PACKAGE}.api.{tag}.{operation}")

    models = importlib.import_module(f"{PACKAGE}.models")
    return SimpleNamespace(models=models, Client=whole.Client, AuthenticatedClient=whole.AuthenticatedClient, call=call)


def test_every_module_of_it_compiles(made: Path) -> None:
    assert compileall.compile_dir(made / PACKAGE, quiet=2, force=True)


@pytest.mark.slow
def test_its_models_are_well_typed(made: Path) -> None:
    """Its own base client is not, by mypy's taste; what comes from the document is."""
    options = ["--no-error-summary", "--follow-imports=silent", "--cache-dir", str(made / "mypy")]
    folders = [str(made / PACKAGE / part) for part in ("models", "api")]
    line = [sys.executable, "-m", "mypy", *options, *folders]
    run = subprocess.run(line, cwd=made, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_no_model_is_made_twice(made: Path) -> None:
    names = {file.stem for file in (made / PACKAGE / "models").glob("*.py")} - {"__init__"}
    numbered = {name for name in names if name.rstrip("0123456789") != name or "_type_" in name or "_item" in name}
    assert numbered == set()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_bot_plays_a_whole_match_with_it(client: Any, service: WebServer, game: str) -> None:
    rng = random.Random(SEED)
    tag = game.replace("-", "_")
    prefix = "".join(part.capitalize() for part in game.split("-"))

    def call(operation: str) -> Any:
        return client.call(tag, f"{tag}_{operation}").sync

    def model(name: str) -> Any:
        return getattr(client.models, f"{prefix}{name}")

    guest = client.Client(base_url=service.url)
    created = call("create_match")(client=guest, body=model("CreateRequest")(seats=2))
    assert isinstance(created, model("Created"))
    match = created.match.match
    players = []
    for name in ("Ada", "Ben"):
        sat = call("claim_seat")(match, client=guest, body=client.models.ClaimRequest(name=name))
        assert isinstance(sat, client.models.SeatToken)
        players.append(client.AuthenticatedClient(base_url=service.url, token=sat.token))

    while True:
        looked = call("get_match")(match, client=guest)
        assert isinstance(looked, model("Match"))
        if not looked.to_move:
            break
        seat = rng.choice(looked.to_move)
        listed = call("get_legal_moves")(match, seat, client=players[seat])
        assert isinstance(listed, model("LegalMoves"))
        move = rng.choice(listed.moves)
        played = call("post_move")(match, seat, client=players[seat], body=model("MoveRequest")(move=move))
        assert isinstance(played, model("Played")), (SEED, played)
        assert played.view.viewer == seat
    assert looked.status == client.models.MatchStatus.FINISHED
    assert isinstance(looked.outcome, model("Outcome"))
    assert len(looked.outcome.returns) == 2


def test_a_refusal_arrives_as_a_problem(client: Any, service: WebServer) -> None:
    guest = client.Client(base_url=service.url)
    problem = client.call("wave", "wave_get_match").sync("0" * 24, client=guest)
    assert isinstance(problem, client.models.Problem)
    assert (problem.status, problem.code) == (404, "unknown_match")
