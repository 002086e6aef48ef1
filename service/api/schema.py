"""From msgspec's types to the document's schemas, in the dialect that client generators swallow."""

from collections.abc import Mapping
from typing import Any

import msgspec

REF = "#/components/schemas/{name}"


def reference(kind: Any) -> dict[str, Any]:
    """How the document names a type's schema. A tuple of types: any of them."""
    if isinstance(kind, tuple):
        return {"anyOf": [reference(one) for one in kind]}
    return {"$ref": REF.format(name=kind.__name__)}


def components(answers: list[Any], requests: list[Any], unions: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The schema of every type that these types are made of, by name.

    In answers every property is present, so every property is required. `unions` get a name of their own: a tagged
    union becomes one component with a discriminator.
    """
    _, asked = msgspec.json.schema_components([*requests, *unions.values()], ref_template=REF)
    _, answered = msgspec.json.schema_components(answers, ref_template=REF)
    found = {**answered, **asked}
    for name, schema in found.items():
        if name not in asked and "properties" in schema:
            schema["required"] = [prop for prop in schema["properties"] if prop not in _optional(name, answers)]
    schemas, _ = msgspec.json.schema_components(list(unions.values()), ref_template=REF)
    inline = {name: _plain(schema) for name, schema in zip(unions, schemas, strict=True)}
    plain = {name: _name_unions(_plain(schema), inline) for name, schema in found.items()}
    return {**inline, **plain}


def _optional(name: str, answers: list[Any]) -> set[str]:
    """The properties that are left out of an answer unless they were asked for."""
    kind = next((kind for kind in answers if getattr(kind, "__name__", None) == name), None)
    if kind is None:
        return set()
    return {field.encode_name for field in msgspec.structs.fields(kind) if field.default is msgspec.UNSET}


def _plain(node: Any) -> Any:
    """The schema without what generators stumble over: tagged `anyOf`, `items: false`, `default: null`."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _plain(value) for key, value in node.items() if not _stumbling(key, value)}
    if "discriminator" in plain and "anyOf" in plain:
        plain["oneOf"] = plain.pop("anyOf")
    return plain


def _stumbling(key: str, value: Any) -> bool:
    return (key == "items" and value is False) or (key == "default" and value is None)


def _name_unions(node: Any, inline: dict[str, Any]) -> Any:
    """The schema with each union that has a name replaced by a reference to it."""
    if isinstance(node, list):
        return [_name_unions(item, inline) for item in node]
    if not isinstance(node, dict):
        return node
    for name, schema in inline.items():
        if node == schema:
            return {"$ref": REF.format(name=name)}
    return {key: _name_unions(value, inline) for key, value in node.items()}
