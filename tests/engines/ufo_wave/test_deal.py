"""The deal, to the byte: which shuffle has which label, who gets which card. Written from the page, not the code."""

import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.ufo_wave import GAME
from engines.ufo_wave.moves import UfoWaveChooseSpecies
from tests.engines.ufo_wave.build import Table, start

TYPES = ("crop_circle", "abduction", "sampling", "surveillance", "contact", "sabotage")
OTHERS = {
    "military": 4, "men_in_black": 4, "police": 2, "reporter": 2, "believer": 2, "contactee": 2,
    "surge": 1, "glow": 2, "static": 2, "hum": 1, "flux": 1, "drain": 1,
}  # fmt: skip
SCAN = [f"{key}{points}" for key in TYPES for points in (1, 2, 2, 3, 4)]
SCAN += [key for key, copies in OTHERS.items() for _ in range(copies)]
EVENTS = [
    "meteor_shower", "radar_sweep", "cover_up", "media_frenzy", "solar_flare", "gravity_well", "time_warp",
    "supply_drop", "lockdown", "invasion_master_plan",
]  # fmt: skip
POWERS = [
    "missing_time", "protective_aura", "paralysis", "terrorize", "mind_control", "dimensional_shift", "tractor_beam",
    "cloak",
]  # fmt: skip
CRAFT = {"saucer": 5, "triangle": 5, "cigar": 5, "orb": 5, "shape_shifter": 4}
PLAN = [key for key in POWERS for _ in range(4)] + [key for key, copies in CRAFT.items() for _ in range(copies)]
SOLO = [key for key in POWERS[4:] for _ in range(4)] + [key for key, copies in CRAFT.items() for _ in range(copies - 2)]
SPECIES = ["greys", "reptilians", "nordics", "mantids", "tall_whites", "hybrids"]


def names(cards: object) -> list[str]:
    return [f"{card.key}{card.points}" if card.kind == "activity" else card.key for card in cards]


def by_hand(seed: str, seats: int, solo: bool = False) -> tuple[list[str], list[str], list[list[str]], list[str]]:
    """Row, rest of the Scan deck (last is the top), hands of five, rest of the Plan deck."""
    chance = Chance(fixed_seed(seed))
    scan = list(chance.shuffle("scan", SCAN))
    row = [scan.pop() for _ in range(7)]
    if not solo:
        events = chance.shuffle("events", EVENTS)[-2:]
        rest = sorted(scan + list(events), key=[*SCAN, *EVENTS].index)
        scan = list(chance.shuffle("scan/2", rest))
    plan = list(chance.shuffle("plan", SOLO if solo else PLAN))
    hands = [[plan.pop() for _ in range(5)] for _ in range(seats)]
    return row, scan, hands, plan


def dealt(table: Table) -> tuple[list[str], list[str], list[list[str]], list[str]]:
    scan = [GAME.cards[kind] for kind in table.state.scan_deck]
    plan = [card.code for card in GAME.cards if card.deck == "plan"]
    return (
        names(table.view().scan),
        [f"{card.code}{card.points}" if card.code + "1" in SCAN else card.code for card in scan],
        [sorted(table.hand(seat)) for seat in range(len(table.state.seats))],
        [plan[kind] for kind in table.state.plan_deck],
    )


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", ["a", "b"])
def test_the_deal(seats: int, seed: str) -> None:
    row, scan, hands, plan = by_hand(seed, seats)
    hands[0].append(plan.pop())  # the first seat's Draw Phase
    assert dealt(start(seats, "equal", seed)) == (row, scan, [sorted(hand) for hand in hands], plan)


def test_standard_deals_the_same_after_species_have_been_chosen() -> None:
    table = start(2, "standard", "a").do(0, UfoWaveChooseSpecies("greys")).do(1, UfoWaveChooseSpecies("hybrids"))
    assert dealt(table) == dealt(start(2, "equal", "a"))


def test_solo_uses_neither_events_nor_a_second_shuffle() -> None:
    row, scan, hands, plan = by_hand("a", 1, solo=True)
    hands[0].append(plan.pop())
    assert dealt(start(1, "solo", "a")) == (row, scan, [sorted(hands[0])], plan)


def test_covert_deals_the_top_species_to_seat_0() -> None:
    species = Chance(fixed_seed("a")).shuffle("species", SPECIES)
    table = start(4, "covert", "a", first_seat=2)
    assert [table.view(seat).seats[seat].species for seat in range(4)] == list(species[::-1][:4])


def test_the_row_lies_left_to_right_with_ids_from_1() -> None:
    assert [card.id for card in start(2, "equal", "a").view().scan if card] == [1, 2, 3, 4, 5, 6, 7]
