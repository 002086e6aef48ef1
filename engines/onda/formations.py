"""Every formation that can ever be laid, in canonical order, and what beats what.

A *formation* here is a way to lay cards: which come from the hand and, if a wild is among them, what it stands
for. There are 548, numbered in the order in which legal moves are listed: by number of cards laid (the wild
counts), then by hand cards in catalogue order, without a wild before with one, then by the card that it stands for.

Rules: RULES.md §4 (formations), §5.1 (stronger), §6 (wilds); O8, O9.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import msgspec

from engines.onda.cards import CATALOGUE, HAND_RANK, RANK, OndaCard, Pile, pile_of
from engines.onda.combinations import Combinations, Selection

Kind = Literal["single", "sequence", "set"]
Shape = tuple[Kind, int]
"""Kind and size: what a follower must match."""

LONGEST = 4


class Formation(msgspec.Struct, frozen=True):
    """One way to lay cards. `index` is its place in `FORMATIONS`."""

    index: int
    kind: Kind
    size: int
    number: int
    """The lowest number, the wild's included."""
    cards: tuple[OndaCard, ...]
    """Those from the hand, in hand order."""
    wild_as: OndaCard | None
    """What the wild stands for: green wherever its suit makes no difference (a single, a set)."""
    need: Pile
    """The cards from the hand, as a pile."""

    @property
    def shape(self) -> Shape:
        """What another formation must share with this one to follow it."""
        return self.kind, self.size


class _Way(NamedTuple):
    kind: Kind
    number: int
    cards: tuple[OndaCard, ...]
    wild_as: OndaCard | None


def _code(suit: str, number: int) -> OndaCard:
    return CATALOGUE[(number - 1) if suit == "g" else (14 + number)]


def _sets() -> Iterator[_Way]:
    """One to four of a number, at most two of a suit from the hand; one may be the wild. Rules: §4.1, §4.3."""
    for number in range(1, 16):
        green, blue = _code("g", number), _code("b", number)
        for greens in range(3):
            for blues in range(3):
                cards = (green,) * greens + (blue,) * blues
                if cards:
                    yield _Way("single" if len(cards) == 1 else "set", number, cards, None)
                if len(cards) < LONGEST:
                    yield _Way("set" if cards else "single", number, cards, green)


def _sequences() -> Iterator[_Way]:
    """Two to four consecutive numbers of a suit; any one of them may be the wild. Rules: §4.2."""
    for suit in "gb":
        for size in range(2, LONGEST + 1):
            for lowest in range(1, 17 - size):
                run = tuple(_code(suit, lowest + step) for step in range(size))
                yield _Way("sequence", lowest, run, None)
                for gap, missing in enumerate(run):
                    yield _Way("sequence", lowest, run[:gap] + run[gap + 1 :], missing)


def _canonical(way: _Way) -> tuple[int, list[int], int]:
    laid = len(way.cards) + (way.wild_as is not None)
    return laid, [RANK[card] for card in way.cards], -1 if way.wild_as is None else RANK[way.wild_as]


def _all() -> Iterator[Formation]:
    for index, way in enumerate(sorted([*_sets(), *_sequences()], key=_canonical)):
        size = len(way.cards) + (way.wild_as is not None)
        yield Formation(index, way.kind, size, way.number, way.cards, way.wild_as, pile_of(way.cards))


FORMATIONS: tuple[Formation, ...] = tuple(_all())
"""All 548, in canonical order."""

LAYABLE = Combinations([formation.need for formation in FORMATIONS])
"""Which formations a hand can lay: `LAYABLE.held_in(hand)`; those with a wild also need a card face down."""


def _selection(*shapes: Shape, above: int = 0, below: int = 16) -> Selection:
    return sum(1 << f.index for f in FORMATIONS if f.shape in shapes and above < f.number < below)


PLAIN: Selection = sum(1 << f.index for f in FORMATIONS if f.wild_as is None)
"""The formations without a wild."""

ANY: Selection = (1 << len(FORMATIONS)) - 1

BOMBS: tuple[Shape, ...] = (("sequence", 2), ("set", 2), ("sequence", 3), ("set", 3), ("sequence", 4), ("set", 4))
"""The shapes on the bomb cards A to F. Rules: §7.2."""

BombLetter = Literal["A", "B", "C", "D", "E", "F"]
BOMB_LETTERS: tuple[BombLetter, ...] = get_args(BombLetter)

OF_BOMB: tuple[Selection, ...] = tuple(_selection(shape) for shape in BOMBS)
"""For each bomb card the formations that have its shape."""

_HIGHER = tuple(_selection(f.shape, above=f.number) for f in FORMATIONS)
_LOWER = tuple(_selection(f.shape, below=f.number) for f in FORMATIONS)


def stronger(table: Formation | None, high: bool) -> Selection:
    """The formations that may be laid over this one under this tide; every one on an empty table.

    Same kind, same size, strictly higher (High) or lower (Low) lowest number; suits do not matter. Rules: §5.1, O8.
    """
    if table is None:
        return ANY
    return (_HIGHER if high else _LOWER)[table.index]


def _names() -> Iterator[tuple[tuple[tuple[OndaCard, ...], OndaCard | None], Formation]]:
    for formation in FORMATIONS:
        yield (formation.cards, formation.wild_as), formation
        if formation.wild_as is not None and formation.kind != "sequence":
            yield (formation.cards, _code("b", formation.number)), formation


_BY_NAME = dict(_names())


def formation_of(cards: tuple[OndaCard, ...], wild_as: OndaCard | None) -> Formation | None:
    """The formation that these hand cards, in any order, make with this wild (None: without); None if they make none.

    Both suits name a wild in a single or a set. Rules: §4, §6.2, O9.
    """
    found = _BY_NAME.get((cards, wild_as))
    if found is None and len(cards) <= LONGEST:
        found = _BY_NAME.get((tuple(sorted(cards, key=HAND_RANK.__getitem__)), wild_as))
    return found
