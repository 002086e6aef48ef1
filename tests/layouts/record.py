"""Record the set of this version: `make layouts`. Matches of every kind are played on a real store and written down.

Ids, tokens and the clock are steered, so that a second recording differs only where the server does. A set of a version
that is released is never written again: docs/decisions/0014-how-layouts-change.md.
"""

import random
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engines import GAMES
from service.table.hooks import Told, write_note
from service.table.records import LAYOUT
from tests.engines.ufo_wave.small_set import SMALL_TEXT
from tests.layouts.recorded import Asked, Recorded, Set, read_set, stored, version_now, versions, write_set
from tests.layouts.schemas import faults, shapes_now
from tests.layouts.table import Sitting
from tests.support.server import RedisServer, redis_server
from tests.support.steered import Steered
from tests.support.tending import Tended

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
HOOK = {"url": "https://platform.example/shorebreak", "events": ["match_finished"]}
CLOCK = {"turn_s": 30, "bank_s": 120}

TOLD = Told(seq=3, reached=True, failures=1, since_ms=1_800_000_000_000, next_ms=1_800_000_005_000)

Play = Callable[[Tended, str, random.Random], Sitting]


def waiting(site: Tended, game: str, _rng: random.Random) -> Sitting:
    """Waits for its last seat: unlisted, nobody may watch, nobody comes back, with a nonce and a webhook."""
    wish = {"visibility": "unlisted", "spectators": {"open": False}, "takeover": False, "webhook": HOOK}
    sitting = Sitting.create(site, game, 3, key="create", legal_moves="none", on_absent="abort", **wish)
    return sitting.sit(0, key="claim", nonce="a word of luck").sit(2)


def started(site: Tended, game: str, _rng: random.Random) -> Sitting:
    """Has been dealt from a fixed seed, and nobody has moved; moves are counted, not listed."""
    return Sitting.create(site, game, 2, seed="a fixed deal", legal_moves="count").sit()


def middle(site: Tended, game: str, rng: random.Random) -> Sitting:
    """Is played by the clock, with banks partly used, warnings given, and spectators three moves behind."""
    wish = {"clock": {**CLOCK, "on_timeout": "move"}, "spectators": {"open": True, "delay": 3}}
    sitting = Sitting.create(site, game, 3, options={"first_seat": 1}, **wish).sit(nonce="luck")
    sitting.play_on(rng, 7, key="move", pause_s=33)
    site.pass_time(20)
    return sitting


def late(site: Tended, game: str, _rng: random.Random) -> Sitting:
    """Lacks two moves of its end."""
    seed = {"seed": "late", "options": {"first_seat": 1}}
    moves = Sitting.create(site, game, 2, **seed).sit().play_on(random.Random("late"))
    site.forget_all()
    sitting = Sitting.create(site, game, 2, **seed).sit()
    sitting.play_on(random.Random("late"), moves - 2)
    return sitting


def left(site: Tended, game: str, rng: random.Random) -> Sitting:
    """Has a player, one who resigned to a bot, and one whose time ran out."""
    wish = {"clock": {**CLOCK, "on_timeout": "bot"}, "on_absent": "bot", "host_can_abort": True}
    sitting = Sitting.create(site, game, 3, **wish).sit()
    sitting.play_on(rng, 4)
    sitting.leave(next(seat for seat in sitting.ours() if seat not in sitting.public()["to_move"]))
    site.work()
    while len(sitting.public()["left"]) < 2:
        site.pass_time(200)
    return sitting


def safe(site: Tended, game: str, rng: random.Random) -> Sitting:
    """Makes safe moves for one who resigned, and has a bot's seat."""
    sitting = Sitting.create(site, game, 3, on_absent="move", webhook=HOOK)
    sitting.sit(1, bot=next(iter(GAMES[game].bots))).sit()
    sitting.play_on(rng, 2)
    sitting.leave(2)
    sitting.play_on(rng, 1)
    note_a_delivery(site, sitting.match)
    return sitting


def note_a_delivery(site: Tended, match: str) -> None:
    """What a worker notes of a webhook: three events are delivered, and once it failed."""
    now_ms, store = site.wall.ms, site.table.store
    assert store.hold(match, b"a worker", now_ms, now_ms + 1000) is not None
    assert store.note(match, b"a worker", write_note(TOLD), now_ms + 1000)
    store.let_go(match, b"a worker")


def finished(site: Tended, game: str, rng: random.Random) -> Sitting:
    """Was played to its end; one player has asked for a rematch, which waits for the other."""
    sitting = Sitting.create(site, game, 2, host_can_abort=True).sit(nonce="n")
    sitting.play_on(rng, key="move", each=40)
    sitting.rematch(0)
    return sitting


def aborted(site: Tended, game: str, rng: random.Random) -> Sitting:
    """Was aborted by its host in the middle."""
    sitting = Sitting.create(site, game, 2, seed="aborted", host_can_abort=True).sit()
    sitting.play_on(rng, 5)
    sitting.abort()
    return sitting


def never_started(site: Tended, game: str, _rng: random.Random) -> Sitting:
    """Was aborted before it started."""
    sitting = Sitting.create(site, game, 2).sit(1)
    sitting.abort()
    return sitting


def tips(site: Tended, game: str, rng: random.Random) -> Sitting:
    """Two players who give tips to each other, strictly played."""
    sitting = Sitting.create(site, game, 2, options={"strict": True, "tips_per_turn": 4}).sit()
    for says in ("can_play", "cannot_play"):
        for seat in (0, 1):
            held = [card["card"] for hand in sitting.state(seat)["view"]["hands"] for card in hand["cards"]]
            sitting.move(seat, {"type": "tip", "about": rng.choice(held), "says": says}, f"tip {says}")
        sitting.play_on(rng, 1)
    return sitting


def ufo_wave(seats: int, **options: str) -> Play:
    """UFO Wave as it is played with these options."""

    def play(site: Tended, game: str, rng: random.Random) -> Sitting:
        sitting = Sitting.create(site, game, seats, options=options).sit()
        sitting.play_on(rng, 9, key="move")
        return sitting

    play.__doc__ = f"Is in the middle, with the options {options}."
    return play


EVERY: tuple[Play, ...] = (waiting, started, middle, late, left, safe, finished, aborted, never_started)
FURTHER: dict[str, dict[str, Play]] = {
    "wave": {"tips": tips},
    "ufo-wave": {
        "solo": ufo_wave(1, mode="solo"),
        "covert": ufo_wave(6, mode="covert"),
        "equal": ufo_wave(4, mode="equal"),
        "card_set": ufo_wave(2, card_set="small"),
    },
}
"""Kinds that only some games have."""


def kinds(game: str) -> dict[str, Play]:
    """What is recorded of a game, by name."""
    return {play.__name__: play for play in EVERY} | FURTHER.get(game, {})


def record(redis: RedisServer, card_sets: Path, game: str, name: str) -> Recorded:
    """Play one match on an empty store and write down what it left there."""
    steered = Steered(f"{game} {name}")
    site = Tended(redis, random_bytes=steered.random_bytes, card_sets_dir=card_sets)
    site.forget_all()
    play = kinds(game)[name]
    sitting = play(site, game, random.Random(f"{game} {name}"))
    with redis.client() as client:
        keys = stored(client)
    asked = [*sitting.asked, *questions(sitting)]
    return Recorded(
        what=(play.__doc__ or "").splitlines()[0],
        game=game,
        match=sitting.match,
        layout=LAYOUT,
        rules_version=GAMES[game].rules_version,
        now_ms=site.wall.ms,
        join_code=sitting.join_code,
        host_token=sitting.host_token,
        tokens=sitting.tokens,
        asked=asked,
        keys=keys,
    )


def questions(sitting: Sitting) -> list[Asked]:
    """Everything that can be read of a match, by everybody who may, and the answers."""
    path = sitting.path
    wanted: list[tuple[str, int | str | None]] = [(path, None), (f"{path}/state", None), (f"{path}/events", None)]
    wanted += [(f"{path}/state", "host"), (f"{path}/events?limit=500", "host"), (f"{path}/replay", None)]
    wanted += [(f"{path}/replay?seat=0&version={version}", None) for version in (0, 3)]
    for seat, token in enumerate(sitting.tokens):
        if token is not None:
            for what in ("state", "legal-moves", "events?after=5&limit=3"):
                wanted.append((f"{path}/seats/{seat}/{what}", seat))
    return [ask(sitting, where, token) for where, token in wanted]


def ask(sitting: Sitting, path: str, token: int | str | None) -> Asked:
    answer = sitting.client.get(path, headers=sitting.auth(token))
    return Asked(path=path, token=token, status=answer.status_code, etag=answer.headers.get("ETag"), answer=answer.text)


def released(version: str) -> bool:
    """Whether the change log says that this version is out."""
    heading = re.search(rf"^## {re.escape(version)}\b.*$", CHANGELOG.read_text(), re.MULTILINE)
    return heading is not None and "not released" not in heading[0]


def broken_promises(shapes: dict[str, Any]) -> list[str]:
    """What released versions stored and this one can't read, though its layout and rules versions say that it can."""
    found = []
    for version in versions():
        if not released(version):
            continue
        old = read_set(version)
        for part, shapes_then in old.shapes.items():
            if part in shapes and counted(old, part) == counted_now(part):
                found += [f"{version}, {part}: {fault}" for fault in faults(shapes_then, shapes[part])]
    return found


def counted(old: Set, part: str) -> int:
    """The number that a set has for a part: the layout of records, or the rules version of a game."""
    return next(
        found.layout if part == "records" else found.rules_version
        for found in old.matches.values()
        if part in ("records", found.game)
    )


def counted_now(part: str) -> int:
    """The same of this code."""
    return LAYOUT if part == "records" else GAMES[part].rules_version


def main() -> int:
    version, shapes = version_now(), shapes_now()
    if released(version):
        sys.stderr.write(f"{version} is released, so its set stays as it is. Count the version in pyproject.toml up.\n")
        return 1
    if broken := broken_promises(shapes):
        sys.stderr.write("\n".join(["Count records.LAYOUT, or the game's rules_version, up:", *broken, ""]))
        return 1
    with tempfile.TemporaryDirectory() as home, redis_server(Path(home) / "redis", appendfsync="no") as redis:
        sets = Path(home) / "card-sets"
        sets.mkdir()
        (sets / "small.toml").write_text(SMALL_TEXT)
        matches = {f"{game}-{name}": record(redis, sets, game, name) for game in GAMES for name in kinds(game)}
    folder = write_set(Set(version, shapes, matches))
    size = sum(path.stat().st_size for path in folder.iterdir())
    sys.stdout.write(f"{len(matches)} matches are recorded in {folder} ({size // 1024} kB).\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
