"""The safe move of an absent seat, decision by decision."""

from engines.ufo_wave import GAME
from engines.ufo_wave.moves import (
    UfoWaveAllow,
    UfoWaveChooseSpecies,
    UfoWaveDiscard,
    UfoWaveDiscardHuman,
    UfoWaveDraw,
    UfoWaveEndAction,
    UfoWaveEndPreparation,
    UfoWaveLead,
    UfoWaveOrderScan,
    UfoWavePerform,
)
from tests.engines.ufo_wave.build import SEVEN, Table, lay, start

FIVE, SIX = SEVEN[:5], SEVEN[:6]


def default(table: Table) -> object:
    seat = table.to_move[0]
    return GAME.default_move(table.view(seat), table.legal(seat))


def test_the_first_species_left() -> None:
    table = start(2)
    assert default(table) == UfoWaveChooseSpecies("greys")
    assert default(table.do(0, UfoWaveChooseSpecies("greys"))) == UfoWaveChooseSpecies("reptilians")


def test_the_top_card() -> None:
    table = lay(phase="action", open_plan=True).perform(1)
    assert default(table) == UfoWaveDraw("top")


def test_no_plan_card_is_played() -> None:
    assert default(lay(hands=(("cloak", "orb", "orb"), ()), watching=(("military",),))) == UfoWaveEndPreparation()


def test_the_activity_worth_most() -> None:
    assert default(lay(phase="action")) == UfoWavePerform(5)


def test_of_equals_the_leftmost() -> None:
    row = ("contact3", "abduction3", *FIVE)
    assert default(lay(("contact3", *row[1:4]), phase="action", ends=True)) == UfoWavePerform(1)


def test_what_comes_along_counts() -> None:
    row = ("abduction4", "men_in_black", "contact2", "surge", "sampling1", "static", "surveillance1")
    assert default(lay(row, phase="action")) == UfoWavePerform(5)
    row = ("abduction4", "military", "contact1", "sampling2", *SEVEN[:3])
    assert default(lay(row[:4], phase="action", ends=True)) == UfoWavePerform(4)


def test_military_costs_nothing_more_to_who_has_most_already_or_stays_behind() -> None:
    row = ("abduction4", "military", "sampling1", "contact2")
    for watching in ((("military",), ()), ((), ("military", "military"))):
        assert default(lay(row, phase="action", ends=True, watching=watching)) == UfoWavePerform(1), watching
    assert default(lay(row, phase="action", ends=True, watching=((), ("military",)))) == UfoWavePerform(4)


def test_a_favoured_activity_is_worth_two_more() -> None:
    row = ("abduction2", "contact3", "sampling1")
    for mode in ("standard", "covert"):
        table = lay(row, phase="action", mode=mode, species=("greys", "mantids"), ends=True)
        assert default(table) == UfoWavePerform(1)


def test_else_a_lead_to_another_seat() -> None:
    table = lay(("static", "military", "glow", "reporter", "surge"), phase="action", ends=True)
    assert default(table) == UfoWaveLead(4, 1)


def test_in_solo_the_lead_worth_most_to_oneself() -> None:
    table = lay(("men_in_black", "contactee"), ((),), phase="action", mode="solo", ends=True)
    assert default(table) == UfoWaveLead(2, 0)


def test_the_action_is_ended_as_soon_as_it_may_be() -> None:
    table = lay(hands=(("tractor_beam",), ())).power("tractor_beam").perform(5)
    assert default(table) == UfoWaveEndAction()


def test_the_first_card_in_hand() -> None:
    table = lay(("police", *SIX), ((), ("orb", "cloak", "saucer")), phase="action").lead(1, 1)
    assert default(table) == UfoWaveDiscard("cloak")


def test_the_first_human() -> None:
    table = lay(phase="action", watching=(("police", "military"), ()), scan=("cover_up",)).perform(1)
    assert default(table) == UfoWaveDiscardHuman(8)


def test_a_power_is_allowed() -> None:
    assert default(lay(hands=(("cloak", "orb"), ("missing_time",))).announce("cloak")) == UfoWaveAllow()


def test_a_row_that_is_being_put_in_order_stays_as_it_is() -> None:
    table = lay(hands=(("dimensional_shift", "orb", "orb"), ())).power("dimensional_shift", "advanced", "orb")
    while table.state.agenda:
        move = default(table)
        assert isinstance(move, UfoWaveOrderScan)
        table.do(0, move)
    assert table.row() == (1, 2, 3, 4, 5, 6, 7)
