"""A card set as the engine plays it: every kind of card has a number, in catalogue order.

Scan kinds (an Activity's kind is its type and its worth), Plan kinds and Species are numbered each from 0. States
hold these numbers; only moves, views and events speak of keys. `cards_of` finds the tables of a state: those of the
house set, or those of the set that the state carries with it.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from engines.kit.game import CatalogueCard
from engines.ufo_wave.card_set import HAND, UfoWaveCardSet
from engines.ufo_wave.effects import COUNTERS, UfoWaveEffect
from engines.ufo_wave.house import HOUSE_SET

ScanSort = Literal["activity", "human", "energy", "event"]
SOLO_CRAFT_REMOVED = 2
ANYTHING = 1_000
"""More than any card is worth: the limit of a claim that has none."""


class UfoWaveScanCard(msgspec.Struct, frozen=True):
    """A Scan card that lies open. `id` counts the cards in the order in which they were turned up, from 1."""

    id: int
    kind: ScanSort
    key: str
    points: Annotated[
        int | None,
        msgspec.Meta(description="ET points that the card itself brings at the end; null where it brings none"),
    ]
    protected_by: Annotated[
        int | None, msgspec.Meta(description="The seat whose Protective Aura lies on this Activity")
    ] = None


class ScanKind(msgspec.Struct, frozen=True):
    """One kind of Scan card. `points` is null for Events and for Humans that count nothing by themselves."""

    sort: ScanSort
    key: str
    points: int | None
    at_once: UfoWaveEffect | None = None
    hand_limit: int = 0
    most: int = 0
    event: UfoWaveEffect | None = None


class PlanKind(msgspec.Struct, frozen=True):
    """One kind of Plan card. A Craft has no levels; `levels` of a Power are (Basic, Advanced)."""

    key: str
    levels: tuple[UfoWaveEffect, UfoWaveEffect] | None = None
    any: bool = False


class SpeciesKind(msgspec.Struct, frozen=True):
    """One Species; `automatic` is the number of its Plan kind."""

    key: str
    favoured: str
    automatic: int


class Cards:
    """The tables of one card set. Made once for each set, never changed."""

    def __init__(self, source: UfoWaveCardSet) -> None:
        self.source = source
        self.stored = "" if source == HOUSE_SET else msgspec.json.encode(source).decode()
        """What a state keeps of the set: nothing for the house set, else the whole of it."""
        self.medals = source.medals
        scan = [*_activities(source), *_humans(source), *_energy(source)]
        events = [(ScanKind("event", card.key, None, event=card.event), card.count) for card in source.event]
        powers = [(PlanKind(p.key, (p.basic, p.advanced)), p.count, p.solo) for p in source.power]
        crafts = [(PlanKind(c.key, any=c.any), c.count, max(0, c.count - SOLO_CRAFT_REMOVED)) for c in source.craft]
        self.scan: tuple[ScanKind, ...] = tuple(kind for kind, _ in (*scan, *events))
        self.plan: tuple[PlanKind, ...] = tuple(kind for kind, _, _ in (*powers, *crafts))
        self.scan_deck = _copies(enumerate(count for _, count in scan))
        self.event_deck = _copies(enumerate((count for _, count in events), len(scan)))
        self.plan_deck = _copies(enumerate(count for _, count, _ in (*powers, *crafts)))
        self.solo_deck = _copies(enumerate(left for _, _, left in (*powers, *crafts)))
        self.powers = len(powers)
        """Plan kinds below this number are Powers, the others Craft."""
        self.plan_number = {kind.key: number for number, kind in enumerate(self.plan)}
        self.species = tuple(SpeciesKind(s.key, s.favoured, self.plan_number[s.automatic]) for s in source.species)
        self.species_number = {kind.key: number for number, kind in enumerate(self.species)}
        self.counter = next((n for n, k in enumerate(self.plan) if k.levels and k.levels[0].effect in COUNTERS), None)
        """The Plan kind that counters Powers, None if the set has none."""
        self.most_seats = min(6, (len(self.plan_deck) - 1) // HAND)
        self.sorts: tuple[ScanSort, ...] = tuple(kind.sort for kind in self.scan)
        self.points: tuple[int, ...] = tuple(kind.points or 0 for kind in self.scan)
        self._faces: dict[tuple[int, int], UfoWaveScanCard] = {}

    def face(self, card: int, kind: int) -> UfoWaveScanCard:
        """The open card with this id, without an Aura. The same object each time: views show the same cards often."""
        face = self._faces.get((card, kind))
        if face is None:
            about = self.scan[kind]
            face = self._faces[card, kind] = UfoWaveScanCard(card, about.sort, about.key, about.points)
        return face

    def is_craft(self, kind: int) -> bool:
        """Whether this Plan kind is a Craft."""
        return kind >= self.powers

    def pairs(self, one: int, other: int) -> bool:
        """Whether these two Craft are a pair: equal, or one of them pairs with everything. Rules: U11."""
        return one == other or self.plan[one].any or self.plan[other].any


def cards_of(stored: str) -> Cards:
    """The tables of the set that a state keeps as `stored`; empty text is the house set."""
    return HOUSE if not stored else _compiled(stored)


@lru_cache(maxsize=32)
def _compiled(stored: str) -> Cards:
    return Cards(msgspec.json.decode(stored, type=UfoWaveCardSet))


def _copies(counts: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(number for number, count in counts for _ in range(count))


def _activities(source: UfoWaveCardSet) -> list[tuple[ScanKind, int]]:
    return [
        (ScanKind("activity", card.key, points), card.points.count(points))
        for card in source.activity
        for points in sorted(set(card.points))
    ]


def _humans(source: UfoWaveCardSet) -> list[tuple[ScanKind, int]]:
    kinds = []
    for card in source.human:
        end = card.end
        kind = ScanKind(
            sort="human",
            key=card.key,
            points=end.points if end and end.effect == "points" else None,
            at_once=card.at_once,
            hand_limit=(card.watching.change or 0) if card.watching else 0,
            most=(end.points or 0) if end and end.effect == "most" else 0,
        )
        kinds.append((kind, card.count))
    return kinds


def _energy(source: UfoWaveCardSet) -> list[tuple[ScanKind, int]]:
    return [(ScanKind("energy", card.key, card.points, at_once=card.at_once), card.count) for card in source.energy]


def catalogue(source: UfoWaveCardSet) -> tuple[CatalogueCard, ...]:
    """Every card of the set, in catalogue order, as the catalogue shows it."""
    rows: list[CatalogueCard] = []

    def row(card: msgspec.Struct, deck: str, count: int, points: int | None = None) -> None:
        code, name, text = (getattr(card, field) for field in ("key", "name", "text"))
        stand_in = source.stand_in
        rows.append(
            CatalogueCard(code=code, name=name, count=count, deck=deck, points=points, text=text, stand_in=stand_in)
        )

    for activity in source.activity:
        for points in sorted(set(activity.points)):
            row(activity, "scan", activity.points.count(points), points)
    for human in source.human:
        row(human, "scan", human.count, human.end.points if human.end and human.end.effect == "points" else None)
    for energy in source.energy:
        row(energy, "scan", energy.count, energy.points)
    for event in source.event:
        row(event, "events", event.count)
    for power in source.power:
        row(power, "plan", power.count)
    for craft in source.craft:
        row(craft, "plan", craft.count)
    for species in source.species:
        row(species, "species", 1)
    return tuple(rows)


HOUSE = Cards(HOUSE_SET)
