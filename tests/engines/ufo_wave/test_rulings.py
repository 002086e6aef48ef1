"""The rulings U1 to U29, one section each, in their order; every test name begins with the ruling it holds to."""

import pytest

from engines.kit.errors import InvalidOptions
from engines.ufo_wave import GAME
from engines.ufo_wave.cards import HOUSE
from engines.ufo_wave.moves import (
    UfoWaveAllow,
    UfoWaveChooseSpecies,
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
from tests.engines.ufo_wave.build import SEVEN, Table, lay, playing, start

SIX = SEVEN[:6]
FIVE = SEVEN[:5]


def test_u1_species_are_chosen_from_the_first_seat_clockwise() -> None:
    table = start(3, first_seat=1)
    for seat, key in ((1, "greys"), (2, "mantids"), (0, "nordics")):
        assert table.to_move == (seat,)
        table.do(seat, UfoWaveChooseSpecies(key))
    assert (table.phase, table.state.active) == ("preparation", 1)


def test_u1_until_the_last_is_chosen_the_row_is_empty_and_hands_are_null() -> None:
    table = start(2).do(0, UfoWaveChooseSpecies("greys"))
    assert table.view(0).scan == ()
    assert table.view(0).hand is None
    assert [seat.hand_size for seat in table.view().seats] == [0, 0]
    table.do(1, UfoWaveChooseSpecies("nordics"))
    assert len(table.view(0).scan) == 7
    assert len(table.hand(1)) == 5
    assert [event.type for event in table.events] == ["species_chosen", "row_dealt", "phase", "drew", "phase"]


def test_u2_an_event_stops_the_filling_and_it_goes_on_at_the_leftmost_gap() -> None:
    row = ("military", "abduction4", "surge", *SEVEN[:4])
    table = lay(row, phase="action", scan=("contact1", "gravity_well", "contact2", "contact3")).perform(2)
    # One gap is filled, the row is turned round, so the two gaps lie elsewhere; they are filled from the left again.
    assert [f"{card.key}{card.points}" for card in table.view().scan if card] == [
        "crop_circle3", "sampling2", "contact1", "abduction1", "contact2", "contact3", "contact1",
    ]  # fmt: skip
    assert table.scan_discard() == ["gravity_well"]


def test_u2_if_the_deck_ends_there_the_row_closes_up() -> None:
    row = ("military", "abduction4", "surge", *SEVEN[:4])
    table = lay(row, phase="action", scan=("gravity_well",), ends=True).perform(2)
    assert table.row() == (7, 6, 5, 4)


def test_u2_an_event_that_asks_is_answered_before_the_filling_goes_on() -> None:
    table = lay(SEVEN, (("orb",), ("cigar",)), phase="action", scan=("radar_sweep", "surge")).perform(1)
    assert table.view().scan[0] is None
    assert table.to_move == (0,)
    table.discard(0, "orb")
    assert table.to_move == (1,)
    assert table.view().scan[0] is None
    table.discard(1, "cigar")
    assert table.view().scan[0].key == "surge"


def test_u3_no_chain_beyond_direct_neighbours() -> None:
    table = lay(("military", "surge", "abduction4", "reporter", "glow", *SEVEN[:2]), phase="action").perform(3)
    assert table.pile(0) == ["abduction4", "surge"]
    assert table.watching(0) == ["reporter"]


def test_u4_humans_and_activities_beside_a_led_human_stay() -> None:
    table = lay(("reporter", "military", "abduction4", *SEVEN[:4]), phase="action").lead(2, 1)
    assert table.watching(1) == ["military"]
    assert table.row()[0] == 1
    assert table.row()[2] == 3


def test_u4_a_human_may_be_led_to_oneself() -> None:
    table = lay(("contactee", *SIX), phase="action").lead(1, 0)
    assert table.watching(0) == ["contactee"]


def test_u5_the_immediate_effect_comes_by_watching() -> None:
    table = lay(("police", "abduction4", *FIVE), (("orb", "cigar"), ()), phase="action").perform(2)
    assert table.view().pending.cause == "police"
    assert table.discard(0, "orb").hand(0) == ("cigar",)


def test_u5_the_immediate_effect_comes_by_being_led() -> None:
    table = lay(("police", *SIX), ((), ("orb", "cigar")), phase="action").lead(1, 1)
    assert (table.to_move, table.state.active) == ((1,), 0)
    table.discard(1, "orb")
    assert table.state.active == 1


def test_u5_the_immediate_effect_comes_by_being_moved() -> None:
    hands = (("mind_control", "saucer"), ())
    table = lay(hands=hands, watching=((), ("believer",)), active=0, plan=("orb", "cloak"))
    table.power("mind_control", "advanced", "saucer", human=8, to_seat=0)
    assert table.hand(0) == ("cloak", "orb")


def test_u6_the_leftmost_energy_is_discarded_while_there_is_only_energy() -> None:
    row = ("surge", "glow", "glow", "static", "static", "hum", "flux")
    table = lay(row, (("orb",), ()), scan=("drain", "abduction1")).end_preparation()
    assert table.scan_discard() == ["surge", "drain"]
    assert [card.key for card in table.view().scan if card] == [
        "abduction", "glow", "glow", "static", "static", "hum", "flux",
    ]  # fmt: skip


def test_u6_the_action_is_skipped_if_all_is_protected_and_there_is_no_human() -> None:
    table = lay(("abduction4", "surge"), (("orb",), ("orb",)), ends=True, auras=((1, 1, False),)).end_preparation()
    assert table.state.active == 1
    assert table.phase == "preparation"
    assert [data.phase for data in table.told("phase")][:2] == ["action", "discard"]


def test_u6_else_the_action_is_compulsory() -> None:
    table = lay(("abduction4", "military"), (("orb",), ()), ends=True, auras=((1, 1, False),)).end_preparation()
    assert table.legal() == [UfoWaveLead(2, 0), UfoWaveLead(2, 1)]
    assert table.refused(0, UfoWaveEndAction()) == "U6"


def test_u6_energy_is_discarded_for_the_action_and_not_for_further_claims() -> None:
    row = ("surge", "abduction1", "glow", "static", "hum", "flux", "drain")
    table = lay(row, (("tractor_beam",), ("orb",)), scan=("glow", "static", "surge")).power("tractor_beam").perform(2)
    assert (table.state.active, table.scan_discard()) == (1, [])
    assert table.end_preparation().scan_discard() == ["glow"]


def test_u6_only_energy_and_no_deck_is_the_end() -> None:
    table = lay(("surge", "abduction1", "glow", "static"), phase="action", ends=True)
    assert table.perform(2).phase == "over"
    assert table.view().scan[0].key == "static"


def test_u7_an_aura_does_not_stop_the_row_from_closing_up() -> None:
    table = lay(("contact1", "abduction4", "surge"), phase="action", ends=True, auras=((2, 1, False),)).perform(1)
    assert table.row() == (2, 3)
    assert table.view().scan[0].protected_by is None


def test_u8_pending_choices_resolve_before_the_end() -> None:
    table = lay(("police", "abduction4"), (("orb", "cigar"), ()), phase="action", ends=True).perform(2)
    assert (table.phase, table.to_move) == ("action", (0,))
    assert table.discard(0, "orb").phase == "over"


def test_u8_no_discard_phase_and_no_equal_turns_at_the_end() -> None:
    table = lay(("abduction4",), (("orb",) * 5 + ("cigar",) * 4, ()), phase="action", ends=True).perform(1)
    assert table.phase == "over"
    assert len(table.hand(0)) == 9
    assert [event.type for event in table.events] == ["performed", "scan_changed", "match_finished"]


def test_u8_the_end_can_come_in_preparation() -> None:
    table = lay(("military",), (("mind_control", "orb"), ()), ends=True).power("mind_control", human=1, to_seat=1)
    assert table.phase == "over"
    assert table.points == (0, -6)


def test_u9_the_discard_pile_is_shuffled_as_soon_as_the_plan_deck_is_empty() -> None:
    discard = ("orb", "cigar", "cloak")
    table = lay(phase="action", plan=("saucer",), plan_ends=True, plan_discard=discard).perform(1)
    assert table.hand(1) == ("saucer",)
    assert table.view().plan_deck == 3
    assert table.view().plan_discard == ()
    numbers = sorted(HOUSE.plan_number[key] for key in discard)
    assert table.state.plan_deck == table.state.chance.shuffle("plan/2", numbers)


def test_u9_if_both_are_empty_nothing_is_drawn() -> None:
    table = lay(phase="action", plan_ends=True).perform(1)
    assert table.hand(1) == ()
    assert table.told("drew") == []


def test_u9_a_card_discarded_while_both_are_empty_becomes_the_deck() -> None:
    table = lay(hands=(("cloak", "orb"), ()), plan_ends=True).power("cloak")
    assert (table.view().plan_deck, table.view().plan_discard) == (1, ())


@pytest.mark.parametrize("craft", ["saucer", "triangle", "cigar", "orb", "shape_shifter"])
def test_u10_any_one_craft_gives_advanced(craft: str) -> None:
    table = lay(hands=(("tractor_beam", craft), ()))
    assert playing("tractor_beam", "advanced", craft) in table.legal()


def test_u10_advanced_without_a_craft_is_only_for_the_species_own_power() -> None:
    table = lay(hands=(("cloak", "tractor_beam", "orb"), ()), mode="standard", species=("mantids", "greys"))
    assert table.refused(0, playing("cloak", "advanced")) == "U10"
    assert playing("tractor_beam", "advanced") in table.legal()
    assert playing("tractor_beam", "advanced", "orb") in table.legal()  # a Craft is not needed, but not forbidden
    assert table.refused(0, playing("cloak", "basic", "orb")) == "U10"


def test_u10_a_countered_power_and_its_craft_are_both_discarded() -> None:
    table = lay(hands=(("cloak", "orb"), ("missing_time", "saucer"))).countered("cloak", "advanced", "orb")
    assert table.view().plan_discard == ("cloak", "orb", "missing_time", "saucer")
    assert table.hand(1) == ()


def test_u11_pairs_are_equal_or_with_a_shape_shifter() -> None:
    table = lay(hands=(("orb", "orb", "cigar", "shape_shifter"), ()), watching=(("police",),))
    assert [move.craft for move in table.offered(UfoWaveDismissHuman)] == [
        ("cigar", "shape_shifter"), ("orb", "orb"), ("orb", "shape_shifter"),
    ]  # fmt: skip


def test_u11_two_shape_shifters_are_a_pair() -> None:
    table = lay(hands=(("shape_shifter", "shape_shifter"), ()), watching=(("police",),))
    assert table.dismiss(8, "shape_shifter", "shape_shifter").watching(0) == []


def test_u11_either_order_of_the_pair_is_accepted() -> None:
    table = lay(hands=(("orb", "shape_shifter"), ()), watching=(("police",),)).dismiss(8, "shape_shifter", "orb")
    assert table.told("human_dismissed")[0].craft == ("orb", "shape_shifter")


def test_u11_only_in_ones_own_preparation_and_only_a_human_watching_oneself() -> None:
    table = lay(hands=(("orb", "orb"), ("orb", "orb")), watching=(("police",), ("military",)))
    assert table.refused(0, UfoWaveDismissHuman(9, ("orb", "orb"))) == "U-watching"
    assert table.refused(1, UfoWaveDismissHuman(9, ("orb", "orb"))) == "NotYourTurn"
    table.end_preparation()
    assert table.refused(0, UfoWaveDismissHuman(8, ("orb", "orb"))) == "U-time"


def test_u11_one_craft_is_not_two() -> None:
    table = lay(hands=(("orb", "cloak"), ()), watching=(("police",),))
    assert table.refused(0, UfoWaveDismissHuman(8, ("orb", "orb"))) == "U-hand"
    assert table.refused(0, UfoWaveDismissHuman(8, ("cloak", "orb"))) == "U11"


def test_u12_missing_time_is_never_offered_in_preparation() -> None:
    table = lay(hands=(("missing_time", "orb"), ()))
    assert table.legal() == [UfoWaveEndPreparation()]
    assert table.refused(0, playing("missing_time")) == "U12"


def test_u12_missing_time_cannot_itself_be_countered() -> None:
    hands = (("cloak", "missing_time"), ("missing_time",), ("missing_time",))
    table = lay(hands=hands).announce("cloak")
    table.do(1, UfoWaveCounter("basic")).do(2, UfoWaveAllow())
    assert table.view().window is None
    assert (table.phase, table.to_move) == ("preparation", (0,))


def test_u13_the_window_opens_for_all_opponents_alike() -> None:
    table = lay(hands=(("cloak", "orb"), (), ("missing_time",), ("orb",))).announce("cloak")
    assert table.to_move == (1, 2, 3)
    for seat in (1, 3):
        assert table.legal(seat) == [UfoWaveAllow()]


def test_u13_the_power_and_its_craft_leave_the_hand_when_played() -> None:
    table = lay(hands=(("cloak", "orb", "cigar"), ("missing_time",))).announce("cloak", "advanced", "orb")
    assert table.view().seats[0].hand_size == 1
    assert table.view().plan_discard == ()


def test_u13_that_a_seat_has_answered_is_public_but_not_what() -> None:
    hands = (("cloak", "orb"), ("missing_time",), ("missing_time",))
    table = lay(hands=hands).announce("cloak")
    allowed = Table(table.state).do(1, UfoWaveAllow())
    countered = Table(table.state).do(1, UfoWaveCounter("basic"))
    assert allowed.view().window.answered == (1,)
    for viewer in (None, 0, 2):
        assert allowed.view(viewer) == countered.view(viewer)
    assert allowed.events == countered.events
    assert countered.view().seats[1].hand_size == 1


def test_u13_seats_answer_in_any_order_and_once() -> None:
    hands = (("cloak", "orb"), ("missing_time",), ("missing_time",))
    table = lay(hands=hands).announce("cloak").do(2, UfoWaveAllow())
    assert table.refused(2, UfoWaveAllow()) == "NotYourTurn"
    assert table.to_move == (1,)


def test_u13_of_several_counters_the_first_in_turn_order_is_shown_and_spent() -> None:
    hands = (("orb", "cloak"), ("missing_time",), ("orb", "cloak"), ("missing_time",))
    table = lay(hands=hands, active=2).announce("cloak")
    table.do(1, UfoWaveCounter("basic")).do(0, UfoWaveAllow()).do(3, UfoWaveCounter("basic"))
    assert table.told("window_closed")[0].countered_by == 3
    assert (table.hand(1), table.hand(3)) == (("missing_time",), ())


def test_u13_turn_order_means_the_present_direction() -> None:
    hands = (("orb", "cloak"), ("missing_time",), ("orb", "cloak"), ("missing_time",))
    table = lay(hands=hands, active=2, direction=-1).announce("cloak")
    table.do(3, UfoWaveCounter("basic")).do(0, UfoWaveAllow()).do(1, UfoWaveCounter("basic"))
    assert table.told("window_closed")[0].countered_by == 1


def test_u13_basic_counters_basic_only_and_advanced_either() -> None:
    hands = (("cloak", "orb", "orb"), ("missing_time", "cigar"))
    assert lay(hands=hands).announce("cloak").legal(1) == [
        UfoWaveAllow(), UfoWaveCounter("basic"), UfoWaveCounter("advanced", "cigar"),
    ]  # fmt: skip
    table = lay(hands=hands).announce("cloak", "advanced", "orb")
    assert table.legal(1) == [UfoWaveAllow(), UfoWaveCounter("advanced", "cigar")]
    assert table.refused(1, UfoWaveCounter("basic")) == "U13"
    assert table.refused(1, UfoWaveCounter("advanced", None)) == "U10"
    assert table.refused(1, UfoWaveCounter("advanced", "orb")) == "U-hand"


def test_u13_without_a_missing_time_one_can_only_allow() -> None:
    table = lay(hands=(("cloak", "orb"), ("orb",))).announce("cloak")
    assert table.refused(1, UfoWaveCounter("basic")) == "U-hand"


def test_u13_who_does_not_ask_allows_every_power_at_once() -> None:
    table = lay(hands=(("cloak", "orb"), ("missing_time",))).set_reactions(1, False).announce("cloak")
    assert table.view().window is None
    assert table.view().seats[1].asks is False
    assert [event.type for event in table.events] == ["power_played", "answered", "window_closed"]


def test_u13_also_in_an_open_window() -> None:
    table = lay(hands=(("cloak", "orb"), ("missing_time",))).announce("cloak").set_reactions(1, False)
    assert table.view().window is None
    assert table.hand(1) == ("missing_time",)


def test_u13_setting_it_in_an_open_window_does_not_take_an_answer_back() -> None:
    hands = (("cloak", "orb"), ("missing_time",), ())
    table = lay(hands=hands).announce("cloak").do(1, UfoWaveCounter("basic")).set_reactions(1, False)
    table.set_reactions(0, False)  # the seat that plays the Power does not answer it
    assert table.to_move == (2,)
    assert table.do(2, UfoWaveAllow()).told("window_closed")[0].countered_by == 1


def test_u13_the_value_it_has_already_is_refused_and_a_third_change_too() -> None:
    table = lay(hands=(("orb",), ()))
    assert table.refused(1, UfoWaveSetReactions(True)) == "U13"
    table.set_reactions(1, False).set_reactions(1, True)
    assert table.refused(1, UfoWaveSetReactions(False)) == "U13"
    table.set_reactions(0, False)  # the limit is each seat's own
    table.end_preparation().perform(1)
    assert table.set_reactions(1, False).view().seats[1].asks is False


def test_u13_reactions_can_be_set_at_any_time_but_not_after_the_end() -> None:
    table = start(2).set_reactions(1, False)
    assert table.told("reactions_set")[0].ask is False
    over = lay(("abduction4",), phase="action", ends=True).perform(1)
    assert over.refused(0, UfoWaveSetReactions(False)) == "NotYourTurn"


def test_u14_the_card_lies_on_the_activity_until_the_protection_ends() -> None:
    table = lay(hands=(("protective_aura", "orb"), ()), scan=SEVEN).power(
        "protective_aura", "advanced", "orb", activity=5
    )
    assert table.view().scan[4].protected_by == 0
    assert table.view().plan_discard == ("orb",)
    table.perform(1).end_preparation().perform(2)
    assert table.view().plan_discard == ("orb", "protective_aura")


def test_u14_or_until_the_activity_is_taken() -> None:
    table = lay(hands=(("protective_aura",), ())).power("protective_aura", activity=5).perform(5)
    assert table.view().plan_discard == ("protective_aura",)
    assert table.state.auras == ()


def test_u14_the_claim_comes_before_or_after_the_action() -> None:
    table = lay(phase="action", extra=(5,)).perform(5)
    assert table.view().claims.action is True
    assert UfoWaveEndAction() in table.legal()
    table.perform(1)
    assert (table.state.active, table.pile(0)) == (1, ["sabotage4", "abduction1"])


def test_u14_the_claim_lasts_for_one_turn() -> None:
    table = lay(phase="action", extra=(5,)).perform(1).end_action()
    assert table.view().claims.extra == ()
    table.end_preparation().perform(2).end_preparation()
    assert table.view().claims.extra == ()


def test_u14_a_protected_activity_is_no_target_of_a_second_aura() -> None:
    table = lay(("abduction4", "contact1", *FIVE), (("protective_aura",), ()), auras=((1, 1, False),))
    assert [move.target.activity for move in table.offered(UfoWavePlayPower)] == [2, 3, 4, 5, 6, 7]
    assert table.refused(0, playing("protective_aura", activity=1)) == "U14"


def test_u15_all_who_share_the_most_military_lose_six() -> None:
    watching = (("military",), ("military",), ())
    table = lay(("abduction4",), ((), (), ()), phase="action", ends=True, watching=watching).perform(1)
    assert table.points == (-2, -6, 0)


def test_u15_with_none_in_play_nobody_loses() -> None:
    assert lay(("abduction4",), phase="action", ends=True).perform(1).points == (4, 0)


def test_u15_solo_counts_as_most_with_at_least_one() -> None:
    table = lay(("abduction4",), ((),), phase="action", ends=True, mode="solo", watching=(("military",),)).perform(1)
    assert table.points == (-2,)


def test_u16_ties_share_the_win() -> None:
    table = lay(("abduction4",), phase="action", ends=True, piles=((), ("contact4",))).perform(1)
    assert GAME.outcome(table.state).winners == (0, 1)


def test_u17_a_view_shows_the_owner_its_pile_and_points_and_others_the_counts() -> None:
    table = lay(piles=(("abduction4", "surge"), ("contact1",)))
    assert table.pile(0) == ["abduction4", "surge"]
    assert (table.view(0).points, table.view(1).points, table.view(None).points) == (7, 1, None)
    assert [(seat.activities, seat.score_pile) for seat in table.view(1).seats] == [(1, 2), (1, 1)]


def test_u18_species_are_unique() -> None:
    table = start(2).do(0, UfoWaveChooseSpecies("greys"))
    assert [move.species for move in table.legal(1)] == [
        "reptilians", "nordics", "mantids", "tall_whites", "hybrids",
    ]  # fmt: skip
    assert table.refused(1, UfoWaveChooseSpecies("greys")) == "U18"
    assert table.refused(1, UfoWaveChooseSpecies("martians")) == "U18"


def test_u19_a_forced_discard_of_an_empty_hand_does_nothing() -> None:
    table = lay(("drain", "abduction4", *FIVE), phase="action").perform(2)
    assert table.state.active == 1


def test_u19_a_seat_with_an_empty_hand_is_still_a_target_of_terrorize() -> None:
    table = lay(hands=(("terrorize", "orb"), ())).power("terrorize", seat=1)
    assert (table.phase, table.to_move) == ("preparation", (0,))


def test_u20_seat_0_begins_unless_the_option_says_otherwise() -> None:
    assert start(4, "equal").state.active == 0
    assert start(4, "equal", first_seat=3).state.active == 3
    with pytest.raises(InvalidOptions) as refusal:
        start(3, "equal", first_seat=3)
    assert refusal.value.path == "$.options.first_seat"


@pytest.mark.parametrize(("reporters", "limit"), [(0, 6), (1, 5), (2, 4)])
def test_u21_each_reporter_watching_lowers_the_hand_limit(reporters: int, limit: int) -> None:
    hand = ("orb", "orb", "cigar", "cigar", "saucer", "saucer")
    table = lay(hands=(hand, ()), phase="action", watching=(("reporter",) * reporters,)).perform(1)
    assert table.view().seats[0].hand_limit == limit
    while table.phase == "discard":
        table.do(0, table.legal(0)[0])
    assert len(table.hand(0)) == limit


def test_u21_the_limit_is_never_below_two() -> None:
    table = lay(watching=(("reporter",) * 6,))
    assert table.view().seats[0].hand_limit == 2


def test_u21_it_is_checked_only_in_ones_own_discard_phase() -> None:
    hand = ("orb", "orb", "cigar", "cigar", "saucer", "saucer", "cloak")
    table = lay(hands=((), hand), phase="action", watching=((), ("reporter",))).perform(1)
    assert table.state.active == 1
    assert len(table.hand(1)) == 8


def test_u22_rearranging_goes_step_by_step_from_the_left() -> None:
    table = lay(hands=(("dimensional_shift", "orb", "cloak"), ())).power("dimensional_shift", "advanced", "orb")
    assert table.view().pending.kind == "order_scan"
    assert table.view().pending.count == 6
    assert table.order(7).row() == (7, 1, 2, 3, 4, 5, 6)
    assert table.order(3).row() == (7, 3, 1, 2, 4, 5, 6)
    assert table.refused(0, UfoWaveOrderScan(7)) == "U22"
    assert table.refused(0, UfoWaveOrderScan(99)) == "U-row"
    assert table.order(1, 6, 5).row() == (7, 3, 1, 6, 5, 2, 4)
    assert table.legal() == [UfoWaveOrderScan(2), UfoWaveOrderScan(4)]
    table.order(4)
    assert table.row() == (7, 3, 1, 6, 5, 4, 2)  # the last place fills itself
    assert table.view().pending is None


def test_u22_a_place_under_another_seats_aura_is_left_out() -> None:
    hands = (("dimensional_shift", "orb", "cloak"), ())
    table = lay(hands=hands, auras=((2, 1, False), (4, 0, False))).power("dimensional_shift", "advanced", "orb")
    assert table.view().pending.count == 5
    assert table.refused(0, UfoWaveOrderScan(2)) == "U14"
    table.order(4, 3)
    assert table.row() == (4, 2, 3, 1, 5, 6, 7)


def test_u23_time_warp_turns_the_direction() -> None:
    table = lay(hands=((), (), ()), phase="action", scan=("time_warp",)).perform(1)
    assert table.view().direction == "counterclockwise"
    assert table.state.active == 2


def test_u24_a_power_without_a_legal_target_is_not_offered() -> None:
    table = lay(hands=(("mind_control", "orb"), ()))
    assert table.powers() == []
    assert table.refused(0, playing("mind_control", human=1, to_seat=0)) == "U24"


def test_u25_paralysis_forbids_powers_and_craft_pairs() -> None:
    hands = (("orb",), ("cloak", "orb", "orb"))
    table = lay(hands=hands, phase="action", paralysed=(0, 1), watching=((), ("military",))).perform(1)
    assert (table.state.active, table.phase) == (1, "action")
    assert table.view().seats[1].paralysed is None


def test_u25_paralysis_does_not_forbid_reactions_or_forced_discards() -> None:
    table = lay(hands=(("cloak", "orb"), ("missing_time",)), paralysed=(0, 2)).announce("cloak")
    assert UfoWaveCounter("basic") in table.legal(1)
    table = lay(hands=(("terrorize", "orb"), ("missing_time",)), paralysed=(0, 2)).power("terrorize", seat=1)
    assert table.legal(1) == [UfoWaveDiscard("missing_time")]


def test_u25_a_skipped_turn_still_draws_and_discards_and_ends_its_auras() -> None:
    hand = ("orb",) * 3 + ("cigar",) * 3
    table = lay(hands=((), hand), phase="action", paralysed=(0, 2), auras=((7, 1, True),), scan=SEVEN).perform(1)
    assert (table.state.active, table.phase, table.to_move) == (1, "discard", (1,))
    assert len(table.hand(1)) == 7
    assert table.view().scan[6].protected_by is None
    assert table.view().claims.extra == ()
    assert [data.phase for data in table.told("phase")] == ["discard", "draw", "discard"]
    table.discard(1, "orb")
    assert (table.state.active, table.view().seats[1].paralysed) == (0, None)


@pytest.mark.parametrize(
    ("before", "craft", "after"), [(1, "orb", "advanced"), (2, None, "advanced"), (1, None, "basic")]
)
def test_u25_a_second_paralysis_raises_to_the_higher_level(before: int, craft: str | None, after: str) -> None:
    table = lay(hands=(("paralysis", "orb"), ()), paralysed=(0, before))
    table.power("paralysis", "advanced" if craft else "basic", craft, seat=1)
    assert table.view().seats[1].paralysed == after


def test_u26_tractor_beam_adds_performs_and_each_played_adds_one() -> None:
    table = lay(hands=(("tractor_beam", "tractor_beam"), ())).power("tractor_beam").power("tractor_beam")
    assert [claim.at_most for claim in table.view().claims.extra] == [2, 2]
    table.perform(1).perform(2).perform(5)
    assert table.state.active == 1


def test_u26_takes_must_fit_the_claims_one_to_one() -> None:
    table = lay(hands=(("tractor_beam",), ())).power("tractor_beam").perform(5)
    assert table.view().claims.action is False
    assert [move.activity for move in table.offered(UfoWavePerform)] == [1, 2, 3, 8, 6]
    assert table.refused(0, UfoWavePerform(7)) == "U26"


def test_u26_a_small_activity_uses_the_small_claim_first() -> None:
    table = lay(hands=(("tractor_beam",), ())).power("tractor_beam").perform(1)
    assert table.view().claims.action is True
    assert [move.activity for move in table.offered(UfoWavePerform)][-2:] == [6, 7]


def test_u26_a_lead_needs_the_action() -> None:
    row = ("military", *SEVEN[1:])
    table = lay(row, (("tractor_beam",), ())).power("tractor_beam").perform(4)
    assert table.refused(0, UfoWaveLead(1, 1)) == "U26"
    table = lay(row, (("tractor_beam",), ())).power("tractor_beam").perform(3)
    assert UfoWaveLead(1, 1) in table.legal()


def test_u26_end_action_after_one_take_and_the_phase_ends_by_itself() -> None:
    table = lay(hands=(("tractor_beam",), ())).power("tractor_beam")
    assert UfoWaveEndAction() not in table.legal()
    table.perform(2)
    assert UfoWaveEndAction() in table.legal()
    table.end_action()
    assert table.state.active == 1
    table = lay(("abduction4", "contact4"), (("tractor_beam",), ()), ends=True).power("tractor_beam").perform(1)
    assert table.state.active == 1  # the Activity that is left is worth too much


def test_u26_gaps_events_and_the_end_after_each_take() -> None:
    table = lay(SEVEN, (("tractor_beam",), ()), scan=("meteor_shower", "surge")).power("tractor_beam").perform(1)
    assert (table.state.active, table.phase) == (0, "action")
    assert len(table.hand(0)) == 1
    table = lay(("abduction4",), (("tractor_beam",), ()), ends=True).power("tractor_beam").perform(1)
    assert table.phase == "over"


def test_u27_mind_control_in_preparation_fills_the_gap_at_once() -> None:
    row = ("surge", "military", *FIVE)
    table = lay(row, (("mind_control", "orb"), ()), scan=("glow", "static")).power("mind_control", human=2, to_seat=1)
    assert table.watching(1) == ["military"]
    assert table.pile(0) == ["surge"]
    assert [card.key for card in table.view().scan[:2] if card] == ["glow", "static"]
    assert table.phase == "preparation"


def test_u27_a_lockdown_so_drawn_binds_at_once() -> None:
    row = ("military", *SIX)
    table = lay(row, (("mind_control", "orb"), ()), scan=("lockdown",)).power("mind_control", human=1, to_seat=1)
    assert table.phase == "action"


def test_u28_media_frenzy_goes_to_the_most_activities() -> None:
    row = ("abduction1", "surge", "military", "glow", "reporter", *SEVEN[:2])
    piles = ((), ("contact1", "contact2"), ("contact3",))
    table = lay(row, ((), (), ()), phase="action", piles=piles, scan=("media_frenzy",)).perform(1)
    assert table.watching(1) == ["military"]
    assert table.pile(1) == ["contact1", "contact2"]  # the Energy beside it stays
    assert table.told("moved_human")[0].from_seat is None


def test_u28_ties_go_in_turn_order_and_nobody_means_the_active_seat() -> None:
    row = ("military", "reporter", *FIVE)
    piles = (("contact1",), (), ("contact3",))
    table = lay(row, ((), (), ()), phase="action", active=1, piles=piles, scan=("media_frenzy",)).lead(1, 0)
    assert table.watching(2) == ["reporter"]
    table = lay(row, ((), (), ()), phase="action", active=1, scan=("media_frenzy",)).lead(1, 0)
    assert table.watching(1) == ["reporter"]


def test_u28_no_human_in_the_row_means_nothing() -> None:
    table = lay(phase="action", scan=("media_frenzy", "surge")).perform(1)
    assert table.view().scan[0].key == "surge"
    assert table.told("moved_human") == []


def test_u29_every_drawn_card_is_its_own_draw() -> None:
    table = lay(("believer", *SIX), ((), ()), phase="action", open_plan=True, plan=("orb", "cloak", "cigar"))
    table.lead(1, 0)
    assert table.view().pending.count == 2
    assert table.view().plan_top == "orb"
    assert table.legal(0) == [UfoWaveDraw("top"), UfoWaveDraw("bottom")]
    table.draw(0, "top")
    assert (table.view().pending.count, table.view().plan_top) == (1, "cloak")
    table.draw(0, "bottom")
    assert (table.phase, table.to_move) == ("draw", (1,))


def test_u29_with_one_card_left_only_top_is_offered() -> None:
    table = lay(phase="action", open_plan=True, plan=("orb",), plan_ends=True).perform(1)
    assert table.legal(1) == [UfoWaveDraw("top")]
    assert table.refused(1, UfoWaveDraw("bottom")) == "U29"


def test_u29_a_card_taken_from_the_top_is_known_until_it_is_played() -> None:
    table = lay(phase="action", hands=((), ("orb", "saucer")), open_plan=True, plan=("orb",)).perform(1).draw(1, "top")
    assert table.told("drew")[0].card == "orb"
    assert table.view().seats[1].known == ("orb",)
    table.do(1, UfoWaveEndPreparation())
    table = lay(hands=(("cloak", "orb", "orb"), ()), known=(("orb",),))
    table.power("cloak", "advanced", "orb")
    assert table.view().seats[0].known == ()  # the one that was known counts as played
    assert table.hand(0) == ("orb",)


def test_u29_a_card_from_the_bottom_is_not_shown() -> None:
    table = lay(phase="action", open_plan=True, plan=("orb",)).perform(1).draw(1, "bottom")
    assert table.told("drew")[0].card is None
    assert table.view().seats[1].known == ()


def test_u29_with_both_piles_empty_nothing_is_asked() -> None:
    table = lay(phase="action", open_plan=True, plan_ends=True, hands=((), ("orb",))).perform(1)
    assert (table.phase, table.view().plan_top) == ("preparation", None)


# The laws of the page


def test_one_hidden_option_is_still_asked() -> None:
    table = lay(("police", *SIX), ((), ("orb",)), phase="action").lead(1, 1)
    assert table.legal(1) == [UfoWaveDiscard("orb")]


def test_one_open_option_is_asked_too() -> None:
    table = lay(phase="action", watching=(("police",), ()), scan=("cover_up",)).perform(1)
    assert table.legal(0) == [UfoWaveDiscardHuman(8)]


def test_end_preparation_is_asked_unless_the_hand_is_empty() -> None:
    assert lay(hands=(("missing_time",), ())).legal() == [UfoWaveEndPreparation()]
    assert lay(hands=((), ("missing_time",)), phase="action", plan_ends=True).perform(1).phase == "preparation"
    assert lay(hands=((), ()), phase="action", plan_ends=True).perform(1).phase == "action"


def test_simultaneous_demands_are_asked_one_seat_at_a_time_in_turn_order() -> None:
    hands = (("orb",), ("orb",), ("orb",))
    table = lay(hands=hands, phase="action", active=1, direction=-1, scan=("radar_sweep",)).perform(1)
    for seat in (1, 0, 2):
        assert table.to_move == (seat,)
        table.discard(seat, "orb")


def test_effects_of_one_take_resolve_left_then_right_each_wholly() -> None:
    row = ("believer", "abduction4", "police", *SEVEN[:4])
    table = lay(row, ((), ()), phase="action", plan=("orb", "cloak")).perform(2)
    assert table.legal(0) == [UfoWaveDiscard("cloak"), UfoWaveDiscard("orb")]
    row = ("police", "abduction4", "believer", *SEVEN[:4])
    table = lay(row, ((), ()), phase="action", plan=("orb", "cloak")).perform(2)
    assert table.state.active == 1  # an empty hand had nothing to discard before it drew
    assert table.hand(0) == ("cloak", "orb")


def test_energy_beside_a_led_human_acts_left_then_right() -> None:
    table = lay(("drain", "military", "flux", *SEVEN[:4]), phase="action").lead(2, 1)
    assert (table.state.active, len(table.hand(0))) == (1, 1)  # the hand was empty when the Drain asked


def test_a_target_may_be_written_with_nothing_in_it() -> None:
    table = lay(hands=(("cloak", "orb"), ())).do(0, UfoWavePlayPower("cloak", "basic", None, UfoWaveTarget()))
    assert table.view().window.target is None
