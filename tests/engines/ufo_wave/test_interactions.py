"""The cells of the table in RULES.md (Interactions) that are not trivial: each Power against each state it can meet.

Cells that test_house_cards.py and test_rulings.py hold already are not repeated.
"""

from engines.ufo_wave.moves import (
    UfoWaveAllow,
    UfoWaveCounter,
    UfoWaveDiscard,
    UfoWaveDraw,
    UfoWaveEndPreparation,
    UfoWavePerform,
    UfoWavePlayPower,
)
from tests.engines.ufo_wave.build import SEVEN, lay

SIX, FIVE = SEVEN[:6], SEVEN[:5]


# Missing Time


def test_missing_time_meets_an_aura_being_laid() -> None:
    table = lay(hands=(("protective_aura", "orb"), ("missing_time",))).countered("protective_aura", activity=5)
    assert table.view().scan[4].protected_by is None
    assert table.view().plan_discard == ("protective_aura", "missing_time")


def test_missing_time_of_a_paralysed_seat() -> None:
    table = lay(hands=(("cloak", "orb"), ("missing_time",)), paralysed=(0, 2)).countered("cloak")
    assert table.state.cloak == 0


def test_missing_time_that_everybody_saw_drawn_leaves_known_only_when_it_is_spent() -> None:
    hands = (("cloak", "orb"), ("missing_time",), ("missing_time",))
    table = lay(hands=hands, known=((), ("missing_time",), ("missing_time",)), open_plan=True).announce("cloak")
    table.do(1, UfoWaveCounter("basic"))
    assert table.view().seats[1].known == ("missing_time",)
    table.do(2, UfoWaveCounter("basic"))
    assert [seat.known for seat in table.view().seats] == [(), (), ("missing_time",)]


def test_missing_time_with_the_plan_deck_empty() -> None:
    table = lay(hands=(("cloak", "orb"), ("missing_time",)), plan_ends=True).countered("cloak")
    assert (table.view().plan_deck, table.view().plan_discard) == (2, ())


def test_missing_time_is_asked_of_an_empty_hand() -> None:
    table = lay(hands=(("cloak", "orb"), ())).announce("cloak")
    assert (table.to_move, table.legal(1)) == ((1,), [UfoWaveAllow()])


def test_missing_time_meets_a_species_own_advanced() -> None:
    hands = (("cloak", "orb"), ("missing_time", "cigar"))
    table = lay(hands=hands, mode="standard", species=("nordics", "greys")).announce("cloak", "advanced")
    assert table.legal(1) == [UfoWaveAllow(), UfoWaveCounter("advanced", "cigar")]
    table.do(1, UfoWaveCounter("advanced", "cigar"))
    assert table.view().plan_discard == ("cloak", "missing_time", "cigar")


# Protective Aura


def test_protective_aura_beside_other_auras() -> None:
    table = lay(hands=(("protective_aura", "protective_aura"), ()), auras=((1, 1, False),))
    table.power("protective_aura", activity=2).power("protective_aura", activity=3)
    assert [card.protected_by for card in table.view().scan if card] == [1, 0, 0, None, None, None, None]


def test_protective_aura_and_a_paralysis_at_basic_of_its_owner() -> None:
    table = lay(hands=((), ("orb",)), phase="action", paralysed=(0, 1), auras=((5, 1, True),)).perform(1)
    assert (table.phase, table.view().claims.extra[0].activity) == ("action", 5)  # the Action Phase is not skipped
    assert table.view().scan[4].protected_by is None


def test_protective_aura_outlasts_a_lockdown() -> None:
    table = lay(hands=((), ("orb",)), phase="action", scan=("lockdown",), auras=((5, 0, False),)).perform(1)
    assert table.view().lockdown
    assert table.refused(1, UfoWavePerform(5)) == "U14"


def test_protective_aura_moves_with_its_activity_when_the_row_closes_up() -> None:
    table = lay(("contact1", "surge", "abduction4"), phase="action", ends=True, auras=((3, 0, False),)).perform(1)
    assert [card.protected_by for card in table.view().scan if card] == [0]
    assert table.end_preparation().state.active == 0  # seat 1 could take nothing


def test_protective_aura_on_the_row_is_not_shuffled_into_the_deck() -> None:
    hands = (("protective_aura", "orb"), ())
    table = lay(hands=hands, plan=("cigar",), plan_ends=True).power("protective_aura", activity=5)
    table.end_preparation().perform(1)
    assert (table.view().plan_deck, table.view().plan_discard) == (0, ())
    assert table.hand(1) == ("cigar",)


def test_protective_aura_turns_with_the_row() -> None:
    table = lay(phase="action", scan=("gravity_well",), auras=((7, 0, True),)).perform(1)
    assert table.view().scan[0].protected_by == 0


def test_protective_aura_at_advanced_after_a_turn_of_direction() -> None:
    hands = (("protective_aura", "orb"), (), ())
    table = lay(hands=hands, scan=("time_warp",)).power("protective_aura", "advanced", "orb", activity=5).perform(1)
    assert table.state.active == 2
    table.end_preparation().perform(2)
    table.end_preparation().perform(3)
    assert (table.state.active, table.view().claims.extra[0].activity) == (0, 5)


def test_protective_aura_of_two_at_advanced_gives_two_claims() -> None:
    hands = (("protective_aura", "protective_aura", "orb", "orb"), ())
    table = lay(hands=hands, scan=SEVEN)
    table.power("protective_aura", "advanced", "orb", activity=5)
    table.power("protective_aura", "advanced", "orb", activity=7)
    table.perform(1).end_preparation().perform(2).end_preparation()
    assert [claim.activity for claim in table.view().claims.extra] == [5, 7]
    table.perform(5).perform(7).perform(4)
    assert table.state.active == 1


# Paralysis


def test_paralysis_is_used_up_in_a_preparation_under_lockdown() -> None:
    table = lay(hands=((), ("cloak",)), phase="action", paralysed=(0, 1), scan=("lockdown",)).perform(1)
    assert table.view().seats[1].paralysed is None


def test_paralysis_at_advanced_under_invasion_master_plan_still_draws_by_choice() -> None:
    table = lay(hands=((), ()), phase="action", paralysed=(0, 2), open_plan=True).perform(1)
    assert (table.phase, table.to_move) == ("draw", (1,))
    table.draw(1, "bottom")
    assert (table.phase, table.to_move) == ("draw", (0,))


def test_paralysis_at_advanced_with_the_plan_deck_empty() -> None:
    table = lay(hands=((), ()), phase="action", paralysed=(0, 2), plan_ends=True).perform(1)
    assert table.state.active == 0
    assert table.told("drew") == []


def test_paralysis_of_a_seat_with_an_empty_hand() -> None:
    table = lay(hands=(("paralysis", "orb"), ())).power("paralysis", seat=1)
    assert table.view().seats[1].paralysed == "basic"


def test_paralysis_at_advanced_skips_a_seat_at_a_closing_row() -> None:
    table = lay(("abduction4", "contact1"), ((), ()), phase="action", ends=True, paralysed=(0, 2)).perform(1)
    assert table.state.active == 0
    table.end_preparation().perform(2)
    assert table.points == (5, 0)


def test_paralysis_ends_the_lockdown_of_a_seat_whose_turn_is_skipped() -> None:
    table = lay(hands=((), ("cloak",)), phase="action", active=1, paralysed=(2, 0), lockdown=0).perform(1)
    assert table.view().lockdown is False


# Terrorize


def test_terrorize_of_a_paralysed_seat() -> None:
    table = lay(hands=(("terrorize", "orb"), ("cloak",)), paralysed=(0, 2)).power("terrorize", seat=1)
    assert table.legal(1) == [UfoWaveDiscard("cloak")]


def test_terrorize_takes_a_known_card() -> None:
    hands = (("terrorize", "orb"), ("cloak", "orb"))
    table = lay(hands=hands, known=((), ("cloak",)), open_plan=True).power("terrorize", seat=1).discard(1, "cloak")
    assert table.view().seats[1].known == ()


def test_terrorize_with_the_plan_deck_empty() -> None:
    table = lay(hands=(("terrorize", "orb"), ("cloak",)), plan_ends=True).power("terrorize", seat=1).discard(1, "cloak")
    assert (table.view().plan_deck, table.view().plan_discard) == (1, ("cloak",))


def test_terrorize_by_the_last_card_of_a_hand_then_the_action() -> None:
    table = lay(hands=(("terrorize",), ("cloak",))).power("terrorize", seat=1)
    assert (table.phase, table.to_move) == ("preparation", (1,))
    assert table.discard(1, "cloak").phase == "action"


# Mind Control


def test_mind_control_leaves_a_protected_activity_beside_the_human() -> None:
    row = ("abduction4", "military", *FIVE)
    table = lay(row, (("mind_control", "orb"), ()), auras=((1, 1, False),)).power("mind_control", human=2, to_seat=1)
    assert table.view().scan[0].protected_by == 1


def test_mind_control_brings_police_before_a_paralysed_seat() -> None:
    hands = (("mind_control", "orb"), ("cloak",))
    table = lay(("police", *SIX), hands, paralysed=(0, 2)).power("mind_control", human=1, to_seat=1)
    assert table.legal(1) == [UfoWaveDiscard("cloak")]


def test_mind_control_under_invasion_master_plan_asks_the_seat_that_gets_the_believer() -> None:
    hands = (("mind_control", "orb"), ())
    table = lay(("believer", *SIX), hands, open_plan=True).power("mind_control", human=1, to_seat=1)
    assert (table.to_move, table.view().pending.count, table.phase) == (
        (1,), 2, "preparation",
    )  # fmt: skip
    table.draw(1, "top").draw(1, "bottom")
    assert table.to_move == (0,)


def test_mind_control_closes_the_row_up_at_once() -> None:
    row = ("contact1", "military", "surge", "abduction4")
    table = lay(row, (("mind_control", "orb"), ()), ends=True).power("mind_control", human=2, to_seat=1)
    assert (table.row(), table.phase) == ((1, 4), "preparation")


def test_mind_control_with_the_plan_deck_empty_lets_a_believer_draw_what_was_played() -> None:
    hands = (("mind_control", "orb"), ())
    table = lay(("believer", *SIX), hands, plan_ends=True).power("mind_control", human=1, to_seat=1)
    assert table.hand(1) == ("mind_control",)


def test_mind_control_as_the_last_card_of_a_hand_that_a_believer_fills_again() -> None:
    table = lay(("believer", *SIX), (("mind_control",), ())).power("mind_control", human=1, to_seat=0)
    assert (table.phase, len(table.hand(0))) == ("preparation", 2)


def test_mind_control_at_advanced_under_a_cloak_is_no_take() -> None:
    hands = (("mind_control", "orb", "orb"), ())
    table = lay(hands=hands, watching=((), ("contactee",)), cloak=2)
    assert table.power("mind_control", "advanced", "orb", human=8, to_seat=0).watching(0) == ["contactee"]


def test_mind_control_at_basic_under_an_advanced_cloak_takes_no_energy() -> None:
    row = ("surge", "military", "flux", *SEVEN[:4])
    table = lay(row, (("mind_control", "orb"), ()), cloak=2).power("mind_control", human=2, to_seat=1)
    assert (table.pile(0), table.watching(1)) == ([], ["military"])


def test_mind_control_does_not_use_up_a_basic_cloak() -> None:
    row = ("military", "contact1", "reporter", *SEVEN[:4])
    table = lay(row, (("mind_control", "cloak"), ())).power("cloak").power("mind_control", human=1, to_seat=1)
    assert table.perform(2).watching(0) == []


def test_mind_control_moves_a_reporter_and_with_it_the_hand_limit() -> None:
    table = lay(hands=(("mind_control", "orb"), ()), watching=(("reporter",),))
    table.power("mind_control", "advanced", "orb", human=8, to_seat=1)
    assert [seat.hand_limit for seat in table.view().seats] == [6, 5]


# Dimensional Shift


def test_dimensional_shift_moves_ones_own_aura_with_its_card() -> None:
    hands = (("dimensional_shift", "orb"), ())
    table = lay(hands=hands, auras=((2, 0, True),)).power("dimensional_shift", first=2, second=7)
    assert table.view().scan[6].protected_by == 0


def test_dimensional_shift_arranges_what_is_left_of_a_closing_row() -> None:
    row = ("abduction4", "surge", "military")
    table = lay(row, (("dimensional_shift", "orb", "cloak"), ()), ends=True)
    table.power("dimensional_shift", "advanced", "orb").order(3, 2)
    assert table.row() == (3, 2, 1)


def test_dimensional_shift_as_the_last_cards_of_a_hand_is_carried_out_before_the_action() -> None:
    table = lay(hands=(("dimensional_shift", "orb"), ())).power("dimensional_shift", "advanced", "orb")
    assert (table.phase, table.to_move) == ("preparation", (0,))
    table.order(7, 6, 5, 4, 3, 2)
    assert (table.phase, table.row()) == ("action", (7, 6, 5, 4, 3, 2, 1))


def test_dimensional_shift_with_all_but_one_card_protected_by_others() -> None:
    hands = (("dimensional_shift", "orb"), ())
    table = lay(SEVEN[:3], hands, ends=True, auras=((1, 1, False), (3, 1, False)))
    assert table.legal() == [UfoWaveEndPreparation()]


# Tractor Beam


def test_tractor_beam_and_an_aura_claim_of_ones_own() -> None:
    table = lay(phase="action", extra=(5,), claims=(2,)).perform(5)
    assert (table.view().claims.action, len(table.view().claims.extra)) == (True, 1)
    table.perform(7).perform(1)
    assert table.state.active == 1


def test_tractor_beam_outlasts_a_lockdown_drawn_in_the_same_preparation() -> None:
    hands = (("tractor_beam", "mind_control", "orb"), ())
    table = lay(("military", *SIX), hands, scan=("lockdown",)).power("tractor_beam")
    table.power("mind_control", human=1, to_seat=1)
    assert (table.phase, table.view().claims.extra[0].at_most) == ("action", 2)


def test_tractor_beam_at_a_closing_row_meets_new_neighbours() -> None:
    row = ("contact1", "military", "abduction2", "surge", "sampling1", "reporter")
    table = lay(row, (("tractor_beam",), ()), ends=True).power("tractor_beam").perform(3)
    assert (table.row(), table.watching(0)) == ((1, 5, 6), ["military"])
    assert table.perform(5).watching(0) == ["military", "reporter"]


def test_tractor_beam_ends_with_the_turn() -> None:
    table = lay(hands=(("tractor_beam",), ()), scan=SEVEN).power("tractor_beam").perform(5).end_action()
    table.end_preparation().perform(1)
    assert table.view().claims.extra == ()


# Cloak


def test_cloak_at_basic_is_used_by_an_activity_that_an_aura_lets_one_claim() -> None:
    row = ("military", "abduction4", "reporter", "contact1", *SEVEN[:3])
    table = lay(row, phase="action", cloak=1, extra=(2,)).perform(2)
    assert table.watching(0) == []
    assert table.perform(4).watching(0) == ["reporter"]


def test_cloak_at_both_levels_is_the_higher() -> None:
    hands = (("cloak", "cloak", "orb"), ())
    row = ("military", "abduction4", "surge", *SEVEN[:4])
    for first, second in ((("basic", None), ("advanced", "orb")), (("advanced", "orb"), ("basic", None))):
        table = lay(row, hands).power("cloak", *first).power("cloak", *second)
        assert table.perform(2).pile(0) == ["abduction4"]


def test_cloak_keeps_flux_away_so_nothing_is_drawn_under_invasion_master_plan() -> None:
    table = lay(("flux", "abduction4", *FIVE), phase="action", cloak=2, open_plan=True).perform(2)
    assert table.to_move == (1,)
    assert table.legal(1) == [UfoWaveDraw("top"), UfoWaveDraw("bottom")]


def test_cloak_leaves_humans_that_become_neighbours_when_the_row_closes_up() -> None:
    row = ("military", "abduction4", "contact1")
    table = lay(row, phase="action", ends=True, cloak=1, claims=(2,)).perform(2)
    assert table.row() == (1, 3)
    assert table.perform(3).watching(0) == ["military"]


def test_cloak_at_the_end_leaves_a_human_that_keeps_the_game_going() -> None:
    table = lay(("military", "abduction4"), phase="action", ends=True, cloak=2).perform(2)
    assert table.phase != "over"


# A counter among several Powers of one Preparation


def test_after_a_counter_the_preparation_goes_on() -> None:
    hands = (("cloak", "cloak", "orb"), ("missing_time",))
    table = lay(hands=hands).countered("cloak").power("cloak")
    assert table.state.cloak == 1


def test_a_countered_last_card_leads_to_the_action() -> None:
    assert lay(hands=(("cloak",), ("missing_time",))).countered("cloak").phase == "action"


def test_a_window_asks_everybody_again_for_the_next_power() -> None:
    table = lay(hands=(("cloak", "cloak", "orb"), (), ())).power("cloak").announce("cloak")
    assert table.to_move == (1, 2)
    assert isinstance(table.legal(1)[0], UfoWaveAllow)
    assert not [move for move in table.legal(1) if isinstance(move, UfoWavePlayPower)]
