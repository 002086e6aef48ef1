"""A release whose records have more fields, beside this one on one store, as in a rolling upgrade.

The later release is a copy of this code to which fields were added at the end of what is stored.
"""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engines import GAMES
from service.run import web
from service.run.child import ROOT
from service.table.records import Live
from service.verify import verify
from tests.support.play import Answer, Api, Playing
from tests.support.server import RedisServer, web_server
from tests.support.whole import assert_whole

SEED = 20_261_130
ADDED = {
    "    settled: dict[str, Any] | None = None\n": '    mood: str | None = "new"\n',
    "    times: Times = ()\n": "    weather: int = 7\n",
    "    bot: str | None = None\n": '    hat: str = "new"\n',
}
"""After which lines of records.py the later release has another: in a head, in a live part, in a seat."""

pytestmark = pytest.mark.slow


class Either(Api):
    """A client that is answered now by this server, now by that."""

    def __init__(self, urls: list[str], rng: random.Random) -> None:
        self.all = [Api(url) for url in urls]
        self.rng = rng

    def ask(self, *asked: Any, **how: Any) -> Answer:
        return self.rng.choice(self.all).ask(*asked, **how)


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of the later release."""
    code = tmp_path_factory.mktemp("later")
    for part in ("engines", "service", "openapi", "deploy"):
        shutil.copytree(ROOT / part, code / part, ignore=shutil.ignore_patterns("__pycache__"))
    records = code / "service/table/records.py"
    text = records.read_text()
    for line, added in ADDED.items():
        assert text.count(line) == 1, f"records.py has changed: {line!r}"
        text = text.replace(line, line + added)
    records.write_text(text)
    return code


@pytest.fixture(scope="module")
def urls(shared_redis: RedisServer, later: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """This server's address, and the later one's."""
    homes = [tmp_path_factory.mktemp(name) for name in ("now", "then")]
    command = ("sh", "-c", f'cd {later} && exec "$@"', "sh", *web.COMMAND)
    with (
        web_server(homes[0], shared_redis.url, web_workers=1) as now,
        web_server(homes[1], shared_redis.url, command=command, web_workers=1) as then,
    ):
        yield [now.url, then.url]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_both_play_the_same_matches_to_their_ends(shared_redis: RedisServer, urls: list[str], game: str) -> None:
    rng = random.Random(f"{SEED} {game}")
    either = Either(urls, rng)
    clock = {"turn_s": 3600, "bank_s": 60, "on_timeout": "move"}
    match = Playing(either, game, seats=3, clock=clock, on_absent="move", seed=f"{game} side by side")
    first, sizes = None, set()
    for number in range(400):
        if match.public()["status"] != "playing":
            break
        if number == 4:
            assert either.ask("DELETE", f"{match.path}/seats/2", token=match.tokens[2]).status == 200
        if number == 8:
            assert either.ask("POST", f"{match.path}/seats/2/takeover", token=match.tokens[2]).status == 200
        to_move = match.public()["to_move"]
        if not to_move:
            break
        seat = to_move[0]
        moves = either.get(f"{match.path}/seats/{seat}/legal-moves", token=match.tokens[seat]).json
        move = rng.choice(moves["moves"])
        made = match.move(seat, move, moves["version"], key=f"key {number}")
        assert made.status == 201, (made, f"seed {SEED}")
        with shared_redis.client() as client:
            live = client.hget(f"sb:{{{match.match}}}", "live") or b""
            sizes.add(len(msgspec.msgpack.decode(live[:-4])))
        first = first or (seat, move, moves["version"], made.body)
    assert match.public()["status"] == "finished", f"seed {SEED}"
    assert sizes == {len(Live.__struct_fields__), len(Live.__struct_fields__) + 1}, "both have written"
    assert first is not None
    for api in either.all:
        seat, move, version, body = first
        again = api.ask(
            "POST",
            f"{match.path}/seats/{seat}/moves",
            {"move": move, "expected_version": version},
            token=match.tokens[seat],
            key="key 0",
        )
        assert (again.replayed, again.body) == (True, body)
    replays = [api.get(f"{match.path}/replay") for api in either.all]
    assert replays[0].body == replays[1].body
    assert "As committed" in verify(replays[0].json)
    with shared_redis.client() as client:
        assert_whole(client, match.match)
