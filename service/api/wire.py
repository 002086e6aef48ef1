"""The types of one game's bodies: the shared shapes, with the game's own types where those say `Any`.

Answers are encoded from the shared shapes and documented by these; a test holds every real answer against the document.
"""

import re
from functools import reduce
from operator import or_
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engines.kit.game import Game
from service.api import shapes
from service.api.told_events import told_events
from service.table.change import FeedEvent
from service.table.look import LegalMoves
from service.table.play import Played
from service.table.replay import Replay, ReplayMove


class Wire(msgspec.Struct, frozen=True):
    """One game's types. `move` is the union of its moves, `prefix` begins all their names."""

    prefix: str
    move: Any
    create_request: Any
    move_request: Any
    match: Any
    matches: Any
    created: Any
    state: Any
    legal_moves: Any
    played: Any
    events: Any
    replay: Any
    knew: Any


def wire(game: Game) -> Wire:
    """The types of this game's bodies."""
    prefix = "".join(part.capitalize() for part in re.split("[^a-z0-9]", game.key))

    def narrow(shape: type[msgspec.Struct], **types: Any) -> Any:
        return _narrow(prefix, shape, types)

    move: Any = reduce(or_, game.moves)
    outcome = {"outcome": game.ending | None}
    view = {"view": game.view | None}
    match: Any = narrow(shapes.Match, options=game.options, **outcome)
    legal_moves: Any = narrow(LegalMoves, moves=list[move] | None)
    replay_move: Any = narrow(ReplayMove, move=move)
    event: Any = narrow(FeedEvent, data=dict[str, Any])
    event.__doc__ = f"{event.__doc__}\n\n`type` is an open set: expect new ones. Today:\n\n{told_events(game)}"
    state = narrow(shapes.State, **view, **outcome)
    return Wire(
        prefix=prefix,
        move=move,
        create_request=narrow(
            shapes.CreateRequest,
            seats=Annotated[int, Meta(ge=game.min_seats, le=game.max_seats)],
            options=(game.options, game.options()),
        ),
        move_request=narrow(shapes.MoveRequest, move=move),
        match=match,
        matches=narrow(shapes.Matches, items=list[match]),
        created=narrow(shapes.Created, match=match),
        state=state,
        legal_moves=legal_moves,
        played=narrow(Played, events=list[event], view=game.view, legal_moves=legal_moves, **outcome),
        events=narrow(
            shapes.Events,
            events=list[event],
            state=(state | UnsetType, UNSET),
            legal_moves=(legal_moves | UnsetType | None, UNSET),
        ),
        replay=narrow(Replay, options=game.options, moves=list[replay_move], **outcome),
        knew=narrow(shapes.Knew, **view),
    )


def _narrow(prefix: str, shape: type[msgspec.Struct], types: dict[str, Any]) -> Any:
    """The shape under the game's name, some fields with other types (or a type and a default)."""
    hints = get_type_hints(shape, include_extras=True)
    fields: list[Any] = []
    for field in msgspec.structs.fields(shape):
        replaced = types.get(field.name)
        if isinstance(replaced, tuple):
            fields.append((field.name, *replaced))
        elif field.default is msgspec.NODEFAULT:
            fields.append((field.name, replaced or hints[field.name]))
        else:
            fields.append((field.name, replaced or hints[field.name], field.default))
    return msgspec.defstruct(
        f"{prefix}{shape.__name__}",
        fields,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=shape.__struct_config__.forbid_unknown_fields,
        namespace={"__doc__": shape.__doc__},
    )
