"""A card set: everything that the rulebook leaves to the cards, as plain data in one TOML form.

`parse` reads the text of a file and says what is wrong with it: the file, the card, the reason. The form is
described for its writers in docs/card-sets.md; what the cards mean to the engine is worked out in cards.py.
"""

import tomllib
from typing import Annotated, TypeVar

import msgspec

from engines.ufo_wave.effects import COUNTERS, Slot, UfoWaveEffect, fault

Key = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$", max_length=40)]
Text = Annotated[str, msgspec.Meta(max_length=400)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
Count = Annotated[int, msgspec.Meta(ge=1, le=20)]
Kept = Annotated[int, msgspec.Meta(ge=0, le=20)]
Points = Annotated[int, msgspec.Meta(ge=-20, le=20)]
Medal = Annotated[int, msgspec.Meta(ge=-999, le=999)]

ROW = 7
HAND = 5
SCAN_LIMIT = 120
PLAN_LIMIT = 120
LONGEST_SET = 20_000
"""Characters of a whole set as JSON, as options and states of its matches carry it; the house set has some 7,000."""


class CardSetError(ValueError):
    """A card set that cannot be played. Its text names the file, the card and the reason."""

    def __init__(self, file: str, card: str, reason: str) -> None:
        super().__init__(f"{file}: {card}: {reason}")
        self.file, self.card, self.reason = file, card, reason


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    key: Key
    name: Name
    text: Text = ""


class UfoWaveActivityCards(_Form, frozen=True):
    """Activities of one type: one card for each number in `points`, which must ascend."""

    points: Annotated[tuple[Annotated[int, msgspec.Meta(ge=0, le=20)], ...], msgspec.Meta(min_length=1, max_length=20)]


class UfoWaveHumanCards(_Form, frozen=True):
    """`count` like Humans: what they do at once, while they watch, and at the end."""

    count: Count
    at_once: UfoWaveEffect | None = None
    watching: UfoWaveEffect | None = None
    end: UfoWaveEffect | None = None


class UfoWaveEnergyCards(_Form, frozen=True):
    """`count` like Energy cards."""

    points: Points
    count: Count = 1
    at_once: UfoWaveEffect | None = None


class UfoWaveEventCards(_Form, frozen=True):
    """`count` like Events. Two of all are shuffled into the Scan deck."""

    event: UfoWaveEffect
    count: Count = 1


class UfoWavePowerCards(_Form, frozen=True):
    """`count` like Powers; `solo` of them are left in solo mode."""

    count: Count
    solo: Kept
    basic: UfoWaveEffect
    advanced: UfoWaveEffect


class UfoWaveCraftCards(_Form, frozen=True):
    """`count` like Craft; solo mode removes two of them. `any` is a shape shifter: it pairs with every Craft."""

    count: Count
    any: bool = False


class UfoWaveSpeciesCard(_Form, frozen=True):
    """A Species: its favoured type of Activity, and the Power that it plays at Advanced without a Craft."""

    favoured: Key
    automatic: Key


class UfoWaveMedals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The points from which a solo player wins each medal."""

    bronze: Medal
    silver: Medal
    gold: Medal


class UfoWaveCardSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A whole card set. The lists, in this order, are the catalogue order in which every shuffle begins.

    `stand_in` is true where the cards are not those of the published game.
    """

    key: Key
    name: Name
    stand_in: bool
    medals: UfoWaveMedals
    activity: tuple[UfoWaveActivityCards, ...]
    human: tuple[UfoWaveHumanCards, ...] = ()
    energy: tuple[UfoWaveEnergyCards, ...] = ()
    event: tuple[UfoWaveEventCards, ...] = ()
    power: tuple[UfoWavePowerCards, ...] = ()
    craft: tuple[UfoWaveCraftCards, ...] = ()
    species: tuple[UfoWaveSpeciesCard, ...] = ()


_TABLES: dict[str, type[_Form]] = {
    "activity": UfoWaveActivityCards,
    "human": UfoWaveHumanCards,
    "energy": UfoWaveEnergyCards,
    "event": UfoWaveEventCards,
    "power": UfoWavePowerCards,
    "craft": UfoWaveCraftCards,
    "species": UfoWaveSpeciesCard,
}


def parse(text: str, file: str) -> UfoWaveCardSet:
    """The card set that this TOML text describes; `file` is only for the errors.

    Raises `CardSetError` for, in this order: text that is no TOML, a card that does not fit its form, an effect that
    does not exist (those that exist are listed), cards that do not fit each other, too few or too many cards.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CardSetError(file, "the file", f"is not TOML: {error}") from error
    whole = {name: _cards(file, name, tables[name]) if name in _TABLES else tables[name] for name in tables}
    card_set = _convert(file, "the file", whole, UfoWaveCardSet)
    verify(card_set, file)
    return card_set


def verify(card_set: UfoWaveCardSet, file: str) -> None:
    """Whether the cards exist as far as their effects go, and fit each other. Raises `CardSetError`."""
    _check_effects(file, card_set)
    _check_names(file, card_set)
    _check_counts(file, card_set)


def _cards(file: str, table: str, entries: object) -> tuple[_Form, ...]:
    if not isinstance(entries, list):
        raise CardSetError(file, table, f"must be a list of tables, each written [[{table}]]")
    return tuple(_convert(file, _called(table, i, entry), entry, _TABLES[table]) for i, entry in enumerate(entries, 1))


def _called(table: str, number: int, entry: object) -> str:
    key = entry.get("key") if isinstance(entry, dict) else None
    return f"{table} {key!r}" if isinstance(key, str) else f"{table} number {number}"


T = TypeVar("T")


def _convert(file: str, card: str, entry: object, form: type[T]) -> T:
    try:
        return msgspec.convert(entry, form)
    except msgspec.ValidationError as error:
        raise CardSetError(file, card, str(error)) from error


def _check_effects(file: str, cards: UfoWaveCardSet) -> None:
    def look(card: str, slot: Slot, effect: UfoWaveEffect | None) -> None:
        reason = fault(slot, effect) if effect else None
        if reason:
            raise CardSetError(file, card, reason)

    for human in cards.human:
        look(f"human {human.key!r}", "at_once", human.at_once)
        look(f"human {human.key!r}", "watching", human.watching)
        look(f"human {human.key!r}", "end", human.end)
    for energy in cards.energy:
        look(f"energy {energy.key!r}", "at_once", energy.at_once)
    for event in cards.event:
        look(f"event {event.key!r}", "event", event.event)
    for power in cards.power:
        look(f"power {power.key!r}", "level", power.basic)
        look(f"power {power.key!r}", "level", power.advanced)


def _check_names(file: str, cards: UfoWaveCardSet) -> None:
    """Keys are unique, Species name Activities and Powers that exist, and a `counter` is one Power at both levels."""
    seen: set[str] = set()
    for table in _TABLES:
        for card in getattr(cards, table):
            if card.key in seen:
                raise CardSetError(file, f"{table} {card.key!r}", "this key is used twice")
            seen.add(card.key)
    for activity in cards.activity:
        if list(activity.points) != sorted(activity.points):
            raise CardSetError(file, f"activity {activity.key!r}", "its points must ascend")
    for species in cards.species:
        if species.favoured not in {card.key for card in cards.activity}:
            raise CardSetError(file, f"species {species.key!r}", f"no activity has the key {species.favoured!r}")
        if species.automatic not in {card.key for card in cards.power}:
            raise CardSetError(file, f"species {species.key!r}", f"no power has the key {species.automatic!r}")
    counters = [card for card in cards.power if {card.basic.effect, card.advanced.effect} & set(COUNTERS)]
    for power in counters:
        if not {power.basic.effect, power.advanced.effect} <= set(COUNTERS):
            raise CardSetError(file, f"power {power.key!r}", "a counter must be one at both of its levels")
    if len(counters) > 1:
        raise CardSetError(file, f"power {counters[1].key!r}", "only one Power of a set can be a counter")


def _check_counts(file: str, cards: UfoWaveCardSet) -> None:
    scan = sum(len(card.points) for card in cards.activity)
    scan += sum(card.count for card in cards.human) + sum(card.count for card in cards.energy)
    events = sum(card.count for card in cards.event)
    plan = sum(card.count for card in cards.power) + sum(card.count for card in cards.craft)
    if not cards.activity:
        raise CardSetError(file, "the file", "needs at least one activity")
    if not ROW < scan <= SCAN_LIMIT:
        raise CardSetError(
            file, "the file", f"needs {ROW + 1} to {SCAN_LIMIT} Scan cards without Events; it has {scan}"
        )
    if events > SCAN_LIMIT:
        raise CardSetError(file, "the file", f"has more than {SCAN_LIMIT} Events")
    if not HAND < plan <= PLAN_LIMIT:
        raise CardSetError(file, "the file", f"needs {HAND + 1} to {PLAN_LIMIT} Plan cards; it has {plan}")
    if any(card.solo > card.count for card in cards.power):
        culprit = next(card for card in cards.power if card.solo > card.count)
        raise CardSetError(file, f"power {culprit.key!r}", "'solo' cannot be more than 'count'")
    if (length := len(msgspec.json.encode(cards).decode())) > LONGEST_SET:
        reason = f"its names and texts are too long: {length} characters in all, {LONGEST_SET} at most"
        raise CardSetError(file, "the file", reason)
    if not cards.medals.bronze <= cards.medals.silver <= cards.medals.gold:
        raise CardSetError(file, "medals", "bronze, silver and gold must ascend")
