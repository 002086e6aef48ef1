"""Check a downloaded replay: was the match dealt as committed, and played as it says? Needs no server and no secret.

python -m service verify replay.json
"""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from engines import GAMES
from engines.kit.chance import Chance, commitment, dealt_seed, fixed_seed
from engines.kit.errors import InvalidOptions, RulesError
from engines.kit.game import Game


class NotAsCommitted(Exception):
    """The replay contradicts itself or the rules. The text says where."""


def main(path: str, noted: str | None = None) -> int:
    """Verify the replay in a file (`-`: standard input) and print what was found.

    `noted` is the commitment that somebody wrote down before the match; without it the replay's own copy is believed.
    Answers 0: as committed; 1: not; 2: no replay.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text()
        replay = json.loads(text)
        if noted is not None and noted.lower() != replay["commitment"]:
            its_own = replay["commitment"] or "missing, for its host fixed the deal"
            raise NotAsCommitted(f"its commitment is {its_own}; it is not the one that you noted")
        found = verify(replay)
    except NotAsCommitted as fault:
        sys.stdout.write(f"NOT as committed: {fault}\n")
        return 1
    except (OSError, ValueError, KeyError, TypeError) as fault:
        why = f"it has no {fault}" if isinstance(fault, KeyError) else f"{type(fault).__name__}: {fault}"
        sys.stderr.write(f"{path} is not a replay: {why}\n")
        return 2
    sys.stdout.write(f"{found}\n")
    return 0


def verify(replay: Any) -> str:
    """What was checked, as a sentence. Raises `NotAsCommitted`, in this order: for the commitment, for a move that the
    rules refuse or of a seat that is not there, for the outcome. A replay without the required members raises
    `KeyError` or `TypeError`."""
    game = _game(replay)
    seed, dealt = _seed(replay)
    if any(seat["kind"] == "open" for seat in replay["seats"]):
        if replay["moves"] or replay["outcome"] is not None:
            raise NotAsCommitted("a seat was never claimed, so nothing can have been played")
        return f"As committed: {dealt}; the match was aborted before it started."
    options = msgspec.convert(replay["options"], game.options)
    try:
        state = game.setup(options, len(replay["seats"]), Chance(seed)).state
    except InvalidOptions as refused:
        raise NotAsCommitted(f"nothing can be dealt with its options: {refused}") from refused
    union = _union(game)
    for number, made in enumerate(replay["moves"], start=1):
        if made["version"] != number:
            raise NotAsCommitted(f"move {number} bears the version {made['version']}")
        if made["seat"] not in range(len(replay["seats"])):
            raise NotAsCommitted(f"move {number} is of seat {made['seat']}, which this match does not have")
        try:
            state = game.apply(state, made["seat"], msgspec.convert(made["move"], union)).state
        except (RulesError, msgspec.ValidationError) as refused:
            raise NotAsCommitted(f"the rules refuse move {number} of seat {made['seat']}: {refused}") from refused
    outcome = msgspec.json.decode(msgspec.json.encode(game.outcome(state)))
    if outcome != replay["outcome"]:
        raise NotAsCommitted(f"the moves lead to the outcome {outcome}, the replay says {replay['outcome']}")
    end = "lead to the outcome that it states" if outcome is not None else "lead to no outcome: the match was aborted"
    return f"As committed: {dealt}; {len(replay['moves'])} moves, all within the rules, {end}."


def _game(replay: Any) -> Game:
    game = GAMES.get(replay["game"])
    if game is None or game.rules_version != replay["rules_version"]:
        raise NotAsCommitted(
            f"this verifier does not know rules version {replay['rules_version']} of {replay['game']}; "
            "use the one that the match was played with"
        )
    return game


def _seed(replay: Any) -> tuple[bytes, str]:
    if replay["fixed_deal"]:
        if replay["commitment"] is not None:
            raise NotAsCommitted("a secret was committed to, so no seed can have fixed the deal")
        return fixed_seed(replay["seed"]), "the deal was fixed by its seed (nothing was committed to)"
    secret = bytes.fromhex(replay["secret"])
    if commitment(secret) != replay["commitment"]:
        raise NotAsCommitted("the secret does not hash to the commitment")
    nonces = [seat["nonce"] for seat in replay["seats"]]
    return dealt_seed(secret, replay["match"], nonces), "the secret hashes to the commitment"


def _union(game: Game) -> Any:
    union: Any = game.moves[0]
    for move in game.moves[1:]:
        union |= move
    return union
