"""What a client does with an answer next: the links of the document, from one operation to another."""

from typing import Any

_MADE = {"match": "$response.body#/match/match"}
_MATCH = {"match": "$response.body#/match"}
_SEAT = {**_MATCH, "seat": "$response.body#/seat"}
_SAME_SEAT = {"match": "$request.path.match", "seat": "$request.path.seat"}

LINKS: dict[str, dict[str, tuple[str, dict[str, str], str]]] = {
    "create_match": {
        "sit_down": ("claim_seat", _MADE, "Once for each seat; the last claim starts the match."),
        "look": ("get_match", _MADE, "Who sits, and what the match waits for."),
        "abort": ("abort_match", _MADE, "With `host_token`."),
    },
    "claim_seat": {
        "see": ("get_state", _SEAT, "With `token`."),
        "choose": ("get_legal_moves", _SEAT, "With `token`."),
        "follow": ("get_seat_events", _SEAT, "With `token`: waits for news with `wait_s`."),
        "move": ("post_move", _SEAT, "With `token`, when `to_move` names the seat."),
        "renew": ("renew_token", _SEAT, "With `token`, if it may have been seen by others."),
        "leave": ("leave_seat", _SEAT, "With `token`."),
        "watch": ("get_match_state", _MATCH, "What spectators see."),
    },
    "get_legal_moves": {"move": ("post_move", _SAME_SEAT, "One of `moves`, sent as `move`.")},
    "post_move": {"move": ("post_move", _SAME_SEAT, "One of `legal_moves.moves`, if there are any.")},
    "abort_match": {"replay": ("get_replay", _MATCH, "The match is over: everything is open.")},
}
"""By operation (without its game): the link's name, where it leads, its parameters, what to know."""


def links(prefix: str, operation: str) -> dict[str, Any]:
    """The links of an operation's successful answer. `prefix` is the game's part of operation ids."""
    return {
        name: {"operationId": f"{prefix}_{to}", "parameters": parameters, "description": description}
        for name, (to, parameters, description) in LINKS.get(operation, {}).items()
    }
