"""What clients see, to the byte: moves, options, views, events, the outcome."""

import json
from typing import Any

import msgspec
import pytest

from engines.wave import GAME
from engines.wave.moves import WaveMove, WavePlay, WaveProposeSilver, WaveTip
from engines.wave.options import WaveOptions
from tests.engines.wave.build import as_json, card, dealt, play, position, propose, tip

MOVES = msgspec.json.Decoder(WaveMove)
OPTIONS = msgspec.json.Decoder(WaveOptions)


def text(thing: Any) -> str:
    return msgspec.json.encode(thing).decode()


def test_moves() -> None:
    assert text(WavePlay(17)) == '{"type":"play","card":17}'
    assert text(WaveProposeSilver(21)) == '{"type":"propose_silver","card":21}'
    assert text(WaveTip(17, "can_play")) == '{"type":"tip","about":17,"says":"can_play","mine":null}'
    assert MOVES.decode('{"type":"tip","about":17,"says":"if_played_i_can","mine":9}') == WaveTip(
        17, "if_played_i_can", 9
    )
    assert MOVES.decode('{"type":"tip","says":"should_not_play","about":17}') == WaveTip(17, "should_not_play", None)


@pytest.mark.parametrize(
    "absurd",
    [
        '{"type":"play"}',
        '{"card":3}',
        '{"type":"pass"}',
        '{"type":["play"],"card":3}',
        '{"type":"play","card":"3"}',
        '{"type":"play","card":3.5}',
        '{"type":"play","card":true}',
        '{"type":"play","card":null}',
        '{"type":"play","card":-1}',
        '{"type":"play","card":2147483648}',
        '{"type":"play","card":100000000000000000000000}',
        '{"type":"play","card":3,"face":"o2"}',
        '{"type":"tip","about":3,"says":"it is blue"}',
        '{"type":"tip","about":3,"says":null}',
        '{"type":"tip","about":3,"says":"can_play","text":"hello"}',
        "[]",
        "null",
    ],
)
def test_absurd_moves_do_not_pass_the_schema(absurd: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        MOVES.decode(absurd)


def test_options() -> None:
    assert OPTIONS.decode("{}") == WaveOptions(strict=False, first_seat=0, tips_per_turn=20)
    for good in ('{"strict":true}', '{"first_seat":3}', '{"tips_per_turn":0}', '{"tips_per_turn":20}'):
        assert text(OPTIONS.decode(good))
    assert text(WaveOptions()) == '{"strict":false,"first_seat":0,"tips_per_turn":20}'


@pytest.mark.parametrize(
    "bad",
    [
        '{"strict":1}',
        '{"first_seat":-1}',
        '{"first_seat":4}',
        '{"tips_per_turn":-1}',
        '{"tips_per_turn":21}',
        '{"tips_per_turn":null}',
    ],
)
def test_options_out_of_bounds(bad: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        OPTIONS.decode(bad)


@pytest.mark.parametrize("special", ["color_swap", "number_swap", "special_cards", "Color swap"])
def test_the_special_cards_are_refused_as_an_unknown_field(special: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        OPTIONS.decode(json.dumps({special: True}))


def test_the_view_of_a_seat() -> None:
    state = position("o2", "r3 | w1 b1", "t1 | y3", "w2 |", pile="b2 b3 b4", turn=0)
    state = tip(state, 1, "b1", "can_play").state
    state = play(state, 0, "w1").state
    under = ",".join(f'"{face}"' for face in GAME.view_for(state, None).discard)
    r3, w1, b1, t1, y3, w2, o2 = (card(state, code) for code in ("r3", "w1", "b1", "t1", "y3", "w2", "o2"))
    assert text(GAME.view_for(state, 0)) == (
        f'{{"viewer":0,"top":{{"card":{o2},"face":"o2"}},"discard":[{under}],"draw_pile":3,"direction":"clockwise",'
        f'"turn":{{"seat":0}},"hands":['
        f'{{"seat":0,"cards":[{{"card":{r3},"facing":"holder","face":"r3"}},'
        f'{{"card":{w1},"facing":"team","face":null}},{{"card":{b1},"facing":"team","face":null}}]}},'
        f'{{"seat":1,"cards":[{{"card":{t1},"facing":"holder","face":null}},'
        f'{{"card":{y3},"facing":"team","face":"y3"}}]}},'
        f'{{"seat":2,"cards":[{{"card":{w2},"facing":"holder","face":null}}]}}],'
        f'"silver":null,"misfits":[{w1}],'
        f'"tips":[{{"seat":1,"about":{b1},"says":"can_play","mine":null,"version":1}}],"remaining":9}}'
    )


def test_the_view_of_a_two_seat_game_on_silvers_turn() -> None:
    state = position("o2", "r3 |", "t1 |", silver="t2 w1 | b1 b2", pile="b3", turn=2, clockwise=False)
    state = propose(state, 0, "t2").state
    view = as_json(GAME.view_for(state, None))
    t2, w1 = card(state, "t2"), card(state, "w1")
    assert view["viewer"] is None
    assert view["direction"] == "counterclockwise"
    assert text(GAME.view_for(state, None).turn) == '{"silver":true}'
    assert text(GAME.view_for(state, None).silver) == (
        f'{{"face_up":[{{"card":{t2},"face":"t2"}},{{"card":{w1},"face":"w1"}}],"face_down":2,'
        f'"face_down_faces":null,"proposals":{{"0":{t2},"1":null}}}}'
    )


def test_a_finished_match_has_no_turn_and_shows_all() -> None:
    state = play(position("b2", "b3 |", "t1 | w2", silver="t2 | y1 w1"), 0, "b3").state
    view = as_json(GAME.view_for(state, None))
    assert view["turn"] is None
    assert [shown["face"] for shown in view["hands"][1]["cards"]] == ["t1", "w2"]
    assert view["silver"]["face_down_faces"] == ["y1", "w1"]
    assert view["silver"]["face_down"] == 2


def test_a_card_has_the_running_number_in_which_it_left_the_pile() -> None:
    view = GAME.view_for(dealt("", 4).state, None)
    assert view.top.card == 1
    assert [[shown.card for shown in hand.cards] for hand in view.hands] == [
        [2, 3, 4, 14, 15],
        [5, 6, 7, 16, 17],
        [8, 9, 10, 18, 19],
        [11, 12, 13, 20, 21],
    ]
    step = play(dealt("w1 b1", 4).state, 0, "b1")
    assert as_json(step.events[1].data) == {"card": 22, "facing": "team"}


def test_events() -> None:
    state = position("y1", "r1 r2 | w1", "r3 | b4", silver="w3 o1 | b1 b2", pile="t1 y0 t2", turn=0)
    misfit = play(state, 0, "w1")
    seat_plays = play(misfit.state, 0, "r1")
    tipped = tip(seat_plays.state, 0, "b4", "if_played_i_can", "r2")
    assert [text(event) for step in (misfit, seat_plays, tipped) for event in step.events] == [
        f'{{"type":"misfit","seat":0,"data":{{"card":{card(state, "w1")}}}}}',
        f'{{"type":"played","seat":0,"data":{{"card":{card(state, "r1")},"face":"r1","reversed":false}}}}',
        f'{{"type":"drew","seat":0,"data":{{"card":{card(state, "t1")},"facing":"team"}}}}',
        f'{{"type":"tipped","seat":0,"data":{{"about":{card(state, "b4")},"says":"if_played_i_can",'
        f'"mine":{card(state, "r2")}}}}}',
    ]


def test_events_of_silver() -> None:
    state = position("w1", "r1 |", "r3 |", silver="y0 o1 | b1 b2", pile="w2", turn=2)
    first = propose(state, 0, "y0")
    second = propose(first.state, 1, "y0")
    assert [text(event) for step in (first, second) for event in step.events] == [
        f'{{"type":"proposed","seat":0,"data":{{"card":{card(state, "y0")}}}}}',
        f'{{"type":"proposed","seat":1,"data":{{"card":{card(state, "y0")}}}}}',
        f'{{"type":"played","seat":null,"data":{{"card":{card(state, "y0")},"face":"y0","reversed":true}}}}',
        f'{{"type":"drew","seat":null,"data":{{"card":{card(state, "w2")},"face":"w2"}}}}',
        f'{{"type":"turned_up","seat":null,"data":{{"card":{card(state, "b1")},"face":"b1"}}}}',
    ]


def test_the_end() -> None:
    step = play(position("y1", "r1 |", "w1 |", "y0 w2 |"), 0, "r1")
    outcome = '{"termination":"stuck","remaining":3,"rating":"good","returns":[-3,-3,-3]}'
    assert text(GAME.outcome(step.state)) == outcome
    assert text(step.events[-1]) == f'{{"type":"match_finished","seat":null,"data":{{"outcome":{outcome}}}}}'


def test_the_published_types_are_named_after_the_game() -> None:
    _, components = msgspec.json.schema_components(
        [*GAME.moves, GAME.options, GAME.view, GAME.ending, *GAME.events.values()]
    )
    assert all(name.startswith("Wave") for name in components)
    assert all(component.get("description") for component in components.values())
