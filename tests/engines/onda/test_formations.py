"""The tables that make the engine fast, each checked against its plain meaning."""

import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.onda import GAME
from engines.onda.cards import CATALOGUE, DECK, HAND_ORDER, codes, holds, kinds, pile_of, with_card, without
from engines.onda.combinations import Combinations
from engines.onda.formations import FORMATIONS, formation_of, stronger
from tests.engines.onda import brute_force
from tests.engines.onda.positions import fresh, legal, random_position

handfuls = st.lists(st.sampled_from(DECK), max_size=20).map(
    lambda cards: [c for i, c in enumerate(cards) if cards[:i].count(c) < 2]
)


def in_hand_order(cards):
    return sorted(cards, key=lambda code: (int(code[1:]), code[0] == "b"))


@given(handfuls)
def test_a_pile_gives_back_its_cards_in_hand_order(cards):
    assert list(codes(pile_of(cards))) == in_hand_order(cards)
    assert pile_of(cards).bit_count() == len(cards)


@given(handfuls, handfuls)
def test_taking_cards_out_of_a_pile_leaves_the_others(cards, gone):
    left = list(cards)
    for code in gone:
        if code in left:
            left.remove(code)
    assert codes(without(pile_of(cards), pile_of(gone))) == codes(pile_of(left))
    assert holds(pile_of(cards), pile_of(gone)) == (len(left) == len(cards) - len(gone))


@given(handfuls, st.sampled_from(CATALOGUE))
def test_a_card_more(cards, code):
    if cards.count(code) < 2:
        assert with_card(pile_of(cards), code) == pile_of([*cards, code])


def test_kinds_are_in_catalogue_order():
    assert kinds(pile_of(["b3", "g12"])) == ("g12", "b3")
    assert kinds(pile_of(["b3", "b3"])) == ("b3",)


@given(st.lists(handfuls, min_size=1, max_size=40), handfuls)
def test_combinations_selects_what_a_hand_holds(wanted, hand):
    piles = [pile_of(cards) for cards in wanted]
    combinations = Combinations(piles)
    expected = [i for i, pile in enumerate(piles) if holds(pile_of(hand), pile)]
    assert combinations.entries(combinations.held_in(pile_of(hand))) == expected


def test_formations_are_every_formation_there_is_once():
    """Built from the plain account: every handful of one number or of one suit in a row, with and without a wild."""
    plain = set()
    for start in range(1, 16):
        near = [code for code in DECK if start <= int(code[1:]) <= start + 3]
        ways = brute_force.ways_to_lay(near, ["g1"])
        plain |= {(tuple(cards), wild["as"] if wild else None, made) for cards, wild, made in ways}
    assert {(f.cards, f.wild_as, (f.kind, f.size, f.number)) for f in FORMATIONS} == plain
    assert len(FORMATIONS) == len(plain) == 548


def test_formations_are_numbered_in_the_canonical_order():
    assert [f.index for f in FORMATIONS] == list(range(548))
    listed = [
        {"type": "follow", "cards": f.cards, "wild": f.wild_as and {"card": "g1", "as": f.wild_as}} for f in FORMATIONS
    ]
    assert listed == sorted(listed, key=brute_force.canonical_order)


@pytest.mark.parametrize("seed", range(200))
def test_legal_moves_come_in_the_canonical_order_without_repeats(seed):
    state = random_position(seed)
    moves = legal(state, state.turn)
    keys = [brute_force.canonical_order(move) for move in moves]
    assert keys == sorted(keys), f"random_position({seed})"
    assert len({str(key) for key in keys}) == len(keys), f"random_position({seed})"


def test_pairs_to_set_aside_come_in_the_canonical_order():
    for seed in range(50):
        moves = legal(fresh(2, seed), 0)
        assert moves == sorted(moves, key=brute_force.canonical_order), f"fresh(2, {seed})"
        assert all(move["cards"] == in_hand_order(move["cards"]) for move in moves)


def test_a_formation_is_found_by_its_cards_in_any_order_and_by_either_suit_of_a_free_wild():
    assert formation_of(("b4", "g4"), None) is formation_of(("g4", "b4"), None)
    assert formation_of(("g7", "g5"), "g6").number == 5
    assert formation_of(("g4",), "b4") is formation_of(("g4",), "g4")
    assert formation_of((), "b9").wild_as == "g9"
    assert formation_of(("g4", "g4", "g4"), None) is None
    assert formation_of((), None) is None


@pytest.mark.parametrize("high", [True, False])
def test_stronger_is_the_same_shape_and_strictly_beyond(high):
    for lying in FORMATIONS[::7]:
        chosen = stronger(lying, high)
        for other in FORMATIONS:
            same = (other.kind, other.size) == (lying.kind, lying.size)
            beyond = other.number > lying.number if high else other.number < lying.number
            assert bool(chosen >> other.index & 1) == (same and beyond)
    assert stronger(None, high).bit_count() == len(FORMATIONS)


def test_hand_order_is_by_number_green_first():
    assert list(HAND_ORDER) == in_hand_order(CATALOGUE)
    assert [card.code for card in GAME.cards] == list(CATALOGUE) == brute_force.ALL_CODES


def test_tables_and_ready_made_moves_stay_under_16_mb():
    """Measured in a fresh interpreter, so that nothing else is counted or already there."""
    script = (
        "import tracemalloc, msgspec, engines.kit.game, engines.kit.chance\n"
        "import importlib.util, sys, types\n"
        "package = types.ModuleType('engines.onda'); package.__path__ = [sys.argv[1]]\n"
        "sys.modules['engines.onda'] = package\n"
        "tracemalloc.start()\n"
        "import engines.onda.listing, engines.onda.view\n"
        "print(tracemalloc.get_traced_memory()[0])\n"
    )
    import engines.onda

    ran = subprocess.run(
        [sys.executable, "-c", script, engines.onda.__path__[0]], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) < 16_000_000


def test_ready_made_moves_cannot_be_changed():
    move = GAME.legal_moves(fresh(2), 0)[0]
    with pytest.raises(AttributeError):
        move.cards = ()
    assert isinstance(move, msgspec.Struct)
