"""Card sets from a folder: read at the start, refused by name, shown, and kept by every match that began with them."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from engines import GAMES
from service.card_sets import LARGEST_FILE, served
from service.run.supervisor import WRONG_SETTINGS
from service.run.supervisor import main as run
from service.settings import Settings, SettingsError
from service.table.listing import STATUSES
from service.verify import NotAsCommitted, verify
from tests.engines.ufo_wave.small_set import SMALL_TEXT
from tests.support.checked import checked_client
from tests.support.playing import Match
from tests.support.refusals import refused
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.tending import Tended
from tests.support.waiting import eventually

SEED = 20_261_130
GAME = "ufo-wave"
SMALL = {"mode": "standard", "card_set": "small", "first_seat": 0, "cards": ""}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one further set, and a file beside it that is none."""
    made = tmp_path / "card sets"
    made.mkdir()
    (made / "small.toml").write_text(SMALL_TEXT)
    (made / "notes.txt").write_text("no card set")
    return made


def test_without_the_setting_there_are_the_house_sets_alone() -> None:
    assert served(Settings()) is GAMES
    assert not any(game.card_sets for game in GAMES.values())


def test_every_game_is_served_and_those_of_data_have_the_sets_of_the_folder(folder: Path) -> None:
    games = served(Settings(card_sets_dir=folder))
    assert list(games) == list(GAMES)
    assert {key: list(game.card_sets) for key, game in games.items()} == {"onda": [], "wave": [], GAME: ["small"]}


def test_the_catalogue_shows_every_card_of_every_set(shared_redis: RedisServer, folder: Path) -> None:
    client = checked_client(shared_redis, card_sets_dir=folder)
    told = {item["game"]: item["card_sets"] for item in client.get("/v1/games").json["items"]}
    assert told["onda"] == told["wave"] == []
    assert told[GAME] == client.get(f"/v1/games/{GAME}").json["card_sets"]
    assert [one["card_set"] for one in told[GAME]] == ["small"]
    cards = told[GAME][0]["cards"]
    assert {"parade", "farmer", "spark", "hush", "veto", "balloon", "sun_people"} <= {card["code"] for card in cards}
    assert {
        "code": "parade",
        "name": "Parade",
        "count": 1,
        "deck": "scan",
        "points": 3,
        "text": "Fly low.",
        "stand_in": True,
    } in cards
    assert next(card for card in cards if card["code"] == "hush")["count"] == 2


def test_a_match_ends_with_the_cards_that_it_began_with_although_their_file_is_gone(
    shared_redis: RedisServer, folder: Path
) -> None:
    match = Match(checked_client(shared_redis, card_sets_dir=folder), GAME, 2, options={"card_set": "small"}).sit()
    rng = random.Random(SEED)
    assert match.play_on(rng, moves=5) == 5
    (folder / "small.toml").write_text(
        SMALL_TEXT.replace('key = "picnic"\n', 'key = "barbecue"\n').replace("picnic", "barbecue")
    )
    match.client = checked_client(shared_redis, card_sets_dir=folder)
    match.play_on(rng, moves=5)
    shutil.rmtree(folder)
    match.client = checked_client(shared_redis)
    match.play_on(rng)
    replay = match.client.get(f"{match.path}/replay").json
    assert json.loads(replay["options"]["cards"])["key"] == "small", f"seed {SEED}"
    assert "As committed" in verify(replay)
    knew = match.client.get(f"{match.path}/replay", query_string={"seat": 0, "version": 7}).json
    assert knew["view"]["card_set"] == "small"


def test_a_rematch_is_played_with_the_same_cards_although_their_file_is_gone(
    shared_redis: RedisServer, folder: Path
) -> None:
    match = Match(checked_client(shared_redis, card_sets_dir=folder), GAME, 2, options={"card_set": "small"}).sit()
    match.play_on(random.Random(SEED))
    shutil.rmtree(folder)
    client = checked_client(shared_redis)
    taken = [client.post(f"{match.path}/rematch", headers=match.auth(seat)) for seat in range(2)]
    assert [answer.status_code for answer in taken] == [201, 201], taken[0].text
    path = f"/v1/games/{GAME}/matches/{taken[0].json['match']}"
    seat = taken[0].json["seat"]
    token = {"Authorization": f"Bearer {taken[0].json['token']}"}
    state = client.get(f"{path}/seats/{seat}/state", headers=token).json
    assert (state["status"], state["view"]["card_set"]) == ("playing", "small")


def test_a_worker_that_has_no_card_sets_plays_its_bots(shared_redis: RedisServer, folder: Path) -> None:
    tended = Tended(shared_redis)
    match = Match(
        checked_client(shared_redis, tended.table.edge, card_sets_dir=folder), GAME, 2, options={"card_set": "small"}
    )
    for seat in range(2):
        body = {"seat": seat, "bot": list(GAMES[GAME].bots)[-1]}
        assert match.client.post(f"{match.path}/seats", json=body, headers=match.host).status_code == 201
    shutil.rmtree(folder)
    tended.pass_time(1)
    assert tended.client.get(match.path).json["status"] == "finished"


def test_matches_and_lists_show_the_options_as_they_were_chosen(shared_redis: RedisServer, folder: Path) -> None:
    client = checked_client(shared_redis, card_sets_dir=folder)
    match = Match(client, GAME, 2, options={"card_set": "small"})
    assert match.made["match"]["options"] == SMALL
    assert client.get(match.path).json["options"] == SMALL
    for status in (None, *STATUSES[:1]):
        asked = {} if status is None else {"status": status}
        items = client.get(f"/v1/games/{GAME}/matches", query_string=asked).json["items"]
        assert next(item for item in items if item["match"] == match.id)["options"] == SMALL


def test_nobody_brings_cards_of_its_own(shared_redis: RedisServer, folder: Path) -> None:
    client = checked_client(shared_redis, card_sets_dir=folder)
    stored = served(Settings(card_sets_dir=folder))[GAME].settle
    assert stored is not None
    cards = stored(GAMES[GAME].options(card_set="small")).cards
    body = {"seats": 2, "options": {"card_set": "small", "cards": cards}}
    refused(client.post(f"/v1/games/{GAME}/matches", json=body), 422, "invalid")


def test_a_set_that_is_not_there_is_refused_with_those_that_are(shared_redis: RedisServer, folder: Path) -> None:
    body = {"seats": 2, "options": {"card_set": "small"}}
    told = checked_client(shared_redis).post(f"/v1/games/{GAME}/matches", json=body)
    refused(told, 422, "invalid")
    assert "house" in told.text
    assert (
        "small"
        in checked_client(shared_redis, card_sets_dir=folder)
        .post(f"/v1/games/{GAME}/matches", json={"seats": 2, "options": {"card_set": "large"}})
        .text
    )


def test_a_replay_with_a_set_that_is_none_is_not_as_committed(shared_redis: RedisServer, folder: Path) -> None:
    match = Match(checked_client(shared_redis, card_sets_dir=folder), GAME, 2, options={"card_set": "small"}).sit()
    match.play_on(random.Random(SEED))
    replay = match.client.get(f"{match.path}/replay").json
    replay["options"]["cards"] = "{}"
    with pytest.raises(NotAsCommitted, match="options"):
        verify(replay)


UNKNOWN_EFFECT = SMALL_TEXT.replace('event = { effect = "lockdown" }', 'event = { effect = "eclipse" }')


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"b.toml": UNKNOWN_EFFECT.encode()}, ["b.toml", "hush", "eclipse", "lockdown"]),
        ({"b.toml": b"key = "}, ["b.toml"]),
        ({"b.toml": b"\xff"}, ["b.toml", "UTF-8"]),
        ({"b.toml": b"#" * (LARGEST_FILE + 1)}, ["b.toml", "bytes"]),
        ({"b.toml": SMALL_TEXT.encode(), "c.toml": SMALL_TEXT.encode()}, ["c.toml", "small"]),
        (None, ["No such file"]),
    ],
    ids=["unknown effect", "no TOML", "no text", "too large", "one key twice", "no folder"],
)
def test_a_faulty_folder_stops_the_start_with_file_card_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, bytes] | None, words: list[str]
) -> None:
    folder = tmp_path / "sets"
    if files is not None:
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
    with pytest.raises(SettingsError) as refusal:
        served(Settings(card_sets_dir=folder))
    for word in ["CARD_SETS_DIR", str(folder), *words]:
        assert word in str(refusal.value)
    assert run({"CARD_SETS_DIR": str(folder), "DATA_DIR": str(tmp_path / "data")}) == WRONG_SETTINGS
    assert str(refusal.value) in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_real_web_servers_serve_the_sets_that_were_there_at_the_start(
    shared_redis: RedisServer, folder: Path, tmp_path: Path
) -> None:
    with web_server(tmp_path / "web", shared_redis.url, card_sets_dir=folder, web_workers=1) as server:
        shutil.rmtree(folder)
        (first,) = server.workers()
        assert served_sets(server) == ["small"]
        os.kill(first, signal.SIGKILL)
        eventually(lambda: first not in server.workers() and len(server.workers()) == 1, "another worker", within_s=30)
        server.wait_until_ready()
        assert served_sets(server) == ["small"]


def served_sets(server: WebServer) -> list[str]:
    with urllib.request.urlopen(f"{server.url}/v1/games/{GAME}", timeout=20) as answer:
        return [one["card_set"] for one in json.load(answer)["card_sets"]]


def test_a_web_server_alone_refuses_it_too(tmp_path: Path) -> None:
    environ = {"CARD_SETS_DIR": str(tmp_path / "nowhere"), "REDIS_URL": "unix:///never/asked"}
    ended = subprocess.run(
        [sys.executable, "-m", "service", "web"], env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 2
    assert "because of its settings" in ended.stderr
    assert "nowhere" in ended.stderr
