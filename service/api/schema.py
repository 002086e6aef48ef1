"""From msgspec's types to the document's schemas, in the dialect that client generators swallow."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

REF = "#/components/schemas/{name}"

Literals = Mapping[str, Sequence[str]]
"""The enumerations that have a name, and their members."""


def reference(kind: Any) -> dict[str, Any]:
    """How the document names a type's schema. A tuple of types: any of them."""
    if isinstance(kind, tuple):
        return {"anyOf": [reference(one) for one in kind]}
    return {"$ref": REF.format(name=kind.__name__)}


def components(
    answers: Sequence[Any], requests: Sequence[Any], unions: Mapping[str, Any], literals: Literals
) -> dict[str, dict[str, Any]]:
    """The schema of every type that these types are made of, by name.

    In answers every property is present, so every property is required, but for those that are left out when unset.
    `unions` and `literals` get a name of their own: a tagged union becomes one component with a discriminator.
    """
    _, asked = msgspec.json.schema_components([*requests, *unions.values()], ref_template=REF)
    _, answered = msgspec.json.schema_components(answers, ref_template=REF)
    found = {**answered, **asked}
    for name, schema in found.items():
        if name not in asked and "properties" in schema:
            schema["required"] = _always_present(schema)
    schemas, _ = msgspec.json.schema_components(list(unions.values()), ref_template=REF)
    inline = {name: _plain(schema, literals) for name, schema in zip(unions, schemas, strict=True)}
    plain = {name: _name_unions(_plain(schema, literals), inline) for name, schema in found.items()}
    return {**enumerations(literals), **inline, **plain}


def enumerations(literals: Literals) -> dict[str, dict[str, Any]]:
    """The components of enumerations that have a name."""
    return {name: {"title": name, "type": "string", "enum": list(values)} for name, values in literals.items()}


def _always_present(schema: dict[str, Any]) -> list[str]:
    """All properties but those that msgspec leaves out when unset: they are optional and have no default to show."""
    required = schema.get("required", [])
    return [name for name, prop in schema["properties"].items() if name in required or "default" in prop]


def _plain(node: Any, literals: Literals) -> Any:
    """The schema without what generators stumble over: tagged `anyOf`, `items: false`, `default: null`, enumerations
    that come again and again without a name or a type."""
    if isinstance(node, list):
        return [_plain(item, literals) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _plain(value, literals) for key, value in node.items() if not _stumbling(key, value)}
    if "discriminator" in plain and "anyOf" in plain:
        plain["oneOf"] = plain.pop("anyOf")
    if isinstance(plain.get("enum"), list) and all(isinstance(value, str) for value in plain["enum"]):
        return _enumeration(plain, literals)
    return plain


def _enumeration(schema: dict[str, Any], literals: Literals) -> dict[str, Any]:
    """An enumeration by its name, if it has one; a single value as `const`."""
    values = schema.pop("enum")
    if len(values) == 1:
        return {"type": "string", "const": values[0], **schema}
    for name, members in literals.items():
        if sorted(members) == sorted(values):
            return {"$ref": REF.format(name=name), **schema}
    return {"type": "string", "enum": values, **schema}


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
