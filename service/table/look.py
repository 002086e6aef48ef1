"""What a viewer sees: its state and its legal moves, as the match stands in one loaded record."""

from typing import Any

import msgspec

from engines.kit.game import Viewer
from service.table.records import Record


class LegalMoves(msgspec.Struct, frozen=True):
    """What a seat may do now. `moves` is None under the policy `count`; both are None under `none`."""

    version: int
    to_move: tuple[int, ...]
    count: int | None
    moves: Any


def view(record: Record, viewer: Viewer) -> Any:
    """The viewer's view; None before the start."""
    return None if record.state is None else record.game.view_for(record.state, viewer)


def legal_moves(record: Record, seat: int) -> LegalMoves:
    """The seat's legal moves under the match's policy; an empty list when it is not this seat's to move."""
    return legal_moves_at(record, seat, record.live.version, record.state, record.to_move)


def legal_moves_at(record: Record, seat: int, version: int, state: Any, to_move: tuple[int, ...]) -> LegalMoves:
    """The same for another position of the match."""
    policy = record.head.legal_moves
    if policy == "none":
        return LegalMoves(version, to_move, None, None)
    moves = record.game.legal_moves(state, seat) if seat in to_move else ()
    return LegalMoves(version, to_move, len(moves), None if policy == "count" else moves)
