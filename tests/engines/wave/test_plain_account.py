"""The engine and the plain account play the same matches, move for move, and agree on everything they tell."""

import random
from typing import Any

import msgspec
import pytest

from engines.kit.errors import IllegalMove, NotYourTurn
from engines.wave import GAME
from engines.wave.cards import CODES
from engines.wave.moves import WaveMove
from engines.wave.options import WaveOptions
from engines.wave.state import WaveState
from tests.engines.walks import Table
from tests.engines.wave.build import position
from tests.engines.wave.plain import ONE_CARD, TWO_CARDS, PlainWave, shuffled

MOVES = msgspec.json.Decoder(WaveMove)
MATCHES = 150


def test_the_deal_is_what_hashlib_alone_gives() -> None:
    for n in range(50):
        state = Table(GAME, 2 + n % 3, WaveOptions()).start(f"deal/{n}").state
        plain = PlainWave(shuffled(f"deal/{n}"), 2 + n % 3, False, 0, 20)
        assert _view(state, 0) == plain.view(0), f"deal/{n}"
        assert [GAME.cards[face].code for face in state.deck[state.drawn :]] == plain.stock, f"deal/{n}"


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_both_play_the_same_matches(seats: int, strict: bool) -> None:
    """Some matches go at random, some greedily with a look at all faces, so that piles run out and seats go empty."""
    met: set[str] = set()
    positions = 0
    for n in range(MATCHES):
        seed = f"plain/{seats}/{strict}/{n}"
        rng = random.Random(seed)
        tips, first = rng.choice((0, 1, 20)), rng.randrange(seats)
        options = WaveOptions(strict=strict, first_seat=first, tips_per_turn=tips)
        state = Table(GAME, seats, options).start(seed).state
        plain = PlainWave(shuffled(seed), seats, strict, first, tips)
        greed = rng.choice((0.0, 0.7, 0.97, 1.0))
        _agree(state, plain, rng, seed)
        while plain.to_move():
            seat, move = _choose(plain, rng, greed)
            step = GAME.apply(state, seat, _decoded(move))
            told = plain.play(seat, move)
            state, positions = step.state, positions + 1
            events = [(event.type, event.seat, _plain(event.data)) for event in step.events]
            assert events == told, f"{seed}, version {plain.version}"
            met.update(event[0] for event in events)
            _agree(state, plain, rng, f"{seed}, version {plain.version}")
            met.update(_landmarks(plain))
        met.add(f"ended {plain.end}")
    assert positions > 1500
    assert met >= {"played", "misfit", "drew", "tipped", "ended stuck", "pile empty", "a seat is out"}, met
    assert met >= ({"ended misfit"} if strict else {"ended all_played"}), met
    if seats == 2:
        assert met >= {"proposed", "turned_up", "Silver has four", "they differ"}, met


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_both_agree_on_late_positions_of_every_kind(seats: int) -> None:
    """Hands of no to four cards, Silver with any number, one to three cards in the pile or none: to the end."""
    met: set[str] = set()
    for n in range(250):
        seed = f"late/{seats}/{n}"
        rng = random.Random(seed)
        state, plain = _late_position(seats, rng)
        _agree(state, plain, rng, seed)
        while plain.to_move():
            seat, move = _choose(plain, rng, greed=0.6)
            step, told = GAME.apply(state, seat, _decoded(move)), plain.play(seat, move)
            assert [(event.type, event.seat, _plain(event.data)) for event in step.events] == told, seed
            state = step.state
            _agree(state, plain, rng, f"{seed}, version {plain.version}")
            met.update(_landmarks(plain))
        met.add(f"ended {plain.end}")
    assert met >= {"pile empty", "a seat is out", "ended all_played", "ended stuck"}, met
    assert seats > 2 or met >= {"Silver is out", "only Silver has cards", "Silver has four", "they differ"}, met


def _late_position(seats: int, rng: random.Random) -> tuple[WaveState, PlainWave]:
    """The same position for both, someone to move who can: found by trying."""
    while True:
        cards = rng.sample(CODES, len(CODES))
        top, pile = cards.pop(), [cards.pop() for _ in range(rng.choice((0, 0, 0, 1, 3)))]
        smallest = 1 if pile else 0
        hands = [[[cards.pop() for _ in range(rng.randint(smallest, 2))] for _ in range(2)] for _ in range(seats)]
        up = [cards.pop() for _ in range(rng.randint(smallest, 3))] if seats == 2 else []
        down = [cards.pop() for _ in range(2 if pile else rng.randint(0, 1))] if seats == 2 else []
        clockwise = rng.random() < 0.5
        state = position(
            top,
            *(f"{' '.join(seen)} | {' '.join(unseen)}" for seen, unseen in hands),
            silver=f"{' '.join(up)} | {' '.join(down)}" if seats == 2 else None,
            pile=" ".join(pile),
            turn=rng.randrange(seats),
            clockwise=clockwise,
        )
        if not any(GAME.view_for(state, None).hands[state.turn].cards):
            continue
        order = [CODES[face] for face in state.deck]
        plain = PlainWave(order, seats, strict=False, first_seat=0, tips_per_turn=20)
        plain.lay_out(
            order, len(state.discard), [(len(seen), len(unseen)) for seen, unseen in hands], (len(down), len(up))
        )
        plain.place, plain.turned = state.turn, not clockwise
        plain.look_whether_stuck()
        if plain.end is None:
            return state, plain


def _landmarks(plain: PlainWave) -> set[str]:
    """Rare things about a position, so that the test can say that it met them."""
    marks = {
        "pile empty": not plain.stock,
        "a seat is out": any(not plain.cards[seat] for seat in plain.seats) and plain.end is None,
        "Silver has four": len(plain.silver_up()) == 4,
        "Silver is out": plain.cards.get("silver") == [],
        "only Silver has cards": plain.place == "silver" and not plain.cards[0] + plain.cards[1],
        "they differ": plain.to_move() == [0, 1] and bool(plain.wishes[0]),
    }
    return {mark for mark, met in marks.items() if met}


def _agree(state: WaveState, plain: PlainWave, rng: random.Random, at: str) -> None:
    """Who is to move, what is legal, what is refused and why, what each viewer sees, how it ended."""
    assert list(GAME.to_move(state)) == plain.to_move(), at
    assert _plain(GAME.outcome(state)) == plain.outcome(), at
    for seat in plain.seats:
        assert _plain(list(GAME.legal_moves(state, seat))) == plain.legal(seat), f"{at}, seat {seat}"
        for move in _some_moves(plain, rng):
            assert _verdict(state, seat, move) == plain.refusal(seat, move), f"{at}, seat {seat}: {move}"
    for viewer in (None, *plain.seats):
        view = _view(state, viewer)
        view["misfits"].sort()  # the plain account does not keep the order of trying
        assert view == plain.view(viewer), f"{at}, viewer {viewer}"


def _choose(plain: PlainWave, rng: random.Random, greed: float) -> tuple[int, dict[str, Any]]:
    """A seat and a move for it: now and then a tip, else at random or the card that raises the top least."""
    if rng.random() < 0.1:
        seat = rng.choice(plain.seats)
        tips = [move for move in _some_moves(plain, rng) if move["type"] == "tip" and not plain.refusal(seat, move)]
        if tips:
            return seat, tips[0]
    seat = rng.choice(plain.to_move())
    legal = plain.legal(seat)
    if rng.random() < greed:
        place = "silver" if plain.place == "silver" else seat
        fitting = []
        for move in legal:
            card = plain.find(place, move["card"])
            assert card is not None
            if plain.fits(card):
                fitting.append((int(card.face[1]) + "wyortb".index(card.face[0]), card.id, move))
        if fitting:
            return seat, min(fitting)[2]
    return seat, rng.choice(legal)


def _some_moves(plain: PlainWave, rng: random.Random) -> list[dict[str, Any]]:
    ids = range(plain.given + 2)
    moves: list[dict[str, Any]] = [{"type": kind, "card": rng.choice(ids)} for kind in ("play", "propose_silver") * 4]
    for _ in range(6):
        mine = rng.choice([None, rng.choice(ids)])
        says = rng.choice((*ONE_CARD, *TWO_CARDS))
        moves.append({"type": "tip", "about": rng.choice(ids), "says": says, "mine": mine})
    return moves


def _verdict(state: WaveState, seat: int, move: dict[str, Any]) -> str | None:
    try:
        GAME.check(state, seat, _decoded(move))
    except NotYourTurn:
        return "turn"
    except IllegalMove as error:
        return error.rule
    return None


def _decoded(move: dict[str, Any]) -> WaveMove:
    return MOVES.decode(msgspec.json.encode(move))


def _plain(thing: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(thing))


def _view(state: WaveState, viewer: int | None) -> Any:
    return _plain(GAME.view_for(state, viewer))
