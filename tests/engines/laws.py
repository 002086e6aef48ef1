"""The laws that every game obeys, each a function that asserts one of them on a walk through a match.

They read nothing of a game but its record and its hooks, so the mutation tests can hand them a spoiled copy.
"""

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any, Union

import msgspec

from engines.kit.errors import RulesError
from engines.kit.game import Event, Game
from tests.engines.walks import Table, Walk, hooks_of, is_anytime

packed = msgspec.msgpack.encode
as_json = msgspec.json.encode


def someone_can_move_unless_it_is_over(table: Table, walk: Walk, where: str) -> None:
    """to_move is ascending; the seats in it have legal moves, others have none; there is an outcome iff it is empty."""
    game = table.game
    for version, state in enumerate(walk.states()):
        at = f"{where}, version {version}"
        movers = game.to_move(state)
        assert list(movers) == sorted(set(movers)), at
        assert all(0 <= seat < table.seats for seat in movers), at
        assert (game.outcome(state) is None) == bool(movers), at
        for seat in range(table.seats):
            assert bool(game.legal_moves(state, seat)) == (seat in movers), f"{at}, seat {seat}"
    ending = game.outcome(walk.states()[-1])
    assert isinstance(ending.termination, str), where
    assert len(ending.returns) == table.seats, where
    assert type(ending) is game.ending, where


def it_ends_within_max_moves(table: Table, walk: Walk, where: str) -> None:
    """Anytime moves are not counted."""
    moves = sum(not is_anytime(table.game, turn.move) for turn in walk.turns)
    assert moves <= table.game.max_moves, where
    assert not table.game.to_move(walk.states()[-1]), where


def cards_are_conserved(table: Table, walk: Walk, where: str) -> None:
    """Every card is somewhere, once, after every move."""
    hooks = hooks_of(table.game)
    cards = hooks.ALL_CARDS(table.options, table.seats) if callable(hooks.ALL_CARDS) else hooks.ALL_CARDS
    all_cards = sorted(cards)
    for version, state in enumerate(walk.states()):
        assert sorted(hooks.cards_of(state)) == all_cards, f"{where}, version {version}"


def events_are_of_the_published_types(table: Table, walk: Walk, where: str) -> None:
    """Every accepted move has an event; types and data are those of the record; the end is told last, and once."""
    for turn in walk.turns:
        assert turn.step.events, f"{where}, version {turn.version}"
    told = [event for step in (walk.start, *(turn.step for turn in walk.turns)) for event in step.events]
    for event in told:
        assert type(event) is Event, where
        assert type(event.data) is table.game.events[event.type], f"{where}: {event}"
        assert event.seat is None or 0 <= event.seat < table.seats, f"{where}: {event}"
    assert [event.type for event in told].index("match_finished") == len(told) - 1, where


def everything_survives_its_codec(table: Table, walk: Walk, where: str) -> None:
    """State through msgpack, moves through JSON by the union of the game's moves; views have the same keys for all."""
    game = table.game
    moves = msgspec.json.Decoder(Union[game.moves])  # noqa: UP007  # the members are known only when it runs
    for version, state in enumerate(walk.states()):
        at = f"{where}, version {version}"
        again = msgspec.msgpack.decode(packed(state), type=game.state)
        assert again == state, at
        assert packed(again) == packed(state), at
        views = [msgspec.json.decode(as_json(game.view_for(state, viewer))) for viewer in _viewers(table)]
        assert all(set(view) == set(views[0]) for view in views), at
        for seat in range(table.seats):
            for move in game.legal_moves(state, seat):
                assert moves.decode(as_json(move)) == move, f"{at}: {move}"
    for turn in walk.turns:
        assert moves.decode(as_json(turn.move)) == turn.move, f"{where}: {turn.move}"


def listed_is_what_is_accepted(table: Table, walk: Walk, where: str, rng: random.Random, positions: int) -> None:
    """Every listed move is accepted; every accepted probe is listed, up to equivalence; a refusal changes nothing.

    Out of turn nothing is accepted but anytime moves. `check` and `apply` give the same verdict in the same words.
    """
    game, hooks = table.game, hooks_of(table.game)
    for version, state in _some(walk.states(), rng, positions):
        bytes_before = packed(state)
        for seat in range(table.seats):
            at = f"{where}, version {version}, seat {seat}"
            listed = list(game.legal_moves(state, seat))
            assert len({as_json(move) for move in listed}) == len(listed), at
            for move in listed:
                assert verdict(game, state, seat, move) is None, f"{at}: {move} is listed"
                assert hooks.listed_form(state, seat, move) == move, f"{at}: {move} is listed"
            for move in [*rng.sample(listed, min(12, len(listed))), *hooks.probes(state, seat, rng)]:
                _is_listed_if_accepted(game, hooks, state, seat, move, listed, f"{at}: {move}")
            assert packed(state) == bytes_before, at


def _is_listed_if_accepted(
    game: Game, hooks: ModuleType, state: Any, seat: int, move: Any, listed: list[Any], at: str
) -> None:
    refusal = verdict(game, state, seat, move)
    assert _refusal(game.apply, state, seat, move) == refusal, at
    if refusal is not None:
        if not is_anytime(game, move):
            assert (refusal[0] == "NotYourTurn") == (seat not in game.to_move(state)), at
        return
    form = hooks.listed_form(state, seat, move)
    if is_anytime(game, move):
        assert form is None, at
    else:
        assert form in listed, at


def a_seat_learns_nothing_that_it_may_not_know(
    table: Table, walk: Walk, where: str, rng: random.Random, positions: int, deals: int
) -> None:
    """Deal anew all that a viewer can't see: what it sees, is offered and is refused stays the same, to the byte."""
    game, hooks = table.game, hooks_of(table.game)
    for version, state in _some(walk.states(), rng, positions):
        for viewer in _viewers(table):
            probes = [] if viewer is None else list(hooks.probes(state, viewer, rng))
            asides = _moves_that_reveal_nothing(table, hooks, state, rng)
            seen = _seen(game, state, viewer, probes)
            for deal in range(deals):
                at = f"{where}, version {version}, viewer {viewer}, deal {deal}"
                other = hooks.redeal(state, viewer, rng)
                again = _seen(game, other, viewer, probes)
                for kind in seen:
                    assert again[kind] == seen[kind], f"{at}: {kind}"
                for seat, move in asides:
                    _shows_the_same(game, state, other, seat, move, f"{at}: {move} of seat {seat}")


def the_default_is_legal_and_knows_no_more_than_the_seat(
    table: Table, walk: Walk, where: str, rng: random.Random, positions: int
) -> None:
    """It is one of the listed moves; view and list that come through the codec give the same, in any deal."""
    game, hooks = table.game, hooks_of(table.game)
    for version, state in _some(walk.states(), rng, positions):
        for seat in game.to_move(state):
            at = f"{where}, version {version}, seat {seat}"
            legal = list(game.legal_moves(state, seat))
            chosen = game.default_move(game.view_for(state, seat), legal)
            assert chosen in legal, at
            other = hooks.redeal(state, seat, rng)
            assert game.default_move(game.view_for(other, seat), list(game.legal_moves(other, seat))) == chosen, at


def verdict(game: Game, state: Any, seat: int, move: Any) -> tuple[str, str, str] | None:
    """How `check` refuses the move: kind, rule, sentence; None if it is accepted."""
    refusal = _refusal(game.check, state, seat, move)
    if refusal is not None:
        kind, rule, sentence = refusal
        assert sentence, refusal
        assert rule in game.rules if kind == "IllegalMove" else kind == "NotYourTurn", refusal
    return refusal


def _refusal(judge: Callable[[Any, int, Any], object], state: Any, seat: int, move: Any) -> tuple[str, str, str] | None:
    try:
        judge(state, seat, move)
    except RulesError as error:
        return type(error).__name__, getattr(error, "rule", ""), error.sentence
    return None


def _seen(game: Game, state: Any, viewer: int | None, probes: list[Any]) -> dict[str, Any]:
    """All that the engine tells this viewer in this position."""
    seen: dict[str, Any] = {
        "view": as_json(game.view_for(state, viewer)),
        "to_move": game.to_move(state),
        "outcome": as_json(game.outcome(state)),
    }
    if viewer is not None:
        seen["legal moves"] = as_json(list(game.legal_moves(state, viewer)))
        for move in probes:
            seen[f"verdict on {move}"] = verdict(game, state, viewer, move)
    return seen


def _moves_that_reveal_nothing(
    table: Table, hooks: ModuleType, state: Any, rng: random.Random
) -> list[tuple[int, Any]]:
    """Accepted moves after which nothing can have been revealed: anytime moves of seats that are not to move, and
    choices of one seat, told by one event, while others are still to choose."""
    game, movers = table.game, table.game.to_move(state)
    found = []
    for seat in range(table.seats):
        if seat in movers and len(movers) == 1:
            continue
        for move in hooks.probes(state, seat, rng):
            if is_anytime(game, move) == (seat in movers) or verdict(game, state, seat, move) is not None:
                continue
            step = game.apply(state, seat, move)
            still_open = len(step.events) == 1 and set(game.to_move(step.state)) == set(movers) - {seat}
            if seat not in movers or still_open:
                found.append((seat, move))
    return rng.sample(found, min(4, len(found)))


def _shows_the_same(game: Game, state: Any, other: Any, seat: int, move: Any, at: str) -> None:
    if verdict(game, other, seat, move) is not None:
        return  # in the other deal that seat has other cards
    first, second = game.apply(state, seat, move), game.apply(other, seat, move)
    assert as_json(first.events) == as_json(second.events), at
    assert game.to_move(first.state) == game.to_move(second.state), at


def _viewers(table: Table) -> tuple[int | None, ...]:
    return (None, *range(table.seats))


def _some(states: list[Any], rng: random.Random, count: int) -> list[tuple[int, Any]]:
    """A few positions with their versions, the first and the last among them."""
    numbered = list(enumerate(states))
    inner = rng.sample(numbered[1:-1], min(count, len(numbered[1:-1])))
    return [numbered[0], *sorted(inner, key=lambda pair: pair[0]), numbered[-1]]
