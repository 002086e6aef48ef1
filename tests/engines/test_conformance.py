"""The laws of docs/games.md, over every registered game, every number of seats, and a spread of options."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as with_fields

from engines import GAMES
from engines.kit.errors import IllegalMove, InvalidOptions
from engines.kit.game import Game
from tests.engines import laws
from tests.engines.walks import NoHooks, Table, fingerprint, hooks_of, tables, walk

ROOT = Path(__file__).parents[2]
SEEDS = ("law/1", "law/2", "law/3")
POSITIONS = 5
DEALS = 6

every_table = pytest.mark.parametrize("table", [table for game in GAMES.values() for table in tables(game)], ids=str)
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@every_game
def test_there_are_hooks_for_every_registered_game(game: Game) -> None:
    hooks_of(game)


def test_a_game_without_hooks_fails_and_the_message_says_what_to_write() -> None:
    newcomer = with_fields(next(iter(GAMES.values())), key="ebb-and-flow")
    with pytest.raises(NoHooks, match=r"(?s)tests/engines/ebb_and_flow/hooks\.py.*redeal\(state, viewer, rng\)"):
        walk(tables(newcomer)[0], "any")


@every_game
def test_every_number_of_seats_can_be_set_up(game: Game) -> None:
    assert {table.seats for table in tables(game)} == set(range(game.min_seats, game.max_seats + 1))
    for seats in (game.min_seats - 1, game.max_seats + 1):
        with pytest.raises(InvalidOptions):
            game.check_options(game.options(), seats)


@every_table
@pytest.mark.parametrize(
    "law",
    [
        laws.someone_can_move_unless_it_is_over,
        laws.it_ends_within_max_moves,
        laws.cards_are_conserved,
        laws.events_are_of_the_published_types,
        laws.everything_survives_its_codec,
    ],
    ids=lambda law: law.__name__,
)
def test_whole_matches(law: Callable[..., None], table: Table) -> None:
    for seed in _seeds(table):
        law(table, walk(table, seed), f"{table}, seed {seed}")


@every_table
def test_what_is_listed_is_exactly_what_is_accepted(table: Table) -> None:
    for seed in _seeds(table):
        rng = random.Random(seed)
        laws.listed_is_what_is_accepted(table, walk(table, seed), f"{table}, seed {seed}", rng, POSITIONS)


@every_table
def test_a_seat_learns_nothing_that_it_may_not_know(table: Table) -> None:
    for seed in _seeds(table):
        _secrecy(table, seed)


@every_table
def test_the_default_move_is_legal_and_knows_no_more_than_the_seat(table: Table) -> None:
    for seed in _seeds(table):
        laws.the_default_is_legal_and_knows_no_more_than_the_seat(
            table, walk(table, seed), f"{table}, seed {seed}", random.Random(seed), 20
        )


@every_table
def test_default_moves_alone_bring_a_match_to_its_end(table: Table) -> None:
    game, state = table.game, table.start("defaults").state
    for _ in range(game.max_moves):
        movers = game.to_move(state)
        if not movers:
            break
        chosen = game.default_move(game.view_for(state, movers[-1]), game.legal_moves(state, movers[-1]))
        state = game.apply(state, movers[-1], chosen).state
    assert game.outcome(state) is not None


@every_table
def test_the_same_seed_options_and_moves_give_the_same_bytes(table: Table) -> None:
    for seed in _seeds(table):
        first = walk(table, seed)
        step = table.start(seed)
        assert laws.packed(step) == laws.packed(first.start), f"{table}, seed {seed}"
        for turn in first.turns:
            step = table.game.apply(step.state, turn.seat, turn.move)
            assert laws.packed(step) == laws.packed(turn.step), f"{table}, seed {seed}, version {turn.version}"


@every_game
@pytest.mark.parametrize("hash_seed", ["1", "4294967295"])
def test_another_process_with_another_hash_seed_gives_the_same_bytes(game: Game, hash_seed: str) -> None:
    code = f"from tests.engines.walks import fingerprint; print(fingerprint({game.key!r}))"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == fingerprint(game.key)


# Does the suite notice? Spoiled copies of a game must break the law of secrecy.


@every_game
def test_a_view_that_shows_what_another_seat_sees_is_caught(game: Game) -> None:
    """Every viewer is shown what the last seat sees."""
    table = _largest_table(game)
    _is_caught(table, view_for=lambda state, _viewer: game.view_for(state, table.seats - 1))


@every_game
def test_a_refusal_that_tells_the_hidden_state_is_caught(game: Game) -> None:
    def telling(state: Any, seat: int, move: Any) -> None:
        try:
            game.check(state, seat, move)
        except IllegalMove as error:
            raise IllegalMove(error.rule, f"{error.sentence} {laws.packed(state).hex()}") from None

    _is_caught(_largest_table(game), check=telling)


@every_game
def test_legal_moves_that_depend_on_hidden_cards_are_caught(game: Game) -> None:
    def by_checksum(state: Any, seat: int) -> Any:
        moves = list(game.legal_moves(state, seat))
        return moves[::-1] if sum(n * byte for n, byte in enumerate(laws.packed(state))) % 2 else moves

    _is_caught(_largest_table(game), legal_moves=by_checksum)


# And the other laws?


@every_game
def test_a_legal_move_that_is_not_listed_is_caught(game: Game) -> None:
    def all_but_the_last(state: Any, seat: int) -> Any:
        moves = list(game.legal_moves(state, seat))
        return moves[:-1] if len(moves) > 1 else moves

    table = _spoiled(_largest_table(game), legal_moves=all_but_the_last)
    with pytest.raises(AssertionError):
        laws.listed_is_what_is_accepted(table, walk(table, SEEDS[0]), "spoiled", random.Random(1), POSITIONS)


@every_game
def test_a_rule_that_is_not_published_is_caught(game: Game) -> None:
    table = _spoiled(_largest_table(game), rules={})
    with pytest.raises(AssertionError, match="IllegalMove"):
        laws.listed_is_what_is_accepted(table, walk(table, SEEDS[0]), "spoiled", random.Random(1), POSITIONS)


@every_game
def test_an_event_of_another_type_is_caught(game: Game) -> None:
    table = _spoiled(_largest_table(game), events={kind: type(None) for kind in game.events})
    with pytest.raises(AssertionError, match="spoiled"):
        laws.events_are_of_the_published_types(table, walk(table, SEEDS[0]), "spoiled")


@every_game
def test_a_match_longer_than_max_moves_is_caught(game: Game) -> None:
    table = _spoiled(_largest_table(game), max_moves=3)
    with pytest.raises(AssertionError, match="spoiled"):
        laws.it_ends_within_max_moves(table, walk(table, SEEDS[0]), "spoiled")


def _seeds(table: Table) -> tuple[str, ...]:
    """Three matches with the default options, one with each other choice of options."""
    return SEEDS if table.options == table.game.options() else SEEDS[:1]


def _spoiled(table: Table, **fields: Any) -> Table:
    return replace(table, game=with_fields(table.game, **fields))


def _largest_table(game: Game) -> Table:
    return next(table for table in reversed(tables(game)) if table.options == game.options())


def _is_caught(table: Table, **spoiled: Any) -> None:
    """The law holds for the game itself and is broken by the copy with these functions in place of its own."""
    _secrecy(table, SEEDS[0])
    with pytest.raises(AssertionError, match="deal"):
        _secrecy(_spoiled(table, **spoiled), SEEDS[0])


def _secrecy(table: Table, seed: str) -> None:
    whole = walk(table, seed)
    laws.a_seat_learns_nothing_that_it_may_not_know(
        table, whole, f"{table}, seed {seed}", random.Random(seed), POSITIONS, DEALS
    )
