"""The JSON that clients see: the names and shapes that the published page gives."""

from typing import Any

import msgspec
import pytest

from engines.kit.errors import InvalidOptions
from engines.ufo_wave import GAME
from engines.ufo_wave.events import EVENTS
from engines.ufo_wave.moves import MOVES, UfoWaveMove
from tests.engines.ufo_wave.build import SEVEN, lay, start


def as_json(what: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(what))


def read(text: str) -> UfoWaveMove:
    return msgspec.json.decode(text, type=UfoWaveMove)


def test_a_scan_card() -> None:
    assert as_json(lay().view(0).scan[4]) == {
        "id": 5, "kind": "activity", "key": "sabotage", "points": 4, "protected_by": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"choose_species","species":"greys"}',
        '{"type":"draw","from":"top"}',
        '{"type":"play_power","power":"cloak","level":"basic"}',
        '{"type":"play_power","power":"cloak","level":"advanced","craft":"orb","target":null}',
        '{"type":"play_power","power":"paralysis","level":"basic","craft":null,"target":{"seat":1}}',
        '{"type":"order_scan","card":3}',
        '{"type":"dismiss_human","human":3,"craft":["orb","orb"]}',
        '{"type":"end_preparation"}',
        '{"type":"perform","activity":1}',
        '{"type":"lead","human":1,"to_seat":0}',
        '{"type":"end_action"}',
        '{"type":"discard","card":"orb"}',
        '{"type":"discard_human","human":1}',
        '{"type":"allow"}',
        '{"type":"counter","level":"basic"}',
        '{"type":"counter","level":"advanced","craft":"orb"}',
        '{"type":"set_reactions","ask":false}',
    ],
)
def test_moves_are_read(text: str) -> None:
    assert isinstance(read(text), MOVES)


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"win"}',
        '{"type":"perform"}',
        '{"type":"perform","activity":0}',
        '{"type":"perform","activity":2147483648}',
        '{"type":"perform","activity":"1"}',
        '{"type":"perform","activity":1,"seat":0}',
        '{"type":"lead","human":1,"to_seat":-1}',
        '{"type":"draw","from":"middle"}',
        '{"type":"play_power","power":"cloak","level":"expert"}',
        '{"type":"play_power","power":"cloak","level":"basic","target":{"card":1}}',
        '{"type":"play_power","power":"' + "x" * 41 + '","level":"basic"}',
        '{"type":"dismiss_human","human":3,"craft":["orb"]}',
        '{"type":"dismiss_human","human":3,"craft":["orb","orb","orb"]}',
        '{"type":"discard","card":"Orb!"}',
        '{"type":"set_reactions","ask":1}',
        '{"type":["allow"]}',
    ],
)
def test_what_does_not_fit_the_schema_is_not_read(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(text)


def test_listed_moves_show_their_nulls() -> None:
    table = lay(hands=(("paralysis",), ()))
    assert as_json(table.legal()[0]) == {
        "type": "play_power", "power": "paralysis", "level": "basic", "craft": None,
        "target": {"activity": None, "human": None, "seat": 1, "to_seat": None, "first": None, "second": None},
    }  # fmt: skip


def test_moves_are_listed_in_the_order_of_the_page() -> None:
    table = lay(("military", *SEVEN[:6]), (("cloak", "orb", "orb"), ()), watching=(("police",),))
    assert [move["type"] for move in as_json(table.legal())] == ["play_power"] * 2 + [
        "dismiss_human",
        "end_preparation",
    ]
    table = lay(("military", *SEVEN[:6]), phase="action", claims=(1_000,), acted=True)
    assert list(dict.fromkeys(move["type"] for move in as_json(table.legal()))) == ["perform", "lead", "end_action"]


def test_a_view() -> None:
    view = as_json(start(2, "equal", "a view").view(0))
    assert {key: view[key] for key in view if key not in ("scan", "hand", "seats")} == {
        "viewer": 0, "mode": "equal", "card_set": "house", "phase": "preparation", "active": 0, "to_move": [0],
        "direction": "clockwise", "scan_deck": 49, "scan_discard": [], "plan_deck": 45, "plan_top": None,
        "plan_discard": [], "events_seen": [], "lockdown": False, "window": None, "pending": None,
        "claims": {"action": True, "extra": []}, "score_pile_cards": [], "points": 0, "favoured": None,
    }  # fmt: skip
    assert view["seats"][1] == {
        "seat": 1, "species": None, "watching": [], "hand_size": 5, "hand_limit": 6, "activities": 0, "score_pile": 0,
        "paralysed": None, "asks": True, "known": [],
    }  # fmt: skip
    assert (len(view["scan"]), len(view["hand"])) == (7, 6)


def test_a_view_shows_all_its_names_to_everybody_and_always() -> None:
    names = set(as_json(start(2).view(None)))
    for table in (start(2), start(1, "solo"), lay(hands=(("cloak", "orb"), ())).announce("cloak")):
        for viewer in (None, 0):
            assert set(as_json(table.view(viewer))) == names


def test_a_window() -> None:
    table = lay(hands=(("paralysis", "orb"), (), ())).announce("paralysis", "advanced", "orb", seat=2)
    assert as_json(table.view(None).window) == {
        "seat": 0, "power": "paralysis", "level": "advanced", "craft": "orb", "answered": [],
        "target": {"activity": None, "human": None, "seat": 2, "to_seat": None, "first": None, "second": None},
    }  # fmt: skip


def test_a_pending_choice() -> None:
    table = lay(("police", *SEVEN[:6]), ((), ("orb",)), phase="action").lead(1, 1)
    assert as_json(table.view(0).pending) == {"kind": "discard", "seat": 1, "count": 1, "cause": "police"}


def test_claims() -> None:
    table = lay(phase="action", extra=(5,), claims=(2, 1_000))
    assert as_json(table.view(0).claims) == {
        "action": True,
        "extra": [
            {"activity": 5, "at_most": None}, {"activity": None, "at_most": 2}, {"activity": None, "at_most": None},
        ],
    }  # fmt: skip


def test_an_outcome() -> None:
    table = lay(("abduction4",), phase="action", ends=True, piles=((), ("contact1",))).perform(1)
    assert as_json(GAME.outcome(table.state)) == {
        "termination": "scan_empty", "points": [4, 1], "winners": [0], "medal": None, "returns": [4, 1],
    }  # fmt: skip


def test_events_have_the_names_of_the_page() -> None:
    assert list(EVENTS) == [
        "species_chosen", "row_dealt", "drew", "power_played", "answered", "window_closed", "human_dismissed",
        "performed", "led", "moved_human", "scan_changed", "turned_up", "event", "discarded", "human_discarded",
        "reactions_set", "phase", "match_finished",
    ]  # fmt: skip
    fields = {name: list(data.__struct_fields__) for name, data in EVENTS.items()}
    assert fields["performed"] == ["card", "humans", "energy"]
    assert fields["led"] == ["human", "to_seat", "energy"]
    assert fields["power_played"] == ["power", "level", "craft", "target"]
    assert fields["window_closed"] == ["countered_by", "level", "craft"]
    assert fields["drew"] == ["count", "card"]
    assert fields["answered"] == []


@pytest.mark.parametrize(
    ("mode", "seats"), [("solo", 2), ("standard", 1), ("covert", 1), ("equal", 1), ("equal", 7), ("standard", 0)]
)
def test_a_number_of_seats_that_does_not_fit_the_mode(mode: str, seats: int) -> None:
    with pytest.raises(InvalidOptions) as refusal:
        GAME.check_options(GAME.options(mode=mode), seats)
    assert refusal.value.path == "$.options.mode"


@pytest.mark.parametrize(
    "text", ['{"mode":"team"}', '{"first_seat":-1}', '{"first_seat":6}', '{"card_set":"../x"}', '{"x":1}']
)
def test_options_outside_their_bounds_are_not_read(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=GAME.options)


def test_every_rule_that_a_refusal_names_has_its_sentence() -> None:
    assert all(rule and sentence.endswith(".") for rule, sentence in GAME.rules.items())
    assert GAME.anytime == {"set_reactions"}
    assert (GAME.key, GAME.rules_version, GAME.min_seats, GAME.max_seats) == ("ufo-wave", 1, 1, 6)
