"""What everything that is stored looks like, written down so that two versions of it can be compared.

A class becomes a `Shape`: how it is packed, and a line for each field in order, such as `version: int` or
`bank_s: int = 0`. Bounds are left out: whether a stored number is still within them shows when recorded matches are
loaded. What the rules mean by a number (that card 7 is this card) shows there too.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import inspect

from engines import GAMES
from service.table.change import FeedEvent
from service.table.claim import _Remembered
from service.table.create import _Reserved
from service.table.hooks import Told
from service.table.play import Applied
from service.table.records import Head, Live, Logged

RECORDS: tuple[type[msgspec.Struct], ...] = (Head, Live, Logged, Applied, _Remembered, _Reserved, Told, FeedEvent)
"""What the table stores, whatever the game. `records.LAYOUT` counts their layouts."""


class Shape(msgspec.Struct, frozen=True):
    """One class: `array`, `map`, or either with its tag, and its fields in the order in which they are packed."""

    packed: str
    fields: tuple[str, ...]


Shapes = dict[str, Shape]


def shapes_now() -> dict[str, Shapes]:
    """What this version stores: under `records` what every match has, under each game's key what is its own."""
    found = {"records": _all_of(RECORDS)}
    for key, game in GAMES.items():
        found[key] = _all_of((game.state, game.options, *game.moves))
    return found


def _all_of(classes: Iterable[type[msgspec.Struct]]) -> Shapes:
    """The shapes of these classes and of all that stand in their fields, by name."""
    shapes: Shapes = {}
    for cls in classes:
        _add(inspect.type_info(cls), shapes)
    return dict(sorted(shapes.items()))


def _add(info: Any, shapes: Shapes) -> None:
    name = info.cls.__name__.lstrip("_")
    if name in shapes:
        return
    tag = "" if info.tag is None else f", {info.tag_field or 'type'} {info.tag!r}"
    shapes[name] = Shape("", ())  # for a class that holds itself
    fields = tuple(_line(field, shapes) for field in info.fields)
    shapes[name] = Shape(("array" if info.array_like else "map") + tag, fields)


def _line(field: Any, shapes: Shapes) -> str:
    line = f"{field.encode_name}: {_type(field.type, shapes)}"
    if field.required:
        return line
    default = field.default if field.default is not inspect.NODEFAULT else field.default_factory()
    return f"{line} = {msgspec.json.encode(default).decode()}"


def _type(info: Any, shapes: Shapes) -> str:
    match info:
        case inspect.StructType():
            _add(info, shapes)
            return str(info.cls.__name__.lstrip("_"))
        case inspect.UnionType():
            return " | ".join(_type(one, shapes) for one in info.types)
        case inspect.LiteralType():
            return " | ".join(repr(value) for value in info.values)
        case inspect.VarTupleType() | inspect.ListType():
            return f"[{_type(info.item_type, shapes)}, ...]"
        case inspect.TupleType():
            return f"[{', '.join(_type(one, shapes) for one in info.item_types)}]"
        case inspect.DictType():
            return f"{{{_type(info.key_type, shapes)}: {_type(info.value_type, shapes)}}}"
        case inspect.NoneType():
            return "None"
        case inspect.Metadata():
            return _type(info.type, shapes)
    return type(info).__name__.removesuffix("Type").lower()


def faults(old: Mapping[str, Shape], new: Mapping[str, Shape]) -> list[str]:
    """Why what was packed by `old` can't be read by `new`; nothing where it can.

    What may change without counting the layout up: a field is added at the end with a default, a choice is added.
    """
    found = []
    for name, shape in old.items():
        if name not in new:
            found.append(f"{name} is gone")
            continue
        if shape.packed != new[name].packed:
            found.append(f"{name} was packed as {shape.packed}, now as {new[name].packed}")
        found += [f"{name}: {fault}" for fault in _field_faults(shape.fields, new[name].fields)]
    return found


def _field_faults(old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    found = [f"{line!r} is gone" for line in old[len(new) :]]
    for was, now in zip(old, new, strict=False):
        (name_was, type_was, default_was), (name_now, type_now, default_now) = _parts(was), _parts(now)
        narrower = not set(type_was.split(" | ")) <= set(type_now.split(" | "))
        if name_was != name_now or narrower or default_was not in (None, default_now):
            found.append(f"{was!r} has become {now!r}")
    return found + [f"{line!r} is new and has no default" for line in new[len(old) :] if " = " not in line]


def _parts(line: str) -> tuple[str, str, str | None]:
    """(name, type, default)."""
    name, _, rest = line.partition(": ")
    type_, equals, default = rest.partition(" = ")
    return name, type_, default if equals else None
