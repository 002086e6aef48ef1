"""What enumerations are called in the document: as the code that defines them calls them."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from service.table import records

SHARED: dict[str, Sequence[str]] = {
    "MatchStatus": get_args(records.Status),
    "SeatKind": get_args(records.Kind),
    "MoveCause": get_args(records.Cause),
    "OnAbsent": get_args(records.OnAbsent),
    "LegalMovesPolicy": get_args(records.LegalMovesPolicy),
    "Visibility": get_args(records.Visibility),
}
"""Those that every game shares."""


def named_by_game(prefix: str, kinds: Sequence[type[msgspec.Struct]]) -> dict[str, Sequence[str]]:
    """The `Literal`s of several words that have a name in the modules of these types, under the game's prefix."""
    found: dict[str, Sequence[str]] = {}
    for module in sorted({kind.__module__ for kind in kinds}):
        for name, value in sorted(vars(sys.modules[module]).items()):
            words = _words(value)
            if len(words) > 1 and words not in found.values():
                found[name if name.startswith(prefix) else f"{prefix}{name}"] = words
    return found


def _words(value: Any) -> tuple[str, ...]:
    """The members of a `Literal` of strings; nothing for any other value."""
    if get_origin(value) is Annotated:
        value = get_args(value)[0]
    if get_origin(value) is not Literal:
        return ()
    members = get_args(value)
    return members if all(isinstance(member, str) for member in members) else ()
