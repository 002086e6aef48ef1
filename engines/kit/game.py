"""The Game record: all that the rest of Shorebreak knows of a game.

A game is data, not a class to inherit: a frozen record of types and pure functions. The service, the document
and the conformance suite read nothing else, so a new game is one new folder and one line in `engines.GAMES`.
The laws that every record obeys are listed in docs/games.md and proved by tests/engines/test_conformance.py.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from engines.kit.chance import Chance

Viewer = int | None
"""Who looks: a seat (0-based), or None for a spectator."""


class Event(msgspec.Struct, frozen=True):
    """A public fact, the same for everyone. `seat` is None where it is nobody's doing.

    `data` is a Struct of the class that `Game.events` names for `type`.
    """

    type: str
    seat: int | None
    data: msgspec.Struct


class Step(msgspec.Struct, frozen=True):
    """What one move (or the set-up) made: the new state, and what everybody saw, in order."""

    state: Any
    events: tuple[Event, ...]


class CatalogueCard(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of card as the catalogue shows it. `count` copies are in the deck."""

    code: str
    name: str
    count: int
    deck: str = "deck"
    points: int | None = None
    text: str = ""
    stand_in: bool = False


class Bot(msgspec.Struct, frozen=True, kw_only=True):
    """A built-in player. It gets what any client would: its seat's view, its legal moves, and what views say of others.

    `chance` is fresh and unrelated to the deal; a bot asks it under labels of its own. It keeps nothing between calls.
    """

    summary: str
    """One sentence for the catalogue."""
    choose: Callable[[Any, Sequence[Any], Chance], Any]
    """(view, legal moves, chance) -> one of the legal moves, within 100 ms of CPU."""
    remark: Callable[[Any, Chance], Any] | None = None
    """(view, chance) -> an anytime move to make now, or None; asked again after each until it has nothing to add."""


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """A game, whole. Types are msgspec Structs; `moves` are tagged (`type`), frozen, and refuse unknown fields.

    `State` below stands for the game's own state type; it is frozen, array-like, and survives msgpack.
    """

    key: str
    """The name in paths: `onda`, `wave`, `ufo-wave`."""
    title: str
    summary: str
    """One sentence for the catalogue."""
    rules_version: int
    """Counts up whenever the same moves could give another state, or the state's layout changes."""
    min_seats: int
    max_seats: int
    options: type[msgspec.Struct]
    """All fields have defaults and bounds (msgspec.Meta); frozen, refuses unknown fields."""
    moves: tuple[type[msgspec.Struct], ...]
    state: type[msgspec.Struct]
    view: type[msgspec.Struct]
    ending: type[msgspec.Struct]
    """The type of the outcome; it has at least `termination` and `returns`."""
    events: Mapping[str, type[msgspec.Struct]]
    """Event type -> the Struct of its `data`."""
    cards: tuple[CatalogueCard, ...]
    """In catalogue order: the order in which every shuffle begins."""
    rules: Mapping[str, str]
    """Every rule id that an `IllegalMove` may name -> the rule, a sentence."""
    anytime: frozenset[str]
    """The move types that a seat may make when it is not its turn; they ignore the expected version."""
    max_moves: int
    """No match is longer, whatever is played; anytime moves not counted."""
    bots: Mapping[str, Bot] = {}
    """The built-in bots by name."""
    card_sets: Mapping[str, tuple[CatalogueCard, ...]] = {}
    """Further card sets that an option can choose, by key, each in catalogue order; `cards` is the default's."""

    check_options: Callable[[Any, int], None]
    """(options, seats): raises `InvalidOptions` where an option does not fit the number of seats."""
    setup: Callable[[Any, int, Chance], Step]
    """(options, seats, chance) -> the position at version 0 and the events of dealing it."""
    to_move: Callable[[Any], tuple[int, ...]]
    """(state) -> the seats that the game waits for, ascending: several when simultaneous, none when over."""
    check: Callable[[Any, int, Any], None]
    """(state, seat, move): raises `NotYourTurn`, then `IllegalMove`; judged from what the seat may see alone."""
    legal_moves: Callable[[Any, int], Sequence[Any]]
    """(state, seat) -> every legal move once, in the order that the game's page names; anytime moves are not listed."""
    apply: Callable[[Any, int, Any], Step]
    """(state, seat, move) -> what came of it. Checks first; a refused move changes nothing."""
    view_for: Callable[[Any, Viewer], Any]
    """(state, viewer) -> all that this viewer may know, listed by what is shown, never by stripping."""
    default_move: Callable[[Any, Sequence[Any]], Any]
    """(view, legal moves, not empty) -> the safe move for an absent seat; it knows no more than the seat."""
    outcome: Callable[[Any], Any]
    """(state) -> the `ending`, or None while the game runs."""
    extend: Callable[[Mapping[str, str]], "Game"] | None = None
    """(file name -> text) -> this record with these further card sets. None: the game's cards are fixed.

    Raises `ValueError`; its text names the file, the card and the reason.
    """
    settle: Callable[[Any], Any] | None = None
    """(checked options) -> the options as the match keeps them, so complete that it can be played and replayed whatever
    becomes of the server's card sets. None: options are complete as they are."""
