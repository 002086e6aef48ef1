"""Positions of UFO Wave, laid out card by card, and a table on which a test plays.

Scan cards are written as the key, Activities with their points: `abduction4`, `military`, `surge`. The cards of the
row get the ids 1, 2, ... from the left, then come those in front of seats, in score piles, on the discard pile.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import IllegalMove, NotYourTurn
from engines.kit.game import Event
from engines.ufo_wave import GAME
from engines.ufo_wave.cards import HOUSE, Cards
from engines.ufo_wave.moves import (
    UfoWaveAllow,
    UfoWaveCounter,
    UfoWaveDiscard,
    UfoWaveDiscardHuman,
    UfoWaveDismissHuman,
    UfoWaveDraw,
    UfoWaveEndAction,
    UfoWaveEndPreparation,
    UfoWaveLead,
    UfoWaveOrderScan,
    UfoWavePerform,
    UfoWavePlayPower,
    UfoWaveSetReactions,
    UfoWaveTarget,
)
from engines.ufo_wave.state import UfoWaveAura, UfoWaveSeatState, UfoWaveState
from engines.ufo_wave.view import UfoWaveView

SEVEN = ("abduction1", "contact1", "sampling2", "crop_circle3", "sabotage4", "surveillance2", "contact3")
"""A row of Activities only."""


def scan_kind(name: str, cards: Cards = HOUSE) -> int:
    """The kind of a Scan card from its name."""
    names = [f"{k.key}{k.points}" if k.sort == "activity" else k.key for k in cards.scan]
    return names.index(name)


def lay(
    row: Sequence[str] = SEVEN,
    hands: Sequence[Sequence[str]] = ((), ()),
    *,
    phase: str = "preparation",
    mode: str = "equal",
    active: int = 0,
    species: Sequence[str | None] = (),
    watching: Sequence[Sequence[str]] = (),
    piles: Sequence[Sequence[str]] = (),
    scan: Sequence[str] | None = None,
    ends: bool = False,
    plan: Sequence[str] | None = None,
    plan_ends: bool = False,
    plan_discard: Sequence[str] = (),
    auras: Sequence[tuple[int, int, bool]] = (),
    paralysed: Sequence[int] = (),
    known: Sequence[Sequence[str]] = (),
    cards: Cards = HOUSE,
    **fields: Any,
) -> "Table":
    """A position with as many seats as hands.

    `scan` are the next cards of the Scan deck, the first on top; below them lie all others (Activities first),
    or none if it `ends`.
    `plan` and `plan_ends` are the same for the Plan deck. `auras` are (id, seat, at Advanced).
    """
    seats = len(hands)
    turned = [scan_kind(name, cards) for name in row]

    def turn_up(names: Sequence[str]) -> tuple[int, ...]:
        first = len(turned) + 1
        turned.extend(scan_kind(name, cards) for name in names)
        return tuple(range(first, len(turned) + 1))

    before = [turn_up(watching[seat]) if seat < len(watching) else () for seat in range(seats)]
    claimed = [turn_up(piles[seat]) if seat < len(piles) else () for seat in range(seats)]
    held = [tuple(sorted(cards.plan_number[key] for key in hand)) for hand in hands]
    aura = cards.plan_number.get("protective_aura", -1)
    auras_laid = tuple(UfoWaveAura(card, seat, aura, claim) for card, seat, claim in auras)
    next_scan = [scan_kind(name, cards) for name in scan or ()]
    next_plan = [cards.plan_number[key] for key in plan or ()]
    discarded = [cards.plan_number[key] for key in plan_discard]
    in_use = [card for hand in held for card in hand] + next_plan + discarded + [aura] * len(auras)
    rest_of_scan = [] if ends else _without(cards.scan_deck, turned + next_scan)[::-1]
    rest_of_plan = [] if plan_ends else _without(cards.solo_deck if mode == "solo" else cards.plan_deck, in_use)
    state = UfoWaveState(
        chance=Chance(fixed_seed("laid by hand")),
        cards=cards.stored,
        mode=mode,
        phase=phase,
        active=active,
        direction=fields.pop("direction", 1),
        seats=tuple(
            UfoWaveSeatState(
                species=cards.species_number[name] if (name := _at(species, seat)) else None,
                hand=held[seat],
                known=tuple(cards.plan_number[key] for key in _at(known, seat) or ()),
                watching=before[seat],
                pile=claimed[seat],
                paralysed=_at(paralysed, seat) or 0,
            )
            for seat in range(seats)
        ),
        turned=tuple(turned),
        row=tuple(range(1, len(row) + 1)),
        scan_deck=tuple(rest_of_scan + next_scan[::-1]),
        scan_discard=(),
        plan_deck=tuple(rest_of_plan + next_plan[::-1]),
        plan_discard=tuple(discarded),
        auras=auras_laid,
        action=fields.pop("action", phase in ("preparation", "action")),
        **fields,
    )
    packed = msgspec.msgpack.encode(state)
    return Table(msgspec.msgpack.decode(packed, type=UfoWaveState))


def _at(values: Sequence[Any], seat: int) -> Any:
    return values[seat] if seat < len(values) else None


def _without(deck: Sequence[int], used: Sequence[int]) -> list[int]:
    rest = list(deck)
    for card in used:
        if card in rest:
            rest.remove(card)
    return rest


class Table:
    """A match under test: plays moves, remembers what the last one told."""

    def __init__(self, state: UfoWaveState) -> None:
        self.state = state
        self.events: tuple[Event, ...] = ()

    def do(self, seat: int, move: msgspec.Struct) -> "Table":
        """The move must be listed, or be an equivalent or anytime move; it is carried out."""
        step = GAME.apply(self.state, seat, move)
        self.state, self.events = step.state, step.events
        return self

    def perform(self, activity: int, seat: int | None = None) -> "Table":
        return self.do(self._seat(seat), UfoWavePerform(activity))

    def lead(self, human: int, to_seat: int) -> "Table":
        return self.do(self.state.active, UfoWaveLead(human, to_seat))

    def end_preparation(self) -> "Table":
        return self.do(self.state.active, UfoWaveEndPreparation())

    def end_action(self) -> "Table":
        return self.do(self.state.active, UfoWaveEndAction())

    def announce(self, power: str, level: str = "basic", craft: str | None = None, **target: int) -> "Table":
        """The active seat plays a Power; nobody has answered yet."""
        return self.do(self.state.active, playing(power, level, craft, **target))

    def power(self, power: str, level: str = "basic", craft: str | None = None, **target: int) -> "Table":
        """The active seat plays a Power, and everybody allows it. `events` are those of both."""
        events = self.announce(power, level, craft, **target).events
        while self.state.window is not None:
            events += self.do(GAME.to_move(self.state)[0], UfoWaveAllow()).events
        self.events = events
        return self

    def countered(self, power: str, level: str = "basic", craft: str | None = None, **target: int) -> "Table":
        """The active seat plays a Power; the next seat counters it at the level, with a Saucer if that is Advanced."""
        self.announce(power, level, craft, **target)
        first = GAME.to_move(self.state)[0]
        for seat in GAME.to_move(self.state):
            counter = UfoWaveCounter("basic") if level == "basic" else UfoWaveCounter("advanced", "saucer")
            self.do(seat, counter if seat == first else UfoWaveAllow())
        return self

    def dismiss(self, human: int, one: str, other: str) -> "Table":
        return self.do(self.state.active, UfoWaveDismissHuman(human, (one, other)))

    def discard(self, seat: int, card: str) -> "Table":
        return self.do(seat, UfoWaveDiscard(card))

    def discard_human(self, seat: int, human: int) -> "Table":
        return self.do(seat, UfoWaveDiscardHuman(human))

    def draw(self, seat: int, end: str) -> "Table":
        return self.do(seat, UfoWaveDraw(end))

    def order(self, *cards: int) -> "Table":
        for card in cards:
            self.do(self.state.active, UfoWaveOrderScan(card))
        return self

    def set_reactions(self, seat: int, ask: bool) -> "Table":
        return self.do(seat, UfoWaveSetReactions(ask))

    def refused(self, seat: int, move: msgspec.Struct) -> str:
        """The rule by which the move is refused; `NotYourTurn` if it is somebody else's."""
        try:
            GAME.apply(self.state, seat, move)
        except NotYourTurn:
            return "NotYourTurn"
        except IllegalMove as refusal:
            assert move not in self.legal(seat)
            return refusal.rule
        raise AssertionError(f"accepted: {move}")

    def legal(self, seat: int | None = None) -> list[Any]:
        return list(GAME.legal_moves(self.state, self._seat(seat)))

    def offered(self, *types: type[msgspec.Struct]) -> list[Any]:
        """The legal moves of these types of whoever is to move first."""
        return [move for move in self.legal(self.to_move[0]) if isinstance(move, types)]

    def powers(self) -> list[tuple[str, str]]:
        """The Powers and levels that the active seat is offered."""
        return sorted({(move.power, move.level) for move in self.legal() if isinstance(move, UfoWavePlayPower)})

    def view(self, viewer: int | None = None) -> UfoWaveView:
        """What the viewer sees; with no argument a spectator."""
        view: UfoWaveView = GAME.view_for(self.state, viewer)
        return view

    def hand(self, seat: int) -> tuple[str, ...]:
        hand = self.view(seat).hand
        assert hand is not None
        return hand

    def row(self) -> tuple[int, ...]:
        return self.state.row

    def watching(self, seat: int) -> list[str]:
        return [human.key for human in self.view().seats[seat].watching]

    def pile(self, seat: int) -> list[str]:
        pile = self.view(seat).score_pile_cards
        assert pile is not None
        return [f"{card.key}{card.points}" if card.kind == "activity" else card.key for card in pile]

    def scan_discard(self) -> list[str]:
        return [card.key for card in self.view().scan_discard]

    def told(self, type: str) -> list[Any]:
        """What the last move told under this type."""
        return [event.data for event in self.events if event.type == type]

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def to_move(self) -> tuple[int, ...]:
        return GAME.to_move(self.state)

    @property
    def points(self) -> tuple[int, ...]:
        ending = GAME.outcome(self.state)
        assert ending is not None, "the match is not over"
        return tuple(ending.points)

    def _seat(self, seat: int | None) -> int:
        return self.state.active if seat is None else seat


def playing(power: str, level: str = "basic", craft: str | None = None, **target: int) -> UfoWavePlayPower:
    """The move of playing this Power, aimed at the fields that are given."""
    return UfoWavePlayPower(power, level, craft, UfoWaveTarget(**target) if target else None)


def start(seats: int, mode: str = "standard", seed: str = "a deal", first_seat: int = 0) -> Table:
    """A match from its very beginning."""
    options = GAME.options(mode=mode, first_seat=first_seat)
    GAME.check_options(options, seats)
    step = GAME.setup(options, seats, Chance(fixed_seed(seed)))
    table = Table(step.state)
    table.events = step.events
    return table
