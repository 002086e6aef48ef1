"""The deal to the byte: written-out test vectors, a second implementation, no bias, the commitment (docs/deal.md)."""

import random
from collections import Counter
from hashlib import sha256
from typing import Any

import pytest

from engines.kit import chance
from engines.kit.chance import Chance, Stream, commitment, dealt_seed, fixed_seed, len2

SECRET = bytes(range(32))


# A second implementation, as plain as the specification


def stream(seed: bytes, label: str) -> Any:
    """The numbers of a label, one by one, for ever."""
    i = 0
    while True:
        text = label.encode()
        block = sha256(seed + len(text).to_bytes(2, "big") + text + i.to_bytes(8, "big")).digest()
        for k in range(0, 32, 4):
            yield int.from_bytes(block[k : k + 4], "big")
        i += 1


def below(numbers: Any, n: int) -> int:
    for u in numbers:
        if u < 2**32 - (2**32 % n):
            return int(u % n)
    raise AssertionError("the stream has an end")


def shuffled(seed: bytes, label: str, cards: list[str]) -> list[str]:
    numbers, cards = stream(seed, label), list(cards)
    for i in reversed(range(1, len(cards))):
        j = below(numbers, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


# Vectors, written out


def test_vector_commitment() -> None:
    assert commitment(SECRET) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_vector_seed_of_a_match() -> None:
    """Match `m1`, seat 0 with the nonce `tide`, seat 1 without one, seat 2 with two letters that are not ASCII."""
    message = (
        b"shorebreak/deal/1\n" + SECRET + b"\x00\x02m1" + b"\x00\x04tide" + b"\x00\x00" + b"\x00\x04\xc3\xa4\xc3\xb6"
    )
    seed = dealt_seed(SECRET, "m1", ["tide", "", "äö"])
    assert seed == sha256(message).digest()
    assert seed.hex() == "70ca299f0a4ae629a30d03fa1b250955c75c6f76fc78d9939515cbc1268108c3"


def test_vector_seed_of_a_fixed_deal() -> None:
    assert fixed_seed("shore") == sha256(b"shorebreak/fixed/1\nshore").digest()
    assert fixed_seed("shore").hex() == "609d7fde2c70ff184cfa627fc8f8d59349880c7fe35ab909b3a34729da8bb2c0"


def test_vector_stream() -> None:
    numbers = Stream(fixed_seed("shore"), "deck")
    assert [numbers.below(2**32) for _ in range(10)] == [
        54908921,
        412207899,
        418054095,
        2895883122,
        3303906974,
        1321461710,
        3333818476,
        2486344459,
        2303283176,
        2126800296,
    ]


def test_vector_shuffle() -> None:
    ten = tuple("abcdefghij")
    assert "".join(Chance(fixed_seed("shore")).shuffle("deck", ten)) == "fdjeacihgb"
    assert "".join(Chance(fixed_seed("shore")).shuffle("round/1", ten)) == "hjfgcbdeai"
    assert Chance(fixed_seed("shore")).pick("chance/1", 5) == 3


# Against the second implementation


@pytest.mark.parametrize("n", range(40))
def test_both_implementations_shuffle_alike(n: int) -> None:
    rng = random.Random(n)
    seed, label = rng.randbytes(32), rng.choice(("deck", "round/1", "chance/12", "ü", "x" * 300))
    cards = [f"c{k}" for k in range(rng.randint(0, 80))]
    assert list(Chance(seed).shuffle(label, cards)) == shuffled(seed, label, cards)
    size = rng.choice((1, 2, 3, 7, 2**31, 2**31 + 1, 2**32 - 1, 2**32))
    assert Chance(seed).pick(label, size) == below(stream(seed, label), size)


def test_labels_have_streams_of_their_own() -> None:
    cards = tuple(range(40))
    deals = {Chance(SECRET).shuffle(label, cards) for label in ("scan", "scan/2", "plan", "plan/2", "species", "")}
    assert len(deals) == 6


def test_a_shuffle_keeps_every_card_and_leaves_its_argument_alone() -> None:
    cards = ["a", "b", "b", "c"]
    assert sorted(Chance(SECRET).shuffle("deck", cards)) == cards
    assert cards == ["a", "b", "b", "c"]


# No bias


class Crafted(Stream):
    """A stream whose numbers are given."""

    def __init__(self, *numbers: int) -> None:
        super().__init__(SECRET, "crafted")
        self.numbers = list(numbers)

    def _next_u32(self) -> int:
        return self.numbers.pop(0)


def test_numbers_that_would_favour_the_low_ones_are_dropped() -> None:
    limit = 2**32 - 2**32 % 34
    crafted = Crafted(limit, 2**32 - 1, limit - 1, 5)
    assert crafted.below(34) == 33  # limit - 1 is the last that counts
    assert crafted.numbers == [5]
    assert Crafted(limit + 1, 34 * 7 + 3).below(34) == 3


def test_a_power_of_two_drops_nothing() -> None:
    assert Crafted(2**32 - 1).below(2**32) == 2**32 - 1
    assert Crafted(2**32 - 1).below(16) == 15
    assert Crafted(2**32 - 1).below(1) == 0


def test_a_size_just_over_half_drops_nearly_half() -> None:
    """With 2^31 + 1 every number from there on is dropped: the path is met in real streams too."""
    size = 2**31 + 1
    numbers = Stream(SECRET, "half")
    drawn = [numbers.below(size) for _ in range(200)]
    raw = stream(SECRET, "half")
    assert drawn == [below(raw, size) for _ in range(200)]
    assert max(drawn) < size


def test_every_order_of_four_cards_is_as_likely() -> None:
    counts = Counter(Chance(SECRET).shuffle(f"order/{n}", "abcd") for n in range(24 * 400))
    assert len(counts) == 24
    chi_square = sum((count - 400) ** 2 / 400 for count in counts.values())
    assert chi_square < 50, chi_square  # 23 degrees of freedom: more than 50 has a chance of 1 in 1,000


# The commitment


def test_the_commitment_binds_the_secret_and_tells_nothing_else() -> None:
    assert commitment(SECRET) == sha256(SECRET).hexdigest()
    assert commitment(SECRET) != commitment(SECRET[::-1])
    assert len(SECRET) == chance.SECRET_BYTES


def test_every_part_of_a_match_changes_its_seed() -> None:
    seeds = {
        dealt_seed(SECRET, "m1", ["", ""]),
        dealt_seed(SECRET[::-1], "m1", ["", ""]),
        dealt_seed(SECRET, "m2", ["", ""]),
        dealt_seed(SECRET, "m1", ["", "", ""]),
        dealt_seed(SECRET, "m1", ["a", ""]),
        dealt_seed(SECRET, "m1", ["", "a"]),
        fixed_seed("m1"),
    }
    assert len(seeds) == 7


def test_lengths_keep_parts_apart() -> None:
    """Without them the nonces `ab`, `c` and `a`, `bc` would give one seed."""
    assert dealt_seed(SECRET, "m1", ["ab", "c"]) != dealt_seed(SECRET, "m1", ["a", "bc"])
    assert len2(b"") == b"\x00\x00"
    assert len2(b"x" * 258) == b"\x01\x02" + b"x" * 258
