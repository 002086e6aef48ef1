"""What the document tells of a game's events: every type there is today, and the shape of its data."""

from typing import Any

import msgspec

from engines.kit.game import Game

MOST_WORDS = 6
"""An enumeration longer than this is told as `string`."""

OF_THE_TABLE = {
    "match_created": ("{}", "The match is set up."),
    "seat_claimed": ('{"name": string, "kind": "player"|"bot"}', "Somebody sat down."),
    "seat_freed": ("{}", "A seat is open again; before the start only."),
    "match_started": ("{}", "The last seat was claimed, and the deal is done."),
    "token_renewed": ('{"by": "seat"|"host"}', "`seat`'s token was replaced; `seat` null: the host's own."),
    "seat_resigned": ('{"on_absent": "move"|"abort"}', "A seat gave up while playing, and what follows from it."),
    "webhook_switched_off": ('{"reason": "gone"|"failing"}', "The match's webhook is given up: it said so, or failed."),
    "match_aborted": ('{"reason": "host"|"resigned"}', "The match ended without a result."),
}


def told_events(game: Game) -> str:
    """The table of event types, as Markdown."""
    rows = ["| type | data | |", "|---|---|---|"]
    rows += [f"| `{type}` | `{_cell(shape)}` | {meaning} |" for type, (shape, meaning) in OF_THE_TABLE.items()]
    for type, kind in game.events.items():
        meaning = (kind.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
        rows.append(f"| `{type}` | `{_cell(_shape(kind))}` | {_cell(' '.join(meaning.split()))} |")
    return "\n".join(rows)


def _shape(kind: type[msgspec.Struct]) -> str:
    schema = msgspec.json.schema(kind)
    return _words(schema, schema["$defs"])


def _words(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """The schema as a shape in words: JSON with types where values stand."""
    if "$ref" in schema:
        return _words(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return "|".join(_words(one, definitions) for one in schema["anyOf"])
    if "enum" in schema:
        return "|".join(f'"{word}"' for word in schema["enum"]) if len(schema["enum"]) <= MOST_WORDS else "string"
    if schema.get("type") == "array":
        return f"[{_words(schema.get('items') or {}, definitions)}, ...]"
    if "properties" in schema:
        required = schema.get("required", [])
        told = (
            f'"{name}"{"" if name in required else "?"}: {_words(prop, definitions)}'
            for name, prop in schema["properties"].items()
        )
        return "{" + ", ".join(told) + "}"
    return str(schema.get("type", "any"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
