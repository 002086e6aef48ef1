"""Matches that earlier versions stored: answered as they were then, and played to their end; or refused by name."""

import json
import random
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import msgspec
import pytest
import redis

from engines import GAMES
from service.table.hooks import outstanding, read_note
from service.table.records import LAYOUT
from service.verify import NotAsCommitted, verify
from tests.layouts import record
from tests.layouts.recorded import Asked, Recorded, load, read_set, versions
from tests.layouts.table import Sitting
from tests.support.server import RedisServer, redis_server
from tests.support.tending import Tended
from tests.support.whole import assert_whole

SEED = 20_261_130
GIVEN_UP: dict[str, str] = {}
"""What is refused by now, on purpose: "<version>/<match>" or "<version>/<game>", and where that was decided."""

SETS = {version: read_set(version) for version in versions()}
NEWEST = versions()[-1]
ALL = [(version, name) for version, found in SETS.items() for name in found.matches]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis"), appendfsync="no") as server:
        yield server


@pytest.fixture(scope="module")
def site(own: RedisServer) -> Tended:
    """This version's service, on a clock that stands still. It has no card sets but its own."""
    return Tended(own)


@pytest.fixture
def client(own: RedisServer) -> Iterator["redis.Redis"]:
    with own.client() as client:
        yield client


def loaded(site: Tended, client: "redis.Redis", found: Recorded) -> Sitting:
    """The match in an otherwise empty store, at the moment at which it was recorded."""
    client.flushall()
    load(client, found.keys)
    site.wall.ms = found.now_ms
    return Sitting.loaded(site, found)


def answers(sitting: Sitting, asked: Asked) -> Any:
    headers = sitting.auth(asked.token) | ({"Idempotency-Key": asked.key} if asked.key else {})
    return sitting.client.open(asked.path, method=asked.method, json=asked.body, headers=headers)


def readable(version: str, name: str) -> bool:
    found = SETS[version].matches[name]
    return not {f"{version}/{name}", f"{version}/{found.game}"} & GIVEN_UP.keys()


def lost(then: Any, now: Any, where: str = "$") -> list[str]:
    """What an answer said then and does not say now. It may say more."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [fault for name, value in then.items() for fault in lost(value, now.get(name), f"{where}.{name}")]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [fault for n, pair in enumerate(zip(then, now, strict=True)) for fault in lost(*pair, f"{where}[{n}]")]
    return [] if then == now else [f"{where}: {then!r} has become {now!r}"]


@pytest.mark.parametrize(("version", "name"), ALL)
def test_a_stored_match_is_answered_as_it_was(
    site: Tended, client: "redis.Redis", own: RedisServer, version: str, name: str
) -> None:
    found = SETS[version].matches[name]
    sitting = loaded(site, client, found)
    before = {key: client.dump(key) for key in client.scan_iter(f"sb:{{{found.match}}}*")}
    for asked in found.asked:
        answer = answers(sitting, asked)
        if not readable(version, name):
            assert (answer.status_code, answer.json["code"]) == (503, "match_unreadable"), asked.path
        elif version == NEWEST:
            said = (answer.status_code, answer.headers.get("ETag"), answer.text)
            assert said == (asked.status, asked.etag, asked.answer), f"{asked}: if that is meant, make layouts"
        else:
            assert answer.status_code == asked.status, asked.path
            assert lost(json.loads(asked.answer), answer.json) == [], asked.path
    after = {key: client.dump(key) for key in client.scan_iter(f"sb:{{{found.match}}}*")}
    assert after == before, "reading changes nothing"


@pytest.mark.parametrize(("version", "name"), [one for one in ALL if readable(*one)])
def test_a_stored_match_can_be_played_to_its_end(site: Tended, client: "redis.Redis", version: str, name: str) -> None:
    found = SETS[version].matches[name]
    sitting = loaded(site, client, found)
    status = sitting.public()["status"]
    if status == "waiting":
        sitting.sit()
    elif status == "finished":
        sitting = its_rematch(site, sitting)
    if status != "aborted":
        sitting.play_on(random.Random(SEED))
        assert sitting.public()["status"] == "finished", f"seed {SEED}"
    replay = sitting.client.get(f"{sitting.path}/replay")
    assert replay.status_code == 200
    assert "As committed" in verify(replay.json)
    for key in client.scan_iter(f"*{sitting.match}*"):  # recorded without a time to live
        if client.ttl(key) < 0:
            client.expire(key, site.table.lifetimes.finished_s)
    assert_whole(client, sitting.match)


def its_rematch(site: Tended, old: Sitting) -> Sitting:
    """The match that follows, once everybody has asked for it."""
    claims = [old.rematch(seat) for seat in range(len(old.tokens))]
    tokens: list[str | None] = [None] * len(claims)
    for claim in claims:
        tokens[claim["seat"]] = claim["token"]
    return Sitting(site, old.game, claims[0]["match"], "", "", tokens)


@pytest.mark.parametrize(("version", "name"), [one for one in ALL if one[1].endswith("-waiting") and readable(*one)])
def test_keys_of_creating_and_claiming_are_remembered(
    site: Tended, client: "redis.Redis", version: str, name: str
) -> None:
    found = SETS[version].matches[name]
    sitting = loaded(site, client, found)
    (once,) = [key for key in found.keys if key.startswith("sb:once:create:")]
    asked = {"seats": 2}
    again = sitting.client.post(
        f"/v1/games/{found.game}/matches", json=asked, headers={"Idempotency-Key": once.rpartition(":")[2]}
    )
    assert again.json["code"] == "idempotency_mismatch", "another body under the same key"
    claim = {"seat": 0, "name": "Another", "join_code": found.join_code}
    again = sitting.client.post(f"{sitting.path}/seats", json=claim, headers={"Idempotency-Key": "claim"})
    assert again.json["code"] == "idempotency_mismatch"


@pytest.mark.parametrize(("version", "name"), [one for one in ALL if one[1].endswith("-safe") and readable(*one)])
def test_how_far_a_webhook_has_come_is_known(site: Tended, client: "redis.Redis", version: str, name: str) -> None:
    found = SETS[version].matches[name]
    loaded(site, client, found)
    told = read_note(client.hget(f"sb:{{{found.match}}}", "errand_note") or b"")
    assert told == record.TOLD
    left = outstanding(site.table, found.match, told)
    assert left is not None
    assert left.hook.url == record.HOOK["url"]
    assert left.seq > told.seq


def test_every_kind_of_match_is_recorded_of_every_game() -> None:
    wanted = {f"{game}-{name}" for game in GAMES for name in record.kinds(game)}
    assert SETS[NEWEST].matches.keys() == wanted, "make layouts"


STRANGE = {
    "layout": (lambda head: [LAYOUT + 1, *head[1:]], "another version of this server"),
    "rules version": (lambda head: [head[0], head[1], 99, *head[3:]], "rules version 99 of {game}"),
    "game": (lambda head: [head[0], "chess", *head[2:]], "rules version 1 of chess"),
    "option": (lambda head: [*head[:3], {**head[3], "wind": "strong"}, *head[4:]], "options that this server"),
}


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("what", STRANGE)
def test_what_a_later_version_stored_is_refused_by_name(
    site: Tended, client: "redis.Redis", game: str, what: str
) -> None:
    change, told = STRANGE[what]
    sitting = loaded(site, client, SETS[NEWEST].matches[f"{game}-finished"])
    rewrite(client, sitting.match, change)
    before = client.dump(f"sb:{{{sitting.match}}}")
    answer = sitting.client.get(f"{sitting.path}/replay?seat=0&version=1")
    assert (answer.status_code, answer.json["code"]) == (503, "match_unreadable")
    assert told.format(game=game) in answer.json["detail"]
    assert client.dump(f"sb:{{{sitting.match}}}") == before, "untouched"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_match_with_options_of_a_later_version_does_not_start_here(
    site: Tended, client: "redis.Redis", game: str
) -> None:
    sitting = loaded(site, client, SETS[NEWEST].matches[f"{game}-waiting"])
    rewrite(client, sitting.match, STRANGE["option"][0])
    claim = {"name": "The last", "join_code": sitting.join_code}
    answer = sitting.client.post(f"{sitting.path}/seats", json=claim)
    assert (answer.status_code, answer.json["code"]) == (503, "match_unreadable")
    assert sitting.public()["status"] == "waiting", "where that version runs, it can still start"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_fields_that_a_later_version_added_at_the_end_are_passed_over(
    site: Tended, client: "redis.Redis", game: str
) -> None:
    found = SETS[NEWEST].matches[f"{game}-middle"]
    sitting = loaded(site, client, found)
    rewrite(client, found.match, lambda head: [*head[:4], [[*seat, "new"] for seat in head[4]], *head[5:], "new"])
    rewrite(client, found.match, lambda live: [*live[:6], [[*time, 1] for time in live[6]], "new"], "live")
    for asked in found.asked:
        answer = answers(sitting, asked)
        assert (answer.status_code, answer.text) == (asked.status, asked.answer), asked.path


@pytest.mark.parametrize("game", sorted(GAMES))
def test_moves_with_fields_of_a_later_version_are_not_played_without_them(
    site: Tended, client: "redis.Redis", game: str
) -> None:
    sitting = loaded(site, client, SETS[NEWEST].matches[f"{game}-finished"])
    log = f"sb:{{{sitting.match}}}:moves"
    seat, cause, after_ms, move = msgspec.msgpack.decode(client.lindex(log, 0)[:-4])
    client.lset(log, 0, sealed([seat, cause, after_ms, [*move, "new"]]))
    assert sitting.client.get(f"{sitting.path}/replay").json["code"] == "match_unreadable"


def test_moves_that_lack_fields_at_the_end_have_their_defaults(site: Tended, client: "redis.Redis") -> None:
    sitting = loaded(site, client, SETS[NEWEST].matches["wave-tips"])
    log = f"sb:{{{sitting.match}}}:moves"
    seat, cause, after_ms, move = msgspec.msgpack.decode(client.lindex(log, 0)[:-4])
    assert move[0] == "tip"
    assert move[-1] is None, "as if the last field were new since"
    client.lset(log, 0, sealed([seat, cause, after_ms, move[:-1]]))
    sitting.play_on(random.Random(SEED))
    assert "As committed" in verify(sitting.client.get(f"{sitting.path}/replay").json)


@pytest.mark.parametrize("version", versions())
def test_the_verifier_knows_stored_replays_and_says_which_rules_it_does_not_know(version: str) -> None:
    for name, found in SETS[version].matches.items():
        replays = [json.loads(asked.answer) for asked in found.asked if asked.path == f"{found.path}/replay"]
        for replay in replays:
            if "code" in replay:
                continue
            if readable(version, name):
                assert "As committed" in verify(replay)
            with pytest.raises(NotAsCommitted, match=f"does not know rules version 99 of {found.game}"):
                verify({**replay, "rules_version": 99})


def rewrite(client: "redis.Redis", match: str, change: Any, part: str = "head") -> None:
    """Store a part of the record with other contents, packed and sealed as a server would."""
    was = client.hget(f"sb:{{{match}}}", part)
    assert was is not None
    client.hset(f"sb:{{{match}}}", part, sealed(change(msgspec.msgpack.decode(was[:-4]))))


def sealed(value: Any) -> bytes:
    packed = msgspec.msgpack.encode(value)
    return packed + crc32(packed).to_bytes(4, "big")
