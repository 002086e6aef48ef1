"""What a client does with an answer next: the links of the document, from one operation to another."""

from typing import Any

_MATCH = {"match": "$response.body#/match"}
_SEAT = {**_MATCH, "seat": "$response.body#/seat"}
_SAME_SEAT = {"match": "$request.path.match", "seat": "$request.path.seat"}

LINKS: dict[str, dict[str, tuple[str, dict[str, str], dict[str, str] | None]]] = {
    "create_match": {
        "sit_down": ("claim_seat", {"match": "$response.body#/match/match"}, None),
        "look": ("get_match", {"match": "$response.body#/match/match"}, None),
    },
    "claim_seat": {
        "see": ("get_state", _SEAT, None),
        "choose": ("get_legal_moves", _SEAT, None),
        "follow": ("get_seat_events", _SEAT, None),
        "watch": ("get_match_state", _MATCH, None),
    },
    "get_legal_moves": {"move": ("post_move", _SAME_SEAT, {"move": "$response.body#/moves/0"})},
    "post_move": {"move_on": ("post_move", _SAME_SEAT, {"move": "$response.body#/legal_moves/moves/0"})},
}
"""By operation (without its game): the link's name, where it leads, its parameters, its body."""


def links(prefix: str, operation: str) -> dict[str, Any]:
    """The links of an operation's successful answer. `prefix` is the game's part of operation ids."""
    found: dict[str, Any] = {}
    for name, (to, parameters, body) in LINKS.get(operation, {}).items():
        found[name] = {"operationId": f"{prefix}_{to}", "parameters": parameters}
        if body is not None:
            found[name]["requestBody"] = body
    return found
