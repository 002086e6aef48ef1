"""The rulebook, sentence by sentence, in its order. Each test is named after the sentence that it is about."""

import pytest

from engines.ufo_wave import GAME
from engines.ufo_wave.cards import HOUSE
from engines.ufo_wave.moves import (
    UfoWaveChooseSpecies,
    UfoWaveDismissHuman,
    UfoWaveEndAction,
    UfoWaveEndPreparation,
    UfoWaveLead,
    UfoWavePerform,
)
from tests.engines.ufo_wave.build import SEVEN, lay, start

ENERGY_ONLY = ("surge", "glow", "static", "hum", "flux", "drain", "glow")


# Deck Overview: Scan


def test_each_activity_is_worth_the_points_shown_on_it() -> None:
    table = lay(phase="action").perform(5)
    assert table.pile(0) == ["sabotage4"]
    assert table.view(0).points == 4


def test_humans_that_guard_an_activity_begin_watching_who_performs_it() -> None:
    table = lay(("military", "abduction4", "reporter", *SEVEN[:4]), phase="action").perform(2)
    assert table.watching(0) == ["military", "reporter"]
    assert table.view().seats[0].watching[0].id == 1


def test_humans_that_are_not_adjacent_stay() -> None:
    table = lay(("military", "contact1", "abduction4", "contact2", "reporter", *SEVEN[:2]), phase="action").perform(3)
    assert table.watching(0) == []


def test_some_humans_affect_you_immediately() -> None:
    table = lay(("believer", "abduction4", *SEVEN[:5]), phase="action", hands=((), ())).perform(2)
    assert len(table.hand(0)) == 2


def test_others_affect_you_at_the_end_of_the_game() -> None:
    table = lay(("men_in_black", "abduction4"), phase="action", ends=True).perform(2)
    assert table.points == (0, 0)


def test_a_human_can_be_led_to_an_opponent_or_to_oneself() -> None:
    table = lay(("military", *SEVEN[:6]), phase="action", hands=((), (), ()))
    assert [move.to_seat for move in table.offered(UfoWaveLead)] == [0, 1, 2]
    assert table.lead(1, 2).watching(2) == ["military"]


def test_energy_beside_a_performed_activity_goes_to_the_score_pile() -> None:
    table = lay(("surge", "abduction4", "static", *SEVEN[:4]), phase="action").perform(2)
    assert table.pile(0) == ["abduction4", "surge", "static"]
    assert table.view(0).points == 5


def test_energy_beside_a_led_human_goes_to_the_leader() -> None:
    table = lay(("surge", "military", "glow", *SEVEN[:4]), phase="action").lead(2, 1)
    assert table.pile(0) == ["surge", "glow"]
    assert table.pile(1) == []
    assert table.watching(1) == ["military"]


def test_some_energy_draws_a_plan_card() -> None:
    table = lay(("flux", "abduction4", *SEVEN[:5]), phase="action", hands=((), ())).perform(2)
    assert len(table.hand(0)) == 1


def test_some_energy_forces_to_discard_a_plan_card() -> None:
    table = lay(("drain", "abduction4", *SEVEN[:5]), phase="action", hands=(("orb", "cloak"), ())).perform(2)
    assert table.to_move == (0,)
    assert table.discard(0, "orb").hand(0) == ("cloak",)


def test_an_event_is_followed_by_all_discarded_and_another_card_drawn() -> None:
    table = lay(SEVEN, phase="action", scan=("meteor_shower", "surge")).perform(1)
    assert [len(table.hand(0)), len(table.hand(1))] == [1, 2]  # seat 1 has drawn for its turn too
    assert table.scan_discard() == ["meteor_shower"]
    assert table.view().scan[0].key == "surge"


def test_gaps_are_filled_from_left_to_right() -> None:
    row = ("military", "abduction4", "surge", *SEVEN[:4])
    table = lay(row, phase="action", scan=("contact1", "contact2", "contact3")).perform(2)
    assert [card.points for card in table.view().scan[:3] if card] == [1, 2, 3]
    assert [data.card.points for data in table.told("turned_up")] == [1, 2, 3]


def test_after_the_scan_deck_is_depleted_the_row_closes_up() -> None:
    table = lay(("contact1", "abduction4", "contact2"), phase="action", ends=True).perform(2)
    assert table.row() == (1, 3)


# Deck Overview: Plan


def test_a_power_on_its_own_takes_its_basic_effect() -> None:
    table = lay(hands=(("paralysis",), ("orb",))).power("paralysis", seat=1)
    assert table.view().seats[1].paralysed == "basic"


def test_a_craft_played_with_it_activates_the_advanced_level() -> None:
    table = lay(hands=(("paralysis", "orb"), ("orb",))).power("paralysis", "advanced", "orb", seat=1)
    assert table.view().seats[1].paralysed == "advanced"
    assert table.view().plan_discard == ("paralysis", "orb")


def test_two_craft_of_the_same_type_discard_a_human_watching_you() -> None:
    table = lay(hands=(("orb", "orb", "cigar"), ()), watching=(("military",),)).dismiss(8, "orb", "orb")
    assert table.watching(0) == []
    assert table.scan_discard() == ["military"]
    assert table.hand(0) == ("cigar",)


def test_two_craft_of_different_types_discard_nothing() -> None:
    table = lay(hands=(("orb", "cigar"), ()), watching=(("military",),))
    assert table.refused(0, UfoWaveDismissHuman(8, ("orb", "cigar"))) == "U11"


@pytest.mark.parametrize("craft", ["saucer", "triangle", "cigar", "orb", "shape_shifter"])
def test_shape_shifters_can_be_combined_with_any_other_craft(craft: str) -> None:
    table = lay(hands=((craft, "shape_shifter"), ()), watching=(("military",),)).dismiss(8, craft, "shape_shifter")
    assert table.watching(0) == []


def test_a_countered_power_has_no_effect_and_is_simply_discarded() -> None:
    table = lay(hands=(("paralysis", "orb"), ("missing_time",))).countered("paralysis", seat=1)
    assert table.view().seats[1].paralysed is None
    assert table.view().plan_discard == ("paralysis", "missing_time")


def test_an_aura_keeps_opponents_from_performing_until_your_next_turn() -> None:
    table = lay(hands=(("protective_aura",), ()), scan=SEVEN).power("protective_aura", activity=5).perform(1)
    assert table.state.active == 1
    assert table.end_preparation().refused(1, UfoWavePerform(5)) == "U14"
    table.perform(2)
    assert table.state.active == 0
    assert table.view().scan[4].protected_by is None
    table.end_preparation()
    assert UfoWavePerform(5) in table.legal()


def test_with_an_advanced_aura_you_may_claim_the_activity_besides_your_usual_action() -> None:
    table = lay(hands=(("protective_aura", "orb", "cigar"), ()), scan=SEVEN)
    table.power("protective_aura", "advanced", "orb", activity=5).end_preparation().perform(1)
    table.end_preparation().perform(2)
    table.end_preparation().perform(5)
    assert table.state.active == 0
    assert table.perform(3).pile(0) == ["abduction1", "sabotage4", "sampling2"]


def test_normal_adjacent_card_rules_apply_to_the_claimed_activity() -> None:
    row = ("contact1", "contact2", "military", "sabotage4", "surge", "contact3", "contact2")
    table = lay(row, phase="action", action=True, extra=(4,)).perform(4)
    assert table.watching(0) == ["military"]
    assert table.pile(0) == ["sabotage4", "surge"]


# Deck Overview: Species


def test_all_species_can_perform_all_activities() -> None:
    table = lay(SEVEN, phase="action", mode="standard", species=("greys", "nordics"))
    assert [move.activity for move in table.offered(UfoWavePerform)] == [1, 2, 3, 4, 5, 6, 7]


def test_each_favoured_activity_gains_two_more_points() -> None:
    table = lay(SEVEN, mode="standard", species=("greys", "nordics"), piles=(("abduction4", "abduction1", "contact3"),))
    assert table.view(0).points == 4 + 1 + 3 + 2 + 2


def test_a_species_own_power_reaches_advanced_without_a_craft() -> None:
    table = lay(hands=(("paralysis", "cloak"), ()), mode="standard", species=("hybrids", "nordics"))
    table.power("paralysis", "advanced", seat=1)
    assert table.view().seats[1].paralysed == "advanced"


def test_it_can_still_be_played_at_basic() -> None:
    table = lay(hands=(("paralysis", "cloak"), ()), mode="standard", species=("hybrids", "nordics"))
    assert table.powers() == [("cloak", "basic"), ("paralysis", "advanced"), ("paralysis", "basic")]


# Setup


def test_each_player_chooses_a_species_that_lies_face_up() -> None:
    table = start(3)
    for seat, key in enumerate(("greys", "mantids", "nordics")):
        assert table.phase == "species"
        table.do(seat, UfoWaveChooseSpecies(key))
    assert [seat.species for seat in table.view().seats] == ["greys", "mantids", "nordics"]


def test_seven_scan_cards_lie_in_a_line_and_no_event_among_them() -> None:
    for seed in range(40):
        table = start(2, "equal", f"row {seed}")
        assert [card.id for card in table.view().scan if card] == [1, 2, 3, 4, 5, 6, 7]
        assert all(card and card.kind != "event" for card in table.view().scan), seed


def test_two_events_are_shuffled_into_the_scan_deck() -> None:
    for seed in range(20):
        deck = start(2, "equal", f"events {seed}").state.scan_deck
        assert len(deck) == 54 - 7 + 2
        assert sum(HOUSE.sorts[kind] == "event" for kind in deck) == 2, seed


def test_five_plan_cards_are_dealt_to_each_player() -> None:
    table = start(4, "equal")
    assert [seat.hand_size for seat in table.view().seats] == [6, 5, 5, 5]  # the first has drawn for its turn
    assert table.view().plan_deck == 56 - 4 * 5 - 1


def test_play_continues_clockwise() -> None:
    table = lay(hands=((), (), ()), phase="action")
    for seat in (0, 1, 2, 0):
        assert table.state.active == seat
        if table.phase == "preparation":
            table.end_preparation()
        table.perform(table.legal()[0].activity)


# Taking Your Turn


def test_the_phases_come_in_order() -> None:
    table = lay(phase="action").perform(1)
    assert [data.phase for data in table.told("phase")] == ["discard", "draw", "preparation"]
    assert [data.phase for data in table.end_preparation().told("phase")] == ["action"]


def test_draw_phase_draws_a_card() -> None:
    table = lay(hands=((), ("orb",)), phase="action", plan=("cloak",)).perform(1)
    assert table.hand(1) == ("cloak", "orb")
    assert [(event.seat, event.data.count, event.data.card) for event in table.events if event.type == "drew"] == [
        (1, 1, None)
    ]


def test_in_preparation_as_many_cards_are_played_as_one_wishes() -> None:
    table = lay(hands=(("paralysis", "paralysis", "cloak", "tractor_beam"), ("orb",)))
    table.power("paralysis", seat=1).power("paralysis", seat=1).power("cloak").power("tractor_beam")
    assert table.phase == "action"


def test_a_performed_activity_lies_face_down_in_the_score_pile() -> None:
    table = lay(phase="action").perform(5)
    assert table.view(1).seats[0].score_pile == 1
    assert table.view(1).score_pile_cards == ()
    assert table.view(None).score_pile_cards is None


def test_the_action_is_compulsory() -> None:
    table = lay(phase="action")
    assert table.refused(0, UfoWaveEndAction()) == "U6"


def test_in_the_discard_phase_one_discards_down_to_six() -> None:
    hand = ("orb", "orb", "cigar", "cigar", "cloak", "cloak", "saucer", "saucer")
    table = lay(hands=(hand, ()), phase="action").perform(1)
    assert (table.phase, table.to_move) == ("discard", (0,))
    table.discard(0, "orb").discard(0, "saucer")
    assert len(table.hand(0)) == 6
    assert table.state.active == 1


# End of the Game


def test_the_game_ends_when_the_deck_is_depleted_and_no_activity_or_human_is_left() -> None:
    table = lay(("abduction4", "contact1", "surge"), phase="action", ends=True)
    assert table.perform(1).phase != "over"
    table.end_preparation().perform(2)
    assert table.phase == "over"
    assert table.to_move == ()


def test_a_human_left_in_the_row_keeps_the_game_going() -> None:
    table = lay(("abduction4", "contact1", "military"), phase="action", ends=True).perform(1)
    table.end_preparation().perform(2)
    assert table.phase == "over"  # the Military guarded the Activity and came along
    table = lay(("abduction4", "surge", "military"), phase="action", ends=True).perform(1)
    assert table.phase == "preparation"


def test_the_score_is_the_sum_of_claimed_activity_and_energy_cards() -> None:
    table = lay(("abduction4",), phase="action", ends=True, piles=(("contact3", "static"), ("hum",))).perform(1)
    assert table.points == (4 + 3 - 2, -1)


def test_each_men_in_black_loses_four_points() -> None:
    table = lay(("abduction4",), phase="action", ends=True, watching=(("men_in_black",) * 2,)).perform(1)
    assert table.points == (4 - 8, 0)


def test_whoever_has_most_military_loses_six_points() -> None:
    watching = (("military",), ("military", "military"))
    table = lay(("abduction4",), phase="action", ends=True, watching=watching).perform(1)
    assert table.points == (4, -6)


def test_whoever_has_the_most_points_has_won() -> None:
    table = lay(("abduction4",), phase="action", ends=True, piles=((), ("contact1",))).perform(1)
    ending = GAME.outcome(table.state)
    assert (ending.winners, ending.returns, ending.termination) == ((0,), (4, 1), "scan_empty")


# Alternative Rules


def test_covert_species_are_dealt_at_random_and_hidden() -> None:
    table = start(3, "covert")
    assert table.phase == "preparation"
    own = [table.view(seat).seats[seat].species for seat in range(3)]
    assert len(set(own)) == 3
    assert None not in own
    assert [seat.species for seat in table.view(0).seats] == [own[0], None, None]
    assert [seat.species for seat in table.view().seats] == [None, None, None]


def test_covert_ignores_the_automatically_activated_power() -> None:
    table = lay(hands=(("paralysis", "cloak"), ()), mode="covert", species=("hybrids", "nordics"))
    assert table.powers() == [("cloak", "basic"), ("paralysis", "basic")]


def test_covert_favoured_activities_count() -> None:
    table = lay(("abduction4",), phase="action", ends=True, mode="covert", species=("greys", "nordics")).perform(1)
    assert table.points == (6, 0)
    assert [seat.species for seat in table.view().seats] == ["greys", "nordics"]


def test_equal_has_no_species() -> None:
    table = start(2, "equal")
    assert table.phase == "preparation"
    assert [seat.species for seat in table.view(0).seats] == [None, None]
    table = lay(("abduction4",), phase="action", ends=True).perform(1)
    assert table.points == (4, 0)


def test_solo_removes_two_of_each_craft_and_four_powers_and_adds_no_events() -> None:
    table = start(1, "solo")
    plan = [HOUSE.plan[card].key for card in (*table.state.plan_deck, *table.state.seats[0].hand)]
    assert len(plan) == 30
    assert {key: plan.count(key) for key in plan} == {
        "mind_control": 4, "dimensional_shift": 4, "tractor_beam": 4, "cloak": 4,
        "saucer": 3, "triangle": 3, "cigar": 3, "orb": 3, "shape_shifter": 2,
    }  # fmt: skip
    assert len(table.state.scan_deck) == 54 - 7
    assert all(HOUSE.sorts[kind] != "event" for kind in table.state.scan_deck)


def test_solo_has_no_species_and_no_reaction_window() -> None:
    table = lay(hands=(("cloak", "orb"),), mode="solo").announce("cloak")
    assert table.view(0).window is None
    assert table.told("window_closed") == []
    assert table.to_move == (0,)


def test_solo_adds_a_point_for_each_unused_craft_in_hand() -> None:
    table = lay(("abduction4",), (("orb", "cigar", "cloak"),), phase="action", ends=True, mode="solo").perform(1)
    assert table.points == (4 + 2,)


@pytest.mark.parametrize(
    ("worth", "medal"), [(75 - 1, None), (75, "bronze"), (79, "bronze"), (80, "silver"), (84, "silver"), (85, "gold")]
)
def test_the_solo_medals(worth: int, medal: str | None) -> None:
    fours, rest = divmod(worth - 1, 4)
    pile = ("abduction4",) * fours + (f"contact{rest}",) * bool(rest)
    table = lay(("abduction1",), ((),), phase="action", ends=True, mode="solo", piles=(pile,)).perform(1)
    assert table.points == (worth,)
    assert GAME.outcome(table.state).medal == medal


def test_only_energy_in_the_first_row_is_discarded_until_something_can_be_taken() -> None:
    table = lay(ENERGY_ONLY, scan=("surge", "abduction1"), hands=(("orb",), ())).end_preparation()
    assert table.scan_discard() == ["surge", "surge"]
    assert [move.activity for move in table.legal()] == [9]


def test_end_preparation_leads_to_the_action_phase() -> None:
    table = lay(hands=(("orb",), ()))
    assert UfoWaveEndPreparation() in table.legal()
    assert table.end_preparation().phase == "action"
