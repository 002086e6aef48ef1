"""The verifier that a stranger runs on a downloaded replay."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines import GAMES
from service.app import create_app
from service.settings import Settings
from service.verify import NotAsCommitted, main, verify
from tests.support.playing import Match, client_of
from tests.support.server import RedisServer

SEED = 20_261_130


@pytest.fixture(params=sorted(GAMES))
def over(request: pytest.FixtureRequest, shared_redis: RedisServer) -> Match:
    client = client_of(create_app(Settings(redis_url=shared_redis.url)))
    game = GAMES[request.param]
    while True:  # a deal that nobody chose can be over after a move or two
        match = Match(client, game.key, max(2, game.min_seats)).sit(1, nonce="surf").sit()
        if match.play_on(random.Random(SEED)) > 5:
            return match


def replay_of(match: Match) -> dict[str, Any]:
    replay: dict[str, Any] = match.client.get(f"{match.path}/replay").json
    return replay


def test_a_match_as_it_was_played_is_as_committed(over: Match, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    file.write_text(json.dumps(replay_of(over)))
    run = subprocess.run(
        [sys.executable, "-m", "service", "verify", str(file), "--commitment", over.made["match"]["commitment"]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    assert run.stdout.startswith("As committed: the secret hashes to the commitment")


def test_another_secret_is_found_out(over: Match) -> None:
    with pytest.raises(NotAsCommitted, match="does not hash"):
        verify({**replay_of(over), "secret": "00" * 32})


def test_another_commitment_than_the_noted_one_is_found_out(
    over: Match, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "replay.json"
    file.write_text(json.dumps(replay_of(over)))
    assert main(str(file), noted="ab" * 32) == 1
    assert "not the one that you noted" in capsys.readouterr().out


def test_another_nonce_deals_other_cards_so_that_the_moves_no_longer_fit(over: Match) -> None:
    replay = replay_of(over)
    replay["seats"][0]["nonce"] = "another"
    with pytest.raises(NotAsCommitted):
        verify(replay)


def test_a_move_left_out_is_found_out(over: Match) -> None:
    replay = replay_of(over)
    del replay["moves"][2]
    with pytest.raises(NotAsCommitted, match="move 3 bears the version 4"):
        verify(replay)


def test_another_outcome_is_found_out(over: Match) -> None:
    replay = replay_of(over)
    replay["outcome"]["returns"][0] += 1
    with pytest.raises(NotAsCommitted, match="outcome"):
        verify(replay)


def test_a_deal_that_was_committed_to_is_not_passed_off_as_a_fixed_one(over: Match) -> None:
    forged = {**replay_of(over), "fixed_deal": True, "seed": "mine", "secret": None}
    with pytest.raises(NotAsCommitted, match="committed to"):
        verify(forged)


def test_a_match_that_was_played_is_not_passed_off_as_one_that_never_started(over: Match) -> None:
    replay = replay_of(over)
    replay["seats"][0]["kind"] = "open"
    with pytest.raises(NotAsCommitted, match="never claimed"):
        verify(replay)


@pytest.mark.parametrize("seat", [-1, 99])
def test_a_move_of_a_seat_that_is_not_there_is_found_out(over: Match, seat: int) -> None:
    replay = replay_of(over)
    replay["moves"][0]["seat"] = seat
    with pytest.raises(NotAsCommitted, match="does not have"):
        verify(replay)


def test_another_rules_version_is_not_judged(over: Match) -> None:
    with pytest.raises(NotAsCommitted, match="rules version 99"):
        verify({**replay_of(over), "rules_version": 99})


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"game": 3}', "no json"])
def test_what_is_no_replay_is_said_to_be_none(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "replay.json"
    file.write_text(text)
    assert main(str(file)) == 2
    assert "is not a replay" in capsys.readouterr().err


def test_a_fixed_deal_and_an_aborted_match_are_verified_too(
    shared_redis: RedisServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = client_of(create_app(Settings(redis_url=shared_redis.url)))
    fixed = Match(client, "wave", 3, seed="low tide", host_can_abort=True).sit()
    fixed.play_on(random.Random(SEED), moves=3)
    client.delete(fixed.path, headers=fixed.host)
    found = verify(replay_of(fixed))
    assert "fixed by its seed" in found
    (tmp_path / "replay.json").write_text(json.dumps(replay_of(fixed)))
    assert main(str(tmp_path / "replay.json"), noted="ab" * 32) == 1
    assert "its host fixed the deal" in capsys.readouterr().out
    assert "no outcome: the match was aborted" in found
    waiting = Match(client, "onda", 3).sit(1)
    client.delete(waiting.path, headers=waiting.host)
    assert "aborted before it started" in verify(replay_of(waiting))
