"""Every card of the house set: what it does, at each level; countered; without a target; under an Aura, a Cloak, a
Lockdown where that matters. In catalogue order."""

import pytest

from engines.ufo_wave import GAME
from engines.ufo_wave.cards import HOUSE
from engines.ufo_wave.moves import (
    UfoWaveAllow,
    UfoWaveChooseSpecies,
    UfoWaveDiscard,
    UfoWaveDiscardHuman,
    UfoWaveEndPreparation,
    UfoWavePerform,
    UfoWavePlayPower,
)
from tests.engines.ufo_wave.build import SEVEN, Table, lay, playing, start

ACTIVITIES = ("crop_circle", "abduction", "sampling", "surveillance", "contact", "sabotage")
SPECIES = {
    "greys": ("abduction", "mind_control"),
    "reptilians": ("sabotage", "terrorize"),
    "nordics": ("contact", "cloak"),
    "mantids": ("sampling", "tractor_beam"),
    "tall_whites": ("surveillance", "dimensional_shift"),
    "hybrids": ("crop_circle", "paralysis"),
}
FIVE, SIX = SEVEN[:5], SEVEN[:6]
SCAN = [f"{k.key}{k.points}" if k.sort == "activity" else k.key for k in HOUSE.scan]
AIMED = {
    "protective_aura": {"activity": 5},
    "paralysis": {"seat": 1},
    "terrorize": {"seat": 1},
    "dimensional_shift": {"first": 1, "second": 3},
    "tractor_beam": {},
    "cloak": {},
}
ARRANGED = {**AIMED, "dimensional_shift": {}}


def test_the_catalogue_is_in_the_printed_order_with_its_counts() -> None:
    rows = [(card.code, card.points, card.count) for card in GAME.cards if card.deck == "scan"]
    types = [(key, points, count) for key in ACTIVITIES for points, count in ((1, 1), (2, 2), (3, 1), (4, 1))]
    assert rows == [
        *types,
        ("military", None, 4), ("men_in_black", -4, 4), ("police", None, 2), ("reporter", None, 2),
        ("believer", None, 2), ("contactee", 2, 2),
        ("surge", 3, 1), ("glow", 2, 2), ("static", -2, 2), ("hum", -1, 1), ("flux", 0, 1), ("drain", 0, 1),
    ]  # fmt: skip
    assert [(card.code, card.count) for card in GAME.cards if card.deck == "plan"] == [
        ("missing_time", 4), ("protective_aura", 4), ("paralysis", 4), ("terrorize", 4), ("mind_control", 4),
        ("dimensional_shift", 4), ("tractor_beam", 4), ("cloak", 4),
        ("saucer", 5), ("triangle", 5), ("cigar", 5), ("orb", 5), ("shape_shifter", 4),
    ]  # fmt: skip
    assert [card.code for card in GAME.cards if card.deck == "events"] == [
        "meteor_shower", "radar_sweep", "cover_up", "media_frenzy", "solar_flare", "gravity_well", "time_warp",
        "supply_drop", "lockdown", "invasion_master_plan",
    ]  # fmt: skip
    assert [card.code for card in GAME.cards if card.deck == "species"] == list(SPECIES)
    assert all(card.stand_in and card.text and card.name for card in GAME.cards)
    assert sum(card.points * card.count for card in GAME.cards if card.code in ACTIVITIES and card.points) == 72


# Activities


@pytest.mark.parametrize("key", ACTIVITIES)
@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_activity(key: str, points: int) -> None:
    row = (f"{key}{points}", "military", "surge")
    favouring = next(name for name, (favoured, _) in SPECIES.items() if favoured == key)
    other = next(name for name in SPECIES if name != favouring)
    for species, bonus in ((favouring, 2), (other, 0)):
        table = lay(row, phase="action", mode="standard", species=(species, "greys"), ends=True).perform(1)
        assert table.pile(0) == [f"{key}{points}"]
        assert table.view(0).points == points + bonus - 6
        assert table.view(1).seats[0].activities == 1


def test_activity_under_an_aura() -> None:
    table = lay(("abduction4", *SIX), phase="action", auras=((1, 1, False),))
    assert table.refused(0, UfoWavePerform(1)) == "U14"


def test_activity_under_a_cloak() -> None:
    row = ("military", "abduction4", "surge", *SEVEN[:4])
    table = lay(row, phase="action", cloak=2).perform(2)
    assert (table.pile(0), table.watching(0)) == (["abduction4"], [])


# Humans


def test_military() -> None:
    table = lay(("military", "abduction4"), phase="action", ends=True).perform(2)
    assert table.points == (-2, 0)


def test_men_in_black() -> None:
    table = lay(("men_in_black", "abduction4", "men_in_black"), phase="action", ends=True).perform(2)
    assert table.points == (-4, 0)


def test_police() -> None:
    table = lay(("police", "abduction4", *FIVE), (("orb", "cloak"), ()), phase="action").perform(2)
    assert table.legal(0) == [UfoWaveDiscard("cloak"), UfoWaveDiscard("orb")]
    table.discard(0, "cloak")
    assert (table.hand(0), table.view().plan_discard) == (("orb",), ("cloak",))


def test_police_before_an_empty_hand() -> None:
    assert lay(("police", "abduction4", *FIVE), phase="action").perform(2).state.active == 1


def test_reporter() -> None:
    hand = ("orb",) * 6
    table = lay(("reporter", "abduction4", *FIVE), (hand, ()), phase="action").perform(2)
    assert (table.phase, table.view().seats[0].hand_limit) == ("discard", 5)
    assert table.view().pending.cause == "hand_limit"


def test_believer() -> None:
    table = lay(("believer", "abduction4", *FIVE), phase="action", plan=("orb", "cloak")).perform(2)
    assert table.hand(0) == ("cloak", "orb")


def test_contactee() -> None:
    table = lay(("contactee", "abduction4", "contactee"), phase="action", ends=True).perform(2)
    assert table.points == (8, 0)


@pytest.mark.parametrize("human", ["military", "men_in_black", "police", "reporter", "believer", "contactee"])
@pytest.mark.parametrize("cloak", [1, 2])
def test_a_human_beside_the_first_activity_of_a_cloaked_turn_stays(human: str, cloak: int) -> None:
    table = lay((human, "abduction4", *FIVE), (("orb",), ()), phase="action", cloak=cloak).perform(2)
    assert table.watching(0) == []
    assert table.row()[0] == 1


# Energy


@pytest.mark.parametrize(("energy", "points"), [("surge", 3), ("glow", 2), ("static", -2), ("hum", -1)])
def test_energy_with_points(energy: str, points: int) -> None:
    assert lay((energy, "abduction4"), phase="action", ends=True).perform(2).points == (4 + points, 0)


def test_flux() -> None:
    table = lay(("flux", "abduction4"), phase="action", ends=True, plan=("orb",)).perform(2)
    assert (table.hand(0), table.points) == (("orb",), (4, 0))


def test_drain() -> None:
    table = lay(("drain", "abduction4"), (("orb", "cloak"), ()), phase="action", ends=True).perform(2)
    assert table.view().pending.cause == "drain"
    assert table.discard(0, "orb").points == (4, 0)


@pytest.mark.parametrize("energy", ["surge", "glow", "static", "hum", "flux", "drain"])
def test_energy_comes_under_cloak_at_basic_and_stays_at_advanced(energy: str) -> None:
    row, hands = (energy, "abduction4", *FIVE), (("orb", "orb"), ())
    assert energy in lay(row, hands, phase="action", cloak=1).perform(2).pile(0)
    table = lay(row, hands, phase="action", cloak=2).perform(2)
    assert (table.pile(0), table.row()[0], len(table.hand(0))) == (["abduction4"], 1, 2)
    row = (energy, "contactee", *FIVE)
    assert lay(row, hands, phase="action", cloak=2).lead(2, 1).pile(0) == []
    assert energy in lay(row, hands, phase="action", cloak=1).lead(2, 1).pile(0)


# Events


def met(event: str, hands: tuple[tuple[str, ...], ...] = ((), (), ()), **fields: object) -> Table:
    """Seat 0 performs the first card of the row; filling its gap turns the Event up."""
    fields = {"scan": (event, "surge"), "phase": "action", **fields}
    return lay(fields.pop("row", SEVEN), hands, **fields).perform(1)


def test_meteor_shower() -> None:
    table = met("meteor_shower", plan=("orb", "cloak", "cigar", "saucer"))
    assert [table.hand(seat) for seat in range(3)] == [("orb",), ("cloak", "saucer"), ("cigar",)]
    assert [(event.seat, event.data.count) for event in table.events if event.type == "drew"][:3] == [
        (0, 1), (1, 1), (2, 1),
    ]  # fmt: skip


def test_radar_sweep() -> None:
    table = met("radar_sweep", (("orb", "cloak"), (), ("cigar",)))
    assert table.view().pending.cause == "radar_sweep"
    table.discard(0, "cloak")
    assert table.to_move == (2,)
    table.discard(2, "cigar")
    assert table.view().plan_discard == ("cloak", "cigar")


def test_cover_up() -> None:
    table = met("cover_up", watching=(("military", "police"), (), ("men_in_black",)))
    assert table.legal(0) == [UfoWaveDiscardHuman(8), UfoWaveDiscardHuman(9)]
    assert table.refused(0, UfoWaveDiscardHuman(10)) == "U-watching"
    table.discard_human(0, 9)
    assert table.to_move == (2,)
    table.discard_human(2, 10)
    assert [table.watching(seat) for seat in range(3)] == [["military"], [], []]
    assert table.scan_discard() == ["cover_up", "police", "men_in_black"]


def test_cover_up_before_nobody() -> None:
    assert met("cover_up").state.active == 1


def test_media_frenzy() -> None:
    row = ("abduction1", "contact1", "police", "military", *SEVEN[:3])
    table = met("media_frenzy", ((), (), ("orb",)), row=row, piles=((), (), ("contact1", "contact2")))
    assert table.watching(2) == ["police"]
    assert table.to_move == (2,)  # its immediate effect comes at once
    table.discard(2, "orb")
    assert None not in table.view().scan


def test_media_frenzy_and_a_believer() -> None:
    row = ("abduction1", "contact1", "believer", *SEVEN[:4])
    assert len(met("media_frenzy", row=row).hand(0)) == 2


def test_solar_flare() -> None:
    row = ("abduction1", "contact1", "surge", "contact2", "static", *SEVEN[:2])
    scan = ("solar_flare", "crop_circle1", "crop_circle2", "crop_circle3")
    table = met("solar_flare", row=row, scan=scan)
    assert table.scan_discard() == ["solar_flare", "surge", "static"]
    assert [card.key for card in table.view().scan if card] == [
        "crop_circle", "contact", "crop_circle", "contact", "crop_circle", "abduction", "contact",
    ]  # fmt: skip


def test_gravity_well() -> None:
    table = met("gravity_well")
    assert table.row() == (7, 6, 5, 4, 3, 2, 9)


def test_events_ignore_auras() -> None:
    table = met("gravity_well", auras=((5, 2, False),))
    assert table.row()[2] == 5
    assert table.view().scan[2].protected_by == 2


def test_time_warp() -> None:
    table = met("time_warp")
    assert (table.state.active, table.view().direction) == (2, "counterclockwise")


def test_time_warp_twice() -> None:
    table = met("time_warp", direction=-1)
    assert (table.state.active, table.view().direction) == (1, "clockwise")


def test_supply_drop() -> None:
    # Seat 0 has just claimed its second Activity; seats 1 and 2 have one each, and seat 1 draws for its turn too.
    table = met("supply_drop", piles=(("contact1",), ("contact2",), ("contact3", "surge")))
    assert [len(table.hand(seat)) for seat in range(3)] == [0, 3, 2]


def test_lockdown() -> None:
    table = met("lockdown", (("orb",), ("cloak",), ("cloak",)))
    assert (table.state.active, table.phase, table.view().lockdown) == (1, "action", True)
    table.perform(2)
    assert (table.state.active, table.phase) == (2, "action")
    table.perform(3)
    assert (table.state.active, table.phase, table.view().lockdown) == (0, "preparation", False)


def test_invasion_master_plan() -> None:
    table = met("invasion_master_plan", plan=("orb", "cloak"))
    assert (table.phase, table.to_move, table.view().plan_top) == ("draw", (1,), "orb")
    assert table.view().pending.cause == "draw_phase"
    table.draw(1, "top")
    assert (table.hand(1), table.view().plan_top, table.phase) == (("orb",), "cloak", "preparation")


@pytest.mark.parametrize("event", [k.key for k in HOUSE.scan if k.sort == "event"])
def test_every_event_is_told_shown_and_discarded(event: str) -> None:
    table = met(event)
    told = [told for told in table.events if told.type in ("turned_up", "event")]
    assert [told[0].data.card.key, told[1].data.key] == [event, event]
    assert table.view().events_seen == (event,)
    assert event in table.scan_discard()


# Powers


@pytest.mark.parametrize("power", AIMED)
def test_a_countered_power_at_basic_does_nothing(power: str) -> None:
    table = lay(hands=((power, "orb"), ("missing_time", "cigar")))
    before = table.view()
    table.countered(power, **AIMED[power])
    after = table.view()
    assert (after.scan, after.claims, after.seats[1].paralysed) == (before.scan, before.claims, None)
    assert after.plan_discard == (power, "missing_time")
    assert table.state.cloak == 0
    assert table.told("window_closed")[0].countered_by == 1


@pytest.mark.parametrize("power", AIMED)
def test_a_countered_power_at_advanced_does_nothing(power: str) -> None:
    table = lay(hands=((power, "orb", "orb"), ("missing_time", "saucer", "cigar")))
    before = table.view()
    table.countered(power, "advanced", "orb", **ARRANGED[power])
    after = table.view()
    assert (after.scan, after.claims, after.seats[1].paralysed) == (before.scan, before.claims, None)
    assert after.plan_discard == (power, "orb", "missing_time", "saucer")
    assert (table.state.cloak, table.phase) == (0, "preparation")


@pytest.mark.parametrize("level", ["basic", "advanced"])
def test_a_countered_mind_control_moves_nobody(level: str) -> None:
    hands = (("mind_control", "orb", "orb"), ("missing_time", "saucer"))
    table = lay(("military", *SIX), hands, watching=((), ("police",)))
    human = 1 if level == "basic" else 8
    table.countered("mind_control", level, "orb" if level == "advanced" else None, human=human, to_seat=0)
    assert (table.row()[0], table.watching(0), table.watching(1)) == (1, [], ["police"])


@pytest.mark.parametrize("power", [*AIMED, "mind_control"])
def test_no_power_is_played_in_lockdown(power: str) -> None:
    row, watching = ("military", *SIX), ((), ("police",))
    table = lay(row, ((), (power, "orb")), phase="action", watching=watching, lockdown=0).lead(1, 0)
    assert (table.state.active, table.phase) == (1, "action")
    target = {"human": 8, "to_seat": 0} if power == "mind_control" else AIMED[power]
    assert table.refused(1, playing(power, **target)) == "U-time"


def test_missing_time_at_basic() -> None:
    table = lay(hands=(("paralysis", "orb"), ("missing_time", "cigar"))).countered("paralysis", seat=1)
    assert (table.view().seats[1].paralysed, table.hand(1)) == (None, ("cigar",))


def test_missing_time_at_advanced_counters_either_level() -> None:
    hands = (("paralysis", "orb", "orb"), ("missing_time", "saucer"))
    table = lay(hands=hands).countered("paralysis", "advanced", "orb", seat=1)
    assert table.view().seats[1].paralysed is None
    assert table.told("window_closed")[0].level == "advanced"


def test_protective_aura_at_basic_gives_no_claim() -> None:
    table = lay(hands=(("protective_aura",), ()), scan=SEVEN).power("protective_aura", activity=5).perform(1)
    table.end_preparation().perform(2)
    assert table.view().claims.extra == ()


def test_protective_aura_at_advanced_gives_a_claim_if_the_activity_still_lies_there() -> None:
    table = lay(hands=(("protective_aura", "orb"), ()), scan=SEVEN)
    table.power("protective_aura", "advanced", "orb", activity=5).perform(5)
    table.end_preparation().perform(2)
    assert table.view().claims.extra == ()  # its owner took it itself


def test_protective_aura_without_a_target() -> None:
    table = lay(("military", "surge"), (("protective_aura", "orb"), ()), ends=True)
    assert table.powers() == []
    assert table.refused(0, playing("protective_aura", activity=1)) == "U24"
    table = lay(hands=(("protective_aura", "orb"), ()))
    assert table.refused(0, playing("protective_aura", activity=99)) == "U-row"
    assert table.refused(0, playing("protective_aura")) == "U-target"
    assert table.refused(0, playing("protective_aura", activity=1, seat=1)) == "U-target"


def test_paralysis_at_basic() -> None:
    table = lay(hands=(("paralysis",), ("cloak",))).power("paralysis", seat=1).perform(1)
    assert (table.state.active, table.phase, table.view().seats[1].paralysed) == (1, "action", None)
    table.perform(2).end_preparation().perform(3)
    assert (table.state.active, table.phase) == (1, "preparation")


def test_paralysis_at_advanced() -> None:
    table = lay(hands=(("paralysis", "orb"), ("cloak",))).power("paralysis", "advanced", "orb", seat=1).perform(1)
    assert (table.state.active, table.view().seats[1].paralysed) == (0, None)
    assert table.view().seats[1].hand_size == 2  # it drew all the same


def test_paralysis_only_of_an_opponent_who_is_there() -> None:
    table = lay(hands=(("paralysis", "orb"), ()))
    assert [move.target.seat for move in table.offered(UfoWavePlayPower) if move.level == "basic"] == [1]
    assert table.refused(0, playing("paralysis", seat=0)) == "U-target"
    assert table.refused(0, playing("paralysis", seat=7)) == "U-target"


def test_terrorize_at_basic() -> None:
    table = lay(hands=(("terrorize", "orb"), ("cloak", "cigar"))).power("terrorize", seat=1)
    assert table.legal(1) == [UfoWaveDiscard("cloak"), UfoWaveDiscard("cigar")]
    assert table.refused(1, UfoWaveDiscard("orb")) == "U-hand"
    table.discard(1, "cigar")
    assert (table.hand(1), table.to_move) == (("cloak",), (0,))


def test_terrorize_at_advanced_picks_by_chance_from_the_hand_in_catalogue_order() -> None:
    hand = ("cloak", "saucer", "cigar", "orb")
    table = lay(hands=(("terrorize", "orb", "orb"), hand)).power("terrorize", "advanced", "orb", seat=1)
    rest = list(hand)
    first = rest.pop(table.state.chance.pick("chance/1", 4))
    second = rest.pop(table.state.chance.pick("chance/2", 3))
    assert [data.card for data in table.told("discarded")] == [first, second]
    assert table.hand(1) == tuple(rest)


def test_terrorize_at_advanced_of_a_single_card() -> None:
    table = lay(hands=(("terrorize", "orb", "orb"), ("cloak",))).power("terrorize", "advanced", "orb", seat=1)
    assert table.hand(1) == ()


def test_mind_control_at_basic() -> None:
    row = ("surge", "military", "contact1", *SEVEN[:4])
    table = lay(row, (("mind_control", "orb"), (), ())).power("mind_control", human=2, to_seat=2)
    assert (table.watching(2), table.pile(0), table.phase) == (["military"], ["surge"], "preparation")
    assert table.told("led")[0].energy == (1,)
    assert table.end_preparation().perform(3).state.active == 1  # besides the action


def test_mind_control_at_advanced() -> None:
    hands = (("mind_control", "orb"), (), ())
    table = lay(hands=hands, watching=(("military",), ("reporter",), ()))
    listed = [(move.target.human, move.target.to_seat) for move in table.offered(UfoWavePlayPower)]
    assert listed == [(8, 1), (8, 2), (9, 0), (9, 2)]
    table.power("mind_control", "advanced", "orb", human=9, to_seat=2)
    assert (table.watching(1), table.watching(2)) == ([], ["reporter"])
    told = table.told("moved_human")[0]
    assert (told.human, told.from_seat, told.to_seat) == (9, 1, 2)


def test_mind_control_at_advanced_in_solo() -> None:
    table = lay(hands=(("mind_control", "orb"),), mode="solo", watching=(("men_in_black",),))
    assert table.refused(0, playing("mind_control", "advanced", "orb", human=8, to_seat=0)) == "U-target"
    table.power("mind_control", "advanced", "orb", human=8)
    assert (table.watching(0), table.scan_discard()) == ([], ["men_in_black"])


def test_mind_control_without_a_target() -> None:
    table = lay(("military", *SIX), (("mind_control", "orb"), ()))
    assert table.powers() == [("mind_control", "basic")]
    assert table.refused(0, playing("mind_control", "advanced", "orb", human=1, to_seat=1)) == "U24"
    assert table.refused(0, playing("mind_control", human=3, to_seat=1)) == "U-target"
    assert table.refused(0, playing("mind_control", human=1, to_seat=5)) == "U-target"


def test_dimensional_shift_at_basic() -> None:
    table = lay(hands=(("dimensional_shift", "orb"), ())).power("dimensional_shift", first=2, second=6)
    assert table.row() == (1, 6, 3, 4, 5, 2, 7)
    assert [event.seat for event in table.events if event.type == "scan_changed"] == [0]


def test_dimensional_shift_at_basic_takes_the_two_in_either_order() -> None:
    table = lay(hands=(("dimensional_shift", "orb"), ())).power("dimensional_shift", first=6, second=2)
    assert table.row() == (1, 6, 3, 4, 5, 2, 7)
    assert (table.told("power_played")[0].target.first, table.told("power_played")[0].target.second) == (2, 6)
    assert table.state.plan_discard != ()


def test_dimensional_shift_under_an_aura() -> None:
    table = lay(hands=(("dimensional_shift", "orb"), ()), auras=((2, 1, False),))
    assert table.refused(0, playing("dimensional_shift", first=1, second=2)) == "U14"
    assert len([move for move in table.offered(UfoWavePlayPower) if move.level == "basic"]) == 15


def test_dimensional_shift_without_a_target() -> None:
    hands = (("dimensional_shift", "orb"), ())
    assert lay(("abduction4",), hands, ends=True).powers() == []
    assert lay(("abduction4", "contact1"), hands, ends=True, auras=((1, 1, False),)).powers() == []
    table = lay(hands=hands)
    assert table.refused(0, playing("dimensional_shift", first=1, second=1)) == "U-target"
    assert table.refused(0, playing("dimensional_shift", first=1, second=99)) == "U-row"
    assert table.refused(0, playing("dimensional_shift", "advanced", "orb", first=1, second=2)) == "U-target"


def test_dimensional_shift_at_advanced_can_leave_the_row_as_it_is() -> None:
    table = lay(hands=(("dimensional_shift", "orb"), ())).power("dimensional_shift", "advanced", "orb")
    table.order(1, 2, 3, 4, 5, 6)
    assert table.row() == (1, 2, 3, 4, 5, 6, 7)


def test_tractor_beam_at_basic() -> None:
    table = lay(hands=(("tractor_beam",), ())).power("tractor_beam").perform(5).perform(3)
    assert table.pile(0) == ["sabotage4", "sampling2"]


def test_tractor_beam_at_advanced() -> None:
    table = lay(hands=(("tractor_beam", "orb"), ())).power("tractor_beam", "advanced", "orb")
    assert table.view().claims.extra[0].at_most is None
    assert table.perform(5).perform(7).pile(0) == ["sabotage4", "contact3"]


def test_tractor_beam_needs_no_target() -> None:
    table = lay(("military", "surge"), (("tractor_beam",), ()), ends=True)
    assert table.powers() == [("tractor_beam", "basic")]
    assert table.refused(0, playing("tractor_beam", seat=1)) == "U-target"


def test_tractor_beam_does_not_reach_under_an_aura() -> None:
    table = lay(hands=(("tractor_beam", "orb"), ()), auras=((3, 1, False),)).power("tractor_beam").end_preparation()
    assert table.perform(5).refused(0, UfoWavePerform(3)) == "U14"


def test_cloak_at_basic_covers_the_first_activity_only() -> None:
    row = ("military", "abduction4", "surge", "reporter", "contact1", *SEVEN[:2])
    table = lay(row, (("cloak", "tractor_beam"), ())).power("cloak").power("tractor_beam").perform(2)
    assert (table.watching(0), table.pile(0)) == ([], ["abduction4", "surge"])
    assert table.perform(5).watching(0) == ["reporter"]


def test_cloak_at_advanced_covers_the_whole_turn() -> None:
    row = ("military", "abduction4", "surge", "reporter", "contact1", *SEVEN[:2])
    hands = (("cloak", "tractor_beam", "orb"), ())
    table = lay(row, hands).power("cloak", "advanced", "orb").power("tractor_beam").perform(2)
    assert table.perform(5).watching(0) == []
    assert table.pile(0) == ["abduction4", "contact1"]
    table.end_preparation().perform(7)
    assert table.state.cloak == 0


def test_cloak_does_not_hide_from_a_human_that_is_led_to_oneself() -> None:
    table = lay(("contactee", *SIX), phase="action", cloak=2).lead(1, 0)
    assert table.watching(0) == ["contactee"]


# Craft


@pytest.mark.parametrize("craft", ["saucer", "triangle", "cigar", "orb", "shape_shifter"])
def test_craft(craft: str) -> None:
    table = lay(hands=((craft, craft, "cloak", "cloak"), ()), watching=(("military",),))
    assert playing("cloak", "advanced", craft) in table.legal()
    table.dismiss(8, craft, craft)
    assert (table.hand(0), table.view().plan_discard) == (("cloak", "cloak"), (craft, craft))
    assert table.told("human_dismissed")[0].craft == (craft, craft)
    assert table.refused(0, playing(craft)) == "U-hand"


def test_a_craft_is_no_power() -> None:
    assert lay(hands=(("orb",), ())).refused(0, playing("orb")) == "U-target"


# Species


@pytest.mark.parametrize("key", SPECIES)
def test_species(key: str) -> None:
    favoured, power = SPECIES[key]
    other = next(name for name in SPECIES if name != key)
    hands, watching = ((power,), ("orb",)), ((), ("police",))
    table = lay(("military", *SIX), hands, mode="standard", species=(key, other), watching=watching)
    assert (power, "advanced") in table.powers()
    stranger = lay(("military", *SIX), hands, mode="standard", species=(other, key), watching=watching)
    assert (power, "advanced") not in stranger.powers()
    assert table.view(0).favoured == favoured
    move = next(move for move in table.legal() if isinstance(move, UfoWavePlayPower) and move.level == "advanced")
    table.do(0, move).do(1, UfoWaveAllow())
    assert table.view().plan_discard[:1] == (power,)


@pytest.mark.parametrize("key", SPECIES)
def test_species_can_be_chosen(key: str) -> None:
    assert start(2).do(0, UfoWaveChooseSpecies(key)).told("species_chosen")[0].species == key


def test_every_card_of_the_row_is_met_in_a_name() -> None:
    assert len(SCAN) == 24 + 6 + 6 + 10
    assert UfoWaveEndPreparation() in lay(hands=(("orb",), ())).legal()
