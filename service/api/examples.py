"""The examples of the document: real requests and answers, written into openapi/examples/ by a test."""

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

PROBLEMS = "problems"


@lru_cache(maxsize=1)
def examples() -> dict[str, dict[str, Any]]:
    """By operation id: `request` and `answer` (None where there is no body); under `problems`: by code, the body."""
    folder = files("openapi") / "examples"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".json"))
    return {name.removesuffix(".json"): json.loads((folder / name).read_text()) for name in names}


def request_example(operation: str) -> dict[str, Any]:
    """The `example` of an operation's request body, as a media type has it; empty without one."""
    return _example(operation, "request")


def answer_example(operation: str) -> dict[str, Any]:
    """The `example` of an operation's successful answer; empty without one."""
    return _example(operation, "answer")


def problem_example(code: str) -> dict[str, Any] | None:
    """A real problem of this code, None where there is none yet."""
    found: dict[str, Any] | None = examples().get(PROBLEMS, {}).get(code)
    return found


def _example(operation: str, part: str) -> dict[str, Any]:
    value = examples().get(operation, {}).get(part)
    return {} if value is None else {"example": value}
