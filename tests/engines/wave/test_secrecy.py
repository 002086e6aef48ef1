"""The law of secrecy is strong enough to catch a Wave that leaks, in each way that would be easy to get wrong."""

import random
from typing import Any

import pytest
from msgspec.structs import replace

from engines.kit.errors import IllegalMove
from engines.kit.game import Event, Game, Step
from engines.wave import GAME
from engines.wave.cards import CODES, FITS
from engines.wave.events import WaveFinished
from engines.wave.moves import WaveMove, WavePlay
from engines.wave.options import WaveOptions
from engines.wave.scoring import WaveOutcome
from engines.wave.state import WaveState
from engines.wave.view import WaveHandCard, WaveHandView
from tests.engines import laws
from tests.engines.walks import Table, walk


def really_fits(state: WaveState, card: int) -> bool:
    return FITS[state.top][state.deck[card - 1]]


def offers_only_what_fits(state: WaveState, seat: int) -> list[WaveMove]:
    """Judges unseen cards by their faces."""
    return [
        move
        for move in GAME.legal_moves(state, seat)
        if not isinstance(move, WavePlay) or really_fits(state, move.card)
    ]


def refuses_what_does_not_fit(state: WaveState, seat: int, move: WaveMove) -> None:
    """Refuses unseen cards by their faces."""
    GAME.check(state, seat, move)
    if isinstance(move, WavePlay) and not really_fits(state, move.card):
        raise IllegalMove("W-fit", "It does not fit.")


def says_why_in_a_refusal(state: WaveState, seat: int, move: WaveMove) -> None:
    """Names the face of a card that is not the seat's."""
    try:
        GAME.check(state, seat, move)
    except IllegalMove as error:
        if error.rule == "W-hand" and isinstance(move, WavePlay) and 0 < move.card <= state.drawn:
            raise IllegalMove("W-hand", f"That is {CODES[state.deck[move.card - 1]]}.") from None
        raise


def shows_the_holder_his_unseen_cards(state: WaveState, viewer: int | None) -> Any:
    """Shows every hand card to its holder."""
    view = GAME.view_for(state, viewer)
    hands = [
        WaveHandView(
            hand.seat,
            [
                WaveHandCard(
                    shown.card, shown.facing, CODES[state.deck[shown.card - 1]] if hand.seat == viewer else None
                )
                for shown in hand.cards
            ],
        )
        for hand in view.hands
    ]
    return replace(view, hands=hands)


def shows_a_spectator_the_team_facing_cards(state: WaveState, viewer: int | None) -> Any:
    """Takes a spectator for one of the team."""
    if viewer is not None:
        return GAME.view_for(state, viewer)
    hands = [GAME.view_for(state, (seat + 1) % len(state.hands)).hands[seat] for seat in range(len(state.hands))]
    return replace(GAME.view_for(state, None), hands=hands)


def shows_silvers_face_down_cards(state: WaveState, viewer: int | None) -> Any:
    """Shows them before the end."""
    view = GAME.view_for(state, viewer)
    if view.silver is None or state.silver is None:
        return view
    faces = [CODES[state.deck[card - 1]] for card in state.silver.face_down]
    return replace(view, silver=replace(view.silver, face_down_faces=faces))


def tells_a_secret_with_each_tip(state: WaveState, seat: int, move: WaveMove) -> Step:
    """Adds an event that depends on the next card of the pile."""
    step = GAME.apply(state, seat, move)
    if isinstance(move, WavePlay) or state.pile == 0:
        return step
    leak = WaveFinished(WaveOutcome("stuck", state.deck[state.drawn], "fair", ()))
    return Step(step.state, (*step.events, Event("match_finished", None, leak)))


@pytest.mark.parametrize(
    ("seats", "spoiled"),
    [
        (3, {"legal_moves": offers_only_what_fits}),
        (3, {"check": refuses_what_does_not_fit}),
        (3, {"check": says_why_in_a_refusal}),
        (3, {"view_for": shows_the_holder_his_unseen_cards}),
        (3, {"view_for": shows_a_spectator_the_team_facing_cards}),
        (2, {"view_for": shows_silvers_face_down_cards}),
        (3, {"apply": tells_a_secret_with_each_tip}),
    ],
    ids=lambda value: next(iter(value.values())).__name__ if isinstance(value, dict) else str(value),
)
def test_a_leaking_copy_is_caught(seats: int, spoiled: dict[str, Any]) -> None:
    judge(GAME, seats)
    with pytest.raises(AssertionError, match="deal"):
        judge(replace(GAME, **spoiled), seats)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nothing_leaks_in_many_more_positions(seats: int, strict: bool) -> None:
    """The walks that go by default moves for the most part come to empty piles and four open cards with Silver."""
    table = Table(GAME, seats, WaveOptions(strict=strict))
    for n in range(12):
        seed = f"more/{n}"
        laws.a_seat_learns_nothing_that_it_may_not_know(
            table, walk(table, seed), f"{table}, seed {seed}", random.Random(seed), positions=8, deals=5
        )


def judge(game: Game, seats: int) -> None:
    for seed in ("leak/1", "leak/2"):
        played = walk(Table(GAME, seats, WaveOptions()), seed)
        laws.a_seat_learns_nothing_that_it_may_not_know(
            Table(game, seats, WaveOptions()), played, f"seed {seed}", random.Random(seed), positions=10, deals=8
        )
