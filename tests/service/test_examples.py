"""The examples in openapi/examples/ are real: the same requests give the same answers, to the byte.

WRITE_EXAMPLES=1 writes them anew (`make examples`); then `make openapi` puts them into the document.
"""

import json
import os
from typing import Any

import pytest

from service.api.problems import PROBLEMS
from tests.support.document import COMMITTED, committed
from tests.support.exemplary import examples

FOLDER = COMMITTED.parent / "examples"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    from tests.support.server import redis_server

    with redis_server(tmp_path_factory.mktemp("redis"), appendfsync="no") as redis:
        return examples(redis)


def encoded(example: dict[str, Any]) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False) + "\n"


def test_the_examples_are_what_the_service_answers(made: dict[str, dict[str, Any]]) -> None:
    if os.environ.get("WRITE_EXAMPLES"):
        for file in FOLDER.glob("*.json"):
            file.unlink()
        for name, example in made.items():
            (FOLDER / f"{name}.json").write_text(encoded(example))
    there = {file.stem: file.read_text() for file in FOLDER.glob("*.json")}
    assert sorted(there) == sorted(made), "run `make examples`"
    for name, example in made.items():
        assert there[name] == encoded(example), f"{name}: run `make examples`"


def test_every_operation_has_an_example_in_the_document() -> None:
    for path, item in committed().paths.items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            if "requestBody" in operation:
                assert "example" in operation["requestBody"]["content"]["application/json"], f"{method} {path}"
            success = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
            assert "example" in success["content"]["application/json"], f"{method} {path}"


def test_every_problem_that_an_operation_can_give_has_an_example_in_the_document() -> None:
    document = json.loads(COMMITTED.read_text())
    assert set(document["components"]["examples"]) == set(PROBLEMS)
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            for status, answer in operation["responses"].items():
                shown = answer.get("content", {}).get("application/problem+json")
                assert shown is None or shown["examples"], f"{method} {path} {status}"
