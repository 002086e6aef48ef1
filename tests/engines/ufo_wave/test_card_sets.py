"""Card sets are data: the form, its errors, a set that owes the house set nothing, and matches that keep theirs."""

import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import InvalidOptions
from engines.ufo_wave import GAME
from engines.ufo_wave.card_set import CardSetError, parse
from engines.ufo_wave.cards import HOUSE, Cards
from engines.ufo_wave.effects import EFFECTS
from engines.ufo_wave.game import make_game, read_card_sets
from engines.ufo_wave.house import HOUSE_TEXT
from engines.ufo_wave.moves import UfoWavePlayPower
from engines.ufo_wave.options import UfoWaveOptions
from engines.ufo_wave.state import UfoWaveState
from tests.engines.ufo_wave.build import Table, lay, playing
from tests.engines.ufo_wave.hooks import cards_of
from tests.engines.ufo_wave.small_set import SMALL_TEXT

ROOT = Path(__file__).parents[3]
SMALL = Cards(parse(SMALL_TEXT, "small.toml"))
BOTH = make_game((SMALL,))


# The form and its errors


def spoiled(before: str, after: str) -> CardSetError:
    """What is said of the house set with one thing changed."""
    assert before in HOUSE_TEXT
    with pytest.raises(CardSetError) as caught:
        parse(HOUSE_TEXT.replace(before, after, 1), "mine.toml")
    return caught.value


def test_an_error_names_the_file_the_card_and_the_reason() -> None:
    error = spoiled('effect = "points", points = -4', 'effect = "vanish"')
    assert (error.file, error.card) == ("mine.toml", "human 'men_in_black'")
    assert str(error) == (
        "mine.toml: human 'men_in_black': the effect 'vanish' does not exist here; those that exist are: points, most"
    )


def test_an_unknown_effect_lists_those_that_exist_where_it_stands() -> None:
    error = spoiled('basic = { effect = "cloak_first" }', 'basic = { effect = "win" }')
    assert error.card == "power 'cloak'"
    for name in EFFECTS["level"]:
        assert name in error.reason
    assert "each_draws" not in error.reason


@pytest.mark.parametrize(
    ("before", "after", "card", "reason"),
    [
        ("[[activity]]", "[[activity", "the file", "is not TOML"),
        ("count = 4\nend", "count = 0\nend", "human 'military'", "$.count"),
        ("count = 4\nend", "counts = 4\nend", "human 'military'", "counts"),
        ('key = "military"', 'key = "Military!"', "human 'Military!'", "$.key"),
        ('key = "military"\n', "", "human number 1", "key"),
        ('key = "military"', 'key = "police"', "human 'police'", "used twice"),
        ("points = 3\n", "points = 99\n", "energy 'surge'", "points"),
        ("points = 3\n", 'points = "3"\n', "energy 'surge'", "points"),
        ("points = [1, 2, 2, 3, 4]", "points = [4, 1]", "activity 'crop_circle'", "ascend"),
        ('favoured = "abduction"', 'favoured = "tea"', "species 'greys'", "no activity has the key 'tea'"),
        ('automatic = "cloak"', 'automatic = "orb"', "species 'nordics'", "no power has the key 'orb'"),
        ('basic = { effect = "counter_basic" }', 'basic = { effect = "swap_scan" }', "power 'missing_time'", "both"),
        ('{ effect = "discard", count = 1 }', '{ effect = "discard" }', "human 'police'", "needs 'count'"),
        ('{ effect = "discard", count = 1 }', '{ effect = "discard", count = 9 }', "human 'police'", "from 1 to 3"),
        ('{ effect = "lead_human" }', '{ effect = "lead_human", count = 1 }', "power 'mind_control'", "has no 'count'"),
        ('{ effect = "lead_human" }', '{ effect = "lead_human", cost = 1 }', "power 'mind_control'", "cost"),
        ("solo = 0\n", "solo = 9\n", "power 'missing_time'", "more than 'count'"),
        ("gold = 85", "gold = 70", "medals", "ascend"),
        ('name = "House set"\n', "", "the file", "name"),
        ("stand_in = true", "stand_in = true\nextra = 1", "the file", "extra"),
        ('key = "house"', 'key = "house"\nhuman = 3', "the file", "is not TOML"),
    ],
)
def test_what_is_wrong_is_told(before: str, after: str, card: str, reason: str) -> None:
    error = spoiled(before, after)
    assert error.card == card
    assert reason in error.reason


def test_a_second_counter_is_refused() -> None:
    error = spoiled(
        'basic = { effect = "cloak_first" }\nadvanced = { effect = "cloak_all" }',
        'basic = { effect = "counter_any" }\nadvanced = { effect = "counter_any" }',
    )
    assert (error.card, error.reason) == ("power 'cloak'", "only one Power of a set can be a counter")


def test_a_table_that_is_no_list_is_told() -> None:
    with pytest.raises(CardSetError, match=r"x\.toml: human: must be a list of tables, each written \[\[human\]\]"):
        parse("[human]\nkey = 'a'", "x.toml")


def test_too_few_cards_are_told() -> None:
    def few(text: str, *pairs: tuple[str, str]) -> str:
        for before, after in pairs:
            text = text.replace(before, after)
        with pytest.raises(CardSetError) as caught:
            parse(text, "x.toml")
        return caught.value.reason

    lean = (("points = [0, 2, 6, 6]", "points = [0]"), ("points = [1, 3, 5]", "points = [1]"))
    lean += (("count = 3\nend", "count = 1\nend"), ("count = 2\nat_once", "count = 1\nat_once"))
    assert few(SMALL_TEXT, *lean) == "needs 8 to 120 Scan cards without Events; it has 6"
    powers = "[[power]]" + SMALL_TEXT.split("[[power]]", 1)[1].split("[[craft]]")[0]
    plan = ((powers, ""), ("count = 4\n", "count = 1\n"), ("count = 3\nany", "count = 1\nany"))
    species = "[[species]]" + SMALL_TEXT.split("[[species]]", 1)[1]
    assert few(SMALL_TEXT.replace(species, ""), *plan) == "needs 6 to 120 Plan cards; it has 2"
    activities = "[[activity]]" + SMALL_TEXT.split("[[activity]]", 1)[1].split("[[human]]")[0]
    assert (
        few("activity = []\n" + SMALL_TEXT.replace(species, "").replace(activities, ""))
        == "needs at least one activity"
    )


def test_a_set_that_is_too_long_to_be_carried_is_told() -> None:
    farmer = SMALL_TEXT[SMALL_TEXT.index("[[human]]") : SMALL_TEXT.index('[[human]]\nkey = "sheriff"')]
    one = farmer.replace("count = 3", f'count = 1\ntext = "{"x" * 400}"')
    crowd = "".join(one.replace('"farmer"', f'"farmer_{n}"') for n in range(40))
    with pytest.raises(CardSetError, match=r"names and texts are too long: 2[0-9]{4} characters in all, 20000 at most"):
        parse(SMALL_TEXT.replace(farmer, crowd), "x.toml")


def test_the_documented_example_is_a_card_set() -> None:
    page = (ROOT / "docs" / "card-sets.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    assert parse(example, "docs/card-sets.md").key == "tiny"


def test_the_page_lists_every_effect_with_its_bounds() -> None:
    page = (ROOT / "docs" / "card-sets.md").read_text(encoding="utf-8")
    for forms in EFFECTS.values():
        for name, form in forms.items():
            row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
            if form.number:
                assert f"`{form.number}` {form.lowest} to {form.highest}" in row, name


# The sets of a server


def test_a_server_reads_its_files_in_the_order_of_their_names() -> None:
    other = SMALL_TEXT.replace('key = "small"', 'key = "other"')
    assert [cards.source.key for cards in read_card_sets({"b.toml": SMALL_TEXT, "a.toml": other})] == ["other", "small"]


def test_two_sets_with_one_key_are_refused_and_so_is_another_house() -> None:
    with pytest.raises(CardSetError, match=r"b\.toml: the file: the key 'small' belongs to another card set"):
        read_card_sets({"a.toml": SMALL_TEXT, "b.toml": SMALL_TEXT})
    with pytest.raises(CardSetError, match="'house' belongs to another"):
        read_card_sets({"house.toml": HOUSE_TEXT})


def test_extending_the_record_leaves_the_old_one_alone() -> None:
    assert GAME.extend is not None
    extended = GAME.extend({"small.toml": SMALL_TEXT})
    assert list(extended.card_sets) == ["small"]
    assert GAME.card_sets == {}
    rows = extended.card_sets["small"]
    assert [(row.code, row.points, row.count) for row in rows[:6]] == [
        ("parade", 1, 1), ("parade", 3, 1), ("parade", 5, 1), ("picnic", 0, 1), ("picnic", 2, 1), ("picnic", 6, 2),
    ]  # fmt: skip
    assert rows[0].text == "Fly low."
    assert all(row.stand_in for row in rows)


def test_an_unknown_set_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InvalidOptions, match="it has: house, small") as caught:
        BOTH.check_options(UfoWaveOptions(card_set="mine"), 2)
    assert caught.value.path == "$.options.card_set"


@pytest.mark.parametrize(
    ("seats", "mode", "says"),
    [(4, "equal", "for 3 seats at most"), (3, "standard", "2 Species"), (3, "covert", "2 Species")],
)
def test_a_set_that_is_too_small_for_the_table_is_refused(seats: int, mode: str, says: str) -> None:
    with pytest.raises(InvalidOptions, match=says):
        BOTH.check_options(UfoWaveOptions(card_set="small", mode=mode), seats)
    BOTH.check_options(UfoWaveOptions(card_set="small", mode="equal"), 3)


def test_a_set_that_is_too_small_for_solo_is_refused() -> None:
    lean = Cards(parse(SMALL_TEXT.replace("solo = 3", "solo = 0").replace("solo = 1", "solo = 0"), "lean.toml"))
    with pytest.raises(InvalidOptions, match="too few Plan cards for solo"):
        make_game((lean,)).check_options(UfoWaveOptions(card_set="small", mode="solo"), 1)


# A match keeps its set


def test_settled_options_carry_a_set_that_is_not_the_house_set() -> None:
    assert BOTH.settle is not None
    assert BOTH.settle(UfoWaveOptions()) == UfoWaveOptions()
    kept = BOTH.settle(UfoWaveOptions(card_set="small", mode="equal"))
    chance = Chance(fixed_seed("kept"))
    # A server that has no such set sets the match up all the same, to the byte.
    assert GAME.setup(kept, 2, chance) == BOTH.setup(UfoWaveOptions(card_set="small", mode="equal"), 2, chance)


def test_nobody_but_the_server_fills_the_set_in() -> None:
    with pytest.raises(InvalidOptions) as caught:
        BOTH.check_options(UfoWaveOptions(cards="{}"), 2)
    assert caught.value.path == "$.options.cards"


@pytest.mark.parametrize("text", ["nonsense", "{}", SMALL.stored.replace("counter_any", "win")])
def test_a_replay_with_a_broken_set_is_refused(text: str) -> None:
    with pytest.raises(InvalidOptions, match="no card set"):
        GAME.setup(UfoWaveOptions(card_set="small", cards=text), 2, Chance(fixed_seed("x")))


def test_a_match_goes_on_with_the_cards_that_it_began_with() -> None:
    step = BOTH.setup(UfoWaveOptions(card_set="small", mode="equal"), 2, Chance(fixed_seed("mine")))
    stored = msgspec.msgpack.encode(step.state)
    state = msgspec.msgpack.decode(stored, type=UfoWaveState)
    seat = GAME.to_move(state)[0]
    assert GAME.legal_moves(state, seat) == BOTH.legal_moves(state, seat)
    assert GAME.view_for(state, seat).card_set == "small"


def test_the_house_set_takes_no_room_in_a_state() -> None:
    state = GAME.setup(UfoWaveOptions(mode="equal"), 6, Chance(fixed_seed("room"))).state
    assert state.cards == ""
    assert len(msgspec.msgpack.encode(state)) < 400
    assert len(SMALL.stored) < 3_000
    assert len(HOUSE.source.key) < 10


# Nothing is tied to the house set


@pytest.mark.parametrize(("mode", "seats"), [("standard", 2), ("covert", 2), ("equal", 2), ("equal", 3), ("solo", 1)])
def test_whole_matches_with_the_small_set(mode: str, seats: int) -> None:
    solo = mode == "solo"
    scan = Counter(_names(SMALL.scan_deck)) + Counter({"event": 0 if solo else 2})
    plan = Counter(SMALL.plan[kind].key for kind in (SMALL.solo_deck if solo else SMALL.plan_deck))
    for seed in range(30):
        rng = random.Random(f"{mode}/{seats}/{seed}")
        options = UfoWaveOptions(mode=mode, card_set="small")
        state = BOTH.setup(options, seats, Chance(fixed_seed(f"small {seed}"))).state
        moves = 0
        while movers := BOTH.to_move(state):
            assert Counter(cards_of(state)) == scan + plan, seed
            seat = rng.choice(movers)
            legal = BOTH.legal_moves(state, seat)
            assert BOTH.default_move(BOTH.view_for(state, seat), legal) in legal
            state = BOTH.apply(state, seat, rng.choice(legal)).state
            moves += 1
        assert moves <= BOTH.max_moves
        assert BOTH.outcome(state) is not None


def _names(kinds: tuple[int, ...]) -> list[str]:
    return [f"{SMALL.scan[k].key}{'' if SMALL.scan[k].points is None else SMALL.scan[k].points}" for k in kinds]


def small(*args: object, **fields: object) -> Table:
    return lay(*args, cards=SMALL, **fields)


ROW = ("parade1", "parade3", "parade5", "picnic0", "picnic2", "picnic6", "picnic6")


def test_a_counter_that_is_a_species_own_power_needs_no_craft() -> None:
    hands = (("grab", "kite"), ("veto",))
    table = small(ROW, hands, mode="standard", species=("sun_people", "moon_people")).announce("grab")
    assert [(move.level, move.craft) for move in table.legal(1)[1:]] == [("basic", None), ("advanced", None)]


def test_a_claim_with_another_limit() -> None:
    table = small(ROW, (("grab",), ())).power("grab").perform(6)
    assert [move.activity for move in table.legal(0)[:-1]] == [1, 2, 4, 5]


def test_levels_can_hold_any_effect() -> None:
    table = small(ROW, (("shield", "scare", "kite"), ("kite", "veto", "veto", "veto")))
    table.power("shield", activity=7)
    assert table.state.auras[0].claim is True
    table.power("scare", "advanced", "kite", seat=1)
    assert table.view().pending.count == 3


def test_a_human_that_most_are_glad_of_and_one_that_lowers_the_limit_to_two() -> None:
    table = small(ROW, ((), ()), watching=(("farmer", "child"), ("farmer", "child", "child")))
    assert [seat.hand_limit for seat in table.view().seats] == [4, 2]
    assert table.view(0).points == 4


def test_an_energy_may_ask_and_an_event_may_come_twice() -> None:
    table = small(("parade1", "spark", *ROW[1:6]), (("kite", "veto"), ()), phase="action", scan=("hush", "hush"))
    table.perform(1)
    assert table.view().pending.cause == "spark"
    table.discard(0, "kite")
    assert table.view().events_seen == ("hush", "hush")


def test_solo_removes_what_the_set_says_and_two_of_each_craft() -> None:
    left = Counter(SMALL.plan[kind].key for kind in SMALL.solo_deck)
    assert left == {"grab": 3, "shield": 1, "kite": 2, "balloon": 1}


def test_keys_of_the_house_set_mean_nothing_here() -> None:
    table = small(ROW, (("grab",), ()))
    assert table.refused(0, playing("tractor_beam")) == "U-hand"
    assert isinstance(table.legal(0)[0], UfoWavePlayPower)
