"""Hold real answers against the published document: status, media type, headers, schema, the problem's code."""

import copy
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs  # comes with schemathesis, and is fast enough to look at every answer

COMMITTED = Path(__file__).resolve().parents[2] / "openapi/openapi.json"
PROBLEM = "application/problem+json"
TELLING = ("Location", "ETag", "Idempotent-Replayed", "Retry-After", "WWW-Authenticate", "Allow")
NEVER_WITHOUT = ("Location", "ETag", "Retry-After", "WWW-Authenticate")


class Document:
    """The document, ready to be compared with. Schemas are closed: an answer may hold nothing that is not told."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.paths = document["paths"]
        # Literal places first, so that a template does not swallow its literal sisters.
        templates = sorted(self.paths, key=lambda path: ("{" in path, path))
        self.templates = [(_pattern(template), template) for template in templates]
        self.components = {"schemas": closed(copy.deepcopy(document["components"]["schemas"]))}
        self.validators: dict[str, Any] = {}

    def operation(self, method: str, path: str) -> dict[str, Any] | None:
        """What is said of this method at this address; None where nothing is."""
        for pattern, template in self.templates:
            if pattern.fullmatch(path):
                found: dict[str, Any] | None = self.paths[template].get(method.lower())
                return found
        return None

    def check(self, method: str, path: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Fails where the answer is not as told. Addresses that the document does not know answer in the one shape."""
        where = f"{method} {path} -> {status}: {body[:300]!r}"
        operation = self.operation(method, path)
        if operation is None:
            if status >= 400:
                self.fits({"$ref": "#/components/schemas/Problem"}, body, where)
            return
        assert str(status) in operation["responses"], f"undocumented status: {where}"
        told = operation["responses"][str(status)]
        self._check_headers(told.get("headers", {}), headers, where)
        if "content" not in told:
            assert body == b"", f"a body that is not told of: {where}"
            return
        kind = headers["Content-Type"].partition(";")[0]
        assert kind in told["content"], f"undocumented media type {kind}: {where}"
        self.fits(told["content"][kind]["schema"], body, where)
        if kind == PROBLEM:
            code = json.loads(body)["code"]
            assert f"`{code}`" in told["description"], f"undocumented code {code}: {where}"

    def fits(self, schema: dict[str, Any], body: bytes, where: str) -> None:
        """Fails where the body does not fit the schema."""
        key = json.dumps(schema)
        if key not in self.validators:
            whole = {**schema, "components": self.components}
            self.validators[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        faults = [
            f"{fault.instance_path}: {fault.message[:200]}"
            for fault in self.validators[key].iter_errors(json.loads(body))
        ]
        assert not faults, f"{where}\n" + "\n".join(faults[:5])

    def _check_headers(self, told: dict[str, Any], headers: Mapping[str, str], where: str) -> None:
        for name in TELLING:
            assert name not in headers or name in told, f"the header {name} is not told of: {where}"
        for name in NEVER_WITHOUT:
            assert name not in told or name in headers, f"without {name}: {where}"


@cache
def committed() -> Document:
    """The document that is committed."""
    return Document(json.loads(COMMITTED.read_text()))


def closed(node: Any) -> Any:
    """The schemas with every object closed that lists its properties."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {key: closed(value) for key, value in node.items()}
    if isinstance(plain.get("properties"), dict) and plain.get("type") == "object":
        plain.setdefault("additionalProperties", False)
    return plain


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]+\})", template)
    return re.compile("".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts))
