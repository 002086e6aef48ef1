"""The JSON that clients see, to the byte: views, events, moves, outcomes; every property always there."""

import msgspec
import pytest

from engines.onda import GAME
from engines.onda.cards import pile_of
from tests.engines.onda.positions import ANY_MOVE, as_move, do, fresh, position


def encoded(value) -> str:
    return msgspec.json.encode(value).decode()


def middle_of_a_trick():
    return position(
        "b11 g4 g4",
        "g3 b15",
        "g5 b6",
        face_down=("b9 g1", "b2", ""),
        table=(2, "g4 g5", "g6"),
        turn=0,
        out=(1,),
        known=(0, pile_of(["b15"]), 0),
        points=(50, 41, 38),
        went_out=(1, 0, 0),
        round=2,
        high=False,
        blocked=True,
        bombed=True,
        bomb="C",
        leader=1,
    )


def test_the_view_of_a_seat():
    assert encoded(GAME.view_for(middle_of_a_trick(), 0)) == (
        '{"viewer":0,"phase":"trick","round":2,"rounds":4,'
        '"tide":"low","status":"blocked","bomb":"C","bomb_played":true,"leader":1,'
        '"table":{"seat":2,"kind":"sequence","size":3,"number":4,"cards":["g4","g5"],"wild_as":"g6","bomb":true},'
        '"seats":[{"seat":0,"points":50,"went_out":1,"hand_size":3,"face_down":2,'
        '"in_trick":true,"has_set_aside":true,"known":[]},'
        '{"seat":1,"points":41,"went_out":0,"hand_size":2,"face_down":1,'
        '"in_trick":false,"has_set_aside":true,"known":["b15"]},'
        '{"seat":2,"points":38,"went_out":0,"hand_size":2,"face_down":0,'
        '"in_trick":true,"has_set_aside":true,"known":[]}],'
        '"hand":["g4","g4","b11"],"face_down":["g1","b9"],"wilds_used":[],'
        '"played":[{"seat":2,"cards":["g4","g5"],"wild_as":"g6"}]}'
    )


def test_the_view_of_a_spectator_has_no_cards_of_its_own():
    shown = encoded(GAME.view_for(middle_of_a_trick(), None))
    assert shown == encoded(GAME.view_for(middle_of_a_trick(), 0)).replace('"viewer":0', '"viewer":null').replace(
        '"hand":["g4","g4","b11"],"face_down":["g1","b9"],"wilds_used":[]',
        '"hand":null,"face_down":null,"wilds_used":null',
    )


def test_the_view_at_the_start():
    assert encoded(GAME.view_for(fresh(2, "0"), None)) == (
        '{"viewer":null,"phase":"set_aside","round":1,"rounds":4,'
        '"tide":"high","status":"allowed","bomb":"A","bomb_played":false,"leader":0,"table":null,'
        '"seats":[{"seat":0,"points":50,"went_out":0,"hand_size":15,"face_down":0,'
        '"in_trick":true,"has_set_aside":false,"known":[]},'
        '{"seat":1,"points":50,"went_out":0,"hand_size":15,"face_down":0,'
        '"in_trick":true,"has_set_aside":false,"known":[]}],'
        '"hand":null,"face_down":null,"wilds_used":null,"played":[]}'
    )


def test_the_view_of_a_finished_match_stays_as_the_last_round_left_it():
    state = position(
        "g9 b9",
        "g1 b15",
        "g2",
        table=(2, "g7 b7"),
        bombed=True,
        bomb="B",
        out=(1,),
        face_down=("", "b1", ""),
        blocked=True,
        round=4,
        known=(0, pile_of(["b15"]), 0),
    )
    finished = do(state, 0, "follow", cards="g9 b9").state
    shown = msgspec.json.decode(encoded(GAME.view_for(finished, 1)))
    assert shown["phase"] == "over"
    assert shown["round"] == 4
    assert shown["bomb"] == "C"
    assert shown["bomb_played"] is True
    assert shown["status"] == "blocked"
    assert shown["leader"] == 2
    assert shown["table"]["cards"] == ["g9", "b9"]
    assert [seat["in_trick"] for seat in shown["seats"]] == [True, False, True]
    assert [seat["has_set_aside"] for seat in shown["seats"]] == [True, True, True]
    assert [seat["points"] for seat in shown["seats"]] == [53, 41, 48]
    assert shown["seats"][1]["known"] == ["b15"]
    assert shown["hand"] == ["g1", "b15"]
    assert shown["face_down"] == ["b1"]


@pytest.mark.parametrize(
    ("type", "data"),
    [
        ("round_started", '{"round":1,"starter":0,"bomb":"A"}'),
        ("bomb_kept", '{"bomb":"A"}'),
        ("bomb_skipped", '{"bomb":"B"}'),
        ("set_aside", "{}"),
        ("followed", '{"cards":["g4"],"wild_as":"g5","kind":"sequence","size":2,"number":4}'),
        ("tide_turned", '{"take":"b9","cards":["b9"],"tide":"low","kind":"single","size":1,"number":9}'),
        ("bombed", '{"cards":["g4","g5"],"wild_as":null,"kind":"sequence","size":2,"number":4}'),
        ("passed", "{}"),
        ("trick_ended", '{"winner":1,"bomb":"A"}'),
        (
            "round_ended",
            '{"went_out":0,"hands":[[],["g1"]],"face_down":[["b1"],[]],"wilds_used":[["b2"],[]],'
            '"change":[3,-3],"points":[53,47]}',
        ),
        (
            "match_finished",
            '{"outcome":{"termination":"rounds_played","points":[53,47],"went_out":[1,0],"winners":[0],"returns":[53,47]}}',
        ),
    ],
)
def test_the_data_of_each_event(type, data):
    told = {event.type: event for event in _one_of_each()}
    assert set(told) == set(GAME.events)
    assert encoded(told[type].data) == data
    mover = type not in ("round_started", "trick_ended", "round_ended", "match_finished")
    assert (told[type].seat is not None) == mover


def _one_of_each():
    yield from GAME.setup(GAME.options(), 2, fresh(2).chance).events
    second = do(position("g9", "g1", table=(1, "g8")), 0, "follow", cards="g9").state
    yield from do(second, 1, "keep_bomb").events
    yield from do(second, 1, "skip_bomb").events
    start = fresh(2)
    yield from GAME.apply(start, 0, GAME.legal_moves(start, 0)[0]).events
    yield from do(position("g4 g15", "g1", face_down=("b9", "")), 0, "follow", cards="g4", wild="b9 as g5").events
    tide = position("g8 g12", "g1", table=(1, "b10"), face_down=("b9 b11", ""))
    yield from do(tide, 0, "turn_tide", take="b9", cards="b9").events
    yield from do(position("g4 g5 b15", "g1", table=(1, "g10"), bomb="A"), 0, "bomb", cards="g4 g5").events
    yield from do(position("g4", "g1", table=(1, "g10")), 0, "pass").events
    last = position("g9", "g1", table=(1, "g8"), face_down=("b1", ""), wilds_used=(pile_of(["b2"]), 0), round=4)
    yield from [event for event in do(last, 0, "follow", cards="g9").events if event.type != "followed"]


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (as_move("set_aside", cards="g1 b7"), '{"type":"set_aside","cards":["g1","b7"]}'),
        (as_move("keep_bomb"), '{"type":"keep_bomb"}'),
        (as_move("skip_bomb"), '{"type":"skip_bomb"}'),
        (as_move("follow", cards="g4 g5"), '{"type":"follow","cards":["g4","g5"],"wild":null}'),
        (
            as_move("follow", cards="g4 g5", wild="b9 as g6"),
            '{"type":"follow","cards":["g4","g5"],"wild":{"card":"b9","as":"g6"}}',
        ),
        (
            as_move("turn_tide", take="b9", cards="b3 g3"),
            '{"type":"turn_tide","take":"b9","cards":["b3","g3"]}',
        ),
        (as_move("bomb", cards="g4 b4"), '{"type":"bomb","cards":["g4","b4"],"wild":null}'),
        (as_move("pass"), '{"type":"pass"}'),
    ],
)
def test_moves_are_written_as_they_are_read(move, text):
    assert encoded(move) == text
    assert msgspec.json.decode(text, type=ANY_MOVE) == move


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"follow"}',
        '{"type":"follow","cards":"g4"}',
        '{"type":"follow","cards":["g16"]}',
        '{"type":"follow","cards":["g0"]}',
        '{"type":"follow","cards":["g04"]}',
        '{"type":"follow","cards":["g4\\n"]}',
        '{"type":"follow","cards":[4]}',
        '{"type":"follow","cards":[null]}',
        '{"type":"follow","cards":["g4"],"wild":"b9"}',
        '{"type":"follow","cards":["g4"],"wild":{"card":"b9"}}',
        '{"type":"follow","cards":["g4"],"wild":{"card":"b9","as":"g5","more":1}}',
        '{"type":"follow","cards":["g4"],"bomb":true}',
        '{"type":"turn_tide","take":"b9","cards":["g4"],"wild":null}',
        '{"type":"turn_tide","take":null,"cards":["g4"]}',
        '{"type":"set_aside","cards":["g4"]}',
        '{"type":"set_aside","cards":["g4","g5","g6"]}',
        '{"type":"pass","cards":[]}',
        '{"type":["pass"]}',
        '{"type":"swim"}',
        "{}",
        "[]",
        '{"type":"follow","cards":[' + ",".join(['"g4"'] * 16) + "]}",
    ],
)
def test_what_fits_no_move_is_refused_by_the_schema(text):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=ANY_MOVE)


def test_every_published_type_has_a_name_of_its_own_and_says_what_it_is():
    types = [*GAME.moves, GAME.view, GAME.options, GAME.ending, *GAME.events.values()]
    _, components = msgspec.json.schema_components(types)
    assert all(name.startswith("Onda") for name in components)
    assert all(component.get("description") for component in components.values()), components
