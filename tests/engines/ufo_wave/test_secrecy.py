"""What a seat may not know changes nothing in what it sees, is offered, or is refused. Beside the shared law, on
every position of some matches, these are the places where UFO Wave could leak."""

import random

import msgspec
import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import RulesError
from engines.ufo_wave import GAME
from engines.ufo_wave.moves import UfoWaveAllow, UfoWaveCounter
from engines.ufo_wave.state import UfoWaveState
from tests.engines.ufo_wave.build import SEVEN, Table, lay, playing
from tests.engines.ufo_wave.hooks import probes, redeal

TABLES = [("covert", 3), ("standard", 2), ("equal", 4), ("solo", 1), ("covert", 6)]
encode = msgspec.json.encode


def told(state: UfoWaveState, viewer: int | None, tries: list[msgspec.Struct]) -> list[bytes | str]:
    """All that the engine tells the viewer of this position."""
    seen: list[bytes | str] = [encode(GAME.view_for(state, viewer)), encode(GAME.to_move(state))]
    if viewer is not None:
        seen.append(encode(GAME.legal_moves(state, viewer)))
        for move in tries:
            try:
                GAME.check(state, viewer, move)
                seen.append("accepted")
            except RulesError as refusal:
                seen.append(f"{type(refusal).__name__} {getattr(refusal, 'rule', '')} {refusal.sentence}")
    return seen


@pytest.mark.parametrize(("mode", "seats"), TABLES)
@pytest.mark.parametrize("seed", range(2))
def test_hidden_cards_change_nothing_in_any_position_of_a_match(mode: str, seats: int, seed: int) -> None:
    rng = random.Random(f"secrecy/{mode}/{seats}/{seed}")
    state = GAME.setup(GAME.options(mode=mode), seats, Chance(fixed_seed(f"secret {seed}"))).state
    while movers := GAME.to_move(state):
        viewer = rng.choice([None, *range(seats)])
        tries = rng.sample(probes(state, viewer or 0, rng), 40)
        before = told(state, viewer, tries)
        for _ in range(2):
            assert told(redeal(state, viewer, rng), viewer, tries) == before, f"{mode}, {seats} seats, seed {seed}"
        seat = rng.choice(movers)
        state = GAME.apply(state, seat, rng.choice(GAME.legal_moves(state, seat))).state


def test_a_window_opens_whether_or_not_anybody_holds_a_missing_time() -> None:
    tables = [lay(hands=(("cloak", "orb"), hand)).announce("cloak") for hand in (("missing_time",), ("orb",))]
    assert tables[0].to_move == tables[1].to_move == (1,)
    assert tables[0].events == tables[1].events
    assert tables[0].view(0) == tables[1].view(0)


def test_the_hand_size_of_a_seat_that_countered_changes_only_at_closing() -> None:
    hands = (("cloak", "orb"), ("missing_time", "orb"), ())
    table = lay(hands=hands).announce("cloak").do(1, UfoWaveCounter("advanced", "orb"))
    assert table.view().seats[1].hand_size == 2
    table.do(2, UfoWaveAllow())
    assert table.view().seats[1].hand_size == 0


def test_a_forced_discard_is_asked_even_if_the_hand_leaves_no_choice() -> None:
    for hand in (("orb",), ("orb", "orb"), ("orb", "cloak")):
        table = lay(("police", *SEVEN[:6]), ((), hand), phase="action").lead(1, 1)
        assert table.to_move == (1,), hand


def test_end_preparation_is_asked_even_if_nothing_can_be_played() -> None:
    for hand in (("missing_time",), ("orb",), ("cloak",)):
        assert lay(hands=((), hand), phase="action").perform(1).phase == "preparation", hand


def test_a_refusal_says_the_same_of_a_card_that_another_holds_and_of_one_that_nobody_has() -> None:
    table = lay(hands=(("orb",), ("cloak",)))
    refusals = []
    for key in ("cloak", "tractor_beam", "no_such_card"):
        with pytest.raises(RulesError) as caught:
            GAME.check(table.state, 0, playing(key))
        refusals.append((caught.value.sentence, getattr(caught.value, "rule", None)))
    assert len(set(refusals)) == 1


def test_the_seed_of_the_deal_is_in_no_view_event_or_refusal() -> None:
    table = Table(lay(hands=(("terrorize", "orb"), ("cloak", "orb"))).state)
    seed = table.state.chance.seed
    table.power("terrorize", "advanced", "orb", seat=1)
    for seen in (*(encode(table.view(viewer)) for viewer in (None, 0, 1)), encode(table.events)):
        assert seed not in seen
        assert seed.hex().encode() not in seen


def test_covert_species_are_in_no_view_but_the_owners_until_the_end() -> None:
    table = lay(SEVEN, mode="covert", species=("greys", "nordics"), hands=(("orb",), ("orb",)))
    assert b"nordics" not in encode(table.view(0))
    assert b"greys" not in encode(table.view(None))
    assert table.view(0).favoured == "abduction"
    over = lay(("abduction1",), mode="covert", species=("greys", "nordics"), phase="action", ends=True).perform(1)
    assert [seat.species for seat in over.view(None).seats] == ["greys", "nordics"]


def test_a_spectator_has_no_hand_no_pile_and_no_points() -> None:
    view = lay(hands=(("orb",), ("cloak",)), piles=(("abduction4",),)).view(None)
    assert (view.viewer, view.hand, view.score_pile_cards, view.points, view.favoured) == (None,) * 5
