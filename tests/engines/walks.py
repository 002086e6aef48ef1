"""Random matches of any registered game, the same on every machine: what the laws are tried on.

A walk plays a match to its end with a seeded `random.Random`. Some walks play at random, some mostly the safe default
move, for that leads into other positions (in Wave, for one, to far longer matches).
"""

import importlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from types import ModuleType
from typing import Any

import msgspec

from engines import GAMES
from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import InvalidOptions, RulesError
from engines.kit.game import Game, Step

HOOKS = ("redeal", "cards_of", "ALL_CARDS", "probes", "listed_form")

WHAT_TO_WRITE = """The game {key!r} is registered, but {missing}. The laws need {path} with:
  redeal(state, viewer, rng) -> state    a position that looks the same to `viewer` (a seat, or None for a spectator):
                                         all that it can't see is dealt anew, as the public history allows
  cards_of(state) -> iterable of str     every card, wherever it is, once
  ALL_CARDS                              what cards_of must always give, in any order;
                                         or a function (options, seats) -> that, where the deck depends on them
  probes(state, seat, rng) -> list       moves to try, legal and illegal, anytime moves too
  listed_form(state, seat, move) -> move the entry of legal_moves that an accepted move is equivalent to,
                                         None for anytime moves
and, if you like, for the recorded playthroughs:
  picture(state) -> list of str          the position in a few lines, all cards open"""


class NoHooks(AssertionError):
    """A registered game without the hooks that the laws need. The message says what to write."""


def hooks_of(game: Game) -> ModuleType:
    """The module tests/engines/<key>/hooks.py of the game. Raises NoHooks."""
    folder = game.key.replace("-", "_")
    path = f"tests/engines/{folder}/hooks.py"
    try:
        hooks = importlib.import_module(f"tests.engines.{folder}.hooks")
    except ModuleNotFoundError as error:
        if error.name is None or not f"tests.engines.{folder}.hooks".startswith(error.name):
            raise
        raise NoHooks(WHAT_TO_WRITE.format(key=game.key, missing="there are no hooks", path=path)) from None
    lacking = [name for name in HOOKS if not hasattr(hooks, name)]
    if lacking:
        raise NoHooks(WHAT_TO_WRITE.format(key=game.key, missing=f"its hooks lack {', '.join(lacking)}", path=path))
    return hooks


@dataclass(frozen=True)
class Table:
    """A game with a number of seats and options: what a match is set up from."""

    game: Game
    seats: int
    options: Any

    def __str__(self) -> str:
        default = self.game.options()
        changed = [
            f"{name}={getattr(self.options, name)}"
            for name in self.options.__struct_fields__
            if getattr(self.options, name) != getattr(default, name)
        ]
        return "-".join([self.game.key, f"{self.seats}seats", *changed])

    def start(self, seed: str) -> Step:
        """The match with this fixed deal at version 0."""
        return self.game.setup(self.options, self.seats, Chance(fixed_seed(seed)))


@dataclass(frozen=True)
class Turn:
    """One accepted move of a walk."""

    before: Any
    version: int
    """The version that the move made."""
    seat: int
    move: Any
    step: Step


@dataclass(frozen=True)
class Walk:
    """A whole match."""

    start: Step
    turns: tuple[Turn, ...]

    def states(self) -> list[Any]:
        """Every position, the first and the last included."""
        return [self.start.state, *(turn.step.state for turn in self.turns)]


def tables(game: Game) -> list[Table]:
    """Every number of seats, each with a spread of options: the defaults, and each option alone at its other values."""
    return [
        Table(game, seats, options)
        for seats in range(game.min_seats, game.max_seats + 1)
        for options in _spread(game)
        if _suits(game, options, seats)
    ]


def walk(table: Table, seed: str, *, anytime: float = 0.15) -> Walk:
    """Plays a match to its end. `anytime` is the share of steps before which somebody makes an anytime move.

    Stops at 1.5 times `max_moves` if the match has not ended by then; it is for a law to complain.
    """
    game, hooks, rng = table.game, hooks_of(table.game), random.Random(f"{table}/{seed}")
    default_share = rng.choice((0.0, 0.5, 0.9))
    start = table.start(seed)
    turns: list[Turn] = []
    state, decided = start.state, 0
    while (movers := game.to_move(state)) and decided <= game.max_moves * 1.5:
        if rng.random() < anytime and (aside := _anytime_move(table, hooks, state, rng)) is not None:
            seat, move = aside
        else:
            seat = rng.choice(movers)
            legal = game.legal_moves(state, seat)
            if rng.random() < default_share:
                move = game.default_move(game.view_for(state, seat), legal)
            else:
                move = rng.choice(legal)
            decided += 1
        step = game.apply(state, seat, move)
        turns.append(Turn(state, len(turns) + 1, seat, move, step))
        state = step.state
    return Walk(start, tuple(turns))


def is_anytime(game: Game, move: msgspec.Struct) -> bool:
    """Is it one of the kinds that a seat may play out of turn?"""
    return move.__struct_config__.tag in game.anytime


def fingerprint(key: str) -> str:
    """A hash of everything that a few walks show: states, events, views, legal moves, to the byte."""
    digest, encode = sha256(), msgspec.json.encode
    for table in tables(GAMES[key]):
        for turn in walk(table, "fingerprint").turns:
            game, state = table.game, turn.step.state
            digest.update(msgspec.msgpack.encode(state))
            digest.update(encode([turn.seat, turn.move, turn.step.events]))
            for viewer in (None, *range(table.seats)):
                digest.update(encode(game.view_for(state, viewer)))
                digest.update(encode([] if viewer is None else game.legal_moves(state, viewer)))
    return digest.hexdigest()


def _anytime_move(table: Table, hooks: ModuleType, state: Any, rng: random.Random) -> tuple[int, Any] | None:
    game, seat = table.game, rng.randrange(table.seats)
    moves = [
        move for move in hooks.probes(state, seat, rng) if is_anytime(game, move) and _accepts(game, state, seat, move)
    ]
    return (seat, rng.choice(moves)) if moves else None


def _accepts(game: Game, state: Any, seat: int, move: Any) -> bool:
    try:
        game.check(state, seat, move)
    except RulesError:
        return False
    return True


def _spread(game: Game) -> Iterator[Any]:
    default = game.options()
    yield default
    for field in msgspec.inspect.type_info(game.options).fields:  # it is a StructType
        for value in _values(field.type):
            if value != getattr(default, field.name):
                yield msgspec.structs.replace(default, **{field.name: value})


def _values(kind: msgspec.inspect.Type) -> list[Any]:
    if isinstance(kind, msgspec.inspect.Metadata):
        return _values(kind.type)
    if isinstance(kind, msgspec.inspect.BoolType):
        return [False, True]
    if isinstance(kind, msgspec.inspect.LiteralType):
        return list(kind.values)
    if isinstance(kind, msgspec.inspect.IntType) and kind.ge is not None and kind.le is not None:
        return sorted({kind.ge, min(kind.ge + 1, kind.le), kind.le})
    return []


def _suits(game: Game, options: Any, seats: int) -> bool:
    try:
        game.check_options(options, seats)
    except InvalidOptions:
        return False
    return True
