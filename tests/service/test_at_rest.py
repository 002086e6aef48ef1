"""What who reads the store, or a backup of it, learns: no token, but every card, as docs/security.md owns up to."""

import random
from hashlib import sha256

import pytest
import redis

from engines.kit.game import Game
from tests.support.checked import checked_client
from tests.support.contract import few
from tests.support.play import LONG
from tests.support.playing import Match
from tests.support.server import RedisServer

SEED = 20_261_130


def everything(store: redis.Redis) -> bytes:
    """All keys, fields and values that the store holds."""
    found = []
    for key in store.scan_iter(count=1_000):
        match store.type(key):
            case b"string":
                values = [store.get(key)]
            case b"list":
                values = store.lrange(key, 0, -1)
            case b"zset":
                values = store.zrange(key, 0, -1)
            case b"hash":
                values = [part for pair in store.hgetall(key).items() for part in pair]
            case kind:
                raise AssertionError(f"{key!r} is a {kind!r}, which nobody has looked into")
        found += [key, *values]
    return b"\n".join(value for value in found if value is not None)


@pytest.mark.parametrize("fixed", [False, True], ids=["committed deal", "fixed deal"])
def test_no_token_is_kept_that_opens_anything(empty_redis: RedisServer, game: Game, fixed: bool) -> None:
    rng = random.Random(SEED)
    client = checked_client(empty_redis)
    seats = few(game)
    hook = {"url": "http://hooks.example/here", "events": ["match_finished"]}
    wish = {
        "visibility": "unlisted",
        "host_can_abort": True,
        "webhook": hook,
        **({"seed": LONG[seats]} if fixed else {}),
    }
    match = Match(client, game.key, seats, **wish).sit()
    first = match.tokens[0]
    renewed = client.post(f"{match.path}/seats/0/token", headers=match.auth(0)).json["token"]
    match.tokens[0] = renewed
    match.play_on(rng, 10)
    with empty_redis.client() as store:
        kept = everything(store)
        client.delete(match.path, headers=match.host)
        replay = client.get(f"{match.path}/replay").json
        after = everything(store)
    for token in (first, *match.tokens, match.made["host_token"]):
        for spelling in (token.encode(), token.upper().encode(), bytes.fromhex(token)):
            assert spelling not in kept, f"seed {SEED}"
            assert spelling not in after, f"seed {SEED}"
    assert sha256(renewed.encode()).digest() in kept
    # In the clear, as docs/security.md says: were it otherwise the page would have to say so.
    assert match.made["join_code"].encode() in kept
    assert match.made["webhook_secret"].encode() in kept
    assert (replay["seed"].encode() if fixed else bytes.fromhex(replay["secret"])) in kept
