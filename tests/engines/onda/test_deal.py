"""The deal to the byte: computed here from the specification with hashlib alone, and compared."""

from hashlib import sha256

import pytest

from engines.kit.chance import Chance
from engines.onda import GAME
from tests.engines.onda.positions import do, fresh, position, random_game, view

CATALOGUE = [suit + str(number) for suit in "gb" for number in range(1, 16)]


def shuffled(seed: bytes, label: str) -> list[str]:
    """The 60 cards after the shuffle of this label; the last is the top."""
    stream, block = b"", 0
    deck = [code for code in CATALOGUE for _ in range(2)]
    prefix = seed + len(label.encode()).to_bytes(2, "big") + label.encode()
    for i in range(59, 0, -1):
        n = i + 1
        while True:
            if len(stream) < 4:
                stream += sha256(prefix + block.to_bytes(8, "big")).digest()
                block += 1
            u, stream = int.from_bytes(stream[:4], "big"), stream[4:]
            if u < 2**32 - 2**32 % n:
                break
        j = u % n
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def dealt(seed: bytes, number: int, seats: int) -> list[list[str]]:
    """The hands of a round as a view shows them: one card to each seat in turn from seat 0, off the top."""
    deck = shuffled(seed, f"round/{number}")
    hands: list[list[str]] = [[] for _ in range(seats)]
    for _ in range(12 if seats == 5 else 15):
        for hand in hands:
            hand.append(deck.pop())
    return [sorted(hand, key=lambda code: (int(code[1:]), code[0] == "b")) for hand in hands]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("text", ["", "a", "tide", "onda/7"])
def test_the_first_deal_is_the_one_that_the_seed_fixes(seats, text):
    seed = sha256(b"shorebreak/fixed/1\n" + text.encode()).digest()
    state = GAME.setup(GAME.options(), seats, Chance(seed)).state
    assert [view(state, seat)["hand"] for seat in range(seats)] == dealt(seed, 1, seats)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_later_deal_has_its_own_label(seats):
    met = []
    for state, _, _, step in random_game(seats, 11):
        if step.state.round > state.round:
            hands = [view(step.state, seat)["hand"] for seat in range(seats)]
            assert hands == dealt(state.chance.seed, step.state.round, seats)
            met.append(step.state.round)
    assert met == [2, 3, 4]


def test_a_deal_that_can_be_read():
    """Seed text `0` at two seats; the label is round/1, so a change in any byte of the deal shows here."""
    state = fresh(2, "0")
    assert " ".join(view(state, 0)["hand"]) == "g2 b2 b5 g7 b7 b7 g8 b9 g10 g10 b10 b10 b13 g14 g15"
    assert " ".join(view(state, 1)["hand"]) == "b1 g2 g3 b3 g4 g4 g5 b5 g6 g6 b11 b12 g13 b14 b14"


def test_a_round_deals_whatever_was_played_before_it():
    short = position("g9", "g1", table=(1, "g8"))
    other = position("b12", "b1 b2 b3", table=(1, "g8"), points=(3, 60))
    one = do(short, 0, "follow", cards="g9").state
    two = do(other, 0, "follow", cards="b12").state
    assert [view(one, seat)["hand"] for seat in (0, 1)] == [view(two, seat)["hand"] for seat in (0, 1)]
