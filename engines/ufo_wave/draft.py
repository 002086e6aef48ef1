"""A position while one move is being carried out: the same fields as the state, but they can be changed.

`open_draft` unpacks a state, the rules change the draft and note what everybody sees, `close` makes the new state
and the step. Nothing outlives the move; the state that it began from is never touched.
"""

from collections.abc import Sequence

import msgspec

from engines.kit.chance import Chance
from engines.kit.game import Event, Step
from engines.ufo_wave.cards import Cards, UfoWaveScanCard, cards_of
from engines.ufo_wave.options import Mode
from engines.ufo_wave.state import (
    GAP,
    Errand,
    Phase,
    UfoWaveAura,
    UfoWaveErrand,
    UfoWaveSeatState,
    UfoWaveState,
    UfoWaveWindow,
)


class DraftSeat:
    """One seat of a draft; the fields of `UfoWaveSeatState`."""

    __slots__ = ("asks", "changes", "hand", "known", "paralysed", "pile", "species", "watching")

    def __init__(self, seat: UfoWaveSeatState) -> None:
        self.species = seat.species
        self.hand = list(seat.hand)
        self.known = list(seat.known)
        self.watching = list(seat.watching)
        self.pile = list(seat.pile)
        self.paralysed = seat.paralysed
        self.asks = seat.asks
        self.changes = seat.changes

    def frozen(self) -> UfoWaveSeatState:
        return UfoWaveSeatState(
            self.species,
            tuple(self.hand),
            tuple(self.known),
            tuple(self.watching),
            tuple(self.pile),
            self.paralysed,
            self.asks,
            self.changes,
        )

    def gain(self, card: int) -> None:
        """Put this Plan card into the hand, which stays in catalogue order."""
        self.hand.append(card)
        self.hand.sort()

    def lose(self, card: int) -> None:
        """Take this Plan card from the hand. If one of its copies was known, that is the one. Rules: U29."""
        self.hand.remove(card)
        if card in self.known:
            self.known.remove(card)


class Draft:
    """All fields of `UfoWaveState`, changeable, with the tables of its card set and the events so far."""

    __slots__ = (
        "acted",
        "action",
        "active",
        "agenda",
        "auras",
        "cards",
        "chance",
        "claims",
        "cloak",
        "direction",
        "events",
        "extra",
        "lockdown",
        "mode",
        "open_plan",
        "phase",
        "picks",
        "plan_deck",
        "plan_discard",
        "plan_shuffles",
        "row",
        "scan_deck",
        "scan_discard",
        "seats",
        "turned",
        "window",
    )

    def __init__(self, state: UfoWaveState) -> None:
        self.cards: Cards = cards_of(state.cards)
        self.events: list[Event] = []
        self.chance: Chance = state.chance
        self.mode: Mode = state.mode
        self.phase: Phase = state.phase
        self.active = state.active
        self.direction = state.direction
        self.seats = [DraftSeat(seat) for seat in state.seats]
        self.turned = list(state.turned)
        self.row = list(state.row)
        self.scan_deck = list(state.scan_deck)
        self.scan_discard = list(state.scan_discard)
        self.plan_deck = list(state.plan_deck)
        self.plan_discard = list(state.plan_discard)
        self.auras: list[UfoWaveAura] = list(state.auras)
        self.lockdown = state.lockdown
        self.open_plan = state.open_plan
        self.window: UfoWaveWindow | None = state.window
        self.agenda: list[UfoWaveErrand] = list(state.agenda)
        self.action = state.action
        self.claims = list(state.claims)
        self.extra = list(state.extra)
        self.acted = state.acted
        self.cloak = state.cloak
        self.plan_shuffles = state.plan_shuffles
        self.picks = state.picks

    def close(self) -> Step:
        """The new state and what everybody saw."""
        state = UfoWaveState(
            self.chance,
            self.cards.stored,
            self.mode,
            self.phase,
            self.active,
            self.direction,
            tuple([seat.frozen() for seat in self.seats]),
            tuple(self.turned),
            tuple(self.row),
            tuple(self.scan_deck),
            tuple(self.scan_discard),
            tuple(self.plan_deck),
            tuple(self.plan_discard),
            tuple(self.auras),
            self.lockdown,
            self.open_plan,
            self.window,
            tuple(self.agenda),
            self.action,
            tuple(self.claims),
            tuple(self.extra),
            self.acted,
            self.cloak,
            self.plan_shuffles,
            self.picks,
        )
        return Step(state, tuple(self.events))

    def tell(self, type: str, seat: int | None, what: msgspec.Struct) -> None:
        """Note a public fact."""
        self.events.append(Event(type, seat, what))

    def due(self, do: Errand, seat: int = -1, count: int = 1, cause: str = "") -> None:
        """Put an errand on the agenda; it comes before all that are there already."""
        self.agenda.append(UfoWaveErrand(do, seat, count, cause))

    def sort(self, card: int) -> str:
        """What sort of Scan card this id is; empty text for a gap."""
        return self.cards.sorts[self.turned[card - 1]] if card != GAP else ""

    def open_row(self) -> tuple[UfoWaveScanCard | None, ...]:
        """The row as everybody sees it."""
        return shown_row(self.row, self.turned, self.auras, self.cards)

    def discard_plan(self, cards: Sequence[int]) -> None:
        """Lay these Plan cards on the open discard pile."""
        self.plan_discard.extend(cards)
        self.restock()

    def restock(self) -> None:
        """As soon as the Plan deck is empty, its discard pile is shuffled to be the deck. Rules: U9."""
        if not self.plan_deck and self.plan_discard:
            self.plan_shuffles += 1
            pile = sorted(self.plan_discard)
            self.plan_deck = list(self.chance.shuffle(f"plan/{self.plan_shuffles}", pile))
            self.plan_discard = []


def shown_row(
    row: Sequence[int], turned: Sequence[int], auras: Sequence[UfoWaveAura], cards: Cards
) -> tuple[UfoWaveScanCard | None, ...]:
    """The row, left to right, with the Auras on it; None for a gap."""
    faces = [cards.face(card, turned[card - 1]) if card != GAP else None for card in row]
    for aura in auras:
        face = faces[row.index(aura.activity)]
        if face is not None:
            faces[row.index(aura.activity)] = msgspec.structs.replace(face, protected_by=aura.seat)
    return tuple(faces)
