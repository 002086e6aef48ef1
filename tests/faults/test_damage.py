"""Records that this server can't read: refused by name, never a 500, and left as they are for whoever can."""

import random
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import msgspec
import pytest
import redis

from tests.support.faults import assert_unavailable
from tests.support.play import Answer, Api, Playing
from tests.support.server import RedisServer

SOON_S = 5.0

Damage = Callable[[bytes], bytes]


def flipped(seed: int) -> Damage:
    """One bit is another, somewhere."""

    def flip(was: bytes) -> bytes:
        place = random.Random(seed).randrange(8 * len(was))
        changed = bytearray(was)
        changed[place // 8] ^= 1 << place % 8
        return bytes(changed)

    return flip


DAMAGES: dict[str, Damage] = {
    "empty": lambda _was: b"",
    "one byte": lambda _was: b"\x93",
    "cut short": lambda was: was[: len(was) // 2],
    "the last byte is gone": lambda was: was[:-1],
    "longer": lambda was: was + b"\x00",
    "text": lambda _was: b"this is no record",
    "zeros": lambda was: bytes(len(was)),
    "JSON": lambda _was: b'{"version": 1}',
    **{f"bit flipped, seed {seed}": flipped(seed) for seed in range(6)},
}


@pytest.fixture
def client(server: RedisServer) -> Iterator["redis.Redis"]:
    with server.client() as client:
        yield client


def requests(playing: Playing) -> dict[str, Answer]:
    """Every request that there is to one match."""
    ask, path, seat = playing.api.ask, playing.path, f"{playing.path}/seats/0"
    token, host = playing.tokens[0], playing.host
    return {
        "look": ask("GET", path),
        "watch": ask("GET", f"{path}/state"),
        "spectators' feed": ask("GET", f"{path}/events"),
        "replay": ask("GET", f"{path}/replay"),
        "state": ask("GET", f"{seat}/state", token=token),
        "legal moves": ask("GET", f"{seat}/legal-moves", token=token),
        "feed": ask("GET", f"{seat}/events?include=state", token=token),
        "move": ask("POST", f"{seat}/moves", {"move": {"type": "pass"}}, token=token, key="any"),
        "claim": ask("POST", f"{path}/seats", {"name": "Late"}, key="any"),
        "renew": ask("POST", f"{seat}/token", token=token),
        "resign": ask("DELETE", seat, token=token),
        "abort": ask("DELETE", path, token=host),
    }


def stored(client: "redis.Redis", match: str) -> dict[bytes, bytes | None]:
    """All keys of a match, as they are."""
    return {key: client.dump(key) for key in sorted(client.scan_iter(f"*{match}*", count=1000))}


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("part", ["head", "live"])
def test_a_damaged_record_is_refused_whatever_is_asked(
    api: Api, client: "redis.Redis", game: str, part: str, how: str
) -> None:
    playing = Playing(api, game)
    playing.step()
    record = f"sb:{{{playing.match}}}"
    was = client.hget(record, part)
    assert was is not None
    client.hset(record, part, DAMAGES[how](was))
    before = stored(client, playing.match)
    for answer in requests(playing).values():
        assert_unavailable(answer, "match_unreadable", SOON_S)
        assert "damaged" in answer.json["detail"]
    listed = api.get(f"/v1/games/{game}/matches?limit=100")
    assert listed.status == 200, "the others can still be found"
    assert playing.match not in [item["match"] for item in listed.json["items"]]
    assert stored(client, playing.match) == before, "untouched"
    client.hset(record, part, was)
    playing.step()


@pytest.mark.parametrize("part", ["head", "live", "write"])
def test_a_record_of_which_a_part_is_missing_is_damaged_too(
    api: Api, client: "redis.Redis", game: str, part: str
) -> None:
    playing = Playing(api, game)
    client.hdel(f"sb:{{{playing.match}}}", part)
    before = stored(client, playing.match)
    for answer in requests(playing).values():
        assert_unavailable(answer, "match_unreadable", SOON_S)
    assert stored(client, playing.match) == before, "untouched"


def test_a_position_that_cannot_be_unpacked_is_damage(api: Api, client: "redis.Redis", game: str) -> None:
    playing = Playing(api, game)
    record = f"sb:{{{playing.match}}}"
    for state in (b"\xc1", b"\x90", b"\xc0", b"\x93\x01\x02\x03"):
        rewrite(client, record, "live", lambda live, state=state: [*live[:3], state, *live[4:]])
        before = stored(client, playing.match)
        for answer in requests(playing).values():
            assert_unavailable(answer, "match_unreadable", SOON_S)
        assert stored(client, playing.match) == before, "untouched"


@pytest.mark.parametrize("how", ["another entry", "an entry less", "an entry more", "two exchanged", *DAMAGES])
def test_a_damaged_move_log_is_refused_where_it_is_needed(api: Api, client: "redis.Redis", game: str, how: str) -> None:
    playing = Playing(api, game, host_can_abort=True)
    seat, _, move = playing.turn()
    first = playing.move(seat, move, key="first")
    for _ in range(3):
        playing.step()
    log = f"sb:{{{playing.match}}}:moves"
    entries = client.lrange(log, 0, -1)
    if how == "another entry":
        client.lset(log, 0, entries[2])
    elif how == "an entry less":
        client.rpop(log, 4)
    elif how == "an entry more":
        client.rpush(log, entries[0])
    elif how == "two exchanged":
        client.lset(log, 0, entries[3])
        client.lset(log, 3, entries[0])
    else:
        client.lset(log, 0, DAMAGES[how](entries[0]))
    before = stored(client, playing.match)
    again = playing.move(seat, move, key="first")
    if how == "an entry more":
        assert (again.status, again.body) == (201, first.body), "what it needs is there"
    else:
        assert_unavailable(again, "match_unreadable", SOON_S)
    assert stored(client, playing.match) == before, "untouched"
    playing.step()  # the position is whole, so play goes on
    assert api.ask("DELETE", playing.path, token=playing.host).status == 200
    knew = api.get(f"{playing.path}/replay?seat=0&version=1")
    if how == "an entry more":
        assert knew.status == 200
    else:
        assert_unavailable(knew, "match_unreadable", SOON_S)
    replay = api.get(f"{playing.path}/replay")
    if how in ("another entry", "two exchanged"):
        assert replay.status in (200, 503), "whether such a log can be played is for the verifier to say"
    else:
        assert_unavailable(replay, "match_unreadable", SOON_S)


@pytest.mark.parametrize("how", ["the last event is gone", *DAMAGES])
def test_a_damaged_feed_is_refused_where_it_is_needed(api: Api, client: "redis.Redis", game: str, how: str) -> None:
    playing = Playing(api, game)
    seat, _, move = playing.turn()
    playing.move(seat, move, key="first")
    feed = f"sb:{{{playing.match}}}:feed"
    if how == "the last event is gone":
        client.rpop(feed)
    else:
        client.lset(feed, -1, DAMAGES[how](client.lindex(feed, -1) or b""))
    before = stored(client, playing.match)
    for answer in (
        api.get(f"{playing.path}/events"),
        api.get(f"{playing.path}/seats/0/events", token=playing.tokens[0]),
        playing.move(seat, move, key="first"),
        playing.move(seat, move, version=0),
    ):
        if how.startswith("bit") and answer.status != 503:
            assert answer.json is not None, "a letter of a text may differ, and the answer is still well formed"
        else:
            assert_unavailable(answer, "match_unreadable", SOON_S)
    assert stored(client, playing.match) == before, "untouched"
    assert playing.state().status == 200


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_memory_of_a_key_is_refused(api: Api, client: "redis.Redis", game: str, how: str) -> None:
    playing = Playing(api, game, seats=3)
    seat, _, move = playing.turn()
    playing.move(seat, move, key="move")
    create = {"seats": 2, "visibility": "unlisted"}
    made = api.ask("POST", f"/v1/games/{game}/matches", create, key=f"{game} {how}")
    (once,) = client.scan_iter(f"sb:once:*:{game} {how}", count=1000)
    for key in (once, *client.scan_iter(f"sb:{{{playing.match}}}:key:move:*", count=1000)):
        client.set(key, DAMAGES[how](client.get(key) or b""))
    before = stored(client, playing.match)
    assert_unavailable(playing.move(seat, move, key="move"), "match_unreadable", SOON_S)
    assert_unavailable(
        api.ask("POST", f"/v1/games/{game}/matches", create, key=f"{game} {how}"), "match_unreadable", SOON_S
    )
    assert stored(client, playing.match) == before, "untouched"
    assert made.status == 201
    playing.step()


def test_a_damaged_memory_of_a_claim_is_refused(api: Api, client: "redis.Redis", game: str) -> None:
    made = api.ask("POST", f"/v1/games/{game}/matches", {"seats": 2})
    match = made.json["match"]["match"]
    path = f"/v1/games/{game}/matches/{match}/seats"
    assert api.ask("POST", path, {"name": "Ada"}, key="claim").status == 201
    client.set(f"sb:{{{match}}}:key:claim:claim", b"\x93nothing")
    before = stored(client, match)
    assert_unavailable(api.ask("POST", path, {"name": "Ada"}, key="claim"), "match_unreadable", SOON_S)
    assert stored(client, match) == before, "untouched"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda head: [head[0], head[1], 99, *head[3:]], "rules version 99 of {game}", id="rules version"),
        pytest.param(lambda head: [head[0], head[1], 99], "rules version 99 of {game}", id="rules version, shorter"),
        pytest.param(lambda head: [head[0], "chess", *head[2:]], "rules version 1 of chess", id="game"),
        pytest.param(lambda head: [2, *head[1:]], "another version of this server", id="layout"),
        pytest.param(
            lambda head: [2, *head[1:3], {"all": "else"}], "another version of this server", id="other layout"
        ),
    ],
)
def test_a_record_of_another_version_is_refused_with_what_it_is(
    api: Api, client: "redis.Redis", game: str, change: Callable[[list[Any]], list[Any]], told: str
) -> None:
    playing = Playing(api, game)
    playing.step()
    was = client.hget(f"sb:{{{playing.match}}}", "head")
    rewrite(client, f"sb:{{{playing.match}}}", "head", change)
    before = stored(client, playing.match)
    for answer in requests(playing).values():
        assert_unavailable(answer, "match_unreadable", SOON_S)
        assert told.format(game=game) in answer.json["detail"]
    assert api.get(f"/v1/games/{game}/matches").status == 200
    assert stored(client, playing.match) == before, "untouched"
    client.hset(f"sb:{{{playing.match}}}", "head", was or b"")
    playing.step()  # where that version runs, it goes on


def rewrite(client: "redis.Redis", record: str, part: str, change: Callable[[list[Any]], list[Any]]) -> None:
    """Store this part with other contents, packed and sealed as a server would."""
    was = client.hget(record, part)
    assert was is not None
    packed = msgspec.msgpack.encode(change(msgspec.msgpack.decode(was[:-4])))
    client.hset(record, part, packed + crc32(packed).to_bytes(4, "big"))
